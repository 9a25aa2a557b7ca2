package claudecode

import (
	"tenfold"
	"tenfold/transcript/internal/engine"
)

// prompt opens a turn for what a person typed. A turn that holds nothing but
// injected messages yet is taken over: a caveat comes before its command.
func (c *claude) prompt(l *claudeLine, id string) error {
	if err := c.rewind(l, id); err != nil {
		return err
	}
	if c.opened != engine.TurnSoft {
		if err := c.startTurn(id); err != nil {
			return err
		}
	}
	c.opened = engine.TurnOpen
	return nil
}

// aside makes sure that an injected message or a result stands in a turn.
func (c *claude) aside(e tenfold.Entry, id string) error {
	if _, ok := e.Payload.(tenfold.UserMessage); !ok {
		return c.resume()
	}
	if c.opened == engine.TurnNone || c.opened == engine.TurnOver {
		c.opened = engine.TurnSoft
		return c.startTurn(id)
	}
	return nil
}

// resume makes sure that work that goes on after a compaction has a turn.
func (c *claude) resume() error {
	over := c.opened == engine.TurnOver
	c.opened = engine.TurnOpen
	if over {
		return c.startTurn(c.after)
	}
	return nil
}

func (c *claude) startTurn(id string) error {
	return c.emit(tenfold.Entry{ID: id + "/turn", Time: c.now, Payload: tenfold.TurnStart{}})
}

// typed reports whether a person wrote the message, so that it begins a turn.
func (c *claude) typed(l *claudeLine, u tenfold.UserMessage) bool {
	if l.meta || l.summary || (l.origin != "" && l.origin != "human") {
		return false
	}
	for _, p := range u.Parts {
		if p.File != nil || !engine.IsInjected(p.Text) {
			return true
		}
	}
	return false
}
