package cli

import (
	"context"

	"tenfold/internal/cli/terminal"

	"github.com/spf13/cobra"
)

func (a *app) titleCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "title [TITLE] [flags]",
		Short: "Show or set the title of a conversation",
		Long: `Sets the title of a conversation, or shows it if no TITLE is given. Quote a
title of several words; "" removes the title.`,
		Example: `  tenfold conversation title
  tenfold conversation title "The oven is too hot"
  tenfold conversation title "The oven is too hot" --id 0b9c1a2f`,
		Args:              titleArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, args []string) error { return a.title(c.Context(), c, args) },
	}
	a.idFlag(c)
	return c
}

// titleArguments accepts one TITLE. Release 0.1 took an ID before it.
func titleArguments(c *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	hint := "quote a title of several words"
	if len(args) == 2 {
		hint += "; " + withID(c, args[0], args[1:])
	}
	return usage(c.CommandPath()+": unexpected argument "+quote(args[1]), hint)
}

func (a *app) title(ctx context.Context, c *cobra.Command, words []string) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		if err := a.refuseID(ctx, c, words, "the title of the active conversation"); err != nil {
			return err
		}
	}
	found, err := l.find(ctx, idOf(c))
	if err != nil {
		return err
	}
	if len(words) > 0 {
		found.Title = words[0]
		if err := l.service.Rename(ctx, found.ID, found.Title); err != nil {
			return err
		}
	}
	switch {
	case a.JSON:
		return a.Emit(map[string]string{"conversation": found.ID, "title": found.Title})
	case len(words) > 0:
		a.Noticef("set the title of conversation %s to %s", terminal.VisibleLine(found.ID), quote(terminal.Excerpt(found.Title, titleWidth)))
	default:
		a.Printf("%s\n", terminal.VisibleLine(found.Title))
	}
	return nil
}
