package intake

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/purpose"
)

// TurnState says what a turn needs before the next entry.
type TurnState int

const (
	TurnNone TurnState = iota // no turn yet
	TurnOver                  // a compaction ended it: the next entry begins one
	TurnSoft                  // opened by a message no person wrote: a prompt may join
	TurnOpen
)

// Said notes a user's message, and reports whether a turn begins with it. With one
// that a person typed it does, unless the turn under way holds nothing but injected
// messages yet; with any other only where there is no turn.
func (t *TurnState) Said(typed bool) (begins bool) {
	was := *t
	none := was == TurnNone || was == TurnOver
	switch {
	case typed:
		*t = TurnOpen
	case none:
		*t = TurnSoft
	}
	return none || typed && was == TurnOpen
}

// Answered notes anything else, and reports whether it needs a turn of its own: work
// that goes on after a compaction does.
func (t *TurnState) Answered() (begins bool) {
	was := *t
	*t = TurnOpen
	return was == TurnOver
}

// IsEcho reports whether a message tells the model what a person typed at Claude
// Code itself: a command, or a line for the shell. It asks for nothing (L11), and
// opens a turn as a prompt does.
func IsEcho(m tenfold.UserMessage) bool {
	return m.Purpose == tenfold.Notice && slices.ContainsFunc(m.Parts, func(p tenfold.Part) bool { return isEcho(p.Text) })
}

func isEcho(text string) bool { return beginsWith(text, "<command-name>", "<bash-input>") }

// IsInjected reports whether Claude Code put a text in itself. The echo of what a
// person typed at it, a command or a line for the shell, opens a turn and is not
// here.
func IsInjected(text string) bool {
	return purpose.OfText(text) != tenfold.Request && !isEcho(text)
}

// Typed tells what a person typed from what Codex put in the user's mouth. The
// event that repeats a prompt comes after it, and what comes later must not
// change an entry.
func Typed(parts []tenfold.Part) bool {
	return anyTyped(parts, func(text string) bool { return purpose.OfText(text) != tenfold.Request })
}

// InjectedParts is all the parts of a message of Claude Code of which no person wrote
// any, else none.
func InjectedParts(parts []tenfold.Part) int {
	if anyTyped(parts, IsInjected) {
		return 0
	}
	return len(parts)
}

func anyTyped(parts []tenfold.Part, injected func(text string) bool) bool {
	return slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil || !injected(p.Text) })
}

// withPurpose says what a message is for (L11), where the importer did not: its
// texts tell, and a role that no person has.
func withPurpose(m tenfold.UserMessage) tenfold.UserMessage {
	if m.Purpose == tenfold.Request {
		m.Purpose = purpose.Of(m)
	}
	if m.Purpose == tenfold.Request && m.Role != "" {
		m.Purpose = tenfold.Context
	}
	m.Synthetic = m.Synthetic || m.Purpose != tenfold.Request
	return m
}

// beginsWith reports whether a text begins with one of several, blanks aside.
func beginsWith(text string, starts ...string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(text, start) })
}
