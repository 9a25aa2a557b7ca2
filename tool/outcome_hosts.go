package tool

import (
	"slices"
	"strings"
)

// What hosts write around the output of a tool, one function for each form.

// codexHead reads the lines that Codex puts before "Output:".
func codexHead(w wording) (code int, ok bool) {
	lines, ok := codexLines(w.head)
	if !ok {
		return 0, false
	}
	for line := range strings.SplitSeq(lines, "\n") {
		for _, phrase := range [...]string{"Process exited with code ", "Exit code: "} {
			if number, found := strings.CutPrefix(line, phrase); found {
				return whole(number)
			}
		}
	}
	return 0, false
}

// codexLines gives the lines that Codex puts before an output: each of them is
// one that it writes, so that no output looks like it.
func codexLines(head string) (lines string, ok bool) {
	if !hasAnyPrefix(head, codexHeads[:]) {
		return "", false // nor does it have to be searched
	}
	lines, _, ok = strings.Cut(head, "\nOutput:")
	if !ok {
		return "", false
	}
	for line := range strings.SplitSeq(lines, "\n") {
		if !hasAnyPrefix(line, codexHeads[:]) {
			return "", false
		}
	}
	return lines, strings.Contains(lines, "Wall time")
}

var codexHeads = [...]string{
	"Chunk ID: ", "Wall time", "Process exited with code ", "Process running with session ID ", "Original token count: ",
	"Total output lines: ", "Exit code: ", "Script completed", "Script failed", "Script terminated", "Script running with cell ID ",
}

// codexJSON reads {"output":"…","metadata":{"exit_code":0}}, and results that
// begin with an exit code beside what was written to standard output or error.
func codexJSON(w wording) (code int, ok bool) {
	if !strings.HasPrefix(w.head, "{") || !strings.HasSuffix(w.tail, "}") {
		return 0, false
	}
	const metadata = `"metadata":{"exit_code":`
	switch {
	case strings.HasPrefix(w.head, `{"output":`) && strings.HasSuffix(w.tail, "}}"):
		return memberNumber(w.tail, metadata)
	case strings.HasPrefix(w.head, "{"+metadata):
		return memberNumber(w.head[:strings.IndexByte(w.head, '}')+1], metadata)
	}
	for _, key := range [...]string{`{"exit_code":`, `{"exitCode":`, `{"returncode":`} {
		if strings.HasPrefix(w.head, key) && hasAny(w.head, `"stdout":`, `"stderr":`, `"output":`) {
			return memberNumber(w.head, key)
		}
	}
	return 0, false
}

// memberNumber reads the number that is the last member of that name.
func memberNumber(text, key string) (code int, ok bool) {
	at := strings.LastIndex(text, key)
	if at < 0 {
		return 0, false
	}
	rest := text[at+len(key):]
	end := strings.IndexAny(rest, ",}")
	if end < 0 {
		return 0, false
	}
	return whole(rest[:end])
}

// claudeTask reads what BashOutput and TaskOutput begin with.
func claudeTask(w wording) (code int, ok bool) {
	if !hasAnyPrefix(w.head, []string{"<retrieval_status>", "<status>"}) {
		return 0, false
	}
	head, _, _ := strings.Cut(w.head, "<stdout>")
	head, _, _ = strings.Cut(head, "<output>")
	return after(head, "\n<exit_code>", "</exit_code>")
}

// returnCode reads what mini-swe-agent begins with.
func returnCode(w wording) (code int, ok bool) {
	if !strings.HasPrefix(w.head, "<returncode>") {
		return 0, false
	}
	return after(w.head, "<returncode>", "</returncode>")
}

// rooHead reads Roo Code's "Command executed in terminal …. Exit code: 0", and
// AutoGen's "exitcode: 0 (execution succeeded)".
func rooHead(w wording) (code int, ok bool) {
	first, rest, _ := strings.Cut(w.head, "\n")
	if strings.HasPrefix(first, "exitcode: ") {
		return after(first, "exitcode: ", " (execution ")
	}
	if !strings.HasPrefix(first, "Command executed in terminal") {
		return 0, false
	}
	if _, number, found := strings.Cut(first, "Exit code: "); found {
		return whole(number)
	}
	second, _, _ := strings.Cut(rest, "\n")
	if number, found := strings.CutPrefix(second, "Exit code: "); found {
		return whole(number)
	}
	return 0, false
}

// copilotTail reads <exited with exit code 0> and <shellId: 1 completed with
// exit code 0>, the last line.
func copilotTail(w wording) (code int, ok bool) {
	line := lastLine(w.tail)
	if !strings.HasSuffix(line, ">") || !hasAnyPrefix(line, []string{"<exited", "<shellId: ", "<command with "}) {
		return 0, false
	}
	return after(line, " with exit code ", ">")
}

// openHandsTail reads [The command completed with exit code 0.] and [Command
// finished with exit code 0], and nothing but lines in brackets after it.
func openHandsTail(w wording) (code int, ok bool) {
	for rest := w.tail; ; {
		at := strings.LastIndexByte(rest, '\n')
		line := strings.TrimSpace(rest[at+1:])
		for _, phrase := range [...]string{"[The command completed with exit code ", "[Command finished with exit code "} {
			if number, found := strings.CutPrefix(line, phrase); found {
				return whole(strings.TrimRight(number, ".]"))
			}
		}
		if at < 0 || !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]") {
			return 0, false
		}
		rest = rest[:at]
	}
}

// geminiTail reads the fields that Gemini CLI and Qwen Code put after the output
// of a command. Newer versions name an exit code only where it is not 0.
func geminiTail(w wording) (code int, ok bool) {
	last := lastLine(w.tail)
	if !hasAnyPrefix(last, geminiFields[:]) || !hasAnyPrefix(w.head, []string{"Command: ", "Output: "}) {
		return 0, false
	}
	signalled := false
	for rest := w.tail; ; {
		at := strings.LastIndexByte(rest, '\n')
		line := rest[at+1:]
		if number, found := strings.CutPrefix(line, "Exit Code: "); found {
			return whole(number)
		}
		if !hasAnyPrefix(line, geminiFields[:]) || at < 0 {
			break
		}
		signalled = signalled || strings.HasPrefix(line, "Signal: ") || strings.HasPrefix(line, "Background PIDs: ")
		rest = rest[:at]
	}
	return 0, strings.HasPrefix(w.head, "Output: ") && strings.HasPrefix(last, "Process Group PGID: ") && !signalled
}

var geminiFields = [...]string{"Process Group PGID: ", "Background PIDs: ", "Signal: ", "Exit Code: "}

// crushTail reads the line before the working directory that crush ends with: it
// stands there unless the command ended with 0.
func crushTail(w wording) (code int, ok bool) {
	before, rest, found := strings.Cut(w.tail, "\n\n<cwd>")
	if !found || !strings.HasSuffix(rest, "</cwd>") || strings.Contains(rest, "\n") {
		return 0, false
	}
	line := lastLine(before)
	if number, found := strings.CutPrefix(line, "Exit code "); found {
		return whole(number)
	}
	return 0, line != crushAborted
}

const crushAborted = "Command was aborted before completion"

// toolUseError is how Claude Code marks what its own checks say.
const toolUseError = "<tool_use_error>"

// interrupted reports that a call was not carried out, or not to its end: the
// person said no or stopped it, or it took too long.
func (w wording) interrupted() bool {
	if hasAnyPrefix(w.head, interruptions[:]) {
		return true
	}
	if before, _, found := strings.Cut(w.tail, "\n\n<cwd>"); found && lastLine(before) == crushAborted {
		return true
	}
	last := lastLine(w.tail)
	return hasAnyPrefix(last, []string{"bash tool terminated command after exceeding timeout", "User aborted the command"}) ||
		(last == "</bash_metadata>" && hasAny(w.tail, "\nbash tool terminated command after exceeding timeout", "\nUser aborted the command",
			"\nshell tool terminated command after exceeding timeout"))
}

// interruptions are how a result begins that tells of one.
var interruptions = [...]string{
	// Claude Code
	"[Request interrupted by user", "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now",
	"Permission for this tool use was denied", "Permission for this action was denied",
	// Codex
	"aborted by user after ", "exec command rejected by user", "patch rejected by user",
	// Gemini CLI
	"[Operation Cancelled] ", "Command was cancelled by user", "Command was automatically cancelled", "Command cancelled by user",
	// Cline and Roo Code
	"The user denied this operation", `{"status":"denied",`, "The user has provided feedback on the results",
	// Copilot
	"The tool call was denied by the user", "The user rejected this tool call", "Permission denied and could not request permission from user",
	// OpenHands
	"Action has been rejected by the user",
	// what projections answer calls with that nothing answered
	"Tool call was interrupted.",
}

// Refused reports whether the result of a call that failed says that the person refused it
// or broke it off, or that nobody was there to be asked.
func Refused(result string) bool {
	return hasAnyPrefix(result, refusals[:]) || strings.HasSuffix(strings.TrimSpace(result), "Command aborted")
}

// refusals are how such a result begins, by words that an output could begin with as well;
// the last ones are package agent's.
var refusals = [...]string{
	"The user doesn't want to", "[Operation Cancelled]", "[Request interrupted by user", "User rejected", "User denied", "The user rejected", "The user denied", "The user declined",
	"exec command rejected by user", "patch rejected by user", "aborted by user after ", "Command was cancelled by user", "Command cancelled by user", `{"status":"denied","message":"The user denied `,
	"The user has provided feedback on the results", "The tool call was denied by the user", "Action has been rejected by the user",
	"Denied: the user ", "Denied: the rule ", "Denied: it requires approval", "Denied: it must be asked about", "Denied: asking the user failed", "Interrupted before it was run.", "Interrupted while it ran.",
	"Interrupted: the program that ran the call ended",
}

// failed reports that the host says so, in words that no output begins with.
func (w wording) failed() bool {
	if lines, ok := codexLines(w.head); ok {
		return strings.HasPrefix(lines, "Script failed") || strings.HasPrefix(lines, "Script terminated")
	}
	switch {
	case hasAnyPrefix(w.head, failures[:]):
		return true
	case strings.HasPrefix(w.head, "ERROR:\n"):
		return w.kind == Editor || w.kind == Edits || w.kind == Writes
	}
	// One line that begins so is what most hosts make of an exception.
	return w.kind != Shell && len(w.head) < sight && !strings.Contains(strings.TrimRight(w.head, "\n"), "\n") &&
		hasAnyPrefix(w.head, []string{"Error: ", "Error executing tool"})
}

// failures are how a result begins that tells of one.
var failures = [...]string{
	toolUseError,
	// Codex
	"apply_patch verification failed", "failed to parse function arguments: ", "unsupported call: ", "unsupported custom tool call: ",
	"exec_command failed", "write_stdin failed", "execution error: ", "failed in sandbox: ", "command timed out after ", "tool call error: ",
	// Cline and Roo Code
	"The tool execution failed with the following error:",
	// SWE-agent
	"Your proposed edit has introduced new syntax error(s)", "No replacement was performed", "EXECUTION TIMED OUT", "COMMAND TIMED OUT",
	// OpenHands
	"[Your proposed edit has introduced new syntax error(s)",
}

// succeeded reports that the host says so.
func (w wording) succeeded() bool {
	first, _, _ := strings.Cut(w.head, "\n")
	switch strings.TrimRight(first, "\r") {
	case "Plan updated": // Codex
		return w.kind == Plans
	case "Your command ran successfully and did not produce any output.": // SWE-agent
		return true
	}
	return false
}

// started reports that a command was only begun, or runs on.
func (w wording) started() bool {
	if lines, ok := codexLines(w.head); ok {
		return hasAny("\n"+lines, "\nProcess running with session ID ", "\nScript running with cell ID ")
	}
	if hasAnyPrefix(w.head, starts[:]) || (strings.HasPrefix(w.head, "<retrieval_status>") && strings.Contains(w.head, "\n<status>running</status>")) {
		return true
	}
	last := lastLine(w.tail)
	return strings.HasPrefix(last, "<command with ") && strings.HasSuffix(last, ">") && hasAny(last, "still running", "is running")
}

// starts are how a result begins that tells of a command under way.
var starts = [...]string{
	// Claude Code
	"Command running in background with ID", "Command was moved to the background", "Command was manually backgrounded", "Async agent launched", "<status>running</status>",
	// crush, Gemini CLI, Cline
	"Background shell started with ID", "Command moved to background", "Command is still running", "Command is running in background",
	"Command executed in background",
}

func hasAnyPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

func hasAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}
