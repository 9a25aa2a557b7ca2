package tool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// Failed reports whether a call failed, as far as is known. A search that found
// nothing, or a test that says no, ends with 1 and prints nothing: it answered.
func Failed(name, arguments string, r tenfold.ToolResult) bool {
	o := OutcomeOf(name, r)
	if code, _ := o.Code(); code != 1 {
		return o.Bad()
	}
	return strings.TrimSpace(Output(r)) != "" || !answers(name, arguments)
}

// Underway reports that a result tells of a command that was only begun, or runs
// on: how it ends is not known yet.
func Underway(r tenfold.ToolResult) bool {
	return wording{head: headOf(r.Parts), tail: tailOf(r.Parts)}.started()
}

// answers reports whether 1 is an answer of the command of a call: of the last one of
// its line, or of one that the rest of the line hangs on, as nothing was printed.
func answers(name, arguments string) bool {
	t, ok := Lookup(name)
	if !ok || t.Kind != Shell {
		return false
	}
	line, _ := t.Command(arguments)
	r := readShell(line)
	if r.more {
		return saysNo(strings.Fields(line)) // the first word decides
	}
	var hangs [][]string // the commands that what follows hangs on, by &&
	var last []string
	for _, c := range r.all {
		switch c.after {
		case "&&":
			hangs = append(hangs, last)
		case ";":
			hangs = nil
		}
		if c.led {
			last = nil
		} else if words := c.texts(); words != nil {
			last = words
		}
	}
	return slices.ContainsFunc(append(hangs, last), saysNo)
}

// saysNo reports whether a command ends with 1 to say no.
func saysNo(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep", "findstr", "test", "[", "[[", "which", "cmp", "diff":
		return true
	case "git":
		return slices.Contains(words, "grep") || slices.Contains(words, "--quiet") || slices.Contains(words, "--exit-code")
	case "command":
		return slices.Contains(words, "-v")
	}
	return false
}

// Polls reports whether a call only asks for the progress of a command that was
// started before, and so is not a command of its own.
func Polls(name, arguments string) bool {
	switch {
	case watches(name):
		return true
	case name == "write_stdin":
		return strings.TrimSpace(parse(arguments).text("chars")) == ""
	}
	t, ok := Lookup(name)
	if !ok || t.Kind != Shell {
		return false
	}
	a := parse(arguments)
	if a.members == nil {
		return false
	}
	line, _ := a.command()
	if strings.TrimSpace(line) == "" {
		return true
	}
	segments, ok := splitCommand(line)
	return ok && len(segments) == 1 && segments[0][0] == "sleep"
}

// watches knows the tools that do nothing but poll.
func watches(name string) bool {
	switch name {
	case "BashOutput", "TaskOutput", "AgentOutputTool", "AgentOutput", "job_output", "read_bash", "read_agent", "wait", "wait_agent",
		"read_background_output", "shell_output":
		return true
	}
	return false
}

// Output is what a tool gave, without what the host wrote around it of how the
// call ended.
func Output(r tenfold.ToolResult) string {
	text := withoutHost(ResultText(r.Parts))
	w := wording{head: text[:min(len(text), sight)], tail: strings.TrimRight(text[max(0, len(text)-sight):], " \r\n")}
	if _, ok := codexLines(w.head); ok {
		_, text, _ = strings.Cut(text, "\nOutput:")
		return strings.TrimPrefix(text, "\n")
	}
	if _, ok := codexJSON(w); ok {
		var wrapped struct {
			Output string `json:"output"`
		}
		if json.Unmarshal([]byte(text), &wrapped, jsontext.AllowInvalidUTF8(true)) == nil && wrapped.Output != "" {
			return wrapped.Output
		}
		return text
	}
	if r.Ended().Bad() {
		if first, rest, _ := strings.Cut(text, "\n"); isExitLine(first) {
			return rest
		}
	}
	for _, read := range [...]func(wording) (int, bool){copilotTail, openHandsTail, geminiTail, crushTail} {
		if _, ok := read(w); ok {
			return withoutTail(text)
		}
	}
	if trimmed := strings.TrimRight(text, " \r\n"); r.Ended().Bad() && isExitLine(lastLine(trimmed)) {
		return trimmed[:max(0, strings.LastIndexByte(trimmed, '\n'))]
	}
	return text
}

// Frame is how many bytes of a result that is one text are lines of the host around what
// the tool gave ([Output]), at its beginning and at its end. One of a command that is
// under way has none: it says how to go on with that.
func Frame(r tenfold.ToolResult) (head, tail int) {
	if len(r.Parts) != 1 || r.Parts[0].File != nil || Underway(r) {
		return 0, 0
	}
	text, output := r.Parts[0].Text, Output(r)
	if len(output) == len(text) {
		return 0, 0
	}
	if output = strings.Trim(output, "\r\n"); output == "" {
		return len(text), 0
	}
	const tries = 8 // a short output may read like a part of the frame
	for from, try := 0, 0; try < tries; try++ {
		at := strings.Index(text[from:], output)
		if at < 0 {
			break // it was decoded
		}
		at += from
		before, after := text[:at], text[at+len(output):]
		if from = at + 1; !bounds(before, len(before)-1, "\n >") || !bounds(after, 0, "\r\n<") {
			continue
		}
		if end := strings.IndexByte(after, '\n'); end >= 0 {
			tail = len(after) - end - 1
		}
		return strings.LastIndexByte(before, '\n') + 1, tail
	}
	return 0, 0
}

// bounds reports whether the byte of a text at a place is one of these, or the text empty.
func bounds(text string, at int, of string) bool {
	return text == "" || strings.IndexByte(of, text[at]) >= 0
}

// withoutHost leaves out what hosts put around an output beside how it ended: what
// they remind a model of, where they moved its shell, the tags of their own words.
func withoutHost(text string) string {
	if at := strings.LastIndex(text, shellReset); at > 0 && !strings.Contains(strings.TrimSpace(text[at+1:]), "\n") {
		text = text[:at]
	}
	for {
		trimmed := strings.TrimRight(text, " \r\n")
		at := -1
		for _, tag := range [...]string{"system-reminder", "bash_metadata", "shell_metadata"} {
			if strings.HasSuffix(trimmed, "</"+tag+">") {
				at = strings.LastIndex(trimmed, "<"+tag+">")
			}
		}
		if at < 0 {
			break
		}
		text = strings.TrimRight(trimmed[:at], " \r\n")
	}
	if said, ok := strings.CutPrefix(text, toolUseError); ok {
		return strings.TrimSuffix(strings.TrimRight(said, " \r\n"), "</tool_use_error>")
	}
	if hasAnyPrefix(text, []string{"<retrieval_status>", "<status>", "<returncode>"}) {
		for _, tag := range [...]string{"output", "stdout", "stderr"} {
			_, inner, ok := strings.Cut(text, "<"+tag+">")
			inner, _, closed := strings.Cut(inner, "</"+tag+">")
			if ok && closed && strings.TrimSpace(inner) != "" {
				return inner
			}
		}
	}
	if strings.HasPrefix(text, "<path>") { // opencode says what it read
		for _, tag := range [...]string{"content", "entries"} {
			_, inner, ok := strings.Cut(text, "</type>\n<"+tag+">\n")
			inner, closed := strings.CutSuffix(strings.TrimRight(inner, " \r\n"), "\n</"+tag+">")
			if ok && closed {
				return inner
			}
		}
	}
	if strings.HasPrefix(text, "Command: ") { // Gemini CLI says what it ran
		head := text[:min(len(text), sight)]
		if at := strings.Index(head, "\nDirectory: "); at >= 0 {
			if out := strings.Index(text, "\nOutput: "); out >= at {
				said, _, none := strings.Cut(text[out+len("\nOutput: "):], "\nError: (none)")
				if !none {
					said = withoutTail(said)
				}
				return strings.TrimPrefix(said, "(empty)")
			}
		}
	}
	return text
}

// shellReset is how the line begins that Claude Code ends an output with where it
// has moved its shell back.
const shellReset = "\nShell cwd was reset to "

func isExitLine(line string) bool {
	_, ok := exitLine(line)
	return ok
}

// withoutTail leaves out the last lines of a text, as far as hosts write them.
func withoutTail(text string) string {
	for {
		text = strings.TrimRight(text, " \r\n")
		at := strings.LastIndexByte(text, '\n')
		line := text[at+1:]
		if !strings.HasPrefix(line, "<cwd>") && !hasAnyPrefix(line, hostLines[:]) && !hasAnyPrefix(line, geminiFields[:]) {
			return text
		}
		text = text[:max(at, 0)]
	}
}

// hostLines are how the lines begin that hosts put after an output, beside those
// of Gemini CLI.
var hostLines = [...]string{
	"<exited with exit code ", "<shellId: ", "<command with ", "[The command completed with exit code ", "[Command finished with exit code ",
	"[Current working directory: ", "[Python interpreter: ", "Exit code ",
}
