package cli

import "github.com/spf13/cobra"

func (a *app) conversationCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "conversation",
		Aliases: []string{"c"},
		Short:   "Look at conversations in the store, and work on them",
		Long: `Works on the conversations in the store. A conversation is a log that is only
ever added to; compactions lie over it and can be undone.

Where a command takes an ID, it may be shortened as long as only one
conversation begins with it, and without an ID the command is about the active
conversation: the one imported or chosen last.`,
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
