package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold/session"
)

func (a *app) conversationCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "conversation",
		Aliases: []string{"c"},
		Short:   "Show and change stored conversations",
		Long: `Works on the conversations in the store. A conversation is an append-only log;
compactions are overlays on it, and can be undone.

An ID can be shortened to any unique prefix. Without an ID, commands use the
active conversation: the one imported or selected last.`,
		Example: `  tenfold conversation ls
  tenfold c print --compacted
  tenfold c compact --keep 50k
  tenfold c undo`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	c.AddCommand(
		a.importCommand(), a.exportCommand(), a.listCommand(), a.newCommand(), a.showCommand(), a.useCommand(),
		a.titleCommand(), a.printCommand(), a.searchCommand(), a.conversationCompactCommand(), a.undoCommand(),
		a.redoCommand(), a.diffCommand(), a.pinCommand(), a.unpinCommand(), a.forkCommand(), a.removeCommand(),
	)
	return c
}

// onConversation completes a command that takes one ID: it runs on that
// conversation, or on the active one.
func (a *app) onConversation(c *cobra.Command, run func(context.Context, *session.Session) error) *cobra.Command {
	c.Args, c.ValidArgsFunction = arguments(0, 1, "one ID"), a.completeIDs(1)
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.session(c.Context(), args)
		if err != nil {
			return err
		}
		return run(c.Context(), s)
	}
	return c
}

// write runs f, which writes to a session. If another writer came first, it
// refreshes the session and runs f again.
func (a *app) write(ctx context.Context, s *session.Session, f func() error) error {
	return retried(ctx, func() error {
		err := f()
		if lostRace(err) {
			if refreshing := s.Refresh(ctx); refreshing != nil {
				return refreshing
			}
		}
		return err
	})
}
