package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/session"
	"tenfold/store"
)

// Commands whose arguments could be mistaken for ids name the conversation with
// --id, all others with their first argument. Nothing is guessed.

// IDFlag gives a command --id.
func (a *App) IDFlag(c *cobra.Command) {
	c.Flags().String("id", "", "`ID` of the conversation (default: the active one)")
	_ = c.RegisterFlagCompletionFunc("id", a.CompleteIDs(0))
}

// IDOf is the value of --id; nil if it was not given.
func IDOf(c *cobra.Command) []string {
	f := c.Flags().Lookup("id")
	if !f.Changed {
		return nil
	}
	return []string{f.Value.String()}
}

// shortest is the length from which a prefix of an id is taken for one.
const shortest = 8

// RefuseID rejects arguments that begin with the id of a conversation, or a
// prefix of one: release 0.1 took an ID there. What says how the arguments are
// read now.
func (a *App) RefuseID(ctx context.Context, c *cobra.Command, args []string, what string) error {
	if IDOf(c) != nil || args[0] == "" {
		return nil
	}
	l, err := a.Open(ctx)
	if err != nil {
		return err
	}
	found, err := l.Service.Find(ctx, args[0])
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
	hint := WithID(c, args[0], args[1:])
	if active, err := l.Active.Get(); err == nil && active != "" && active != found.ID {
		hint += "; for " + what + " write --id " + terminal.Word(active) + " " + words(args)
	}
	return Usage(Quote(args[0])+" is the ID of a conversation", hint)
}

// WithID is the hint for naming a conversation.
func WithID(c *cobra.Command, id string, rest []string) string {
	line := c.CommandPath() + " --id " + terminal.Word(id)
	if len(rest) > 0 {
		line += " " + words(rest)
	}
	return "for that conversation write " + line
}

// OnConversation completes a command that takes one ID: it runs on that
// conversation, or on the active one.
func (a *App) OnConversation(c *cobra.Command, run func(context.Context, *session.Session) error) *cobra.Command {
	c.Args, c.ValidArgsFunction = Arguments(0, 1, "one ID"), a.CompleteIDs(1)
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.Session(c.Context(), args)
		if err != nil {
			return err
		}
		return run(c.Context(), s)
	}
	return c
}
