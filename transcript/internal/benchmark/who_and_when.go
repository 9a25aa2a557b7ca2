package benchmark

import (
	"context"
	"errors"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

func WhoAndWhenHandler() engine.Handler {
	return engine.Handler{Format: intake.WhoAndWhen, About: "Who&When multi-agent logs", Recognise: recogniseWhoAndWhen, Import: importWhoAndWhen}
}

func recogniseWhoAndWhen(h intake.Head) intake.Confidence {
	s := h.JSON
	if len(s.Objects) != 1 || s.Shape == intake.ShapeArray {
		return intake.No
	}
	o := s.Objects[0]
	if o.Has("history") && (o.Has("mistake_agent") || o.Has("question_ID") || o.Has("ground_truth")) {
		return intake.Certain
	}
	// The head may end in the history.
	for _, m := range o.Items["history"] {
		if m.Has("role", "content") && strings.HasPrefix(m.Values["role"], "Orchestrator (") {
			return intake.Certain
		}
	}
	if list := o.Items["history"]; len(list) > 0 && list[0].Values["role"] == "human" && list[0].Has("content") && len(list[0].Names) == 2 {
		return intake.Likely
	}
	if list := o.Items["history"]; len(o.Names) == 1 && len(list) == 1 && len(list[0].Names) == 1 && list[0].Has("content") {
		return intake.Maybe // a head that ends in the first message
	}
	if o.Has("is_correct", "question") || o.Has("is_corrected", "question") {
		return intake.Likely
	}
	if o.Has("history") && !o.Whole {
		for _, m := range o.Items["history"] {
			if m.Has("role", "content", "name") && strings.HasSuffix(m.Values["name"], "_Expert") {
				return intake.Likely
			}
		}
	}
	return intake.No
}

// importWhoAndWhen reads the files of the Who&When benchmark: several agents
// that talk, as text.
func importWhoAndWhen(ctx context.Context, src intake.Source, sink intake.Sink) error {
	return intake.WithDocument(ctx, src, intake.WhoAndWhen, func(doc intake.Document) error {
		var top, f engine.Finder
		m, _, err := top.Document(doc)
		if err != nil {
			return err
		}
		history := m.Get("history")
		items := top.List(history)
		if top.Scan.Err != nil {
			return doc.Broken(top.Scan.Err)
		}
		if !top.Is(history, '[') {
			return doc.Problem(0, errors.New("there is no history"), "a Who&When log has its messages in \"history\"")
		}
		first := top.Raw[:0]
		if len(items) > 0 {
			first = items[0].Of(top.Raw)
		}
		out := engine.Emitter{Sink: sink, Conv: intake.Conversation{ID: intake.ContentID(src.Name, intake.WhoAndWhen, first), Title: engine.FirstLine(m.Peek("question")), Format: intake.WhoAndWhen}}
		if err := top.Each(ctx, items, &f, func(m engine.Members) error { return spoken(&out, &f, m) }); err != nil {
			return err
		}
		out.KeepRest("document", "who-and-when.document", &top, items)
		return out.End()
	})
}

// spoken takes what one party said. A person speaks as the user, and so does who
// speaks first, for that is the task. All others are the assistant, whatever role
// the log gives them: it says of agents who answers whom, and a compaction hides
// nothing of a person. What each says is a step of its own. Agents are named in
// front of it, for they take turns in one role.
func spoken(out *engine.Emitter, f *engine.Finder, m engine.Members) error {
	id := out.Ids.Unique("message:" + intake.Digest(f.Raw))
	role, name := m.Peek("role"), m.Peek("name")
	if role == "" || !f.Is(m.Get("content"), '"') {
		return out.KeepOdd("message", id, "who-and-when.untyped", f.Raw)
	}
	text := f.Text(m.Get("content"))
	user := name == "" && (role == "user" || role == "human")
	if name != "" {
		text = name + ": " + text
	} else if !user && role != "assistant" {
		text = role + ": " + text
	}
	if user || !out.Turned {
		u := tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: out.Turned && role != "human"}
		return out.Said(f.Record(id, u))
	}
	said := f.Record(id, tenfold.AssistantMessage{Text: text})
	said[0].MessageID = id
	return out.All(said)
}
