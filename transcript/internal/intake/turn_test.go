package intake

import "testing"

// What a user's message and anything else do to a turn, from each state of it.
func TestTurnState(t *testing.T) {
	for _, c := range []struct {
		was, prompt, injected, answer TurnState
		begins                        [3]bool
	}{
		{TurnNone, TurnOpen, TurnSoft, TurnOpen, [3]bool{true, true, false}},
		{TurnOver, TurnOpen, TurnSoft, TurnOpen, [3]bool{true, true, true}},
		{TurnSoft, TurnOpen, TurnSoft, TurnOpen, [3]bool{}},
		{TurnOpen, TurnOpen, TurnOpen, TurnOpen, [3]bool{true, false, false}},
	} {
		prompt, injected, answer := c.was, c.was, c.was
		begins := [3]bool{prompt.Said(true), injected.Said(false), answer.Answered()}
		if prompt != c.prompt || injected != c.injected || answer != c.answer || begins != c.begins {
			t.Errorf("from %d: %d, %d, %d, %v", c.was, prompt, injected, answer, begins)
		}
	}
}
