package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/session"
)

func (a *app) undoCommand() *cobra.Command {
	var all, one bool
	c := &cobra.Command{
		Use:   "undo [ID] [flags]",
		Short: "Take the newest compaction back",
		Long: `Takes back what the newest compacting command did: the conversation is then
seen as it was before. Overlays that the command put others in the place of are
in effect again. --one takes back its last overlay only, and --all every overlay
that is in effect. "redo" restores them.`,
		Example: `  tenfold conversation undo
  tenfold conversation undo --all`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			do := (*session.Session).Undo
			switch {
			case all && one:
				return usage("--all and --one exclude each other", "name one of them")
			case all:
				do = (*session.Session).UndoAll
			case one:
				do = (*session.Session).UndoOne
			}
			return a.change(c.Context(), args, "undone", do)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "take back all compactions")
	c.Flags().BoolVar(&one, "one", false, "take back the last overlay only")
	return c
}

func (a *app) redoCommand() *cobra.Command {
	var one bool
	c := &cobra.Command{
		Use:   "redo [ID] [flags]",
		Short: "Restore the compaction undone last",
		Long: `Restores what the last undo took back: all that one compacting command did, or
with --one the overlay that was taken back last. After "undo --all" each redo
restores one command's compactions.`,
		Example:           `  tenfold conversation redo`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			do := (*session.Session).Redo
			if one {
				do = (*session.Session).RedoOne
			}
			return a.change(c.Context(), args, "redone", do)
		},
	}
	c.Flags().BoolVar(&one, "one", false, "restore the last overlay only")
	return c
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
	// Command is shared by what one command made: it is undone together.
	Command string `json:"command,omitzero"`
}

func newOverlayJSON(o tenfold.Overlay) overlayJSON {
	c := o.Compaction
	return overlayJSON{
		ID: o.ID, FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep, Slots: slots(c), Profile: c.Profile,
		Strategy: c.Strategy, Source: c.Source, Live: o.Live, Before: c.TokensBefore, After: c.TokensAfter,
		Reason: c.Reason, Summary: newWrittenJSON(c.Summary), Command: c.Command,
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
func (a *app) change(ctx context.Context, args []string, word string, do func(*session.Session, context.Context) ([]tenfold.Overlay, error)) error {
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	var changed []tenfold.Overlay
	var before int
	err = retried(ctx, func() error {
		before = s.Projection().Tokens()
		var err error
		changed, err = do(s, ctx)
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
	for _, o := range changed {
		a.twoParts(changeTitle(word, o.Live)+"  "+overlayWhere(o.Compaction)+"   "+slotWords(slots(o.Compaction)), visibleLine(o.ID),
			func(text string) string { return text })
	}
	a.printf("%s   %s\n", "Total", tokens(before, after))
	return nil
}

// changeTitle says what became of an overlay. A command that puts overlays in
// the place of others turns those over the other way.
func changeTitle(word string, live bool) string {
	switch {
	case word == "undone" && live:
		return "Restored"
	case word == "undone":
		return "Undone"
	case live:
		return "Redone"
	}
	return "Replaced"
}

// overlayWhere names the turns that an overlay covers.
func overlayWhere(c tenfold.Compaction) string {
	where := turnWords(c.FromTurn, c.ToTurn)
	if c.ToStep != nil {
		where += ", to step " + thousands(*c.ToStep)
	}
	return where
}
