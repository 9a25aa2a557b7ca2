package conversation

import (
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/session"
)

func newCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "new [TITLE]",
		Short: "Create an empty conversation",
		Long: `Creates an empty conversation, makes it the active one, and prints its id. Quote
a title of several words; "title" can change it later.`,
		Example: `  tenfold conversation new
  tenfold conversation new "The oven is too hot"`,
		Args: command.Arguments(0, 1, "one TITLE"),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			s, err := l.Service.Create(c.Context(), session.Create{Title: strings.Join(args, "")})
			if err != nil {
				return err
			}
			if err := l.Active.Set(s.ID()); err != nil {
				return err
			}
			return printID(a, s.ID(), true)
		},
	}
}
