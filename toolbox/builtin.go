package toolbox

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"tenfold"
	"tenfold/toolbox/internal/output"
)

// Options say how built-in tools work. The zero Options are the defaults.
type Options struct {
	// Limit is the most bytes of text that a result has; 0 is 32 KB.
	Limit int
	// Timeout is how long a command may run that sets no limit itself, MaxTimeout
	// the highest that one may set; 0 is two minutes, and ten.
	Timeout, MaxTimeout time.Duration
	// Secrets are names of environment variables that commands are not given,
	// beside those that end in _API_KEY or _AUTH_TOKEN.
	Secrets []string
	// Hide are files and directories that contained commands cannot read, as
	// [containment.Grant] says: what the program keeps for itself.
	Hide []string
}

// Builtin gives the tools that come with the program, for a workspace: the
// directory that their paths are relative to, and that those for files never
// leave, whatever links say. What they remember, which is the state in which a
// model last saw each file, is shared by the tools of one call of Builtin.
//
// Contained commands may write to the workspace and to temporary files. A work tree
// whose repository lies elsewhere (git worktree) is therefore not committed to in
// containment.
func Builtin(dir string, o Options) ([]Tool, error) {
	o.Limit = cmp.Or(max(o.Limit, 0), 32<<10)
	o.Timeout, o.MaxTimeout = cmp.Or(max(o.Timeout, 0), 2*time.Minute), cmp.Or(max(o.MaxTimeout, 0), 10*time.Minute)
	w, err := openWorkspace(dir, o)
	if err != nil {
		return nil, err
	}
	var tools []Tool
	for _, t := range []*builtin{readTool, listTool, findTool, grepTool, createTool, modifyTool, shellTool, diffTool, commitTool} {
		tools = append(tools, inWorkspace{t, w})
	}
	return tools, nil
}

// A builtin is a tool as it is written down: what it is told of, and what it does
// with arguments that were decoded.
type builtin struct {
	name, about string
	parameters  []parameter
	// intent says what a call does, with paths and a subject as they were given.
	intent func(a arguments) Intent
	run    func(ctx context.Context, w *workspace, a arguments, c Call) (Result, error)
}

// inWorkspace is a builtin with the workspace that it works in.
type inWorkspace struct {
	*builtin
	workspace *workspace
}

func (t inWorkspace) Definition() tenfold.ToolDefinition {
	return tenfold.ToolDefinition{Name: t.name, Description: t.about, Schema: schema(t.parameters)}
}

func (t inWorkspace) Intent(raw string) (Intent, error) {
	a, err := decode(t.name, t.parameters, raw)
	if err != nil {
		return Intent{}, err
	}
	in := t.intent(a)
	named := in.Paths
	in.Paths, in.Subject = nil, output.Line(in.Subject, 200)
	for _, name := range named {
		at, err := t.workspace.place(name)
		if err != nil {
			return Intent{}, err
		}
		in.Paths = append(in.Paths, at.name)
		if at.real != at.name {
			in.Paths = append(in.Paths, at.real)
		}
	}
	return in, nil
}

func (t inWorkspace) Run(ctx context.Context, c Call) (Result, error) {
	a, err := decode(t.name, t.parameters, c.Arguments)
	if err != nil {
		return Result{}, err
	}
	return t.run(ctx, t.workspace, a, c)
}

// onPath is the intent of tools that do one thing to one path.
func onPath(effect Effect) func(arguments) Intent {
	return func(a arguments) Intent {
		return Intent{Effect: effect, Paths: []string{a.path()}, Subject: a.path()}
	}
}

// path is the argument of that name; the workspace itself where there is none.
func (a arguments) path() string { return cmp.Or(a.texts["path"], ".") }

// answer is the result of a tool that did what it was asked.
func answer(format string, values ...any) (Result, error) {
	return Result{Parts: tenfold.Text(fmt.Sprintf(format, values...)), Outcome: tenfold.Success}, nil
}
