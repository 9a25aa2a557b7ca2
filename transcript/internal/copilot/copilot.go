package copilot

import (
	"cmp"
	"context"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.CopilotCLI, About: "GitHub Copilot CLI sessions (events.jsonl)", Recognise: recognise, Import: importFile,
		Homes: []string{".copilot/session-state"}, Sessions: []string{"*/events.jsonl", "*.jsonl"},
		Ran: [][]string{{"data", "context", "cwd"}},
	}
}

// copilotType reports whether an object is an event of Copilot CLI.
func copilotType(o intake.Object) bool {
	typ := o.Values["type"]
	if typ == "" || o.Kinds["data"] != '{' || (o.Whole && !o.Has("id", "timestamp", "parentId")) {
		return false
	}
	data := o.Inner["data"]
	switch typ {
	case "session.start":
		return data.Has("sessionId") && (data.Has("copilotVersion") || data.Has("producer"))
	case "user.message", "system.message", "assistant.message":
		return data.Has("content") || !data.Whole
	case "assistant.turn_start", "assistant.turn_end":
		return data.Has("turnId")
	case "tool.execution_start", "tool.execution_complete":
		return data.Has("toolCallId")
	case "hook.start", "hook.end":
		return data.Has("hookInvocationId")
	case "abort", "session.shutdown", "session.model_change", "session.info", "session.resume", "session.error",
		"session.compaction_start", "session.compaction_complete", "permission.requested", "permission.completed":
		return true
	}
	return false
}

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if (s.Shape != intake.ShapeLines && s.Shape != intake.ShapeObject) || len(s.Objects) == 0 {
		return intake.No
	}
	switch {
	case !s.Mostly(copilotType):
		return intake.No
	case s.Objects[0].Values["type"] == "session.start":
		return intake.Certain
	}
	return intake.Likely
}

// importFile reads the events.jsonl of GitHub Copilot CLI: a line is an
// event of the session, and its data says what happened.
//
//	user.message                 user_message, as the model saw it; turn_start
//	                             unless the event names a source
//	assistant.message            reasoning, text, calls, usage
//	tool.execution_complete      tool_result
//	system.message               config_delta
//	session.start, model_change  config_delta with the model
//	permission.*                 approval
//	session.compaction_complete  compaction with the summary
//	session.snapshot_rewind      compaction that hides what was taken back
//	parentToolCallId, agentId    the same on a branch
//	everything else              an unknown kind "copilot-cli.<type>"
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	c := &copilot{
		Session: engine.NewSession(src, sink, intake.CopilotCLI),
		called:  map[string]bool{}, billed: map[string]bool{}, models: map[string]string{}, places: map[string]engine.Place{},
	}
	return c.ReadLines(ctx, func(raw []byte) { c.ev.Parse(&c.Scan, raw) }, func(line int) error {
		c.ev.line = line
		return c.event(&c.ev)
	})
}

// copilot is one import.
type copilot struct {
	engine.Session
	ev     Event
	called map[string]bool         // calls that a message made
	billed map[string]bool         // messages whose usage is written
	models map[string]string       // by branch
	output int                     // tokens of the newest message
	places map[string]engine.Place // of the prompts, by event
	// compacting is where the conversation stood when a compaction began.
	compacting *engine.Place
}

// event turns one event into entries.
func (c *copilot) event(e *Event) error {
	c.At(engine.ReadTime(e.stamp))
	if c.Conv.ID == "" {
		name := e.session
		if e.typ != "session.start" {
			name = ""
		}
		c.Named(name, e.raw)
	}
	if e.kind != '{' {
		return c.KeepValue(e.line, e.raw)
	}
	id := c.Ids.Record(e.id, e.raw)
	if e.twice {
		c.Warn.Add(e.line, "event has a member twice and was kept as it is", "events have a member twice and were kept as they are")
		return c.unknown(e, id)
	}
	switch e.typ {
	case "user.message", "system.notification":
		return c.user(e, id)
	case "assistant.message":
		return c.assistant(e, id)
	case "assistant.usage":
		return c.usageEvent(e, id)
	case "tool.execution_start":
		return c.start(e, id)
	case "tool.execution_complete":
		return c.result(e, id)
	case "system.message":
		return c.system(e, id)
	case "session.start", "session.resume":
		return c.session(e, id)
	case "session.model_change":
		if e.newModel != "" {
			c.models[""] = e.newModel
			return c.Emit(tenfold.Entry{ID: id, Source: string(e.raw), Payload: tenfold.ConfigDelta{Model: e.newModel}})
		}
	case "session.title_changed":
		c.Conv.Title = e.title
	case "permission.requested", "permission.completed":
		return c.permission(e, id)
	case "session.compaction_start":
		at := c.Place.Here()
		c.compacting = &at
	case "session.compaction_complete":
		return c.compaction(e, id)
	case "session.snapshot_rewind":
		return c.rewind(e, id)
	}
	return c.unknown(e, id)
}

// unknown keeps an event that no model sees (L4).
func (c *copilot) unknown(e *Event, id string) error {
	return c.Keep(id, tenfold.Kind("copilot-cli."+cmp.Or(e.typ, "untyped")), e.raw)
}

// keepUnknown keeps an event that should have been understood.
func (c *copilot) keepUnknown(e *Event, id string) error {
	c.Warn.Odd(e.line, "event")
	return c.unknown(e, id)
}

// branch names the branch of a sub-agent's event (L7).
func (e *Event) branch() string {
	switch {
	case e.agent != "":
		return "agent." + intake.BranchName(e.agent)
	case e.parentCall != "":
		return "agent." + intake.BranchName(e.parentCall)
	}
	return ""
}
