package conversation

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/token"
)

func pinCommand(a *command.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "pin [ENTRY…] [flags]",
		Short: "Pin entries so that no compaction changes them, or list pins",
		Long: `Pins entries: no compaction, existing ones included, hides or shortens them.
Without an ENTRY it lists the pinned entries.

An ENTRY is a number shown by "diff" and "search". A tool call and its result
are pinned together.`,
		Example: `  tenfold conversation pin 17
  tenfold conversation pin 17 21 --id 0b9c1a2f
  tenfold conversation pin`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return pinAll(c.Context(), a, c, args, true)
		},
	}
	a.IDFlag(c)
	return c
}

func unpinCommand(a *command.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "unpin ENTRY… [flags]",
		Short: "Unpin entries",
		Long: `Unpins entries: compactions can hide or shorten them again. A tool call and its
result are unpinned together.`,
		Example: `  tenfold conversation unpin 17
  tenfold conversation unpin 17 21 --id 0b9c1a2f`,
		Args: command.Arguments(1, -1, "an ENTRY"),
		RunE: func(c *cobra.Command, args []string) error {
			return pinAll(c.Context(), a, c, args, false)
		},
	}
	a.IDFlag(c)
	return c
}

type pinJSON struct {
	Seq    int64  `json:"seq"`
	Turn   int    `json:"turn"`
	Step   int    `json:"step"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
}

// entryNumbers parses the arguments. A number with a leading 0 could be an id.
func entryNumbers(c *cobra.Command, args []string) ([]int64, error) {
	var seqs []int64
	for i, word := range args {
		seq, err := strconv.ParseInt(word, 10, 64)
		if err != nil || seq <= 0 || word[0] == '0' || word[0] == '+' {
			hint := `"tenfold conversation diff" and "search" show the numbers`
			if i == 0 && !c.Flags().Changed("id") {
				hint += "; " + command.WithID(c, word, args[1:])
			}
			return nil, command.Usage("invalid entry number "+command.Quote(word), hint)
		}
		seqs = append(seqs, seq)
	}
	return seqs, nil
}

func pinAll(ctx context.Context, a *command.App, c *cobra.Command, args []string, on bool) error {
	seqs, err := entryNumbers(c, args)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if err := a.RefuseID(ctx, c, args, "the entries of the active conversation"); err != nil {
			return err
		}
	}
	s, err := a.Session(ctx, command.IDOf(c))
	if err != nil {
		return err
	}
	if len(seqs) == 0 {
		return listPins(a, s)
	}
	for _, seq := range seqs {
		if err := session.Pinnable(s.Log(), seq); err != nil {
			return err
		}
	}
	var changed []int64
	var before int
	err = s.Rewrite(ctx, func() error {
		before = s.Projection().Tokens()
		changed = session.ToPin(s.Projection(), seqs, on)
		if len(changed) == 0 {
			return nil
		}
		do := s.Unpin
		if on {
			do = s.Pin
		}
		return do(ctx, changed...)
	})
	if err != nil {
		return err
	}
	return printPins(a, s, seqs, changed, before, on)
}

func newPinJSON(s *session.Session, seq int64, scale token.Scale) pinJSON {
	e, _ := s.Log().Entry(seq)
	turn, step, _ := s.Log().Where(seq)
	return pinJSON{seq, turn, step, string(e.Payload.Kind()), terminal.Excerpt(display.EntryText(e.Payload), display.ResultWidth), scale.Tokens(e.Tokens)}
}

func listPins(a *command.App, s *session.Session) error {
	pins := session.Pinned(s.Projection())
	if len(pins) == 0 {
		a.Noticef(`no entry is pinned; "tenfold conversation pin ENTRY" pins one`)
	}
	scale := token.Calibrate(s.Log())
	for _, seq := range pins {
		p := newPinJSON(s, seq, scale)
		err := a.Result(p, func() {
			a.TwoParts(terminal.Normal, "entry "+strconv.FormatInt(p.Seq, 10)+"  "+report.TurnWords(p.Turn, p.Turn)+"  "+
				report.KindWord(tenfold.Kind(p.Kind))+"  "+number.Count(p.Tokens, "token"), terminal.Excerpt(p.Text, command.TitleWidth))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func printPins(a *command.App, s *session.Session, asked, changed []int64, before int, on bool) error {
	word, title := "unpinned", "Unpinned"
	if on {
		word, title = "pinned", "Pinned"
	}
	scale := token.Calibrate(s.Log())
	now := report.Scaled(report.CounterOf(s.Log()), before, s.Projection().Tokens(), scale)
	view := s.Projection()
	hidden := func(seq int64) bool { // pins do not free reasoning that is bound to what came before
		fate, _, _ := view.Fate(seq)
		return on && fate != tenfold.Kept && view.Why(seq) != tenfold.ReasonUnsigned
	}
	if a.JSON {
		out := map[string]any{"conversation": s.ID(), word: changed, "tokens": now}
		if still := slices.DeleteFunc(slices.Clone(changed), func(seq int64) bool { return !hidden(seq) }); len(still) > 0 {
			out["hidden"] = still
		}
		return a.Emit(out)
	}
	if len(changed) == 0 {
		a.Noticef("nothing to do: already %s", word)
		return nil
	}
	for _, seq := range changed {
		also := ""
		if !slices.Contains(asked, seq) {
			other := s.Log().Pair(seq)
			e, _ := s.Log().Entry(other)
			also = "  (paired with the " + report.KindWord(e.Payload.Kind()) + ", entry " + strconv.FormatInt(other, 10) + ")"
		}
		if hidden(seq) {
			also += "  (not shown nevertheless: " + view.Why(seq).String() + ")"
		}
		p := newPinJSON(s, seq, scale)
		a.Printf("%s entry %d, %s, %s%s\n", title, seq,
			report.TurnWords(p.Turn, p.Turn), report.KindWord(tenfold.Kind(p.Kind)), also)
	}
	a.Printf("Total  %s\n", number.Tokens(now.Before, now.After))
	return nil
}
