package transcript

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"tenfold"
)

// sweAgentImporter reads the trajectories of SWE-agent and mini-swe-agent.
type sweAgentImporter struct{}

func sweAgentHandler() handler {
	return handler{format: SWEAgent, about: "SWE-agent and mini-swe-agent trajectories (.traj)", importer: sweAgentImporter{}}
}

// Recognise implements [Importer].
func (sweAgentImporter) Recognise(h Head) Confidence {
	s := h.json
	if len(s.objects) == 0 {
		return No
	}
	o := s.objects[0]
	if s.shape == shapeArray {
		// mini-swe-agent's older files are the bare messages.
		if !o.has("role", "content") {
			return No
		}
		switch {
		case bytes.Contains(h.Bytes, []byte("mswea_bash_command")):
			return Certain
		case strings.Contains(h.Name, ".traj"):
			return Likely
		}
		return No
	}
	if o.has("mistake_agent") || o.has("ground_truth") {
		return No
	}
	for _, step := range o.items["trajectory"] {
		if step.has("action", "observation") || step.has("action", "thought") {
			return Certain
		}
	}
	for _, m := range o.items["history"] {
		if m.has("role", "content", "agent") {
			return Certain
		}
	}
	info := o.inner["info"]
	if (o.has("messages") || o.has("history")) && (info.has("exit_status") || info.has("model_stats") || info.has("mini_version")) {
		return Certain
	}
	return No
}

// Import implements [Importer].
func (sweAgentImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return withDocument(ctx, src, SWEAgent, func(doc document) error { return importSWEAgent(ctx, src, doc, sink) })
}

func importSWEAgent(ctx context.Context, src Source, doc document, sink Sink) error {
	a := &sweAgent{}
	top := &a.doc
	top.reset(bytes.TrimSpace(doc.raw))
	var list span
	var items []span
	switch {
	case len(top.raw) > 0 && top.raw[0] == '[':
		list = top.root()
	default:
		m := top.object(top.root())
		if list = m.get("history"); !top.is(list, '[') {
			list = m.get("messages")
		}
		a.info, a.replay = m.get("info"), m.get("replay_config")
	}
	if top.scan.err == nil && len(top.raw) > 0 && top.raw[0] == '{' {
		top.scan.end()
	}
	if top.scan.err != nil {
		return doc.broken(top.scan.err)
	}
	if !top.is(list, '[') {
		return doc.problem(src, SWEAgent, 0, errors.New("there is neither a history nor messages"), "a trajectory has its messages in \"history\"")
	}
	if items = top.list(list); top.scan.err != nil {
		return doc.broken(top.scan.err)
	}
	var first []byte
	if len(items) > 0 {
		first = items[0].of(top.raw)
		for _, at := range items {
			// Prompts differ where systems do not.
			if top.peek(top.in(at, "role")) == "user" {
				first = at.of(top.raw)
				break
			}
		}
	}
	a.out = emitter{sink: sink, conv: Conversation{ID: contentID(src.Name, SWEAgent, first), Format: SWEAgent}}
	for _, at := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.buf = appendCompact(a.buf[:0], at.of(top.raw))
		if err := a.message(); err != nil {
			return err
		}
	}
	return a.finish(items)
}

// sweAgent is one import.
type sweAgent struct {
	out          emitter
	doc, find    finder
	buf          []byte
	info, replay span
	system       bool // the system prompt was there
}

// message takes one message of the history.
func (a *sweAgent) message() error {
	f := &a.find
	f.reset(a.buf)
	m := f.object(f.root())
	id := a.out.ids.unique("message:" + digest(a.buf))
	content := m.get("content")
	switch role := f.peek(m.get("role")); role {
	case "system":
		if !a.system {
			a.system = true
			text := f.words(content)
			return a.out.all(f.record(id, tenfold.ConfigDelta{System: &text}))
		}
		return a.out.all(f.record(id, tenfold.UserMessage{Parts: f.parts(content), Synthetic: true}))
	case "user":
		// The task is the one prompt; what follows are observations, and what
		// comes before may be a demonstration.
		u := tenfold.UserMessage{Parts: f.parts(content), Synthetic: a.out.turned}
		if at := m.get("is_demo"); at.found() && f.raw[at.from] == 't' || f.peek(m.get("message_type")) == "demonstration" {
			u.Synthetic = true
		}
		if !u.Synthetic {
			if err := a.out.turn(id); err != nil {
				return err
			}
		}
		return a.out.all(f.record(id, u))
	case "assistant":
		return a.out.all(f.record(id, a.assistant(m)...))
	case "tool":
		r := tenfold.ToolResult{CallID: f.peek(m.get("tool_call_id")), Parts: f.parts(content)}
		if ids := f.list(m.get("tool_call_ids")); len(ids) > 0 {
			r.CallID = f.peek(ids[0])
		}
		return a.out.all(f.record(id, r))
	default:
		name := "swe-agent-traj.untyped"
		if role != "" {
			name = "swe-agent-traj." + role
		}
		if role != "exit" { // how mini-swe-agent says that it stopped
			a.out.warn.add(0, "message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
		}
		return a.out.keep(id, tenfold.Kind(name), a.buf)
	}
}

// assistant reads a response. The thought is a part of the content, which is
// what the model wrote.
func (a *sweAgent) assistant(m members) []tenfold.Payload {
	f := &a.find
	list := f.thoughts(m.get("thinking_blocks"))
	content := m.get("content")
	if text := f.words(content); text != "" {
		list = append(list, tenfold.AssistantMessage{Text: text})
	}
	for _, at := range f.list(m.get("tool_calls")) {
		if c, ok := f.call(at); ok {
			list = append(list, c)
		} else {
			a.out.warn.add(0, "call could not be understood and was left out", "calls could not be understood and were left out")
		}
	}
	if len(list) == 0 {
		list = append(list, tenfold.AssistantMessage{})
	}
	return list
}

// finish keeps the rest of the file, with the sums of what was spent.
func (a *sweAgent) finish(items []span) error {
	f := &a.doc
	raw := f.frame(items)
	id := a.out.ids.unique("document:" + digest(raw))
	if err := a.out.keep(id, "swe-agent-traj.document", raw); err != nil {
		return err
	}
	info := f.object(a.info)
	stats := f.object(info.get("model_stats"))
	model := f.in(f.in(info.get("config"), "model"), "model_name")
	if !model.found() {
		model = f.in(f.in(f.in(a.replay, "agent"), "model"), "name")
	}
	u := tenfold.Usage{
		Model: f.peek(model), Input: f.number(stats.get("tokens_sent")), Output: f.number(stats.get("tokens_received")),
		Cost: f.cost(stats.get("instance_cost")),
	}
	if u.Input > 0 || u.Output > 0 || (u.Cost != nil && *u.Cost > 0) {
		if err := a.out.emit(tenfold.Entry{ID: id + "/usage", Payload: u}); err != nil {
			return err
		}
	}
	return a.out.end()
}
