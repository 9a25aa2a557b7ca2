package summary

import (
	"slices"
	"strings"

	"tenfold/tool"
)

// failure is a call that failed, and was not put right.
type failure struct {
	key   string
	turn  int
	order int // the entry it came with
	// times is how often it failed in a row.
	times int
	// what is the call as it is shown.
	what    string
	command *command
	last    outcome
	// lines are quoted of the output: the one that says most, then others.
	lines []string
}

// failures are the errors that are open, by what must succeed to close them:
// the same command, a change of the same path, a read of it, or a call of the
// same tool with the same arguments.
type failures struct {
	byKey map[string]*failure
	// tools counts the open ones that are noted by tool and arguments.
	tools map[string]int
}

func newFailures() failures {
	return failures{byKey: map[string]*failure{}, tools: map[string]int{}}
}

// fail notes that a call failed.
func (l *Ledger) fail(c *call, o outcome) {
	f := &failure{turn: c.turn, order: l.entries, times: 1, command: c.command, last: o, key: c.key}
	f.last.text = ""
	switch {
	case c.command != nil:
		f.what = code(c.command.text, lineLength)
	case len(c.files) > 0:
		f.key = fileKey(c.files[0])
		f.what = code(c.name, lineLength) + " " + code(c.files[0].Path, 2*lineLength)
	default:
		f.key = toolKey(c)
		f.what = code(c.name+" "+c.arguments, lineLength)
	}
	f.lines = errorLines(o, c.command != nil)
	if have, ok := l.failures.byKey[f.key]; ok {
		f.times += have.times
		l.failures.drop(f.key)
	}
	if c.command == nil && len(c.files) == 0 {
		l.failures.tools[c.name]++
	}
	l.failures.byKey[f.key] = f
}

// errorLines gives the lines of an output to quote: of a command the last
// first, since that is where it says what came of it.
func errorLines(o outcome, isCommand bool) []string {
	first := firstLines(o.text, 2)
	if !isCommand {
		return first
	}
	last := lastLines(o.text, 3)
	if len(last) == 0 {
		return nil
	}
	lines := []string{last[len(last)-1]}
	for _, line := range slices.Concat(first[:min(len(first), 1)], last[:len(last)-1]) {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func fileKey(f tool.FileOperation) string {
	if f.Op == tool.FileRead {
		return "read\x00" + f.Path
	}
	return "change\x00" + f.Path
}

func toolKey(c *call) string {
	return "tool\x00" + c.name + "\x00" + tool.Canonical(c.arguments)
}

// resolve closes what the success of a call closes. A change of a path closes
// a read of it that failed too: the file is there now.
func (f *failures) resolve(c *call) {
	if len(f.byKey) == 0 {
		return
	}
	if c.command != nil {
		f.drop(c.key)
	}
	for _, op := range c.files {
		f.drop(fileKey(op))
		if op.Op != tool.FileRead {
			f.drop("read\x00" + op.Path)
		}
	}
	if f.tools[c.name] > 0 {
		f.drop(toolKey(c))
	}
}

func (f *failures) drop(key string) {
	if _, ok := f.byKey[key]; !ok {
		return
	}
	delete(f.byKey, key)
	if rest, isTool := strings.CutPrefix(key, "tool\x00"); isTool {
		name, _, _ := strings.Cut(rest, "\x00")
		f.tools[name]--
	}
}
