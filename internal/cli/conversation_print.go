package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/token"
)

func (a *app) printCommand() *cobra.Command {
	var turns *parsed[turnRange]
	var compacted, full bool
	c := &cobra.Command{
		Use:   "print [ID] [flags]",
		Short: "Print a conversation, raw or as a model sees it",
		Long: `Prints the raw conversation, or with --compacted what a model sees of it:
shortened entries and gaps are marked. Turns keep their numbers, from 0.

Tool calls and results are cut to one line each, with their sizes; --full prints
them completely. With --json, each entry is one complete object.

On a terminal, messages of the model are rendered as Markdown, and the output
goes through a pager: $TENFOLD_PAGER, else $PAGER, else less.`,
		Example: `  tenfold conversation print
  tenfold conversation print --turns -1.. --full
  tenfold conversation print --compacted --json`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.Page(c.Context(), func() error {
				if compacted {
					return a.printView(c.Context(), args, *turns.value, full)
				}
				return a.printLog(c.Context(), args, *turns.value, full)
			})
		},
	}
	turns = turnsFlag(c)
	c.Flags().BoolVar(&compacted, "compacted", false, "print what a model sees")
	c.Flags().BoolVar(&full, "full", false, "print complete calls and results, and entries that no\nmodel sees")
	return c
}

// printLog prints the raw log while it is being read, so that output starts at
// once.
func (a *app) printLog(ctx context.Context, args []string, r turnRange, full bool) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	c, err := l.find(ctx, args)
	if err != nil {
		return err
	}
	from, to, err := r.in(c.Stats.Turns)
	if err != nil {
		return err
	}
	open := r.to == nil // a turn may have been added meanwhile
	log := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	p := printer{app: a, full: full, turn: -1}
	for e, err := range l.store.Entries(ctx, c.ID, 0) {
		if err != nil {
			return err
		}
		if _, err := log.Append(e); err != nil {
			return err
		}
		turn, _, _ := log.Where(log.Version())
		if turn < from || (turn > to && !open) {
			continue
		}
		if a.JSON {
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				return err
			}
			a.EmitLine(line)
		} else {
			p.print(block{turn: turn, branch: e.Branch, time: e.Time, payload: e.Payload})
		}
		if err := p.firstOut(); err != nil {
			return err
		}
	}
	return nil
}

// printView prints the projection, and marks where entries were folded.
func (a *app) printView(ctx context.Context, args []string, r turnRange, full bool) error {
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	view := s.Projection()
	from, to, err := r.in(s.Log().Turns())
	if err != nil {
		return err
	}
	p := printer{app: a, full: full, turn: -1}
	if !a.JSON {
		p.folds = foldsOf(view, from, to)
	}
	for it := range view.Items() {
		if it.Turn < from || it.Turn > to {
			continue
		}
		if a.JSON {
			line, err := itemJSON(view, it)
			if err != nil {
				return err
			}
			a.EmitLine(line)
			continue
		}
		e, _ := s.Log().Entry(it.Seq)
		b := block{turn: it.Turn, branch: it.Branch, time: e.Time, payload: it.Payload, mark: markFor(it)}
		p.foldsBefore(it, b)
		p.print(b)
	}
	p.allFolds()
	return nil
}

// markFor describes what was done to an item.
func markFor(it tenfold.Item) string {
	switch {
	case it.Added == tenfold.AddedSummary:
		return "summary by " + tagFor(it.By)
	case it.Added != 0:
		return "added for the model: " + it.Added.String()
	case it.Fate != tenfold.Kept && it.By != "":
		return it.Fate.String() + " by " + tagFor(it.By)
	}
	return ""
}

// itemJSON is an entry's JSON form with its place and fate.
func itemJSON(view *tenfold.Projection, it tenfold.Item) ([]byte, error) {
	e, ok := view.Log().Entry(it.Seq)
	if !ok {
		e = tenfold.Entry{ID: it.ID, Branch: it.Branch}
	}
	e.Source, e.Tokens, e.Payload = "", it.Tokens, it.Payload
	line, err := tenfold.AppendEntry(nil, e)
	if err != nil {
		return nil, err
	}
	place, err := terminal.MarshalLine(struct {
		Turn  int    `json:"turn"`
		Step  int    `json:"step"`
		Fate  string `json:"fate"`
		By    string `json:"by,omitzero"`
		Added string `json:"added,omitzero"`
	}{it.Turn, it.Step, it.Fate.String(), it.By, it.Added.String()})
	if err != nil {
		return nil, err
	}
	return append(append(place[:len(place)-1], ','), line[1:]...), nil
}

// fold is a run of entries that the view omits.
type fold struct {
	first            int64
	fromTurn, toTurn int
	entries          int
	fate             tenfold.Fate
	by               string
	why              tenfold.Reason // if no overlay did it
}

// foldsOf finds the runs of entries that the view omits in some turns.
func foldsOf(view *tenfold.Projection, from, to int) []fold {
	var folds []fold
	joined := false // whether the entry before belongs to the last fold
	for e := range view.Log().Entries() {
		if !e.Payload.Kind().Visible() || !view.Reads(e.Seq) {
			continue
		}
		turn, _, _ := view.Log().Where(e.Seq)
		if turn < from || turn > to {
			continue
		}
		fate, by, _ := view.Fate(e.Seq)
		if fate != tenfold.Omitted && fate != tenfold.Summarised {
			joined = false
			continue
		}
		f := fold{first: e.Seq, fromTurn: turn, toTurn: turn, entries: 1, fate: fate, by: by}
		if by == "" {
			f.why = view.Why(e.Seq)
		}
		if n := len(folds) - 1; joined && folds[n].fate == fate && folds[n].by == by && folds[n].why == f.why {
			folds[n].entries++
			folds[n].toTurn = max(folds[n].toTurn, turn)
			continue
		}
		folds = append(folds, f)
		joined = true
	}
	return folds
}
