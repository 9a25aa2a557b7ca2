package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold/session"
)

func (a *app) newCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "new [TITLE]",
		Short: "Begin an empty conversation",
		Long: `Begins an empty conversation, makes it the active one, and prints its id. A
title of several words is put in quotes; it can be set later as well.`,
		Example: `  tenfold conversation new
  tenfold conversation new "The oven is too hot"`,
		Args:              arguments(0, 1, "one TITLE"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			title := ""
			if len(args) > 0 {
				title = args[0]
			}
			return a.createEmpty(c.Context(), title)
		},
	}
}

func (a *app) createEmpty(ctx context.Context, title string) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	s, err := l.service.Create(ctx, session.Create{Title: title})
	if err != nil {
		return err
	}
	if err := l.active.set(s.ID()); err != nil {
		return err
	}
	return a.answerID(s.ID(), true)
}

// answerID gives the id of a conversation just made, and nothing else, so that
// a script can take it up.
func (a *app) answerID(id string, active bool) error {
	if a.json {
		return a.emit(map[string]string{"conversation": id})
	}
	a.printf("%s\n", visibleLine(id))
	if active {
		a.noticeActivef("conversation %s is active", visibleLine(id))
	}
	return nil
}
