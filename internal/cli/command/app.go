// Package command is what every command of the command line gets: the terminal and
// the store, the configuration of this run, errors and exit codes, flags, and the
// ids that people type. It knows no command.
package command

import (
	"bufio"
	"context"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
	"tenfold/strategy"
)

// App is what the commands of one run share.
type App struct {
	*terminal.Terminal
	StoreURL  string
	StoreLog  *slog.Logger // of a server; nil is silent
	Settings  Settings
	Now       func() time.Time
	Workspace *Workspace // opened by the first command that needs it
	// Summarizer writes summaries; nil while no model is configured.
	Summarizer strategy.Summarizer
	// Whose distinguishes the paths of this run from those of others that share
	// the store; empty for this person on this machine.
	Whose string
	// Stored is the number of conversations imported so far.
	Stored int
	// Then runs at the very end in the place of this program, and gives the exit
	// code.
	Then func(context.Context) (int, error)
	// Clients are the agents that can be installed for.
	Clients []hook.Client
}

// NewGroup completes a command that only has subcommands.
func NewGroup(c *cobra.Command, inner ...*cobra.Command) *cobra.Command {
	c.Args, c.RunE = cobra.ArbitraryArgs, Group
	c.AddCommand(inner...)
	return c
}

// Group runs a command that only has subcommands: it shows its help, and
// refuses anything that is not a command.
func Group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	hint := `"` + c.CommandPath() + ` --help" lists the commands`
	if !c.HasAvailableSubCommands() {
		hint = `"` + c.CommandPath() + ` --help" shows its help`
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + c.CommandPath() + " " + strings.Join(near, " or ") + "?"
	}
	var deeper []string
	for _, inner := range c.Commands() { // "tenfold undo"
		for _, d := range inner.Commands() {
			if d.Name() == args[0] && !d.Hidden {
				deeper = append(deeper, d.CommandPath())
			}
		}
	}
	if len(deeper) > 0 {
		hint = "did you mean " + strings.Join(deeper, " or ") + "?"
	}
	return Usage("unknown command "+Quote(args[0])+" for "+c.CommandPath(), hint)
}

// Version is the version of the build.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.2.0-devel"
	}
	return info.Main.Version
}

// Close closes the store, if one was opened.
func (a *App) Close() error {
	if a.Workspace == nil {
		return nil
	}
	return a.Workspace.Store.Close()
}

// Aside is the same app with results on standard error, because standard output
// has the converted conversation.
func (a *App) Aside() *App {
	b, t := *a, *a.Terminal
	t.Out = bufio.NewWriter(t.Err)
	t.OutTTY, t.OutColour, t.Width = t.ErrTTY, t.ErrColour, t.ErrWidth
	b.Terminal = &t
	return &b
}
