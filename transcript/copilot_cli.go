package transcript

import (
	"context"
	"time"

	"tenfold"
)

// copilotImporter reads the events.jsonl of GitHub Copilot CLI: a line is an
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
type copilotImporter struct{}

func copilotHandler() handler {
	return handler{
		format: CopilotCLI, about: "GitHub Copilot CLI sessions (events.jsonl)", importer: copilotImporter{},
		homes: []string{".copilot/session-state"},
	}
}

// copilotType reports whether an object is an event of Copilot CLI.
func copilotType(o object) bool {
	typ := o.values["type"]
	if typ == "" || o.kinds["data"] != '{' || (o.whole && !o.has("id", "timestamp", "parentId")) {
		return false
	}
	data := o.inner["data"]
	switch typ {
	case "session.start":
		return data.has("sessionId") && (data.has("copilotVersion") || data.has("producer"))
	case "user.message", "system.message", "assistant.message":
		return data.has("content") || !data.whole
	case "assistant.turn_start", "assistant.turn_end":
		return data.has("turnId")
	case "tool.execution_start", "tool.execution_complete":
		return data.has("toolCallId")
	case "hook.start", "hook.end":
		return data.has("hookInvocationId")
	case "abort", "session.shutdown", "session.model_change", "session.info", "session.resume", "session.error",
		"session.compaction_start", "session.compaction_complete", "permission.requested", "permission.completed":
		return true
	}
	return false
}

// Recognise implements [Importer].
func (copilotImporter) Recognise(h Head) Confidence {
	s := h.json
	if (s.shape != shapeLines && s.shape != shapeObject) || len(s.objects) == 0 {
		return No
	}
	ours, all := 0, 0
	for _, o := range s.objects {
		if copilotType(o) {
			ours++
		}
		if o.whole || copilotType(o) {
			all++
		}
	}
	switch {
	case 2*ours <= all:
		return No
	case s.objects[0].values["type"] == "session.start":
		return Certain
	}
	return Likely
}

// Import implements [Importer].
func (copilotImporter) Import(ctx context.Context, src Source, sink Sink) error {
	c := &copilot{
		emitter: emitter{sink: sink, place: &rootLog{}, conv: Conversation{Format: CopilotCLI}}, src: src, scan: scanner{cost: blockCost},
		called: map[string]bool{}, billed: map[string]bool{}, models: map[string]string{}, places: map[string]place{},
	}
	r := newLineReader(ctx, src)
	err := r.records(CopilotCLI, func(raw []byte) error {
		c.ev.parse(&c.scan, raw)
		return c.scan.err
	}, func() error {
		c.ev.line = r.number
		return c.event(&c.ev)
	})
	if err != nil {
		return err
	}
	if !c.visible {
		c.warn.add(0, "file without messages: the conversation is empty", "")
	}
	if c.conv.ID == "" {
		c.conv.ID = nameID(src.Name, CopilotCLI)
	}
	c.conv.Title = c.title
	return c.end()
}

// copilot is one import.
type copilot struct {
	emitter
	src  Source
	scan scanner
	ev   copilotEvent

	title   string
	visible bool
	// over says that what stands before is hidden to the end of its turn: what
	// comes next needs another.
	over   bool
	called map[string]bool   // calls that a message made
	billed map[string]bool   // messages whose usage is written
	models map[string]string // by branch
	output int               // tokens of the newest message
	places map[string]place  // of the prompts, by event
	// compacting is where the conversation stood when a compaction began.
	compacting *place
}

// event turns one event into entries.
func (c *copilot) event(e *copilotEvent) error {
	if t, err := time.Parse(time.RFC3339Nano, e.stamp); err == nil {
		c.at(t.UTC())
	}
	if c.conv.ID == "" {
		if e.typ == "session.start" && e.session != "" {
			c.conv.ID, c.conv.Named = conversationID(e.session), true
		} else {
			c.conv.ID = contentID(c.src.Name, CopilotCLI, e.raw)
		}
	}
	id := "line:" + digest(e.raw)
	if plainID(e.id) {
		id = e.id
	}
	id = c.ids.unique(id)
	switch {
	case e.kind != '{':
		c.warn.add(e.line, "line is no JSON object and was kept as it is", "lines are no JSON objects and were kept as they are")
		return c.keep(id, "copilot-cli.value", e.raw)
	case e.twice:
		c.warn.add(e.line, "event says a thing twice and was kept as it is", "events say a thing twice and were kept as they are")
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
			return c.emit(tenfold.Entry{ID: id, Source: string(e.raw), Payload: tenfold.ConfigDelta{Model: e.newModel}})
		}
	case "session.title_changed":
		c.title = e.title
	case "permission.requested", "permission.completed":
		return c.permission(e, id)
	case "session.compaction_start":
		at := c.place.here()
		c.compacting = &at
	case "session.compaction_complete":
		return c.compaction(e, id)
	case "session.snapshot_rewind":
		return c.rewind(e, id)
	}
	return c.unknown(e, id)
}

// unknown keeps an event that no model sees (L4).
func (c *copilot) unknown(e *copilotEvent, id string) error {
	name := "copilot-cli.untyped"
	if e.typ != "" {
		name = "copilot-cli." + e.typ
	}
	return c.keep(id, tenfold.Kind(name), e.raw)
}

// odd keeps an event that should have been understood.
func (c *copilot) odd(e *copilotEvent, id string) error {
	c.warn.add(e.line, "event could not be understood and was kept as it is", "events could not be understood and were kept as they are")
	return c.unknown(e, id)
}

// branch names the branch of a sub-agent's event (L7).
func (e *copilotEvent) branch() string {
	switch {
	case e.agent != "":
		return "agent." + branchName(e.agent)
	case e.parentCall != "":
		return "agent." + branchName(e.parentCall)
	}
	return ""
}

// show emits a visible entry, in a turn that is not hidden.
func (c *copilot) show(e tenfold.Entry) error {
	if e.Branch == "" && (c.over || !c.turned) {
		c.over = false
		if err := c.turn(e.ID); err != nil {
			return err
		}
	}
	c.visible = true
	return c.emit(e)
}
