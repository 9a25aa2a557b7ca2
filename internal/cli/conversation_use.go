package cli

import (
	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
)

func (a *app) useCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "use ID",
		Short: "Select the active conversation",
		Long: `Makes a conversation the active one, which commands use when no ID is given.
Each store has its own.`,
		Example:           `  tenfold conversation use 0b9c1a2f`,
		Args:              arguments(1, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.open(c.Context())
			if err != nil {
				return err
			}
			found, err := l.find(c.Context(), args)
			if err != nil {
				return err
			}
			if err := l.active.set(found.ID); err != nil {
				return err
			}
			return a.Result(map[string]string{"conversation": found.ID}, func() {
				a.Noticef("conversation %s is now active", terminal.VisibleLine(found.ID))
			})
		},
	}
}
