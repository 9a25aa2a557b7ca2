package chatapi

import (
	"tenfold"
	"tenfold/transcript/internal/engine"
)

// ItemTurns is an emitter for items of the Responses API, which know no turns:
// a prompt opens one, and so does whatever comes after a turn was over.
type ItemTurns struct {
	engine.Emitter
	State engine.TurnState
}

// Show hands on the entries of one item, in a turn.
func (t *ItemTurns) Show(id string, entries []tenfold.Entry) error {
	open := t.State == engine.TurnNone || t.State == engine.TurnOver
	next := engine.TurnOpen
	if u, ok := entries[0].Payload.(tenfold.UserMessage); ok {
		switch {
		case !u.Synthetic:
			open = t.State != engine.TurnSoft // context may come before its prompt
		case open || t.State == engine.TurnSoft:
			next = engine.TurnSoft
		}
	}
	t.State = next
	if open {
		t.Turn(id)
	}
	return t.All(entries)
}

// ItemEntries makes the entries of one item.
func ItemEntries(id, source string, payloads []tenfold.Payload) []tenfold.Entry {
	entries := make([]tenfold.Entry, len(payloads))
	for i, p := range payloads {
		entries[i] = tenfold.Entry{ID: engine.BlockID(id, i), Payload: p}
	}
	entries[0].Source = source
	return entries
}
