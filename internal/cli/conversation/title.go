package conversation

import (
	"context"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"

	"github.com/spf13/cobra"
)

func titleCommand(a *command.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "title [TITLE] [flags]",
		Short: "Show or set the title of a conversation",
		Long: `Sets the title of a conversation, or shows it if no TITLE is given. Quote a
title of several words; "" removes the title.`,
		Example: `  tenfold conversation title
  tenfold conversation title "The oven is too hot"
  tenfold conversation title "The oven is too hot" --id 0b9c1a2f`,
		Args: titleArguments,
		RunE: func(c *cobra.Command, args []string) error { return title(c.Context(), a, c, args) },
	}
	a.IDFlag(c)
	return c
}

// titleArguments accepts one TITLE. Release 0.1 took an ID before it.
func titleArguments(c *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	hint := "quote a title of several words"
	if len(args) == 2 {
		hint += "; " + command.WithID(c, args[0], args[1:])
	}
	return command.Usage(c.CommandPath()+": unexpected argument "+command.Quote(args[1]), hint)
}

func title(ctx context.Context, a *command.App, c *cobra.Command, words []string) error {
	l, err := a.Open(ctx)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		if err := a.RefuseID(ctx, c, words, "the title of the active conversation"); err != nil {
			return err
		}
	}
	found, err := l.Find(ctx, command.IDOf(c))
	if err != nil {
		return err
	}
	if len(words) > 0 {
		found.Title = words[0]
		if err := l.Service.Rename(ctx, found.ID, found.Title); err != nil {
			return err
		}
	}
	switch {
	case a.JSON:
		return a.Emit(map[string]string{"conversation": found.ID, "title": found.Title})
	case len(words) > 0:
		a.Noticef("set the title of conversation %s to \"%s\"", terminal.Word(found.ID), terminal.Excerpt(found.Title, command.TitleWidth))
	default:
		a.Printf("%s\n", terminal.VisibleLine(found.Title))
	}
	return nil
}
