package tenfold

import (
	"slices"
	"strings"
)

// How Claude Code writes that a person refused a call, what stands before that
// person's words, and what it may put behind them.
const (
	refusal       = "The user doesn't want to"
	refusalSaid   = "the user said:"
	refusalAdvice = "\n\nNote: The user's next message may "
)

// Refusal gives the end of a failed result that is a person's word rather than a
// tool's: the call was refused, and the person said what to do instead. Claude
// Code writes it so; agents that record an approval need no such look.
func Refusal(result string) (said string, ok bool) {
	if !strings.HasPrefix(result, refusal) {
		return "", false
	}
	_, said, ok = strings.Cut(result, refusalSaid)
	return said, ok
}

// repeating is how failures begin whose first line says why, and whose others repeat
// what was asked for: those of the tools of Claude Code and Codex that change files.
var repeating = []string{"<tool_use_error>", "apply_patch verification failed"}

// telling is the line of a failure that its stub quotes: the last one that says
// something, or the first one where the others repeat what was asked for; of a refused
// call what the person said, or that it was refused.
func telling(text string) string {
	// What a host reminds the model of at the end is nothing of the call.
	if at := strings.LastIndex(text, "<system-reminder>"); at > 0 && strings.HasSuffix(strings.TrimRight(text, " \r\n"), "</system-reminder>") {
		text = text[:at]
	}
	switch {
	case slices.ContainsFunc(repeating, func(p string) bool { return strings.HasPrefix(text, p) }):
		return strings.TrimSuffix(firstLine(strings.TrimPrefix(text, "<tool_use_error>")), "</tool_use_error>")
	case !strings.HasPrefix(text, refusal):
		return lastTelling(text)
	}
	text, _, _ = strings.Cut(text, refusalAdvice)
	if said, ok := Refusal(text); ok {
		text = strings.Join(strings.Fields(said), " ")
	}
	return firstLine(text)
}
