// Package conversation holds the commands of "tenfold conversation", a file each;
// package compaction has its "compact".
package conversation

import (
	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
)

// Command is "tenfold conversation".
func Command(a *command.App) *cobra.Command {
	return command.NewGroup(
		&cobra.Command{
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
		},
		importCommand(a), exportCommand(a), listCommand(a), newCommand(a), showCommand(a), useCommand(a),
		titleCommand(a), printCommand(a), searchCommand(a), compaction.ConversationCommand(a), undoCommand(a),
		redoCommand(a), diffCommand(a), pinCommand(a), unpinCommand(a), forkCommand(a), removeCommand(a),
	)
}
