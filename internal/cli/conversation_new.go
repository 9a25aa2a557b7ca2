package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/session"
)

func (a *app) newCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "new [TITLE]",
		Short: "Create an empty conversation",
		Long: `Creates an empty conversation, makes it the active one, and prints its id. Quote
a title of several words; "title" can change it later.`,
		Example: `  tenfold conversation new
  tenfold conversation new "The oven is too hot"`,
		Args:              arguments(0, 1, "one TITLE"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.open(c.Context())
			if err != nil {
				return err
			}
			s, err := l.service.Create(c.Context(), session.Create{Title: strings.Join(args, "")})
			if err != nil {
				return err
			}
			if err := l.active.set(s.ID()); err != nil {
				return err
			}
			return a.printID(s.ID(), true)
		},
	}
}

// printID prints the id of a new conversation and nothing else, for scripts.
func (a *app) printID(id string, active bool) error {
	return a.Result(map[string]string{"conversation": id}, func() {
		a.Printf("%s\n", terminal.VisibleLine(id))
		if active {
			a.noticeActivef("conversation %s is now active", terminal.VisibleLine(id))
		}
	})
}
