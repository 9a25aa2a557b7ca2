package benchmark

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func InspectHandler() engine.Handler {
	return engine.Handler{Format: intake.InspectEval, About: "Inspect AI evaluation logs (JSON)", Recognise: recogniseInspect, Import: importInspect}
}

func recogniseInspect(h intake.Head) intake.Confidence {
	s := h.JSON
	if len(s.Objects) != 1 || s.Shape == intake.ShapeArray {
		return intake.No
	}
	o := s.Objects[0]
	eval := o.Inner["eval"]
	if (eval.Has("task") || eval.Has("model")) && (o.Has("status") || o.Has("plan") || o.Has("samples")) {
		return intake.Certain
	}
	return intake.No
}

// importInspect reads the evaluation logs of Inspect in JSON: a conversation
// for each sample.
func importInspect(ctx context.Context, src intake.Source, sink intake.Sink) error {
	return intake.WithDocument(ctx, src, intake.InspectEval, func(doc intake.Document) error {
		var top engine.Finder
		m, _, err := top.Document(doc)
		if err != nil {
			return err
		}
		list := m.Get("samples")
		samples := top.List(list)
		if top.Scan.Err != nil {
			return doc.Broken(top.Scan.Err)
		}
		if len(samples) == 0 {
			return doc.Problem(int64(list.From), errors.New("the log holds no samples, and so no conversation"),
				"write the log with its samples, or read it after they ran")
		}
		eval := m.Object("eval")
		run := cmp.Or(eval.Peek("eval_id"), eval.Peek("run_id"))
		run = cmp.Or(run, intake.Digest(top.Raw[:min(len(top.Raw), 4096)]))
		var names intake.Ids
		for i, at := range samples {
			s := &inspectSample{ctx: ctx, model: eval.Peek("model")}
			s.sample.Reset(at.Of(top.Raw))
			sm := s.sample.Object(s.sample.Root())
			id := sm.Peek("uuid")
			if id == "" {
				id = intake.Numbered(run, at.Of(top.Raw))
			}
			s.out = engine.Emitter{Sink: sink, Conv: intake.Conversation{
				ID: intake.ConversationID(names.Unique(intake.ConversationID(id))), Named: intake.IsUnique(id), Format: intake.InspectEval, Title: engine.FirstLine(eval.Peek("task")),
			}}
			if created, err := time.Parse(time.RFC3339, eval.Peek("created")); err == nil {
				s.out.At(created.UTC())
			}
			if i == 0 {
				s.out.KeepRest("log", "inspect-eval.log", &top, samples)
			}
			if err := s.read(sm); err != nil {
				return err
			}
		}
		return nil
	})
}

// inspectSample is the import of one sample.
type inspectSample struct {
	ctx          context.Context
	out          engine.Emitter
	sample, find engine.Finder
	model        string
	attached     engine.Members
	system       bool
}

func (s *inspectSample) read(m engine.Members) error {
	f := &s.sample
	s.attached = m.Object("attachments")
	items := m.Items("messages")
	if s.model != "" && s.model != "none/none" {
		_ = s.out.Emit(tenfold.Entry{ID: s.out.Ids.Unique("model:" + intake.Digest([]byte(s.model))), Payload: tenfold.ConfigDelta{Model: s.model}})
	}
	if err := f.Each(s.ctx, items, &s.find, s.message); err != nil {
		return err
	}
	id := s.out.KeepRest("sample", "inspect-eval.sample", f, items)
	for _, one := range m.Object("model_usage").List {
		model, _ := f.Scan.UnquoteIn(walk.Span{From: 0, To: len(one.Name)}, one.Name)
		u := f.Object(one.At)
		_ = s.out.Emit(tenfold.Entry{ID: s.out.Ids.Unique(id + "/usage"), Payload: tenfold.Usage{
			Model: model, Input: u.Number("input_tokens"), Output: u.Number("output_tokens"),
			CacheRead: u.Number("input_tokens_cache_read"), CacheWrite: u.Number("input_tokens_cache_write"),
		}})
	}
	if len(items) == 0 {
		s.out.Warn.Add(0, "sample has no messages: the conversation is empty", "")
	}
	return s.out.End()
}

// message takes one message of a sample.
func (s *inspectSample) message(m engine.Members) error {
	f := &s.find
	key := m.Peek("id")
	if !intake.PlainID(key) {
		key = "message:" + intake.Digest(f.Raw)
	}
	id := s.out.Ids.Unique(key)
	content := m.Get("content")
	switch m.Peek("role") {
	case "system":
		if !s.system {
			s.system = true
			text := s.resolve(f.Words(content))
			return s.out.All(f.Record(id, tenfold.ConfigDelta{System: &text}))
		}
		return s.out.All(f.Record(id, tenfold.UserMessage{Parts: s.parts(content), Purpose: tenfold.Context, Synthetic: true}))
	case "user":
		return s.out.Said(f.Record(id, tenfold.UserMessage{Parts: s.parts(content)}))
	case "assistant":
		return s.out.All(f.Record(id, s.assistant(m)...))
	case "tool":
		r := tenfold.ToolResult{CallID: m.Peek("tool_call_id"), Parts: s.parts(content), IsError: f.Is(m.Get("error"), '{')}
		return s.out.All(f.Record(id, r))
	}
	return s.out.KeepOdd("message", id, "inspect-eval.untyped", f.Raw)
}

func (s *inspectSample) assistant(m engine.Members) []tenfold.Payload {
	f := &s.find
	var list []tenfold.Payload
	content := m.Get("content")
	if f.Is(content, '[') {
		for _, at := range f.List(content) {
			list = append(list, s.said(at))
		}
	} else if text := s.resolve(f.Words(content)); text != "" {
		list = append(list, tenfold.AssistantMessage{Text: text})
	}
	return withCalls(&s.out, f, m, list)
}

// withCalls adds the calls of a response to what it says. A response is never
// without an entry.
func withCalls(out *engine.Emitter, f *engine.Finder, m engine.Members, list []tenfold.Payload) []tenfold.Payload {
	for _, at := range m.Items("tool_calls") {
		if c, ok := f.Call(at); ok {
			list = append(list, c)
		} else {
			out.Warn.Add(0, "call could not be understood and was left out", "calls could not be understood and were left out")
		}
	}
	if len(list) == 0 {
		list = append(list, tenfold.AssistantMessage{})
	}
	return list
}

// said reads a block of an assistant's content.
func (s *inspectSample) said(at walk.Span) tenfold.Payload {
	f := &s.find
	m := f.Object(at)
	switch {
	case f.Is(at, '"'):
		return tenfold.AssistantMessage{Text: s.resolve(f.Text(at))}
	case m.Peek("type") == "text" && f.Is(m.Get("text"), '"'):
		return tenfold.AssistantMessage{Text: s.resolve(f.Text(m.Get("text")))}
	case m.Peek("type") == "reasoning" && f.Is(m.Get("reasoning"), '"'):
		r := tenfold.Reasoning{}
		provider := s.provider()
		if redacted := m.Get("redacted"); f.Is(redacted, 't') {
			r.Provider, r.Encrypted = provider, f.Text(m.Get("reasoning"))
			if f.Is(m.Get("summary"), '"') && provider == "openai" {
				r.Text = f.Text(m.Get("summary"))
			}
		} else {
			r.Text = s.resolve(f.Text(m.Get("reasoning")))
			if f.Is(m.Get("signature"), '"') {
				if provider == "openai" {
					r.Provider, r.ItemID = provider, f.Text(m.Get("signature"))
				} else {
					r.Provider, r.Signature = provider, f.Text(m.Get("signature"))
				}
			}
		}
		if provider == "" {
			// The values go back to their record.
			r.Provider, r.Signature, r.Encrypted = "", "", ""
			kept := []walk.Span{m.Get("signature"), m.Get("reasoning")}
			f.Cuts = slices.DeleteFunc(f.Cuts, func(c walk.Cut) bool { return slices.Contains(kept, c.Span) })
		}
		return r
	}
	s.out.Warn.Add(0, "block is of a kind that no provider takes back and is kept as it is", "blocks are of kinds that no provider takes back and are kept as they are")
	return tenfold.ProviderItem{Provider: "inspect", Role: "assistant", Data: f.Whole(at)}
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
func (s *inspectSample) parts(at walk.Span) []tenfold.Part {
	parts := s.find.Parts(at)
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
	at := s.attached.Get(name)
	if !at.Found() {
		s.out.Warn.Add(0, "attachment is not in the file: its name stands for it", "attachments are not in the file: their names stand for them")
		return text
	}
	// The name was cut from the message and has to stay there.
	s.find.Cuts = slices.DeleteFunc(s.find.Cuts, func(c walk.Cut) bool { return s.find.Peek(c.Span) == text })
	return s.sample.Peek(at)
}
