package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/store"
	"tenfold/summary"
)

func (a *app) removeCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "rm ID… [flags]",
		Short: "Remove conversations permanently",
		Long: `Removes conversations with their complete logs from the store, and the files of
their summaries. This cannot be undone, so it asks first; without a terminal,
pass --yes.`,
		Example: `  tenfold conversation rm 0b9c1a2f
  tenfold conversation rm 0b9c1a2f 77d0 --yes`,
		Args:              arguments(1, -1, "an ID"),
		ValidArgsFunction: a.completeIDs(0),
		RunE:              func(c *cobra.Command, args []string) error { return a.remove(c.Context(), args, yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "remove without asking")
	return c
}

// remove finds all conversations first, so that a wrong id removes nothing.
func (a *app) remove(ctx context.Context, ids []string, yes bool) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	var all []store.Conversation
	seen := map[string]bool{}
	for _, id := range ids {
		c, err := l.find(ctx, []string{id})
		if err != nil {
			return err
		}
		if !seen[c.ID] {
			seen[c.ID] = true
			all = append(all, c)
		}
	}
	if !yes {
		ok, err := a.Confirm(ctx, a.question(all), usage("cannot prompt: stdin is not a terminal", "add --yes to remove without asking"))
		if err != nil {
			return err
		}
		if !ok {
			a.Noticef("nothing removed")
			return nil
		}
	}
	active, err := l.active.get()
	if err != nil {
		return err
	}
	for _, c := range all {
		files := a.artifactsOf(c.ID)
		if err := l.service.Delete(ctx, c.ID); err != nil {
			return err
		}
		for _, f := range files {
			if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
				a.Warn("cannot remove an artifact: " + err.Error())
			}
		}
		if c.ID == active {
			if err := l.active.set(""); err != nil {
				return err
			}
		}
		err := a.Result(map[string]string{"removed": c.ID}, func() { a.Noticef("removed %s", terminal.VisibleLine(c.ID)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// artifactsOf lists the files of a conversation's summaries in our own directory.
// Its log may name any other file, and those of the conversation that it was
// forked from.
func (a *app) artifactsOf(id string) []string {
	e, err := a.effective()
	if err != nil {
		return nil
	}
	dir, err := a.sessionDir(e)
	if err != nil || dir == "" {
		return nil
	}
	files, err := summary.Directory(dir).Of(id)
	if err != nil {
		a.Warn("cannot list the artifacts of " + id + ": " + err.Error())
	}
	return files
}

func (a *app) question(all []store.Conversation) string {
	var b strings.Builder
	for _, c := range all {
		head := "  " + terminal.VisibleLine(c.ID) + "  " + count(int(c.Version), "entry", "entries")
		left := titleWidth
		if a.ErrWidth > 0 {
			left = max(a.ErrWidth-len(head)-3, 12)
		}
		b.WriteString(head + "  " + terminal.Excerpt(c.Title, left) + "\n")
	}
	return b.String() + "permanently remove " + count(len(all), "conversation", "conversations") + "?"
}
