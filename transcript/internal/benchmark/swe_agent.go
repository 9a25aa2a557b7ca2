package benchmark

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func SweAgentHandler() engine.Handler {
	return engine.Handler{Format: intake.SWEAgent, About: "SWE-agent and mini-swe-agent trajectories (.traj)", Recognise: recogniseSWEAgent, Import: importSWEAgent}
}

func recogniseSWEAgent(h intake.Head) intake.Confidence {
	s := h.JSON
	if len(s.Objects) == 0 {
		return intake.No
	}
	o := s.Objects[0]
	if s.Shape == intake.ShapeArray {
		// mini-swe-agent's older files are the bare messages.
		if !o.Has("role", "content") {
			return intake.No
		}
		switch {
		case bytes.Contains(h.Bytes, []byte("mswea_bash_command")):
			return intake.Certain
		case strings.Contains(h.Name, ".traj"):
			return intake.Likely
		}
		return intake.No
	}
	if o.Has("mistake_agent") || o.Has("ground_truth") {
		return intake.No
	}
	for _, step := range o.Items["trajectory"] {
		if step.Has("action", "observation") || step.Has("action", "thought") {
			return intake.Certain
		}
	}
	for _, m := range o.Items["history"] {
		if m.Has("role", "content", "agent") {
			return intake.Certain
		}
	}
	info := o.Inner["info"]
	if (o.Has("messages") || o.Has("history")) && (info.Has("exit_status") || info.Has("model_stats") || info.Has("mini_version")) {
		return intake.Certain
	}
	return intake.No
}

// importSWEAgent reads the trajectories of SWE-agent and mini-swe-agent.
func importSWEAgent(ctx context.Context, src intake.Source, sink intake.Sink) error {
	return intake.WithDocument(ctx, src, intake.SWEAgent, func(doc intake.Document) error {
		a := &sweAgent{}
		top := &a.doc
		m, items, err := top.Document(doc)
		if err != nil {
			return err
		}
		if !top.Is(top.Root(), '[') {
			list := m.Get("history")
			if !top.Is(list, '[') {
				list = m.Get("messages")
			}
			if !top.Is(list, '[') {
				return doc.Problem(0, errors.New("there is neither a history nor messages"), "a trajectory has its messages in \"history\"")
			}
			if items = top.List(list); top.Scan.Err != nil {
				return doc.Broken(top.Scan.Err)
			}
		}
		var first []byte
		if len(items) > 0 {
			first = items[0].Of(top.Raw)
			for _, at := range items {
				// Prompts differ where systems do not.
				if top.Peek(top.In(at, "role")) == "user" {
					first = at.Of(top.Raw)
					break
				}
			}
		}
		a.out = engine.Emitter{Sink: sink, Conv: intake.Conversation{ID: intake.ContentID(src.Name, intake.SWEAgent, first), Format: intake.SWEAgent}}
		if err := top.Each(ctx, items, &a.find, a.message); err != nil {
			return err
		}
		return a.finish(m, items)
	})
}

// sweAgent is one import.
type sweAgent struct {
	out       engine.Emitter
	doc, find engine.Finder
	system    bool // the system prompt was there
}

// message takes one message of the history.
func (a *sweAgent) message(m engine.Members) error {
	f := &a.find
	id := a.out.Ids.Unique("message:" + intake.Digest(f.Raw))
	content := m.Get("content")
	switch role := m.Peek("role"); role {
	case "system":
		if !a.system {
			a.system = true
			text := f.Words(content)
			return a.out.All(f.Record(id, tenfold.ConfigDelta{System: &text}))
		}
		return a.out.All(f.Record(id, tenfold.UserMessage{Parts: f.Parts(content), Purpose: tenfold.Context, Synthetic: true}))
	case "user":
		// The task is the one prompt; what follows are observations, and what
		// comes before may be a demonstration.
		u := tenfold.UserMessage{Parts: f.Parts(content), Synthetic: a.out.Turned}
		if f.Is(m.Get("is_demo"), 't') || m.Peek("message_type") == "demonstration" {
			u.Purpose, u.Synthetic = tenfold.Context, true
		}
		return a.out.Said(f.Record(id, u))
	case "assistant":
		return a.out.All(f.Record(id, a.assistant(m)...))
	case "tool":
		r := tenfold.ToolResult{CallID: m.Peek("tool_call_id"), Parts: f.Parts(content)}
		if ids := m.Items("tool_call_ids"); len(ids) > 0 {
			r.CallID = f.Peek(ids[0])
		}
		return a.out.All(f.Record(id, r))
	default:
		name := tenfold.Kind("swe-agent-traj." + cmp.Or(role, "untyped"))
		if role == "exit" { // how mini-swe-agent says that it stopped
			return a.out.Keep(id, name, f.Raw)
		}
		return a.out.KeepOdd("message", id, name, f.Raw)
	}
}

// assistant reads a response. The thought is a part of the content, which is
// what the model wrote.
func (a *sweAgent) assistant(m engine.Members) []tenfold.Payload {
	f := &a.find
	list := f.Thoughts(m.Get("thinking_blocks"))
	if text := f.Words(m.Get("content")); text != "" {
		list = append(list, tenfold.AssistantMessage{Text: text})
	}
	return withCalls(&a.out, f, m, list)
}

// finish keeps the rest of the file, with the sums of what was spent.
func (a *sweAgent) finish(m engine.Members, items []walk.Span) error {
	f := &a.doc
	id := a.out.KeepRest("document", "swe-agent-traj.document", f, items)
	info := m.Object("info")
	stats := info.Object("model_stats")
	model := info.Object("config").Object("model").Get("model_name")
	if !model.Found() {
		model = m.Object("replay_config").Object("agent").Object("model").Get("name")
	}
	u := tenfold.Usage{
		Model: f.Peek(model), Input: stats.Number("tokens_sent"), Output: stats.Number("tokens_received"),
		Cost: f.Cost(stats.Get("instance_cost")),
	}
	if u.Input > 0 || u.Output > 0 || (u.Cost != nil && *u.Cost > 0) {
		_ = a.out.Emit(tenfold.Entry{ID: id + "/usage", Payload: u})
	}
	return a.out.End()
}
