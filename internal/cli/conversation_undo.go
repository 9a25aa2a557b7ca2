package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/session"
)

func (a *app) undoCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "undo [ID] [flags]",
		Short: "Take the newest compaction back",
		Long: `Takes the newest compaction back, or with --all every one that is in effect:
the conversation is then seen as if it had not been made. "redo" gives it back.`,
		Example: `  tenfold conversation undo
  tenfold conversation undo --all`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.change(c.Context(), args, "undone", func(ctx context.Context, s *session.Session) ([]tenfold.Overlay, error) {
				if all {
					return s.UndoAll(ctx)
				}
				o, err := s.Undo(ctx)
				return []tenfold.Overlay{o}, err
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "take back all compactions")
	return c
}

func (a *app) redoCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "redo [ID]",
		Short:             "Give back the compaction undone last",
		Long:              `Gives back the compaction that was undone last and still is.`,
		Example:           `  tenfold conversation redo`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.change(c.Context(), args, "redone", func(ctx context.Context, s *session.Session) ([]tenfold.Overlay, error) {
				o, err := s.Redo(ctx)
				return []tenfold.Overlay{o}, err
			})
		},
	}
}

type overlayJSON struct {
	ID       string   `json:"id"`
	FromTurn int      `json:"from_turn"`
	ToTurn   int      `json:"to_turn"`
	ToStep   *int     `json:"to_step,omitzero"`
	Slots    []string `json:"slots"`
	Profile  string   `json:"profile,omitzero"`
	Strategy string   `json:"strategy,omitzero"`
	Source   string   `json:"source,omitzero"`
	Live     bool     `json:"live"`
	Before   int      `json:"tokens_before,omitzero"`
	After    int      `json:"tokens_after,omitzero"`
	Reason   string   `json:"reason,omitzero"`

	Summary *writtenJSON `json:"summary,omitzero"`
}

func newOverlayJSON(o tenfold.Overlay) overlayJSON {
	c := o.Compaction
	return overlayJSON{
		ID: o.ID, FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep, Slots: slots(c), Profile: c.Profile,
		Strategy: c.Strategy, Source: c.Source, Live: o.Live, Before: c.TokensBefore, After: c.TokensAfter,
		Reason: c.Reason, Summary: newWrittenJSON(c.Summary),
	}
}

// slots names what an overlay touches.
func slots(c tenfold.Compaction) []string {
	names := []string{}
	for _, slot := range []struct {
		name string
		set  bool
	}{
		{"summary", c.Summary != nil},
		{"turns", c.Turns != ""},
		{"reasoning", c.Reasoning != nil},
		{"tool_calls", c.ToolCalls != nil},
		{"texts", c.Texts != nil},
		{"attachments", c.Attachments != nil},
		{"tool_definitions", c.ToolDefinitions != nil},
	} {
		if slot.set {
			names = append(names, slot.name)
		}
	}
	return names
}

// change undoes or redoes, and tells what.
func (a *app) change(ctx context.Context, args []string, word string, do func(context.Context, *session.Session) ([]tenfold.Overlay, error)) error {
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	var changed []tenfold.Overlay
	var before int
	err = retried(ctx, func() error {
		before = s.Projection().Tokens()
		var err error
		changed, err = do(ctx, s)
		if lostRace(err) {
			if refreshing := s.Refresh(ctx); refreshing != nil {
				return refreshing
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range changed {
		changed[i].Live = word == "redone" // they were handed out as they stood before
	}
	after := s.Projection().Tokens()
	if a.json {
		list := make([]overlayJSON, len(changed))
		for i, o := range changed {
			list[i] = newOverlayJSON(o)
		}
		return a.emit(map[string]any{
			"conversation": s.ID(), word: list, "tokens": tokensJSON{before, after, counterName},
		})
	}
	title := map[string]string{"undone": "Undone", "redone": "Redone"}[word]
	for _, o := range changed {
		a.twoParts(title+"  "+overlayWhere(o.Compaction)+"   "+slotWords(slots(o.Compaction)), visibleLine(o.ID),
			func(text string) string { return text })
	}
	a.printf("%s   %s\n", "Total", tokens(before, after))
	return nil
}

// overlayWhere names the turns that an overlay covers.
func overlayWhere(c tenfold.Compaction) string {
	where := turnWords(c.FromTurn, c.ToTurn)
	if c.ToStep != nil {
		where += ", to step " + thousands(*c.ToStep)
	}
	return where
}
