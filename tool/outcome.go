package tool

import (
	"strconv"
	"strings"

	"tenfold"
)

// Flag is what the own field of a format says of a result (semantics L12).
type Flag uint8

// The flags.
const (
	// NoFlag: the format marks errors at most; what is not marked may be anything.
	NoFlag Flag = iota
	// PlainWords: it has none, but tells of a host that puts a plain line with the
	// exit code in front of what a command wrote.
	PlainWords
	// FlagsTools: a result that is not marked as an error is a success, but for
	// commands: their tool succeeds whatever they end with.
	FlagsTools
	// FlagsAll: the field speaks of commands too.
	FlagsAll
)

// OutcomeOf is how the call of the named tool ended: the outcome recorded, else
// the error flag, else what the host wrote around the output (semantics L12).
// An empty name is a tool that is not known.
func OutcomeOf(name string, r tenfold.ToolResult) tenfold.Outcome {
	if r.Outcome != "" {
		return r.Outcome
	}
	return Settle(name, r, NoFlag)
}

// Settle is the outcome that an importer records: the one that the result has
// from a field of its own, which tells the most, else what the host wrote
// around the output, else the flag.
func Settle(name string, r tenfold.ToolResult, flag Flag) tenfold.Outcome {
	w := wording{head: headOf(r.Parts), tail: tailOf(r.Parts), kind: kindOf(name)}
	switch {
	case r.Ended() == tenfold.Failed:
		if code, ok := w.flaggedExit(); ok && code != 0 {
			return tenfold.Exit(code)
		}
		return tenfold.Failed
	case r.Outcome != "":
		return r.Outcome
	case flag == PlainWords && w.kind == Shell:
		if code, ok := w.flaggedExit(); ok && code != 0 {
			return tenfold.Exit(code)
		}
		return w.outcome()
	case flag == NoFlag || flag == PlainWords || (flag == FlagsTools && runs(w.kind, name)):
		return w.outcome()
	case watches(name):
		if o, told := w.exit(); told {
			return o // of the command, not of the look at it
		}
	case w.started():
		return ""
	}
	return tenfold.Success
}

// kindOf is the kind of a tool by its name; Acts for one that is not known.
func kindOf(name string) Kind {
	if t, ok := Lookup(name); ok {
		return t.Kind
	}
	return Acts
}

// runs reports whether a tool runs a command or code and has done its work
// whatever came of that.
func runs(kind Kind, name string) bool {
	switch strings.ToLower(name) {
	case "exec", "wait", "execute_ipython_cell", "run_ipython", "python", "powershell", "cargo_test":
		return true
	}
	return kind == Shell || watches(name)
}

// A wording looks at how a result begins and ends, where hosts write how a call
// ended. What stands between is the tool's output and says nothing of it: a log
// that was read may well tell of an exit code.
type wording struct {
	head, tail string
	kind       Kind
}

// sight is how far a wording looks in from either end, in bytes.
const sight = 600

func headOf(parts []tenfold.Part) string {
	for i := range parts {
		if t := parts[i].Text; t != "" {
			t = t[:min(len(t), sight)]
			if first, rest, ok := strings.Cut(t, "\n"); ok && t[0] == '[' && strings.HasSuffix(first, "] Result:") {
				return rest // Cline and Roo Code say whose it is
			}
			return t
		}
	}
	return ""
}

func tailOf(parts []tenfold.Part) string {
	for i := len(parts) - 1; i >= 0; i-- {
		if t := parts[i].Text; t != "" {
			t = t[max(0, len(t)-sight):]
			return strings.TrimRight(t, " \r\n")
		}
	}
	return ""
}

// outcome is how a call ended of which no field tells.
func (w wording) outcome() tenfold.Outcome {
	switch w.kind {
	case Reads, Lists, Searches, Fetches:
		// All of it is somebody else's text.
		if strings.HasPrefix(w.head, toolUseError) {
			return tenfold.Failed
		}
		return ""
	}
	if o, ok := w.exit(); ok {
		return o
	}
	if w.interrupted() || w.failed() {
		return tenfold.Failed
	}
	if w.succeeded() {
		return tenfold.Success
	}
	return ""
}

// exit reads an exit code that a host put around the output, in a form that no
// output has by chance. It is unknown, and told, of what still runs.
func (w wording) exit() (o tenfold.Outcome, told bool) {
	for _, read := range [...]func(wording) (int, bool){codexHead, codexJSON, claudeTask, returnCode, rooHead, copilotTail, openHandsTail, geminiTail, crushTail} {
		if code, ok := read(w); ok {
			return tenfold.Exit(code), true
		}
	}
	return "", w.started()
}

// flaggedExit reads the exit code of a result that is marked as an error: then
// a plain line in front or at the end is the host's.
func (w wording) flaggedExit() (code int, ok bool) {
	if o, told := w.exit(); told {
		return o.Code()
	}
	first, _, _ := strings.Cut(w.head, "\n")
	if code, ok = exitLine(first); ok {
		return code, true
	}
	return exitLine(lastLine(w.tail))
}

func lastLine(s string) string { return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]) }

// exitPhrases is how hosts begin the line that tells an exit code.
var exitPhrases = [...]string{"exit code", "command exited with code", "process exited with code", "exited with code", "command failed with exit code"}

// exitLine reads a line that tells an exit code and nothing else.
func exitLine(line string) (code int, ok bool) {
	line = strings.TrimRight(strings.TrimSpace(line), ".")
	for _, phrase := range exitPhrases {
		if len(line) > len(phrase) && strings.EqualFold(line[:len(phrase)], phrase) {
			return whole(strings.TrimLeft(line[len(phrase):], ": "))
		}
	}
	return 0, false
}

// whole reads a text that is a number and nothing else.
func whole(text string) (code int, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 12 {
		return 0, false
	}
	code, err := strconv.Atoi(text)
	return code, err == nil
}

// after reads the number that follows a phrase, up to what ends it.
func after(text, phrase, end string) (code int, ok bool) {
	_, rest, found := strings.Cut(text, phrase)
	if !found {
		return 0, false
	}
	number, _, found := strings.Cut(rest, end)
	if !found {
		return 0, false
	}
	return whole(number)
}
