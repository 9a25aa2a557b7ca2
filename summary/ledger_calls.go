package summary

import (
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
	inTable   bool
	files     []tool.FileOperation
	command   *command
	questions []string
	// key is what a failure of it is noted under.
	key string
}

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
	c.known, c.inTable = tool.Lookup(p.Name)
	switch c.known.Kind {
	case tool.Shell:
		l.addCommand(c)
		c.files = c.known.Operations(p.Arguments)
	case tool.Reads, tool.Edits, tool.Writes, tool.Patches, tool.Editor:
		c.files = c.known.Operations(p.Arguments)
	case tool.Checks:
		l.addCommand(c)
	case tool.Plans, tool.Asks:
		if said, ok := c.known.Plan(p.Arguments); ok {
			l.addPlan(turn, branch, said)
		}
		c.questions = c.known.Questions(p.Arguments)
	case tool.Acts:
		if !c.known.Exempt {
			l.addCommand(c)
		}
	case tool.Thinks:
		if c.known.Ends() {
			l.skill = skill{}
		}
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
	key = dir + "\x00" + key
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
	c.key = "command\x00" + key
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
	var all []string
	var mark byte
	start := -1
	for i := range len(s) {
		c := s[i]
		switch {
		case mark != 0:
			if c == mark {
				mark = 0
			}
		case c == ' ' || c == '\t' || c == '\r':
			if start >= 0 {
				all = append(all, s[start:i])
				start = -1
			}
			continue
		case c == '\'' || c == '"':
			mark = c
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		all = append(all, s[start:])
	}
	return all
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
		if have.changes == 0 {
			have.last, have.turn, have.latest = f.Op, turn, l.entries
		}
		return
	}
	have.changes++
	have.last, have.turn, have.latest = f.Op, turn, l.entries
}

func (l *Ledger) addResult(turn int, branch string, p tenfold.ToolResult) {
	key := openKey{branch, p.CallID}
	waiting := l.open[key]
	if len(waiting) == 0 {
		return // an orphan says nothing about any call
	}
	c := waiting[len(waiting)-1]
	if len(waiting) == 1 {
		delete(l.open, key)
	} else {
		l.open[key] = waiting[:len(waiting)-1]
	}
	delete(l.approvals, p.CallID)

	o := outcome{failed: p.IsError, text: saidIn(p.Parts)}
	if c.command != nil || c.known.Kind == tool.Shell {
		o = outcomeOf(p)
	}
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
	for _, f := range c.files {
		l.touch(c.turn, createdIn(f, o.text))
	}
	if name := c.known.Skill(c.arguments); name != "" {
		l.skill = skill{name, c.turn}
	}
	l.failures.resolve(c)
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
