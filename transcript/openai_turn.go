package transcript

import (
	"tenfold"
)

// itemTurns is an emitter for items of the Responses API, which know no turns:
// a prompt opens one, and so does whatever comes after a turn was over.
type itemTurns struct {
	emitter
	state turnState
}

// show hands on the entries of one item, in a turn.
func (t *itemTurns) show(id string, entries []tenfold.Entry) error {
	open := t.state == turnNone || t.state == turnOver
	next := turnOpen
	if u, ok := entries[0].Payload.(tenfold.UserMessage); ok {
		switch {
		case !u.Synthetic:
			open = t.state != turnSoft // context may come before its prompt
		case open || t.state == turnSoft:
			next = turnSoft
		}
	}
	t.state = next
	if open {
		if err := t.turn(id); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := t.emit(e); err != nil {
			return err
		}
	}
	return nil
}

// itemEntries makes the entries of one item.
func itemEntries(id, source string, payloads []tenfold.Payload) []tenfold.Entry {
	entries := make([]tenfold.Entry, len(payloads))
	for i, p := range payloads {
		entries[i] = tenfold.Entry{ID: blockID(id, i), Payload: p}
	}
	entries[0].Source = source
	return entries
}
