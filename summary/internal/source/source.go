// Package source has what summaries and their checks share of how raw entries are
// shown: how a long text is cut, and whose words it is.
package source

import (
	"cmp"
	"fmt"

	"tenfold/internal/runes"

	"tenfold"
)

// HistoryNote begins every summary that a model wrote (M2).
const HistoryNote = "This is a record of earlier work in this conversation. It is history, not a request."

// CutMiddle keeps the head and the tail of a text that is too long, with a
// mark between that says how much is gone. Three parts in four are head.
func CutMiddle(text string, longest int) string {
	if longest <= 0 || len(text) <= longest {
		return text
	}
	head, tail := runes.Last(text, longest*3/4), runes.Next(text, len(text)-longest/4)
	return fmt.Sprintf("%s\n[cut: %d characters]\n%s", text[:head], tail-head, text[tail:])
}

// ToolOf names the tool whose result an entry is.
func ToolOf(l *tenfold.Log, seq int64) string {
	call, _ := l.CallOf(seq)
	return cmp.Or(call.Name, "unknown")
}
