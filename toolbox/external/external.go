// Package external runs tools that are programs of the person's own.
//
// A program is started for each call. On standard input it is given one JSON
// document (semantics H2):
//
//	{"tool":{"name":"weather","action":"run","arguments":{"city":"Oslo"}}}
//
// and answers on standard output, with a text or a JSON document:
//
//	{"content":"4 °C","is_error":false}
//	{"type":"success","content":"4 °C"}
//	{"type":"error","message":"no such city"}
//
// One that has said so (its setting subsumes) is also asked, with the action
// "subsumes", whether a later call of it makes an earlier one needless: see
// [tool.Asker].
//
// An exit code other than 0 is a failure; the model is then shown the end of
// standard error as well.
package external

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/fitnames"
	"tenfold/problem"
	"tenfold/toolbox"
	"tenfold/toolbox/internal/output"
	"tenfold/toolbox/internal/process"
	"tenfold/toolbox/internal/schema"
)

// maxAnswer is the most that is read of an answer before it is bounded.
const maxAnswer = 8 << 20

// A Spec says what a tool is. It comes from the person's own configuration, never
// from a workspace's.
type Spec struct {
	// Name is letters, digits, "_" and "-", at most 64.
	Name, Description string
	// Schema is the JSON Schema of the arguments; empty takes any object.
	Schema string
	// Command is the program with its arguments: an absolute path, one that begins
	// with "~/", or a name that is looked up in PATH.
	Command []string
	// Dir is the directory that it runs in, Env what is added to its environment
	// ("NAME=value"), Secrets which variables it is not given beside keys of
	// providers.
	Dir          string
	Env, Secrets []string
	// Timeout is how long a call may take; 0 is two minutes.
	Timeout time.Duration
	// Limit is the most bytes of text that a result has; 0 is 32 KB.
	Limit int
}

// A Tool is a program that is run for each call.
type Tool struct {
	spec    Spec
	program string
}

// New checks a spec, and that its program exists.
func New(s Spec) (*Tool, error) {
	wrong := func(text, hint string) error {
		return &problem.Error{Op: "tool", Subject: output.Line(s.Name, 64), Problem: text, Hint: hint}
	}
	if s.Name == "" || s.Name != fitnames.Fit(s.Name, 64, "") {
		return nil, wrong("invalid name", "use at most 64 letters, digits, _ and -")
	}
	s.Schema = cmp.Or(s.Schema, `{"type":"object"}`)
	s.Timeout, s.Limit = cmp.Or(max(s.Timeout, 0), 2*time.Minute), cmp.Or(max(s.Limit, 0), 32<<10)
	if !jsontext.Value(s.Schema).IsValid() || jsontext.Value(s.Schema).Kind() != '{' {
		return nil, wrong("the schema of its arguments is not a JSON object", "write a JSON Schema")
	}
	s.Schema = schema.Plain(s.Schema)
	program, err := process.Find(s.Command)
	if err != nil {
		return nil, wrong(err.Error(), "name a program that exists, by an absolute path or as found in PATH")
	}
	return &Tool{s, program}, nil
}

// Definition implements toolbox.Tool.
func (t *Tool) Definition() tenfold.ToolDefinition {
	return tenfold.ToolDefinition{Name: t.spec.Name, Description: t.spec.Description, Schema: t.spec.Schema}
}

// Intent implements toolbox.Tool: nobody knows what the program does.
func (t *Tool) Intent(arguments string) (toolbox.Intent, error) {
	_, err := t.document(arguments)
	return toolbox.Intent{Effect: toolbox.Unknown, Subject: output.Line(arguments, 200)}, err
}

// document writes what the program is given.
func (t *Tool) document(arguments string) ([]byte, error) {
	value, err := toolbox.Object(arguments)
	if err != nil {
		return nil, err
	}
	var d struct {
		Tool struct {
			Name      string         `json:"name"`
			Action    string         `json:"action"`
			Arguments jsontext.Value `json:"arguments"`
		} `json:"tool"`
	}
	d.Tool.Name, d.Tool.Action, d.Tool.Arguments = t.spec.Name, "run", value
	return json.Marshal(d)
}

// Run implements toolbox.Tool.
func (t *Tool) Run(ctx context.Context, c toolbox.Call) (toolbox.Result, error) {
	document, err := t.document(c.Arguments)
	if err != nil {
		return toolbox.Result{}, err
	}
	if c.Contained {
		return toolbox.Result{}, errors.New("a program of the person's own is not contained")
	}
	live := output.Lines{To: c.Output}
	out, err := t.run(ctx, document, &live)
	live.Flush()
	if err != nil {
		return toolbox.Result{}, err
	}
	text, failed := answer(out)
	if text = output.Bound(text, t.spec.Limit); text == "" {
		text = "[no output]"
	}
	if failed {
		return toolbox.Result{}, errors.New(text)
	}
	return toolbox.Result{Parts: tenfold.Text(text), Outcome: tenfold.Success}, nil
}

// run runs the program once. An error says how it failed, with what it said.
func (t *Tool) run(ctx context.Context, document []byte, live *output.Lines) ([]byte, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), t.program, t.spec.Command[1:]...) //nolint:gosec // the person named it
	cmd.Dir, cmd.Env = t.spec.Dir, append(process.Environ(t.spec.Secrets), t.spec.Env...)
	out, problems := output.Capped{Limit: maxAnswer}, output.Buffer{Limit: 4000}
	end, err := process.Run(ctx, cmd, t.spec.Timeout, process.Streams{In: append(document, '\n'), Out: &out, Err: io.MultiWriter(&problems, live)})
	var what string
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s could not be started: %w", t.spec.Name, err)
	case end.Interrupted:
		return nil, ctx.Err()
	case end.TimedOut:
		what = fmt.Sprintf("did not end within %s", t.spec.Timeout)
	case end.Code != 0:
		what = "failed: " + cmd.ProcessState.String()
	default:
		return []byte(out.String()), nil
	}
	said, _ := answer([]byte(out.String()))
	for _, more := range []string{output.Bound(said, 4000), problems.Text()} {
		if more != "" {
			what += "\n" + more
		}
	}
	return nil, fmt.Errorf("%s %s", t.spec.Name, what)
}

// Programs are tools that are asked by name; it is a [tool.Runner].
type Programs []Spec

// Run gives the named program a document and returns what it printed. The program is
// looked up now, so that one that is missing is missed by nobody who does not ask it.
func (p Programs) Run(ctx context.Context, name string, stdin []byte) ([]byte, error) {
	i := slices.IndexFunc(p, func(s Spec) bool { return s.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no program %s", output.Line(name, 64))
	}
	t, err := New(p[i])
	if err != nil {
		return nil, err
	}
	return t.run(ctx, stdin, &output.Lines{})
}

// answer reads what a program printed: a document of one of the forms above, or
// else just text.
func answer(out []byte) (text string, failed bool) {
	var a struct {
		Type    string         `json:"type"`
		Content jsontext.Value `json:"content"`
		Message string         `json:"message"`
		IsError bool           `json:"is_error"`
	}
	out = bytes.TrimSpace(out)
	if len(out) == 0 || out[0] != '{' || json.Unmarshal(out, &a) != nil || (a.Content == nil && a.Message == "") {
		return string(out), false
	}
	failed = a.IsError || (a.Type != "" && a.Type != "success")
	if a.Content == nil {
		return a.Message, failed
	}
	if json.Unmarshal(a.Content, &text) != nil {
		return string(a.Content), failed
	}
	return text, failed
}
