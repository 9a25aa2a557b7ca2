package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/session"
	"tenfold/store"
)

// Commands whose arguments could be mistaken for ids name the conversation with
// --id, all others with their first argument. Nothing is guessed.

// idFlag gives a command --id.
func (a *app) idFlag(c *cobra.Command) {
	c.Flags().String("id", "", "`ID` of the conversation (default: the active one)")
	_ = c.RegisterFlagCompletionFunc("id", a.completeIDs(0))
}

// idOf is the value of --id; nil if it was not given.
func idOf(c *cobra.Command) []string {
	f := c.Flags().Lookup("id")
	if !f.Changed {
		return nil
	}
	return []string{f.Value.String()}
}

// shortest is the length from which a prefix of an id is taken for one.
const shortest = 8

// refuseID rejects arguments that begin with the id of a conversation, or a
// prefix of one: release 0.1 took an ID there. What says how the arguments are
// read now.
func (a *app) refuseID(ctx context.Context, c *cobra.Command, args []string, what string) error {
	if idOf(c) != nil || args[0] == "" {
		return nil
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	found, err := l.service.Find(ctx, args[0])
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case errors.Is(err, session.ErrAmbiguous):
	case err != nil:
		return err
	}
	if found.ID != args[0] && len(args[0]) < shortest {
		return nil
	}
	hint := withID(c, args[0], args[1:])
	if active, err := l.active.get(); err == nil && active != "" && active != found.ID {
		hint += "; for " + what + " write --id " + word(active) + " " + words(args)
	}
	return usage(quote(args[0])+" is the ID of a conversation", hint)
}

// withID is the hint for naming a conversation.
func withID(c *cobra.Command, id string, rest []string) string {
	line := c.CommandPath() + " --id " + word(id)
	if len(rest) > 0 {
		line += " " + words(rest)
	}
	return "for that conversation write " + line
}

// words quotes arguments for a shell.
func words(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = word(arg)
	}
	return strings.Join(quoted, " ")
}

func word(arg string) string {
	if arg != "" && !strings.ContainsAny(arg, " \t\n\"'`$\\;|&<>()*?[]#~!{}") {
		return terminal.VisibleLine(arg)
	}
	return "'" + strings.ReplaceAll(terminal.VisibleLine(arg), "'", `'\''`) + "'"
}
