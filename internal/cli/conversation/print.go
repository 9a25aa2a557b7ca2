package conversation

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/token"
)

func printCommand(a *command.App) *cobra.Command {
	var turns *command.Parsed[turnRange]
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
		Args:              command.Arguments(0, 1, "one ID"),
		ValidArgsFunction: a.CompleteIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.Page(c.Context(), func() error {
				if compacted {
					return printView(c.Context(), a, args, *turns.Value, full)
				}
				return printLog(c.Context(), a, args, *turns.Value, full)
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
func printLog(ctx context.Context, a *command.App, args []string, r turnRange, full bool) error {
	l, err := a.Open(ctx)
	if err != nil {
		return err
	}
	c, err := l.Find(ctx, args)
	if err != nil {
		return err
	}
	from, to, err := r.in(c.Stats.Turns)
	if err != nil {
		return err
	}
	open := r.to == nil // a turn may have been added meanwhile
	log := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	p := display.Printer{App: a, Full: full, Turn: -1}
	for e, err := range l.Store.Entries(ctx, c.ID, 0) {
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
			p.Print(display.Block{Turn: turn, Branch: e.Branch, Time: e.Time, Payload: e.Payload})
		}
		if err := p.FirstOut(); err != nil {
			return err
		}
	}
	return nil
}

// printView prints the projection, and marks where entries were folded.
func printView(ctx context.Context, a *command.App, args []string, r turnRange, full bool) error {
	s, err := a.Session(ctx, args)
	if err != nil {
		return err
	}
	view := s.Projection()
	from, to, err := r.in(s.Log().Turns())
	if err != nil {
		return err
	}
	p := display.Printer{App: a, Full: full, Turn: -1}
	if !a.JSON {
		p.FindFolds(view, from, to)
	}
	if text := view.Continuation(); text != "" && from == 0 {
		if !a.JSON {
			p.System(text)
		} else {
			line, err := itemJSON(view, tenfold.Item{
				ID: "continuation", Added: tenfold.AddedSummary, Tokens: s.Log().Counter().Count(text), Payload: tenfold.ConfigDelta{System: &text},
			})
			if err != nil {
				return err
			}
			a.EmitLine(line)
		}
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
		b := display.Block{Turn: it.Turn, Branch: it.Branch, Time: e.Time, Payload: it.Payload, Mark: display.MarkFor(it)}
		if it.Added != 0 { // where it stands may be behind the request of a later turn
			b.Turn = max(b.Turn, p.Turn)
		}
		p.FoldsBefore(it, b)
		p.Print(b)
	}
	p.AllFolds()
	return nil
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
