package tenfold

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// refusals are how hosts begin to say that a person refused a call, and what stands before
// that person's words.
var refusals = []struct{ start, said string }{
	{"The user doesn't want to", "the user said:"},                                                  // Claude Code
	{"The user rejected permission to use this specific tool call", "with the following feedback:"}, // opencode
	{"The user rejected this tool call", "User feedback:"},                                          // Copilot
	{"The user denied this operation", "\n<feedback>"},                                              // Cline, Roo
	{refusalRecord, `"feedback":"`},                                                                 // Roo, where the API knows calls
	{"The user has provided feedback on the results", "\n<feedback>"},                               // where a task was said to be done
}

// What hosts may put behind those words.
const (
	refusalAdvice = "\n\nNote: The user's next message may "
	refusalEnd    = "</feedback>"
	refusalRecord = `{"status":"denied",`
)

// Refusal gives the end of a failed result that is a person's word rather than a
// tool's: the call was refused, and the person said what to do instead. Hosts
// write it so; agents that record an approval need no such look.
func Refusal(result string) (said string, ok bool) {
	said, refused := refused(result)
	return said, refused && said != ""
}

// refused gives what a person said of a call that they refused.
func refused(result string) (said string, ok bool) {
	if heading, rest, _ := strings.Cut(result, "\n"); strings.HasPrefix(heading, "[") && strings.HasSuffix(heading, "] Result:") {
		result = rest // Cline's
	}
	result = strings.TrimPrefix(result, "Error: ")
	for _, r := range refusals {
		if strings.HasPrefix(result, r.start) {
			_, said, _ = strings.Cut(result, r.said)
			return said, true
		}
	}
	return "", false
}

// RefusalWords is what [Refusal] gives, without what hosts put around it.
func RefusalWords(result string) (said string, ok bool) {
	said, ok = Refusal(result)
	said, _, _ = strings.Cut(said, refusalAdvice)
	said, _, _ = strings.Cut(said, refusalEnd)
	if strings.HasPrefix(result, refusalRecord) {
		var words string
		if json.Unmarshal([]byte(`"`+strings.TrimSuffix(said, "}")), &words) == nil {
			said = words
		}
	}
	return strings.TrimSpace(said), ok
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
	if slices.ContainsFunc(repeating, func(p string) bool { return strings.HasPrefix(text, p) }) {
		return strings.TrimSuffix(firstLine(strings.TrimPrefix(text, "<tool_use_error>")), "</tool_use_error>")
	}
	if _, ok := refused(text); !ok {
		return lastTelling(text)
	}
	text, _, _ = strings.Cut(text, refusalAdvice)
	if said, ok := RefusalWords(text); ok {
		text = strings.Join(strings.Fields(said), " ")
	}
	return firstLine(text)
}
