package opencode

import (
	"cmp"
	"strconv"

	"tenfold"
	"tenfold/purpose"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// What opencode sends in place of a part that is a command to itself.
const (
	openCodeSubtaskText = "The following tool was executed by the user"
	SummaryQuery        = "What did we do so far?"
)

// user hands on a user's message: one entry for all its parts.
func (o *openCodeSession) user(m *openCodeMessage, id string) error {
	w := engine.Finder{Scan: &o.scan, Raw: m.raw}
	parts, typed := openCodeUser(&w, m), false
	for i := range m.list {
		p := &m.list[i]
		switch {
		case p.typ == "compaction":
			if o.pend != nil {
				o.warnNoSummary()
			}
			o.pend = &openCodeCompaction{tail: p.tail, auto: p.auto}
		case openCodeSaid(p, m.raw):
			typed = typed || !p.synthetic
		}
	}
	if !engine.SaySomething(parts) {
		o.reverted(m, false) // a compaction: a turn begins after it
		return o.keep(id, UserName, m.raw)
	}
	o.turn(id, typed)
	u := tenfold.UserMessage{Parts: parts, Synthetic: !typed}
	if u.Purpose = purpose.Of(u); u.Synthetic && u.Purpose == tenfold.Request {
		u.Purpose = tenfold.Notice
	}
	err := o.emit(tenfold.Entry{ID: id, Source: w.Done(), Payload: u})
	o.places[m.id] = o.em.Place.Here()
	o.reverted(m, typed)
	return err
}

// turn opens a turn for a user's message, where it begins one.
func (o *openCodeSession) turn(id string, typed bool) {
	if o.branch == "" && o.opened.Said(typed) {
		o.em.Turn(id)
	}
}

// resume makes sure that an answer stands in a turn.
func (o *openCodeSession) resume(id string) {
	if o.branch == "" && o.opened.Answered() {
		o.em.Turn(id)
	}
}

// openCodeSaid reports whether a user's part was sent to the model.
func openCodeSaid(p *openCodePart, raw []byte) bool {
	switch p.typ {
	case "text":
		return !p.ignored && p.text.Found() && raw[p.text.From] == '"'
	case "file":
		return p.file.url.Found() && raw[p.file.url.From] == '"'
	case "subtask":
		return true
	}
	return false
}

// openCodeUser gives what the parts of a user's message say, one for one.
func openCodeUser(w *engine.Finder, m *openCodeMessage) []tenfold.Part {
	var parts []tenfold.Part
	for i := range m.list {
		p := &m.list[i]
		if !openCodeSaid(p, m.raw) {
			continue
		}
		switch p.typ {
		case "text":
			parts = append(parts, tenfold.TextPart(w.Text(p.text)))
		case "file":
			parts = append(parts, engine.FilePart(p.file.name, p.file.mime, w.Text(p.file.url)))
		case "subtask":
			w.Skip() // the record does not hold it
			parts = append(parts, tenfold.TextPart(openCodeSubtaskText))
		}
	}
	return parts
}

// assistant hands on an assistant's message, part by part.
func (o *openCodeSession) assistant(m *openCodeMessage, id string) error {
	_ = o.keep(id, MessageName, []byte(walk.Splice(m.raw, []walk.Cut{{Span: m.parts, With: walk.CutValue}})))
	if m.summary {
		done, err := o.summary(m, id)
		if done || err != nil {
			return err
		}
	}
	o.step = id
	steps, counted := 0, false
	for i := range m.list {
		p := &m.list[i]
		pid := o.partID(p, id, i)
		var err error
		switch {
		case p.typ == "step-start":
			if steps++; steps > 1 {
				err = o.flush()
				o.step = id + "/step-" + strconv.Itoa(steps)
			}
			if err == nil {
				err = o.keep(pid, "opencode.step-start", p.Of(m.raw))
			}
		case p.typ == "step-finish":
			counted = true
			if err = o.flush(); err == nil {
				err = o.usage(m, p, pid)
			}
		case p.typ == "tool" && p.tool != "":
			err = o.tool(m, p, pid)
		default:
			err = o.emitPart(m, p, pid)
		}
		if err != nil {
			return err
		}
	}
	if err := o.flush(); err != nil {
		return err
	}
	if _, ok := o.places[m.id]; !ok {
		o.places[m.id] = o.em.Place.Here()
	}
	if o.reverted(m, false) {
		o.em.Warn.Add(0, "part of a turn was taken back, and is shown", "parts of turns were taken back, and are shown")
	}
	if !counted && m.completed > 0 && m.tokens.input+m.tokens.output+m.tokens.cacheRead+m.tokens.cacheWrite > 0 {
		return o.emit(tenfold.Entry{ID: id + "/usage", MessageID: id, Payload: o.counted(m, m.tokens)})
	}
	return nil
}

func (o *openCodeSession) partID(p *openCodePart, message string, i int) string {
	if intake.PlainID(p.id) {
		return o.em.Ids.Unique(p.id)
	}
	return o.em.Ids.Unique("part:" + intake.Digest([]byte(message)) + ":" + strconv.Itoa(i))
}

// emitPart hands on text and reasoning, and keeps every other part.
func (o *openCodeSession) emitPart(m *openCodeMessage, p *openCodePart, id string) error {
	w := engine.Finder{Scan: &o.scan, Raw: m.raw}
	e := tenfold.Entry{ID: id, Time: millis(p.start), MessageID: o.step}
	switch {
	case p.typ == "text" && !p.ignored && w.IsString(p.text):
		if text := w.Text(p.text); text != "" {
			e.Payload = tenfold.AssistantMessage{Text: text}
		}
	case p.typ == "reasoning" && w.IsString(p.text):
		r := openCodeReasoning(&w, p)
		if r.Text != "" || r.Signature != "" || r.Encrypted != "" {
			e.Payload = r
		}
	}
	if e.Payload == nil {
		name := "opencode.part"
		if p.typ != "" {
			name = "opencode." + p.typ
		}
		switch p.typ {
		case "text", "reasoning", "snapshot", "patch", "agent", "retry", "file", "subtask", "compaction":
		default:
			o.em.Warn.Odd(0, "part")
		}
		return o.keep(id, tenfold.Kind(name), p.Of(m.raw))
	}
	o.resume(id)
	e.Source = walk.SpliceIn(m.raw, p.Span, w.Cuts)
	err := o.emit(e)
	o.remember(m)
	return err
}

// remember notes where a message begins.
func (o *openCodeSession) remember(m *openCodeMessage) {
	if _, ok := o.places[m.id]; !ok {
		o.places[m.id] = o.em.Place.Here()
	}
}

// openCodeReasoning tells whose the opaque data is by what it is called.
func openCodeReasoning(w *engine.Finder, p *openCodePart) tenfold.Reasoning {
	r := tenfold.Reasoning{Text: w.Text(p.text)}
	q := p.opaque
	switch {
	case w.IsString(q.signature) || w.IsString(q.redacted):
		r.Provider, r.Signature, r.Encrypted = "anthropic", w.Text(q.signature), w.Text(q.redacted)
	case q.item != "" || w.IsString(q.encrypted):
		r.Provider, r.ItemID, r.Encrypted = "openai", q.item, w.Text(q.encrypted)
	case w.IsString(q.thought):
		r.Provider, r.Signature = "gemini", w.Text(q.thought)
	}
	return r
}

// tool hands on a call, and holds its result back until all calls of the
// response are out. The record is the Source of the result, so that importing
// again when a running call is done brings what the record says then.
func (o *openCodeSession) tool(m *openCodeMessage, p *openCodePart, id string) error {
	o.resume(id)
	w := engine.Finder{Scan: &o.scan, Raw: m.raw}
	name := cmp.Or(p.call, id)
	name = o.calls.Unique(name)
	if w.IsString(p.opaque.thought) {
		thought, _ := o.scan.UnquoteIn(p.opaque.thought, m.raw)
		_ = o.emit(tenfold.Entry{
			ID: id + "/thought", MessageID: o.step, Payload: tenfold.Reasoning{Provider: "gemini", Signature: thought, CallID: name},
		})
	}
	call := tenfold.ToolCall{CallID: name, Name: p.tool, Arguments: "{}"}
	if p.input.Found() {
		call.Arguments = w.Whole(p.input)
	}
	e := tenfold.Entry{ID: id, Time: millis(p.start), MessageID: o.step, Payload: call}
	r, done := openCodeResult(&w, p, name)
	switch {
	case done:
		o.results = append(o.results, tenfold.Entry{ID: id + "/result", Time: millis(p.end), Source: walk.SpliceIn(m.raw, p.Span, w.Cuts), Payload: r})
	default:
		if p.status != "running" && p.status != "pending" {
			o.em.Warn.Add(0, "call is in a state that is not known and stays without a result", "calls are in a state that is not known and stay without results")
		}
		e.Source = walk.SpliceIn(m.raw, p.Span, w.Cuts)
	}
	if p.compacted > 0 && done {
		o.pruned = append(o.pruned, openCodePruned{name, p.compacted})
	}
	if p.session != "" {
		o.started = append(o.started, p.session)
	}
	err := o.emit(e)
	o.remember(m)
	return err
}

// openCodeResult reads the result of a call that is done.
func openCodeResult(w *engine.Finder, p *openCodePart, call string) (tenfold.ToolResult, bool) {
	r := tenfold.ToolResult{CallID: call, IsError: p.status == "error"}
	at := p.output
	switch p.status {
	case "completed":
		r.Outcome = intake.ExitCode(p.exit.Of(w.Raw))
	case "error":
		at = p.failed
		if p.interrupted && w.IsString(p.partial) {
			at = p.partial // what opencode sends of it
		}
	default:
		return r, false
	}
	switch {
	case w.IsString(at):
		if text := w.Text(at); text != "" {
			r.Parts = append(r.Parts, tenfold.TextPart(text))
		}
	case at.Found() && w.Raw[at.From] != 'n':
		w.Skip() // the record keeps it
		r.Parts = append(r.Parts, tenfold.TextPart(string(at.Of(w.Raw))))
	default:
		w.Skip()
	}
	for _, f := range p.files {
		r.Parts = append(r.Parts, engine.FilePart(f.name, f.mime, w.Text(f.url)))
	}
	return r, true
}

// flush hands on the sessions that the calls under way started, and then the
// calls' results.
func (o *openCodeSession) flush() error {
	started, results := o.started, o.results
	o.started, o.results = nil, nil
	if o.agent != nil {
		for _, session := range started {
			if err := o.agent(session); err != nil {
				return err
			}
		}
	}
	for _, e := range results {
		_ = o.emit(e)
	}
	return nil
}

func (o *openCodeSession) usage(m *openCodeMessage, p *openCodePart, id string) error {
	return o.emit(tenfold.Entry{ID: id, MessageID: o.step, Source: string(p.Of(m.raw)), Payload: o.counted(m, p.tokens)})
}

// counted makes opencode's count ours: it counts reasoning apart from output.
func (o *openCodeSession) counted(m *openCodeMessage, t openCodeTokens) tenfold.Usage {
	u := tenfold.Usage{Model: m.model, Input: t.input, Output: t.output + t.reasoning, CacheRead: t.cacheRead, CacheWrite: t.cacheWrite}
	if t.cost.Found() {
		if cost, err := strconv.ParseFloat(string(t.cost.Of(m.raw)), 64); err == nil && cost >= 0 {
			u.Cost = &cost
		}
	}
	return u
}
