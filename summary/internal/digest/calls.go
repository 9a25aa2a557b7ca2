package digest

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/cause"
	"tenfold/internal/commandline"
	"tenfold/tool"
)

// call is a call under way, and what is to be noted once it has ended.
type call struct {
	name      string
	arguments string
	turn      int
	order     int // among the calls
	known     tool.Tool
	files     []tool.FileOperation
	command   *command
	questions []string
	// dir is the directory a command line begins in, after the one its shell is in
	// then, and changes what it does to files.
	dir, after string
	changes    []tool.LineChange
	// lost is set where it could not change to the directory it wanted.
	lost bool
	// polls is set where it only asks how a command comes along.
	polls bool
}

func (c *call) quoted() string {
	return code(c.name+" "+shortArguments(c.arguments, lineLength-len(c.name)-1), lineLength)
}

// file is a path and what was done to it.
type file struct {
	path    string // as it is told
	key     string // which file that is
	last    tool.Operation
	created bool // by a change before the last ones
	turn    int
	changes int
	same    int // of them, the last ones that were all of one kind
	reads   int
	// latest is the entry of that last operation.
	latest int
	// by are the calls that changed it last, the newest last.
	by []*call
}

// hunksOf is of how many calls that changed a file it is told what they changed.
const hunksOf = 2

// command is a command line, however often it ran.
type command struct {
	// text is how it was written last, key what makes it the same.
	text, key string
	// dir is where it ran, as far as is told.
	dir   string
	runs  int
	turn  int
	ended bool
	// words are how it ended last.
	words  string
	failed bool
	latest int // the entry of its last run
	// by is the call that ran it first.
	by *call
	// once is set on what nobody types twice: a script, or a very long line.
	once bool
	// check is what it checks, nil where it checks nothing.
	check *verdict
	// checks are all that passed when it ends well, check among them.
	checks []verdict
	// alike is the command without its flags, and of git only what it is to do.
	alike commandline.Run
}

func (l *Ledger) addCall(turn int, branch string, p tenfold.ToolCall) {
	c := &call{name: p.Name, arguments: p.Arguments, turn: turn, order: l.calls}
	c.known, _ = tool.Lookup(p.Name)
	switch c.known.Kind {
	case tool.Shell:
		c.dir = l.where.shells[shellKey{branch, p.Name}]
		c.changes, c.after = c.known.LineChanges(p.Arguments, c.dir)
		c.files = c.known.Operations(p.Arguments)
		for i := range c.files { // reads, which are told from the directory that the line says
			c.files[i].Path = inDir(c.dir, c.files[i].Path)
		}
	case tool.Reads, tool.Edits, tool.Writes, tool.Patches, tool.Editor:
		c.files = c.known.Operations(p.Arguments)
	case tool.Plans, tool.Asks:
		c.polls = tool.Polls(p.Name, "")
		if said, ok := c.known.Plan(p.Arguments); ok {
			l.addPlan(turn, branch, said)
		}
		c.questions = c.known.Questions(p.Arguments)
	case tool.Lists, tool.Searches, tool.Skills:
	case tool.Thinks:
		c.polls = tool.Polls(p.Name, p.Arguments)
		if c.known.Ends() {
			l.skill = skill{}
		}
	default:
		c.polls = tool.Polls(p.Name, p.Arguments)
	}
	if c.known.Kind == tool.Shell && (strings.Contains(p.Arguments, "sleep") || len(p.Arguments) < 32) {
		c.polls = tool.Polls(p.Name, p.Arguments)
	}
	if kind := c.known.Kind; !c.polls && (kind == tool.Shell || kind == tool.Checks || (kind == tool.Acts && !c.known.Exempt)) {
		l.addCommand(c)
	}
	key := openKey{branch, p.CallID}
	l.open[key] = append(l.open[key], c)
}

// addCommand notes that a command was begun: a command line, or a call of a
// tool that is one.
func (l *Ledger) addCommand(c *call) {
	text, told := c.known.Command(c.arguments)
	dir, key := movedTo(inDir(c.dir, told), commandline.Key(text))
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
	line := key
	key = "command\x00" + dir + "\x00" + key
	cmd, ok := l.commands[key]
	if !ok {
		cmd = &command{key: key, dir: dir, once: len(text) > 2*lineLength || strings.Contains(strings.TrimSpace(text), "\n")}
		cmd.by = c
		if c.known.Kind == tool.Shell {
			cmd.alike = alike(line)
		}
		if cmd.checks = checksOf(c.known, text, inDir(c.dir, told)); len(cmd.checks) > 0 {
			cmd.check = &cmd.checks[len(cmd.checks)-1]
		}
		l.commands[key] = cmd
		l.ran = append(l.ran, cmd)
	}
	cmd.text, cmd.turn, cmd.latest, cmd.ended = text, c.turn, l.entries, false
	cmd.runs++
	c.command = cmd
}

// alike is what a command has in common with one that differs in flags alone.
func alike(line string) commandline.Run {
	r := commandline.RunOf(line)
	r.Words = slices.DeleteFunc(r.Words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(r.Words) < 2 {
		return commandline.Run{} // a name says too little
	}
	if r.Words[0] == "git" {
		r.Words = r.Words[:2]
	}
	return r
}

// readsOnly reports whether a command is known to change nothing.
func (c *command) readsOnly() bool {
	return c.check == nil && c.by.known.Kind == tool.Shell && !c.by.known.Call(c.by.arguments).Unknown
}

// noteOperation notes an operation of a call on a file. A read changes nothing of what
// is said of a file that was changed but how often it was read.
func (l *Ledger) noteOperation(c *call, f tool.FileOperation) {
	have := l.file(f.Path)
	if c.known.Kind != tool.Shell {
		have.path = f.Path // as tools name it, so that the name can be given to one
	}
	if f.Op == tool.FileRead {
		have.reads++
	} else {
		have.changes++
		if n := len(have.by); n == 0 || have.by[n-1] != c {
			have.by = append(have.by[max(0, n-hunksOf+1):n:n], c)
		}
	}
	if f.Op != tool.FileRead || have.changes == 0 {
		have.noteLast(f.Op, c.turn, l.entries)
	}
}

func (f *file) noteLast(op tool.Operation, turn, entry int) {
	if op == tool.FileCreated && (f.created || f.last == op) {
		op = tool.FileWritten // over what this session put there
	}
	if op != f.last {
		f.created = op != tool.FileDeleted && (f.created || f.last == tool.FileCreated)
		f.same = 0
	}
	f.same++
	f.last, f.turn, f.latest = op, turn, entry
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
	delete(l.approvals, key)

	if len(c.questions) > 0 {
		// What the tool gives back is what the person said.
		if _, refused := refusal(tool.ResultText(p.Parts)); refused && l.plans[branch] != nil {
			l.plans[branch].refused = true
		}
		for _, said := range answersIn(tool.ResultText(p.Parts), c.questions) {
			l.addRequest(turn, branch, said.answer, said.question)
		}
		return
	}
	r := result{ended: tool.OutcomeOf(c.name, p), failed: tool.Failed(c.name, c.arguments, p)}
	if r.failed {
		if words, refused := refusal(tool.ResultText(p.Parts)); refused {
			l.addRequest(turn, branch, words, "may I run "+clip(c.name+" "+c.arguments, lineLength/2)+"?")
			return
		}
	}
	if c.polls {
		if c = l.running[handleIn(c.arguments)]; c == nil || r.ended == "" {
			return
		}
		r.failed = r.ended.Bad()
	}
	if cmd := c.command; cmd != nil {
		if r.ended == "" {
			if handle := handleOf(tenfold.TextLines(p)); handle != "" {
				l.running[handle] = c
				return
			}
		}
		l.readEnd(c, p, &r)
		cmd.ended, cmd.failed, cmd.words = true, r.failed, r.quoted()
	}
	l.noteDirectory(branch, c, p)
	l.forgetAbandoned()
	if r.failed || c.command != nil && c.command.check != nil && len(l.failures) > 0 {
		r.text = tool.Output(p)
	}
	if r.failed {
		l.change(c, r)
		l.addFailure(c, r)
		return
	}
	l.change(c, r)
	for _, f := range c.files {
		l.noteOperation(c, createdIn(f, tool.ResultText(p.Parts)))
		l.readPlan(c, f, p)
	}
	if name := c.known.Skill(c.arguments); name != "" {
		l.skill = skill{name, c.turn}
	}
	l.closeFailures(c, r)
	if tool.Does(c.name) {
		l.acts = append(l.acts, act{c, r.quoted()})
	}
}

// readEnd reads more about how a command ended than its outcome tells. Where a pipe
// hides how a check ended, or nothing tells of it, its output does.
func (l *Ledger) readEnd(c *call, p tenfold.ToolResult, r *result) {
	cmd := c.command
	if r.failed {
		return
	}
	if cmd.check != nil && (r.ended == "" || hidesResult(cmd.text)) {
		output := tool.Output(p)
		r.red = !cmd.once && cause.LooksRed(output, cmd.check.runsTests())
		r.failed = r.red
		r.unsure = !r.red && len(l.failures) > 0 && hidesResult(cmd.text) && !looksGreen(output)
	}
	if !r.failed && strings.Contains(cmd.text, "git") {
		l.tree.readOutput(cmd.text, tool.Output(p), l.entries)
	}
}

// result is how a call ended.
type result struct {
	ended  tenfold.Outcome
	failed bool
	// red is set where only the output tells that it failed, unsure where it
	// is not known that it did not.
	red, unsure bool
	text        string
}

// quoted says how a call ended.
func (r result) quoted() string {
	_, told := r.ended.Code()
	switch {
	case r.red:
		return "failed by its output"
	case told && r.failed:
		return "failed, " + strings.Replace(string(r.ended), "exit", "exit code", 1)
	case r.failed:
		return "failed"
	case told:
		return strings.Replace(string(r.ended), "exit", "exit code", 1)
	case r.ended == tenfold.Success:
		return "success"
	}
	return "done"
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

// handleOf is the handle that a host gave a command that goes on in the
// background; empty where there is none.
func handleOf(output string) string {
	head := output[:min(len(output), 600)]
	for _, p := range []string{"running with session ID ", "running in background with ID: ", "running in the background with ID: ", "running with cell ID "} {
		if _, rest, ok := strings.Cut(head, p); ok {
			handle, _, _ := strings.Cut(rest, "\n")
			handle, _, _ = strings.Cut(handle, " ")
			return strings.TrimRight(handle, ".,")
		}
	}
	return ""
}

// handleIn is the handle that a polling call asks about.
func handleIn(arguments string) string {
	var members map[string]jsontext.Value
	if json.Unmarshal([]byte(arguments), &members, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	for _, name := range []string{"session_id", "bash_id", "task_id", "shell_id", "cell_id", "shellId", "sessionId"} {
		if v, ok := members[name]; ok {
			return strings.Trim(string(v), `"`)
		}
	}
	return ""
}
