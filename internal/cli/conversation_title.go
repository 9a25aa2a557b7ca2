package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tenfold/session"
	"tenfold/store"
)

func (a *app) titleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "title [ID] [TITLE]",
		Short: "Show or set the title of a conversation",
		Long: `Sets the title of a conversation, or shows it when no title is given. A title of
several words is put in quotes; "" takes the title away.

A single word is the new title of the active conversation, unless it is the id
of a conversation, or how one begins, from 8 characters on: then that
conversation's title is shown.`,
		Example: `  tenfold conversation title
  tenfold conversation title "The oven is too hot"
  tenfold conversation title 0b9c1a2f "The oven is too hot"`,
		Args:              arguments(0, 2, "an ID and a TITLE"),
		ValidArgsFunction: a.completeIDs(1),
		RunE:              func(c *cobra.Command, args []string) error { return a.title(c.Context(), args) },
	}
}

func (a *app) title(ctx context.Context, args []string) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	id, words := args, []string(nil)
	switch len(args) {
	case 1:
		named, err := l.names(ctx, args[0], shortest)
		if err != nil {
			return err
		}
		if !named {
			id, words = nil, args
		}
	case 2:
		id, words = args[:1], args[1:]
	}
	c, err := l.find(ctx, id)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		c.Title = words[0]
		if err := l.service.Rename(ctx, c.ID, c.Title); err != nil {
			return err
		}
	}
	switch {
	case a.json:
		return a.emit(map[string]string{"conversation": c.ID, "title": c.Title})
	case len(words) > 0:
		a.noticef("conversation %s is titled %s", visibleLine(c.ID), quote(excerpt(c.Title, titleWidth)))
	default:
		a.printf("%s\n", visibleLine(c.Title))
	}
	return nil
}

// shortest is how much of an id "ls" shows at least, and how much of one tells
// it from a word.
const shortest = 8

// names tells whether a word names a conversation: by its whole id, or by so
// many characters of it or more. A word that fits several is an error.
func (l *workspace) names(ctx context.Context, word string, least int) (bool, error) {
	if word == "" {
		return false, nil
	}
	c, err := l.service.Find(ctx, word)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case errors.Is(err, session.ErrAmbiguous):
		if len(word) < least {
			return false, nil
		}
		return false, err
	case err != nil:
		return false, err
	}
	return c.ID == word || len(word) >= least, nil
}
