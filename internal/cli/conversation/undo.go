package conversation

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/session"
)

func undoCommand(a *command.App) *cobra.Command {
	var all, one bool
	c := a.OnConversation(&cobra.Command{
		Use:   "undo [ID] [flags]",
		Short: "Undo the last compaction",
		Long: `Undoes the newest compacting command and restores the conversation to what it
was before. Overlays that the command had replaced take effect again. --one
undoes only its last overlay, --all every overlay in effect. "redo" re-applies
what was undone.`,
		Example: `  tenfold conversation undo
  tenfold conversation undo --all`,
	}, func(ctx context.Context, s *session.Session) error {
		undo := (*session.Session).Undo
		switch {
		case all && one:
			return command.Exclusive("--all", "--one")
		case all:
			undo = (*session.Session).UndoAll
		case one:
			undo = (*session.Session).UndoOne
		}
		return change(ctx, a, s, "undone", undo)
	})
	c.Flags().BoolVar(&all, "all", false, "undo all compactions")
	c.Flags().BoolVar(&one, "one", false, "undo only the last overlay")
	return c
}

func redoCommand(a *command.App) *cobra.Command {
	var one bool
	c := a.OnConversation(&cobra.Command{
		Use:   "redo [ID] [flags]",
		Short: "Re-apply the last undone compaction",
		Long: `Re-applies what the last undo undid: all overlays of one compacting command, or
with --one only the overlay undone last. After "undo --all", each redo
re-applies the overlays of one command.`,
		Example: `  tenfold conversation redo`,
	}, func(ctx context.Context, s *session.Session) error {
		if one {
			return change(ctx, a, s, "redone", (*session.Session).RedoOne)
		}
		return change(ctx, a, s, "redone", (*session.Session).Redo)
	})
	c.Flags().BoolVar(&one, "one", false, "re-apply only the last overlay")
	return c
}

// change undoes or redoes, and prints what changed.
func change(ctx context.Context, a *command.App, s *session.Session, word string, do func(*session.Session, context.Context) ([]tenfold.Overlay, error)) error {
	var changed []tenfold.Overlay
	var before int
	err := s.Rewrite(ctx, func() (err error) {
		before = s.Projection().Tokens()
		changed, err = do(s, ctx)
		return err
	})
	if err != nil {
		return err
	}
	c := report.Changed(s.ID(), s.Projection(), before, word == "redone", changed)
	if a.JSON {
		return a.Emit(c)
	}
	list := slices.Concat(c.Undone, c.Redone)
	// A command that replaced overlays is undone and redone with them: they
	// change the other way.
	titles := map[bool]string{true: "Redone", false: "Replaced"}
	if word == "undone" {
		titles = map[bool]string{true: "Restored", false: "Undone"}
	}
	for i, o := range changed {
		a.TwoParts(terminal.Normal, titles[o.Live]+"  "+report.Where(o.Compaction)+"   "+report.SlotWords(list[i].Slots), terminal.Word(o.ID))
	}
	a.Printf("Total   %s\n", number.Tokens(c.Tokens.Before, c.Tokens.After))
	return nil
}
