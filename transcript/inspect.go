package transcript

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tenfold"
)

// inspectImporter reads the evaluation logs of Inspect in JSON: a conversation
// for each sample.
type inspectImporter struct{}

func inspectHandler() handler {
	return handler{format: InspectEval, about: "Inspect AI evaluation logs (JSON)", importer: inspectImporter{}}
}

// Recognise implements [Importer].
func (inspectImporter) Recognise(h Head) Confidence {
	s := h.json
	if len(s.objects) != 1 || s.shape == shapeArray {
		return No
	}
	o := s.objects[0]
	eval := o.inner["eval"]
	if (eval.has("task") || eval.has("model")) && (o.has("status") || o.has("plan") || o.has("samples")) {
		return Certain
	}
	return No
}

// Import implements [Importer].
func (inspectImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return withDocument(ctx, src, InspectEval, func(doc document) error { return importInspect(ctx, src, doc, sink) })
}

func importInspect(ctx context.Context, src Source, doc document, sink Sink) error {
	var top finder
	top.reset(bytes.TrimSpace(doc.raw))
	m := top.object(top.root())
	if top.scan.err == nil && m != nil {
		top.scan.end()
	}
	list := m.get("samples")
	var samples []span
	if top.scan.err == nil {
		samples = top.list(list)
	}
	if top.scan.err != nil {
		return doc.broken(top.scan.err)
	}
	if len(samples) == 0 {
		return doc.problem(src, InspectEval, int64(list.from), errors.New("the log holds no samples, and so no conversation"),
			"write the log with its samples, or read it after they ran")
	}
	eval := top.object(m.get("eval"))
	run := top.peek(eval.get("eval_id"))
	if run == "" {
		run = top.peek(eval.get("run_id"))
	}
	if run == "" {
		run = digest(top.raw[:min(len(top.raw), 4096)])
	}
	var names ids
	for i, at := range samples {
		s := &inspectSample{ctx: ctx, model: top.peek(eval.get("model"))}
		s.sample.reset(at.of(top.raw))
		sm := s.sample.object(s.sample.root())
		id := s.sample.peek(sm.get("uuid"))
		if id == "" {
			id = numbered(run, at.of(top.raw))
		}
		s.out = emitter{sink: sink, conv: Conversation{
			ID: conversationID(names.unique(conversationID(id))), Named: isUnique(id), Format: InspectEval, Title: firstLine(top.peek(eval.get("task"))),
		}}
		if created, err := time.Parse(time.RFC3339, top.peek(eval.get("created"))); err == nil {
			s.out.at(created.UTC())
		}
		if i == 0 {
			frame := top.frame(samples)
			if err := s.out.keep(s.out.ids.unique("log:"+digest(frame)), "inspect-eval.log", frame); err != nil {
				return err
			}
		}
		if err := s.read(sm); err != nil {
			return err
		}
	}
	return nil
}

// inspectSample is the import of one sample.
type inspectSample struct {
	ctx          context.Context
	out          emitter
	sample, find finder
	buf          []byte
	model        string
	attached     members
	system       bool
}

func (s *inspectSample) read(m members) error {
	f := &s.sample
	s.attached = f.object(m.get("attachments"))
	items := f.list(m.get("messages"))
	if s.model != "" && s.model != "none/none" {
		if err := s.out.emit(tenfold.Entry{ID: s.out.ids.unique("model:" + digest([]byte(s.model))), Payload: tenfold.ConfigDelta{Model: s.model}}); err != nil {
			return err
		}
	}
	for _, at := range items {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.buf = appendCompact(s.buf[:0], at.of(f.raw))
		if err := s.message(); err != nil {
			return err
		}
	}
	frame := f.frame(items)
	id := s.out.ids.unique("sample:" + digest(frame))
	if err := s.out.keep(id, "inspect-eval.sample", frame); err != nil {
		return err
	}
	for _, one := range f.object(m.get("model_usage")) {
		model, _ := f.scan.unquoteIn(span{0, len(one.name)}, one.name)
		u := f.object(one.at)
		err := s.out.emit(tenfold.Entry{ID: s.out.ids.unique(id + "/usage"), Payload: tenfold.Usage{
			Model: model, Input: f.number(u.get("input_tokens")), Output: f.number(u.get("output_tokens")),
			CacheRead: f.number(u.get("input_tokens_cache_read")), CacheWrite: f.number(u.get("input_tokens_cache_write")),
		}})
		if err != nil {
			return err
		}
	}
	if len(items) == 0 {
		s.out.warn.add(0, "sample has no messages: the conversation is empty", "")
	}
	return s.out.end()
}

// message takes one message of a sample.
func (s *inspectSample) message() error {
	f := &s.find
	f.reset(s.buf)
	m := f.object(f.root())
	key := f.peek(m.get("id"))
	if !plainID(key) {
		key = "message:" + digest(s.buf)
	}
	id := s.out.ids.unique(key)
	content := m.get("content")
	switch f.peek(m.get("role")) {
	case "system":
		if !s.system {
			s.system = true
			text := s.resolve(f.words(content))
			return s.out.all(f.record(id, tenfold.ConfigDelta{System: &text}))
		}
		return s.out.all(f.record(id, tenfold.UserMessage{Parts: s.parts(content), Synthetic: true}))
	case "user":
		if err := s.out.turn(id); err != nil {
			return err
		}
		return s.out.all(f.record(id, tenfold.UserMessage{Parts: s.parts(content)}))
	case "assistant":
		return s.out.all(f.record(id, s.assistant(m)...))
	case "tool":
		r := tenfold.ToolResult{CallID: f.peek(m.get("tool_call_id")), Parts: s.parts(content), IsError: f.is(m.get("error"), '{')}
		return s.out.all(f.record(id, r))
	}
	s.out.warn.add(0, "message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
	return s.out.keep(id, "inspect-eval.untyped", s.buf)
}

func (s *inspectSample) assistant(m members) []tenfold.Payload {
	f := &s.find
	var list []tenfold.Payload
	content := m.get("content")
	if f.is(content, '[') {
		for _, at := range f.list(content) {
			list = append(list, s.said(at))
		}
	} else if text := s.resolve(f.words(content)); text != "" {
		list = append(list, tenfold.AssistantMessage{Text: text})
	}
	for _, at := range f.list(m.get("tool_calls")) {
		if c, ok := f.call(at); ok {
			list = append(list, c)
		} else {
			s.out.warn.add(0, "call could not be understood and was left out", "calls could not be understood and were left out")
		}
	}
	if len(list) == 0 {
		list = append(list, tenfold.AssistantMessage{})
	}
	return list
}

// said reads a block of an assistant's content.
func (s *inspectSample) said(at span) tenfold.Payload {
	f := &s.find
	m := f.object(at)
	switch {
	case f.is(at, '"'):
		return tenfold.AssistantMessage{Text: s.resolve(f.text(at))}
	case f.peek(m.get("type")) == "text" && f.is(m.get("text"), '"'):
		return tenfold.AssistantMessage{Text: s.resolve(f.text(m.get("text")))}
	case f.peek(m.get("type")) == "reasoning" && f.is(m.get("reasoning"), '"'):
		r := tenfold.Reasoning{}
		provider := s.provider()
		if redacted := m.get("redacted"); f.is(redacted, 't') {
			r.Provider, r.Encrypted = provider, f.text(m.get("reasoning"))
			if f.is(m.get("summary"), '"') && provider == "openai" {
				r.Text = f.text(m.get("summary"))
			}
		} else {
			r.Text = s.resolve(f.text(m.get("reasoning")))
			if f.is(m.get("signature"), '"') {
				if provider == "openai" {
					r.Provider, r.ItemID = provider, f.text(m.get("signature"))
				} else {
					r.Provider, r.Signature = provider, f.text(m.get("signature"))
				}
			}
		}
		if provider == "" {
			r.Provider, r.Signature, r.Encrypted = "", "", ""
			f.cuts = uncut(f.cuts, m.get("signature"), m.get("reasoning"))
		}
		return r
	}
	s.out.warn.add(0, "block is of a kind that no provider takes back and is kept as it is", "blocks are of kinds that no provider takes back and are kept as they are")
	return tenfold.ProviderItem{Provider: "inspect", Role: "assistant", Data: f.whole(at)}
}

// uncut gives values back to their record.
func uncut(cuts []cut, spans ...span) []cut {
	var rest []cut
	for _, c := range cuts {
		keep := true
		for _, at := range spans {
			keep = keep && c.span != at
		}
		if keep {
			rest = append(rest, c)
		}
	}
	return rest
}

// provider is whose model the sample ran on.
func (s *inspectSample) provider() string {
	switch name, _, _ := strings.Cut(s.model, "/"); name {
	case "anthropic", "openai":
		return name
	case "google":
		return "gemini"
	}
	return ""
}

// parts reads a content and puts in what lies in the sample's attachments.
func (s *inspectSample) parts(at span) []tenfold.Part {
	parts := s.find.parts(at)
	for i := range parts {
		if p := &parts[i]; p.File == nil {
			p.Text = s.resolve(p.Text)
		} else {
			p.File.URI = s.resolve(p.File.URI)
		}
	}
	return parts
}

const attachmentScheme = "attachment://"

// resolve gives what an attachment's name stands for, anything else as it is.
func (s *inspectSample) resolve(text string) string {
	name, ok := strings.CutPrefix(text, attachmentScheme)
	if !ok || len(name) > 128 {
		return text
	}
	at := s.attached.get(name)
	if !at.found() {
		s.out.warn.add(0, "attachment is not in the file: its name stands for it", "attachments are not in the file: their names stand for them")
		return text
	}
	// The name was cut from the message and has to stay there.
	s.find.cuts = slices.DeleteFunc(s.find.cuts, func(c cut) bool { return s.find.peek(c.span) == text })
	return s.sample.peek(at)
}
