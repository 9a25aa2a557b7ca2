package claudecode

import (
	"slices"
	"time"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// openMessage is an API message whose blocks are still coming: one to a line,
// with results of its parallel calls in between. The blocks go out at once;
// what stands between them waits until the message is whole, so that all calls
// come before all results (P10).
type openMessage struct {
	id      string // of the message; never empty
	first   string // id of its first line
	model   string
	usage   chatapi.BlockUsage
	time    time.Time
	held    []tenfold.Entry
	holding int64 // bytes
}

// What waits for a message is bounded: past this, the order of the file stands.
const (
	HeldEntries = 8192
	heldBytes   = 64 << 20
)

// message turns a message line into entries.
func (c *claude) message(l *claudeLine, m *chatapi.BlockMessage, id, role, branch string) error {
	if c.replaced(l, m, role) {
		return c.unknown(l, id, "claude-code."+l.typ)
	}
	if l.summary && role == "user" && branch == "" {
		return c.compactSummary(l, m, id)
	}
	if c.pend != nil && branch == "" {
		c.warnNoSummary()
	}
	if role == "assistant" && m.Stunted(&engine.Finder{Raw: l.raw}) {
		c.Warn.Odd(l.number, "message")
		return c.unknown(l, id, "claude-code."+l.typ)
	}
	results, rest := c.content(l, m, id, role, branch)
	if len(results)+len(rest) == 0 || branch != "" && c.isTold(slices.Concat(results, rest)...) {
		return c.unknown(l, id, "claude-code."+l.typ)
	}
	if role == "assistant" {
		return c.assistant(m, rest, id, branch)
	}
	opens := false
	if len(rest) > 0 {
		u, _ := rest[0].Payload.(tenfold.UserMessage)
		u.Synthetic = branch != "" || !c.typed(l, u) // an agent's prompt is not a person's
		opens = !u.Synthetic
		u.Purpose = l.purpose(u)
		rest[0].Payload = u
	}
	if !opens {
		return c.holdEntries(branch, id, append(results, rest...))
	}
	c.close(branch)
	_ = c.emit(results...)
	if branch == "" {
		c.prompt(l, id)
	}
	return c.emit(rest...)
}

// assistant emits the blocks of a response, after closing the one before.
func (c *claude) assistant(m *chatapi.BlockMessage, blocks []tenfold.Entry, id, branch string) error {
	o := c.open[branch]
	if o == nil || o.id != m.ID || m.ID == "" {
		c.close(branch)
		if _, known := c.open[branch]; !known {
			c.order = append(c.order, branch)
		}
		o = &openMessage{id: m.ID, first: id, model: m.Model}
		c.open[branch] = o
	}
	local := m.Model == syntheticModel
	if !local {
		o.model = m.Model
		if m.Usage.Found {
			o.usage, o.time = m.Usage, c.Now // the last line's count wins
		}
	}
	if branch == "" {
		c.resume()
	}
	if !local && m.Model != "" && c.models[branch] != m.Model {
		c.models[branch] = m.Model
		_ = c.emit(tenfold.Entry{ID: id + "/model", Branch: branch, Payload: tenfold.ConfigDelta{Model: m.Model}})
	}
	return c.emit(blocks...)
}

// syntheticModel marks text that Claude Code wrote itself, such as an API error.
const syntheticModel = "<synthetic>"

// holdEntries lets entries wait for the open message of their branch, if there is one.
func (c *claude) holdEntries(branch, id string, entries []tenfold.Entry) error {
	o := c.open[branch]
	if o == nil {
		if branch == "" {
			c.ensureTurn(entries[0], id)
		}
		return c.emit(entries...)
	}
	for i := range entries {
		o.holding += intake.Weight(&entries[i])
	}
	o.held = append(o.held, entries...)
	if len(o.held) > HeldEntries || o.holding > heldBytes {
		c.Warn.Add(c.r.Number, "response was too long to sort its results behind its calls", "responses were too long to sort their results behind their calls")
		return c.releaseEntries(o)
	}
	return nil
}

func (c *claude) releaseEntries(o *openMessage) error {
	held := o.held
	o.held, o.holding = nil, 0
	return c.emit(held...)
}

// close ends the open message of a branch: its usage, once, then what waited.
func (c *claude) close(branch string) {
	o := c.open[branch]
	if o == nil || o.first == "" {
		return
	}
	c.open[branch] = nil
	if o.usage.Found && !c.billed[o.id] {
		if o.id != "" {
			c.billed[o.id] = true
		}
		usage := tenfold.Entry{ID: o.first + "/usage", Time: o.time, Branch: branch, MessageID: o.id, Payload: o.usage.By(o.model)}
		_ = c.emit(usage)
	}
	_ = c.releaseEntries(o)
}

func (c *claude) closeAll() {
	for _, branch := range c.order {
		c.close(branch)
	}
}
