package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold"
)

func (a *app) diffCommand() *cobra.Command {
	var turns string
	c := &cobra.Command{
		Use:   "diff [ID] [flags]",
		Short: "Show what compactions do to each entry",
		Long: `Shows the raw conversation beside what a model sees of it: for each entry its
number, its turn and step, its kind and its tokens; where a compaction changed
it also what is left, what became of it, why, and by which compaction. Sums for
each fate and each strategy stand at the end.

A wide terminal shows both side by side. Elsewhere an entry that was changed is
shown twice: "-" as it was, "+" as a model sees it.`,
		Example: `  tenfold conversation diff
  tenfold conversation diff --turns 3..5
  tenfold conversation diff --json`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := parseTurns(turns)
			if err != nil {
				return err
			}
			return a.page(c.Context(), func() error { return a.diff(c.Context(), args, r) })
		},
	}
	c.Flags().StringVar(&turns, "turns", "..", "only turns `A..B`, both inclusive")
	return c
}

type diffJSON struct {
	Seq    int64  `json:"seq"`
	Turn   int    `json:"turn"`
	Step   int    `json:"step"`
	Kind   string `json:"kind"`
	Fate   string `json:"fate"`
	By     string `json:"by,omitzero"`
	Why    string `json:"why"`
	Before int    `json:"tokens_before"`
	After  int    `json:"tokens_after"`
}

func (a *app) diff(ctx context.Context, args []string, r turnRange) error {
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	view := s.Projection()
	from, to, err := r.in(s.Log().Turns())
	if err != nil {
		return err
	}
	if a.json {
		return a.diffLines(view, from, to)
	}
	d := newDiffer(a, view)
	for e := range s.Log().Entries() {
		turn, step, _ := s.Log().Where(e.Seq)
		// No model saw the other kinds; machines get them for completeness.
		if turn >= from && turn <= to && view.Reads(e.Seq) && e.Payload.Kind().Visible() {
			d.entry(e, turn, step)
		}
	}
	d.sums()
	return nil
}

func (a *app) diffLines(view *tenfold.Projection, from, to int) error {
	for e := range view.Log().Entries() {
		turn, step, _ := view.Log().Where(e.Seq)
		if turn < from || turn > to || !view.Reads(e.Seq) {
			continue
		}
		fate, by, after := view.Fate(e.Seq)
		err := a.emit(diffJSON{
			Seq: e.Seq, Turn: turn, Step: step, Kind: string(e.Payload.Kind()), Fate: fate.String(), By: by,
			Why: view.Why(e.Seq).String(), Before: e.Tokens, After: after,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
