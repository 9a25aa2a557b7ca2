package conversation

import (
	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

func useCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "use ID",
		Short: "Select the active conversation",
		Long: `Makes a conversation the active one, which commands use when no ID is given.
Each store has its own active conversation.`,
		Example:           `  tenfold conversation use 0b9c1a2f`,
		Args:              command.Arguments(1, 1, "one ID"),
		ValidArgsFunction: a.CompleteIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			found, err := l.Find(c.Context(), args)
			if err != nil {
				return err
			}
			if err := l.Active.Set(found.ID); err != nil {
				return err
			}
			return a.Result(map[string]string{"conversation": found.ID}, func() {
				a.Noticef("conversation %s is now active", terminal.Word(found.ID))
			})
		},
	}
}
