package summary

import (
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/tool"
)

// call is a call under way, and what is to be noted once it has ended.
type call struct {
	id        string
	name      string
	arguments string
	turn      int
	order     int // among the calls
	known     tool.Tool
	files     []tool.FileOperation
	command   *command
	questions []string
}

// words are the call as it is quoted.
func (c *call) words() string { return code(c.name+" "+c.arguments, lineLength) }

// file is a path and what was done to it.
type file struct {
	path    string
	last    tool.Operation
	turn    int
	changes int
	reads   int
	// latest is the entry of that last operation.
	latest int
}

// command is a command line, however often it ran.
type command struct {
	// text is how it was written last, key what makes it the same.
	text, key string
	runs      int
	turn      int
	ended     bool
	last      outcome
	latest    int // the entry of its last run
	looks     bool
}

func (l *Ledger) addCall(turn int, branch string, p tenfold.ToolCall) {
	c := &call{id: p.CallID, name: p.Name, arguments: p.Arguments, turn: turn, order: l.calls}
	c.known, _ = tool.Lookup(p.Name)
	switch c.known.Kind {
	case tool.Shell, tool.Reads, tool.Edits, tool.Writes, tool.Patches, tool.Editor:
		c.files = c.known.Operations(p.Arguments)
	case tool.Plans, tool.Asks:
		if said, ok := c.known.Plan(p.Arguments); ok {
			l.addPlan(turn, branch, said)
		}
		c.questions = c.known.Questions(p.Arguments)
	case tool.Thinks:
		if c.known.Ends() {
			l.skill = skill{}
		}
	}
	if kind := c.known.Kind; kind == tool.Shell || kind == tool.Checks || (kind == tool.Acts && !c.known.Exempt) {
		l.addCommand(c)
	}
	key := openKey{branch, p.CallID}
	l.open[key] = append(l.open[key], c)
}

// addCommand notes that a command was begun: a command line, or a call of a
// tool that is one.
func (l *Ledger) addCommand(c *call) {
	text, dir := c.known.Command(c.arguments)
	key := normalise(text)
	if c.known.Kind != tool.Shell {
		text = c.name
		if strings.TrimSpace(c.arguments) != "{}" {
			text = strings.TrimSpace(c.name + " " + c.arguments)
		}
		key = c.name + " " + tool.Canonical(c.arguments)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	key = "command\x00" + dir + "\x00" + key
	cmd, ok := l.commands[key]
	if !ok {
		cmd = &command{key: key}
		if c.known.Kind == tool.Shell {
			cmd.looks = !c.known.Call(c.arguments).Unknown
		}
		l.commands[key] = cmd
		l.ran = append(l.ran, cmd)
	}
	cmd.text, cmd.turn, cmd.latest, cmd.ended = text, c.turn, l.entries, false
	cmd.runs++
	c.command = cmd
}

// normalise gives what makes two command lines the same: white space counts
// as one blank outside of quotes, comment lines in front, line ends behind the
// last command, 2>&1 and how many lines of the output are wanted do not count.
func normalise(line string) string {
	var words []string
	for text := range strings.SplitSeq(strings.TrimSpace(line), "\n") {
		if trimmed := strings.TrimSpace(text); trimmed != "" && (len(words) > 0 || trimmed[0] != '#') {
			words = append(words, fields(trimmed)...)
			words = append(words, "\n")
		}
	}
	var kept []string
	for i := 0; i < len(words); i++ {
		if words[i] == "2>&1" || (words[i] == "\n" && i == len(words)-1) {
			continue
		}
		kept = append(kept, words[i])
		if (words[i] == "tail" || words[i] == "head") && i > 0 && words[i-1] == "|" {
			for i+1 < len(words) && isLineCount(words[i+1]) {
				i++
			}
		}
	}
	return strings.TrimRight(strings.Join(kept, " "), "; ")
}

// isLineCount knows -n, -20, -n20 and 20.
func isLineCount(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "-"), "n")
	_, err := strconv.Atoi(word)
	return err == nil || word == ""
}

// fields is strings.Fields that leaves what is in quotes together.
func fields(s string) []string {
	if !strings.ContainsAny(s, `'"`) {
		return strings.Fields(s)
	}
	var mark rune // the quote that is open
	return strings.FieldsFunc(s, func(c rune) bool {
		switch {
		case mark == 0 && (c == '\'' || c == '"'):
			mark = c
		case mark == c:
			mark = 0
		}
		return mark == 0 && (c == ' ' || c == '\t' || c == '\r')
	})
}

// touch notes an operation on a file. A read changes nothing of what is said
// of a file that was changed but how often it was read.
func (l *Ledger) touch(turn int, f tool.FileOperation) {
	have, ok := l.files[f.Path]
	if !ok {
		have = &file{path: f.Path}
		l.files[f.Path] = have
		l.paths = append(l.paths, have)
	}
	if f.Op == tool.FileRead {
		have.reads++
	} else {
		have.changes++
	}
	if f.Op != tool.FileRead || have.changes == 0 {
		have.last, have.turn, have.latest = f.Op, turn, l.entries
	}
}

func (l *Ledger) addResult(turn int, branch string, p tenfold.ToolResult) {
	key := openKey{branch, p.CallID}
	waiting := l.open[key]
	last := len(waiting) - 1
	if last < 0 {
		return // an orphan says nothing about any call
	}
	c := waiting[last]
	if l.open[key] = waiting[:last]; last == 0 {
		delete(l.open, key)
	}
	delete(l.approvals, p.CallID)

	o := outcomeOf(c, p)
	if c.command != nil {
		c.command.ended, c.command.last = true, o
		c.command.last.text = ""
	}
	if len(c.questions) > 0 {
		// What the tool gives back is what the person said.
		l.addRequest(turn, branch, strings.TrimSpace(o.text), c.questions...)
		return
	}
	if o.failed {
		l.fail(c, o)
		return
	}
	if o.Outcome == "" && tool.Underway(p) {
		return
	}
	for _, f := range c.files {
		l.touch(c.turn, createdIn(f, o.text))
	}
	if name := c.known.Skill(c.arguments); name != "" {
		l.skill = skill{name, c.turn}
	}
	l.resolve(c)
}

// createdIn takes a tool's word for it that a file it put is new or was there.
func createdIn(f tool.FileOperation, result string) tool.FileOperation {
	if f.Op != tool.FileWritten {
		return f
	}
	head := result[:min(len(result), 80)]
	switch {
	case strings.HasPrefix(head, "File created"), strings.HasPrefix(head, "Successfully created"):
		f.Op = tool.FileCreated
	case strings.Contains(head, "has been updated"), strings.HasPrefix(head, "Successfully overwrote"):
		f.Op = tool.FileModified
	}
	return f
}

// failure is a call that failed, and was not put right.
type failure struct {
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

// failureKey is what a failure of the call is noted under, and what must
// succeed to close it: the same command, a change of the same path, a read of
// it, or a call of the same tool with the same arguments.
func (c *call) failureKey() string {
	switch {
	case c.command != nil:
		return c.command.key
	case len(c.files) > 0:
		return fileKey(c.files[0])
	}
	return "tool\x00" + c.name + "\x00" + tool.Canonical(c.arguments)
}

func fileKey(f tool.FileOperation) string {
	if f.Op == tool.FileRead {
		return "read\x00" + f.Path
	}
	return "change\x00" + f.Path
}

// fail notes that a call failed.
func (l *Ledger) fail(c *call, o outcome) {
	f := &failure{turn: c.turn, order: l.entries, times: 1, command: c.command, last: o, lines: errorLines(o, c.command != nil)}
	f.last.text = ""
	switch {
	case c.command != nil:
		f.what = code(c.command.text, lineLength)
	case len(c.files) > 0:
		f.what = code(c.name, lineLength) + " " + code(c.files[0].Path, 2*lineLength)
	default:
		f.what = c.words()
	}
	key := c.failureKey()
	if have := l.failures[key]; have != nil {
		f.times += have.times
	}
	l.failures[key] = f
}

// resolve closes what the success of a call closes. A change of a path closes
// a read of it that failed too: the file is there now.
func (l *Ledger) resolve(c *call) {
	if len(l.failures) == 0 {
		return
	}
	delete(l.failures, c.failureKey())
	for _, op := range c.files {
		delete(l.failures, fileKey(op))
		if op.Op != tool.FileRead {
			delete(l.failures, "read\x00"+op.Path)
		}
	}
}

// errorLines gives the lines of an output to quote: of a command the last
// first, since that is where it says what came of it.
func errorLines(o outcome, isCommand bool) []string {
	first := linesOf(o.text, 2, false)
	if !isCommand {
		return first
	}
	last := linesOf(o.text, 3, true)
	if len(last) == 0 {
		return nil
	}
	lines := last[:1]
	slices.Reverse(last[1:])
	for _, line := range slices.Concat(first[:min(len(first), 1)], last[1:]) {
		if !slices.Contains(lines, line) {
			lines = append(lines[:len(lines):len(lines)], line)
		}
	}
	return lines
}
