package transcript

import (
	"strings"

	"tenfold"
)

// user emits what a person said, as the model saw it. An event that names its
// source, such as a skill, was not typed, nor was a notification.
func (c *copilot) user(e *copilotEvent, id string) error {
	w := contentWriter{scan: &c.scan, raw: e.raw}
	at := e.content
	if w.isString(e.transformed) {
		at = e.transformed
	}
	if !w.isString(at) {
		return c.odd(e, id)
	}
	u := tenfold.UserMessage{Parts: tenfold.Text(w.text(at))}
	for _, f := range e.attachments {
		// Files and directories are named in the text; only what carries its
		// bytes stands beside it.
		if w.isString(f.data) {
			file := &tenfold.File{Type: tenfold.PartFile, Name: f.name, MediaType: f.mediaType, URI: "data:" + f.mediaType + ";base64," + w.text(f.data)}
			if strings.HasPrefix(f.mediaType, "image/") {
				file.Type = tenfold.PartImage
			}
			u.Parts = append(u.Parts, tenfold.Part{File: file})
		}
	}
	branch := e.branch()
	u.Synthetic = branch != "" || e.typ != "user.message" || (e.source != "" && e.source != "user")
	if !u.Synthetic {
		c.over = false
		if err := c.turn(id); err != nil {
			return err
		}
		c.places[e.id] = c.place.here()
	}
	return c.show(tenfold.Entry{ID: id, Branch: branch, Source: splice(e.raw, w.cuts), Payload: u})
}

// assistant emits a response: reasoning, text, calls, then what it cost.
func (c *copilot) assistant(e *copilotEvent, id string) error {
	w := contentWriter{scan: &c.scan, raw: e.raw}
	branch := e.branch()
	model := e.model
	if model == "" {
		model = c.models[branch]
	}
	if model == "" {
		model = c.models[""]
	}
	if e.model != "" && e.model != c.models[branch] {
		c.models[branch] = e.model
		if err := c.emit(tenfold.Entry{ID: id + "/model", Branch: branch, Payload: tenfold.ConfigDelta{Model: e.model}}); err != nil {
			return err
		}
	}
	var blocks []tenfold.Payload
	if r, ok := copilotReasoning(&w, e, model); ok {
		blocks = append(blocks, r)
	}
	if w.isString(e.content) && len(e.content.of(e.raw)) > 2 {
		blocks = append(blocks, tenfold.AssistantMessage{Text: w.text(e.content)})
	}
	for _, r := range e.requests {
		call := tenfold.ToolCall{CallID: r.id, Name: r.name}
		if r.arguments.found() {
			call.Arguments = w.whole(r.arguments)
		}
		c.called[r.id] = true
		blocks = append(blocks, call)
	}
	message := id
	if plainID(e.message) {
		message = e.message
	}
	if len(blocks) == 0 {
		if err := c.unknown(e, id); err != nil {
			return err
		}
	}
	for i, b := range blocks {
		entry := tenfold.Entry{ID: blockID(id, i), Branch: branch, MessageID: message, Payload: b}
		if i == 0 {
			entry.Source = splice(e.raw, w.cuts)
		}
		if err := c.show(entry); err != nil {
			return err
		}
	}
	c.output = 0
	if e.output == 0 || c.billed[message] {
		return nil
	}
	c.billed[message], c.output = true, e.output
	return c.emit(tenfold.Entry{ID: id + "/usage", Branch: branch, MessageID: message, Payload: tenfold.Usage{Model: model, Output: e.output}})
}

// copilotReasoning reads what a response says of its thinking. Opaque data is
// Anthropic's signature, encrypted content is OpenAI's.
func copilotReasoning(w *contentWriter, e *copilotEvent, model string) (tenfold.Reasoning, bool) {
	var r tenfold.Reasoning
	if w.isString(e.reasoning) {
		r.Text = w.text(e.reasoning)
	}
	filled := func(at span) bool { return w.isString(at) && at.to-at.from > 2 }
	switch {
	case filled(e.encrypted):
		r.Provider, r.Encrypted = "openai", w.text(e.encrypted)
	case filled(e.opaque) && strings.HasPrefix(model, "claude"):
		r.Provider, r.Signature = "anthropic", w.text(e.opaque)
	}
	return r, r.Text != "" || r.Provider != ""
}

// usageEvent emits what a response cost beyond what its message said.
func (c *copilot) usageEvent(e *copilotEvent, id string) error {
	u := tenfold.Usage{Model: e.model, Input: e.input, Output: max(e.output-c.output, 0), CacheRead: e.cacheRead, CacheWrite: e.cacheWrite}
	c.output = 0
	return c.emit(tenfold.Entry{ID: id, Branch: e.branch(), Source: string(e.raw), Payload: u})
}

// start keeps the beginning of a call, which a message made before; a call
// that no message made, such as a person's own, is one.
func (c *copilot) start(e *copilotEvent, id string) error {
	if c.called[e.call] || e.tool == "" || !e.arguments.found() {
		return c.unknown(e, id)
	}
	c.called[e.call] = true
	w := contentWriter{scan: &c.scan, raw: e.raw}
	call := tenfold.ToolCall{CallID: e.call, Name: e.tool, Arguments: w.whole(e.arguments)}
	return c.show(tenfold.Entry{ID: id, Branch: e.branch(), Source: splice(e.raw, w.cuts), Payload: call})
}

func (c *copilot) result(e *copilotEvent, id string) error {
	w := contentWriter{scan: &c.scan, raw: e.raw}
	r := tenfold.ToolResult{CallID: e.call, IsError: e.hasSuccess && !e.success}
	switch {
	case w.isString(e.answer):
		r.Parts = tenfold.Text(w.text(e.answer))
	case w.isString(e.failed):
		r.Parts = tenfold.Text(w.text(e.failed))
	case e.answer.found() && e.raw[e.answer.from] != 'n':
		r.Parts = []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.whole(e.answer)}}}
	}
	return c.show(tenfold.Entry{ID: id, Branch: e.branch(), Source: splice(e.raw, w.cuts), Payload: r})
}

func (c *copilot) system(e *copilotEvent, id string) error {
	w := contentWriter{scan: &c.scan, raw: e.raw}
	if !w.isString(e.content) || (e.role != "" && e.role != "system") {
		return c.odd(e, id)
	}
	text := w.text(e.content)
	return c.emit(tenfold.Entry{ID: id, Branch: e.branch(), Source: splice(e.raw, w.cuts), Payload: tenfold.ConfigDelta{System: &text}})
}

func (c *copilot) session(e *copilotEvent, id string) error {
	if err := c.unknown(e, id); err != nil {
		return err
	}
	if e.selected == "" || e.selected == c.models[""] {
		return nil
	}
	c.models[""] = e.selected
	return c.emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: e.selected}})
}

func (c *copilot) permission(e *copilotEvent, id string) error {
	a := tenfold.Approval{State: tenfold.ApprovalRequested, CallID: e.call}
	if e.typ == "permission.completed" {
		a.State, a.Reason = tenfold.ApprovalDenied, e.approved
		if strings.HasPrefix(e.approved, "approved") {
			a.State = tenfold.ApprovalGranted
		}
	}
	return c.emit(tenfold.Entry{ID: id, Branch: e.branch(), Source: string(e.raw), Payload: a})
}

// compaction makes an overlay of a summary: it stands for what was there when
// the compaction began, which may be before its end.
func (c *copilot) compaction(e *copilotEvent, id string) error {
	at := c.place.here()
	if c.compacting != nil {
		at = *c.compacting
	}
	c.compacting = nil
	w := contentWriter{scan: &c.scan, raw: e.raw}
	if !e.success || e.branch() != "" || !at.opened || !w.isString(e.summary) || len(e.summary.of(e.raw)) == 2 {
		if e.success {
			c.warn.add(e.line, "compaction came without a summary or a place: nothing is hidden", "compactions came without a summary or a place: nothing is hidden")
		}
		return c.unknown(e, id)
	}
	o := tenfold.Compaction{
		ToTurn: at.turn, Source: "import", Reason: "compacted in copilot-cli", TokensBefore: e.before, TokensAfter: e.after,
		Summary: &tenfold.Summary{Text: w.text(e.summary), Placement: tenfold.PlaceMessage},
	}
	switch {
	case !at.answered && at.step > 0:
		o.ToStep = new(at.step - 1)
	case !at.answered && at.turn > 0: // the request came last and is still to be answered
		o.ToTurn--
	case !at.answered:
		c.warn.add(e.line, "compaction came without a summary or a place: nothing is hidden", "compactions came without a summary or a place: nothing is hidden")
		return c.unknown(e, id)
	default:
		// The turn may go on: a range that ends inside it keeps its request (P9).
		o.ToStep = new(at.step)
	}
	return c.emit(tenfold.Entry{ID: id, Source: splice(e.raw, w.cuts), Payload: o})
}

// rewind hides what was taken back, when it began with a prompt.
func (c *copilot) rewind(e *copilotEvent, id string) error {
	at, ok := c.places[e.upTo]
	if !ok || e.branch() != "" {
		c.warn.add(e.line, "rewind goes to what is no prompt of this file: what was taken back stays visible",
			"rewinds go to what is no prompt of this file: what was taken back stays visible")
		return c.unknown(e, id)
	}
	c.over = true
	return c.emit(tenfold.Entry{ID: id, Source: string(e.raw), Payload: tenfold.Compaction{
		FromTurn: at.turn, ToTurn: c.place.turn, Turns: tenfold.Omit, Source: "import", Reason: "rewound in copilot-cli",
	}})
}
