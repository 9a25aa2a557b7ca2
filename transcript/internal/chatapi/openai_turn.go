package chatapi

import (
	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// ItemTurns is an emitter for items of the Responses API, which know no turns:
// a prompt opens one, and so does whatever comes after a turn was over.
type ItemTurns struct {
	engine.Emitter
	State intake.TurnState
}

// Show hands on the entries of one item, in a turn.
func (t *ItemTurns) Show(id string, entries []tenfold.Entry) error {
	begins := t.State == intake.TurnNone
	if u, ok := entries[0].Payload.(tenfold.UserMessage); ok {
		begins = t.State.Said(!u.Synthetic)
	} else {
		begins = t.State.Answered() || begins
	}
	if begins {
		t.Turn(id)
	}
	return t.All(entries)
}
