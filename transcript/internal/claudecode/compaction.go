package claudecode

import (
	"cmp"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// boundary is a compaction whose summary has not come yet.
type boundary struct {
	compactData
	line int
}

// noSummary words a boundary that leads to no overlay.
func (c *claude) warnNoSummary() {
	c.Warn.Add(c.pend.line, "compaction came without a summary: nothing is hidden", "compactions came without a summary: nothing is hidden")
	c.pend = nil
}

// compactBoundary notes a compaction; the summary is the user line after it.
func (c *claude) compactBoundary(l *claudeLine, id string) error {
	if c.pend != nil {
		c.warnNoSummary()
	}
	if l.sidechain && !c.own {
		return c.unknown(l, id, "claude-code.system") // a sub-agent's own affair
	}
	// What stands before everything hides nothing.
	if c.Place.Opened || len(l.compact.tools) == 0 {
		c.pend = &boundary{compactData: l.compact, line: l.number}
	}
	c.closeAll()
	return c.unknown(l, id, "claude-code.system")
}

// compactSummary makes an overlay of a summary: it stands for all turns before
// the boundary, as the one user message Claude Code sent it in. The text is
// nowhere else, so that undo leaves no stray summary behind (C7).
func (c *claude) compactSummary(l *claudeLine, m *chatapi.BlockMessage, id string) error {
	c.closeAll()
	pend := c.pend
	c.pend = nil
	pend = cmp.Or(pend, &boundary{})
	if !c.Place.Opened {
		return c.bareSummary(l, m, id)
	}
	w := engine.Finder{Scan: &c.Scan, Raw: l.raw}
	var text string
	if m.IsText() {
		text = w.Text(m.Content)
	} else {
		all := intake.Joiner{Between: "\n\n"}
		for i := range m.Blocks {
			// The blocks stay in the line: a summary is one text.
			if b := &m.Blocks[i]; b.Typ == "text" && w.IsString(b.Text) {
				t, _ := c.Scan.Unquote(b.Text)
				all.Add(t)
			}
		}
		text = all.String()
	}
	if text == "" {
		c.Warn.Add(l.number, "compaction came without a summary: nothing is hidden", "compactions came without a summary: nothing is hidden")
		return c.unknown(l, id, "claude-code.user")
	}
	o := engine.Summarised(c.Place.Turn, pend.trigger, text)
	o.TokensBefore, o.TokensAfter = pend.preTokens, pend.postTokens
	if pend.preserved {
		c.keepPreserved(&o, pend)
	}
	c.opened, c.after = intake.TurnOver, id
	c.prompts = c.prompts[:0] // nobody rewinds past a boundary here
	return c.emit(tenfold.Entry{ID: id + "/compaction", Source: w.Done(), Payload: o})
}

// keepPreserved ends the range before the first message that the compaction
// kept verbatim; a range can only end on a step (L6).
func (c *claude) keepPreserved(o *tenfold.Compaction, pend *boundary) {
	if i, ok := c.nodes[pend.head]; ok && c.tree[i].shown && engine.EndBefore(o, int(c.tree[i].turn), int(c.tree[i].step)) {
		return
	}
	c.Warn.Add(pend.line, "compaction kept messages verbatim that cannot be told apart: its summary covers them too",
		"compactions kept messages verbatim that cannot be told apart: their summaries cover them too")
}

// bareSummary keeps a summary of what an earlier file holds. Nothing here
// could be covered, and the model saw the text: it is a message.
func (c *claude) bareSummary(l *claudeLine, m *chatapi.BlockMessage, id string) error {
	c.Warn.Add(l.number, "compaction covers an earlier file: its summary is kept as a message", "compactions cover an earlier file: their summaries are kept as messages")
	results, rest := c.content(l, m, id, "user", "")
	if len(results) > 0 || len(rest) == 0 {
		return c.unknown(l, id, "claude-code.user")
	}
	u, _ := rest[0].Payload.(tenfold.UserMessage)
	u.Synthetic = true
	rest[0].Payload = u
	c.Turn(id)
	c.opened = intake.TurnOpen
	return c.emit(rest...)
}

// microBoundary makes an overlay that clears the named results.
func (c *claude) microBoundary(l *claudeLine, id string) error {
	if l.sidechain && !c.own {
		return c.unknown(l, id, "claude-code.system")
	}
	c.closeAll()
	_ = c.unknown(l, id, "claude-code.system")
	d := l.compact
	if len(d.calls) == 0 || !c.Place.Opened {
		return nil
	}
	calls := make(map[string]tenfold.CallPolicy, len(d.calls))
	for _, call := range d.calls {
		calls[call] = tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
	}
	after := cmp.Or(d.postTokens, max(d.preTokens-d.saved, 0))
	return c.emit(tenfold.Entry{ID: id + "/compaction", Payload: tenfold.Compaction{
		ToTurn: c.Place.Turn, Source: tenfold.SourceImport, Reason: d.trigger, TokensBefore: d.preTokens, TokensAfter: after,
		ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: calls},
	}})
}
