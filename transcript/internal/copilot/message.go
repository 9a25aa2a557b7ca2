package copilot

import (
	"cmp"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// user emits what a person said, as the model saw it. An event that names its
// source, such as a skill, was not typed, nor was a notification.
func (c *copilot) user(e *Event, id string) error {
	w := engine.Finder{Scan: &c.Scan, Raw: e.raw}
	at := e.Content
	if w.IsString(e.Transformed) {
		at = e.Transformed
	}
	if !w.IsString(at) {
		return c.keepUnknown(e, id)
	}
	u := tenfold.UserMessage{Parts: tenfold.Text(w.Text(at))}
	for _, f := range e.Attachments {
		// Files and directories are named in the text; only what carries its
		// bytes stands beside it.
		if w.IsString(f.Data) {
			u.Parts = append(u.Parts, engine.FilePart(f.name, f.mediaType, engine.Inline(f.mediaType, w.Text(f.Data))))
		}
	}
	branch := e.branch()
	u.Synthetic = branch != "" || e.typ != "user.message" || (e.source != "" && e.source != "user")
	switch {
	case e.typ != "user.message":
		u.Purpose = tenfold.Notice
	case strings.HasPrefix(e.source, "skill"), e.source == "system":
		u.Purpose = tenfold.Context
	}
	if !u.Synthetic {
		c.Open(id)
		c.places[e.id] = c.Place.Here()
	}
	return c.Show(tenfold.Entry{ID: id, Branch: branch, Source: w.Done(), Payload: u})
}

// assistant emits a response: reasoning, text, calls, then what it cost.
func (c *copilot) assistant(e *Event, id string) error {
	w := engine.Finder{Scan: &c.Scan, Raw: e.raw}
	branch := e.branch()
	model := cmp.Or(e.model, c.models[branch], c.models[""])
	if e.model != "" && e.model != c.models[branch] {
		c.models[branch] = e.model
		_ = c.Emit(tenfold.Entry{ID: id + "/model", Branch: branch, Payload: tenfold.ConfigDelta{Model: e.model}})
	}
	var blocks []tenfold.Payload
	if r, ok := copilotReasoning(&w, e, model); ok {
		blocks = append(blocks, r)
	}
	if w.IsString(e.Content) && len(e.Content.Of(e.raw)) > 2 {
		blocks = append(blocks, tenfold.AssistantMessage{Text: w.Text(e.Content)})
	}
	for _, r := range e.Requests {
		call := tenfold.ToolCall{CallID: r.id, Name: r.name}
		if r.Arguments.Found() {
			call.Arguments = w.Whole(r.Arguments)
		}
		c.called[r.id] = true
		blocks = append(blocks, call)
	}
	message := id
	if intake.PlainID(e.message) {
		message = e.message
	}
	if len(blocks) == 0 {
		_ = c.unknown(e, id)
	}
	for _, block := range intake.Entries(id, message, w.Done(), blocks) {
		block.Branch = branch
		_ = c.Show(block)
	}
	c.output = 0
	if e.output == 0 || c.billed[message] {
		return nil
	}
	c.billed[message], c.output = true, e.output
	return c.Emit(tenfold.Entry{ID: id + "/usage", Branch: branch, MessageID: message, Payload: tenfold.Usage{Model: model, Output: e.output}})
}

// copilotReasoning reads what a response says of its thinking. Opaque data is
// Anthropic's signature, encrypted content is OpenAI's.
func copilotReasoning(w *engine.Finder, e *Event, model string) (tenfold.Reasoning, bool) {
	r := tenfold.Reasoning{Text: w.Text(e.Reasoning)}
	filled := func(at walk.Span) bool { return w.IsString(at) && at.To-at.From > 2 }
	switch {
	case filled(e.Encrypted):
		r.Provider, r.Encrypted = "openai", w.Text(e.Encrypted)
	case filled(e.Opaque) && strings.HasPrefix(model, "claude"):
		r.Provider, r.Signature = "anthropic", w.Text(e.Opaque)
	}
	return r, r.Text != "" || r.Provider != ""
}

// usageEvent emits what a response cost beyond what its message said.
func (c *copilot) usageEvent(e *Event, id string) error {
	u := tenfold.Usage{Model: e.model, Input: e.input, Output: max(e.output-c.output, 0), CacheRead: e.cacheRead, CacheWrite: e.cacheWrite}
	c.output = 0
	return c.Emit(tenfold.Entry{ID: id, Branch: e.branch(), Source: string(e.raw), Payload: u})
}

// start keeps the beginning of a call, which a message made before; a call
// that no message made, such as a person's own, is one.
func (c *copilot) start(e *Event, id string) error {
	if c.called[e.call] || e.tool == "" || !e.Arguments.Found() {
		return c.unknown(e, id)
	}
	c.called[e.call] = true
	w := engine.Finder{Scan: &c.Scan, Raw: e.raw}
	call := tenfold.ToolCall{CallID: e.call, Name: e.tool, Arguments: w.Whole(e.Arguments)}
	return c.Show(tenfold.Entry{ID: id, Branch: e.branch(), Source: w.Done(), Payload: call})
}

func (c *copilot) result(e *Event, id string) error {
	w := engine.Finder{Scan: &c.Scan, Raw: e.raw}
	r := tenfold.ToolResult{CallID: e.call, IsError: e.hasSuccess && !e.success}
	switch {
	case w.IsString(e.Answer):
		r.Parts = tenfold.Text(w.Text(e.Answer))
	case w.IsString(e.Failed):
		r.Parts = tenfold.Text(w.Text(e.Failed))
	case e.Answer.Found() && e.raw[e.Answer.From] != 'n':
		r.Parts = []tenfold.Part{w.UnknownPart("", e.Answer)}
	}
	return c.Show(tenfold.Entry{ID: id, Branch: e.branch(), Source: w.Done(), Payload: r})
}

func (c *copilot) system(e *Event, id string) error {
	w := engine.Finder{Scan: &c.Scan, Raw: e.raw}
	if !w.IsString(e.Content) || (e.role != "" && e.role != "system") {
		return c.keepUnknown(e, id)
	}
	text := w.Text(e.Content)
	return c.Emit(tenfold.Entry{ID: id, Branch: e.branch(), Source: w.Done(), Payload: tenfold.ConfigDelta{System: &text}})
}

func (c *copilot) session(e *Event, id string) error {
	_ = c.unknown(e, id)
	if e.selected == "" || e.selected == c.models[""] {
		return nil
	}
	c.models[""] = e.selected
	return c.Emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: e.selected}})
}

func (c *copilot) permission(e *Event, id string) error {
	a := tenfold.Approval{State: tenfold.ApprovalRequested, CallID: e.call}
	if e.typ == "permission.completed" {
		// The kind is the tool's word, no reason of the person's: what they said is in the result.
		a.State = tenfold.ApprovalDenied
		if strings.HasPrefix(e.approved, "approved") {
			a.State = tenfold.ApprovalGranted
		}
	}
	return c.Emit(tenfold.Entry{ID: id, Branch: e.branch(), Source: string(e.raw), Payload: a})
}

// compaction makes an overlay of a summary: it stands for what was there when
// the compaction began, which may be before its end.
func (c *copilot) compaction(e *Event, id string) error {
	at := c.Place.Here()
	if c.compacting != nil {
		at = *c.compacting
	}
	c.compacting = nil
	w := engine.Finder{Scan: &c.Scan, Raw: e.raw}
	if !e.success || e.branch() != "" || !at.Opened || !w.IsString(e.Summary) || len(e.Summary.Of(e.raw)) == 2 {
		if e.success {
			c.Warn.Add(e.line, "compaction came without a summary or a place: nothing is hidden", "compactions came without a summary or a place: nothing is hidden")
		}
		return c.unknown(e, id)
	}
	o := engine.Summarised(at.Turn, "compacted in copilot-cli", w.Text(e.Summary))
	o.TokensBefore, o.TokensAfter = e.before, e.after
	switch {
	case !at.Answered && engine.EndBefore(&o, at.Turn, at.Step): // the request came last and is still to be answered
	case !at.Answered:
		c.Warn.Add(e.line, "compaction came without a summary or a place: nothing is hidden", "compactions came without a summary or a place: nothing is hidden")
		return c.unknown(e, id)
	default:
		// The turn may go on: a range that ends inside it keeps its request (P9).
		o.ToStep = new(at.Step)
	}
	return c.Emit(tenfold.Entry{ID: id, Source: w.Done(), Payload: o})
}

// rewind hides what was taken back, when it began with a prompt.
func (c *copilot) rewind(e *Event, id string) error {
	at, ok := c.places[e.upTo]
	if !ok || e.branch() != "" {
		c.Warn.Add(e.line, "rewind goes to what is not a prompt of this file: what was taken back stays visible",
			"rewinds go to what is not a prompt of this file: what was taken back stays visible")
		return c.unknown(e, id)
	}
	c.Over = true
	return c.Emit(tenfold.Entry{ID: id, Source: string(e.raw), Payload: engine.Hidden(at.Turn, c.Place.Turn, "rewound in copilot-cli")})
}
