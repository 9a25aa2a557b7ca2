// Package toolbox has tools that run: files, searches, a shell, git, programs of
// the person's own and MCP servers. What is known about the tools of other
// agents, and what calls mean to a compaction, is in package tool.
//
// A tool does not decide whether it may run: it says what a call would do
// (Intent), package permission decides, and package agent asks whom it has to
// and runs it.
package toolbox

import (
	"cmp"
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// A Tool is something that a model may call. It is safe for concurrent use.
type Tool interface {
	// Definition is what a model is told of it: always the same, or the
	// provider's prompt cache is lost.
	Definition() tenfold.ToolDefinition
	// Intent says what a call with these arguments would do, and does nothing.
	// An error is for the model: what is wrong with the arguments.
	Intent(arguments string) (Intent, error)
	// Run does it. An error is for the model, as the text of a result that is
	// one; a command that ran and failed is not an error but a Result whose
	// Outcome says so. When ctx ends, Run ends soon, and leaves nothing
	// running.
	Run(ctx context.Context, c Call) (Result, error)
}

// An Effect is what a call can do at most.
type Effect string

// The effects.
const (
	// Reads: looks at files of the workspace, or at nothing.
	Reads Effect = "reads"
	// Edits: changes files of the workspace.
	Edits Effect = "edits"
	// Commands: runs Intent.Command in a shell.
	Commands Effect = "commands"
	// Converses: changes only the conversation: a plan, a compaction, a
	// sub-agent whose own calls are decided one by one.
	Converses Effect = "converses"
	// Unknown: a program of the person's, or a server, that can do anything.
	Unknown Effect = "unknown"
)

// An Intent is what a call would do.
type Intent struct {
	Effect Effect
	// Paths are the files it names, slash-separated, relative to the
	// workspace.
	Paths []string
	// Command is what a shell would be given, with Commands.
	Command string
	// Subject is what it is about, in one line that is safe to show: a path, a
	// pattern, a command.
	Subject string
}

// A Call is one call as it is to be run.
type Call struct {
	ID        string
	Arguments string
	// Contained has a command run where it can write nothing but the work tree
	// and temporary files; Network lets it use the network all the same.
	Contained, Network bool
	// Hidden, if set, reports that a file of the workspace may not be shown, which a
	// search or a diff then leaves out: its call names a directory alone.
	Hidden func(path string) bool
	// Output, if set, is given what a long call prints, as it comes, for a
	// person who watches.
	Output func(text string)
}

// A Result is how a call ended.
type Result struct {
	Parts []tenfold.Part
	// Outcome is empty where it is not known (semantics L12).
	Outcome tenfold.Outcome
}

// Object gives the arguments of a call as the JSON object that they have to be, as the
// model wrote them.
func Object(arguments string) (jsontext.Value, error) {
	arguments = cmp.Or(arguments, "{}")
	value := jsontext.Value(arguments)
	if !value.IsValid() || value.Kind() != '{' {
		return nil, errors.New("the arguments are not a valid JSON object")
	}
	return value, nil
}
