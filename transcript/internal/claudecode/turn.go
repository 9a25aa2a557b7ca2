package claudecode

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/purpose"
	"tenfold/transcript/internal/intake"
)

// prompt opens a turn for what a person typed. A turn that holds nothing but
// injected messages yet is taken over: a caveat comes before its command.
func (c *claude) prompt(l *claudeLine, id string) {
	c.rewind(l, id)
	if c.opened.Said(true) {
		c.Turn(id)
	}
}

// ensureTurn makes sure that an injected message or a result stands in a turn.
func (c *claude) ensureTurn(e tenfold.Entry, id string) {
	if _, ok := e.Payload.(tenfold.UserMessage); !ok {
		c.resume()
	} else if c.opened.Said(false) {
		c.Turn(id)
	}
}

// resume makes sure that work that goes on after a compaction has a turn.
func (c *claude) resume() {
	if c.opened.Answered() {
		c.Turn(c.after)
	}
}

// prompts reports whether a message opens a turn.
func prompts(u tenfold.UserMessage) bool { return !u.Synthetic || intake.IsEcho(u) }

// purpose tells what an injected message is for, where its text does not: what is
// marked as meta instructs the model, as a skill or a command's prompt does.
func (l *claudeLine) purpose(u tenfold.UserMessage) tenfold.Purpose {
	is := purpose.Of(u)
	said := slices.ContainsFunc(u.Parts, func(p tenfold.Part) bool { return strings.TrimSpace(p.Text) != "" })
	switch {
	case is != tenfold.Request || !u.Synthetic || l.summary:
		return is
	case l.meta && said:
		return tenfold.Context
	case l.meta, l.origin != "" && l.origin != "human":
		return tenfold.Notice
	}
	return is
}

// typed reports whether a person wrote the message, so that it begins a turn.
func (c *claude) typed(l *claudeLine, u tenfold.UserMessage) bool {
	if l.meta || l.summary || (l.origin != "" && l.origin != "human") {
		return false
	}
	return slices.ContainsFunc(u.Parts, func(p tenfold.Part) bool { return p.File != nil || !intake.IsInjected(p.Text) })
}
