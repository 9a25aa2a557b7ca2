package transcript

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"tenfold"
)

// whoAndWhenImporter reads the files of the Who&When benchmark: several agents
// that talk, as text.
type whoAndWhenImporter struct{}

func whoAndWhenHandler() handler {
	return handler{format: WhoAndWhen, about: "Who&When multi-agent logs", importer: whoAndWhenImporter{}}
}

// Recognise implements [Importer].
func (whoAndWhenImporter) Recognise(h Head) Confidence {
	s := h.json
	if len(s.objects) != 1 || s.shape == shapeArray {
		return No
	}
	o := s.objects[0]
	if o.has("history") && (o.has("mistake_agent") || o.has("question_ID") || o.has("ground_truth")) {
		return Certain
	}
	// The head may end in the history.
	for _, m := range o.items["history"] {
		if m.has("role", "content") && strings.HasPrefix(m.values["role"], "Orchestrator (") {
			return Certain
		}
	}
	if list := o.items["history"]; len(list) > 0 && list[0].values["role"] == "human" && list[0].has("content") && len(list[0].names) == 2 {
		return Likely
	}
	if list := o.items["history"]; len(o.names) == 1 && len(list) == 1 && len(list[0].names) == 1 && list[0].has("content") {
		return Maybe // a head that ends in the first message
	}
	if o.has("is_correct", "question") || o.has("is_corrected", "question") {
		return Likely
	}
	if o.has("history") && !o.whole {
		for _, m := range o.items["history"] {
			if m.has("role", "content", "name") && strings.HasSuffix(m.values["name"], "_Expert") {
				return Likely
			}
		}
	}
	return No
}

// Import implements [Importer].
func (whoAndWhenImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return withDocument(ctx, src, WhoAndWhen, func(doc document) error { return importWhoAndWhen(ctx, src, doc, sink) })
}

func importWhoAndWhen(ctx context.Context, src Source, doc document, sink Sink) error {
	var top, f finder
	top.reset(bytes.TrimSpace(doc.raw))
	m := top.object(top.root())
	if top.scan.err == nil && m != nil {
		top.scan.end()
	}
	history := m.get("history")
	var items []span
	if top.scan.err == nil {
		items = top.list(history)
	}
	if top.scan.err != nil {
		return doc.broken(top.scan.err)
	}
	if !top.is(history, '[') {
		return doc.problem(src, WhoAndWhen, 0, errors.New("there is no history"), "a Who&When log has its messages in \"history\"")
	}
	first := top.raw[:0]
	if len(items) > 0 {
		first = items[0].of(top.raw)
	}
	out := emitter{sink: sink, conv: Conversation{ID: contentID(src.Name, WhoAndWhen, first), Title: firstLine(top.peek(m.get("question"))), Format: WhoAndWhen}}
	var buf []byte
	for _, at := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		buf = appendCompact(buf[:0], at.of(top.raw))
		f.reset(buf)
		if err := spoken(&out, &f); err != nil {
			return err
		}
	}
	frame := top.frame(items)
	if err := out.keep(out.ids.unique("document:"+digest(frame)), "who-and-when.document", frame); err != nil {
		return err
	}
	return out.end()
}

// spoken takes what one party said. A person, and an agent in a person's
// place, speaks as the user; the first to speak gives the task and is one too.
// All others are the assistant. Agents are named in front of what they say, for
// they take turns in one role.
func spoken(out *emitter, f *finder) error {
	m := f.object(f.root())
	id := out.ids.unique("message:" + digest(f.raw))
	role, name := f.peek(m.get("role")), f.peek(m.get("name"))
	if role == "" || !f.is(m.get("content"), '"') {
		out.warn.add(0, "message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
		return out.keep(id, "who-and-when.untyped", f.raw)
	}
	text := f.text(m.get("content"))
	user := role == "user" || role == "human"
	if name != "" {
		text = name + ": " + text
	} else if !user && role != "assistant" {
		text = role + ": " + text
	}
	if !user && out.turned {
		return out.all(f.record(id, tenfold.AssistantMessage{Text: text}))
	}
	u := tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: out.turned && (name != "" || role != "human")}
	if !u.Synthetic {
		if err := out.turn(id); err != nil {
			return err
		}
	}
	return out.all(f.record(id, u))
}
