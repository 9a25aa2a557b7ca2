package cli

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/problem"
	"tenfold/session"
)

func (a *app) pinCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "pin [ENTRY…] [flags]",
		Short: "Keep entries whole under every compaction, or list those that are",
		Long: `Pins entries: no compaction hides or shortens them, those made already
included. Without an ENTRY the pins are listed.

Entries are named by the numbers that "diff" and "search" show. Pinning a call
pins its result as well, and the other way round.`,
		Example: `  tenfold conversation pin 17
  tenfold conversation pin 17 21 --id 0b9c1a2f
  tenfold conversation pin`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return a.pinAll(c.Context(), c, args, true)
		},
	}
	a.idFlag(c)
	return c
}

func (a *app) unpinCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "unpin ENTRY… [flags]",
		Short: "Unpin entries",
		Long: `Takes pins back: compactions hide or shorten the entries again. A call and its
result are unpinned together.`,
		Example: `  tenfold conversation unpin 17
  tenfold conversation unpin 17 21 --id 0b9c1a2f`,
		Args:              arguments(1, -1, "an ENTRY"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return a.pinAll(c.Context(), c, args, false)
		},
	}
	a.idFlag(c)
	return c
}

type pinJSON struct {
	Seq  int64  `json:"seq"`
	Turn int    `json:"turn"`
	Step int    `json:"step"`
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Tokens is what the entry costs a model.
	Tokens int `json:"tokens"`
}

// entryNumber reads a number as people name entries. What begins with 0 is
// none.
func entryNumber(word string) (int64, bool) {
	n, err := strconv.ParseInt(word, 10, 64)
	return n, err == nil && n > 0 && word[0] != '0' && word[0] != '+'
}

// entryNumbers reads the arguments of a command.
func entryNumbers(c *cobra.Command, args []string) ([]int64, error) {
	var seqs []int64
	for i, word := range args {
		seq, ok := entryNumber(word)
		if !ok {
			hint := `"tenfold conversation diff" and "search" show the numbers`
			if i == 0 && !c.Flags().Changed("id") {
				hint += "; " + withID(c, word, args[1:])
			}
			return nil, usage(quote(word)+" is not the number of an entry", hint)
		}
		seqs = append(seqs, seq)
	}
	return seqs, nil
}

func (a *app) pinAll(ctx context.Context, c *cobra.Command, args []string, on bool) error {
	seqs, err := entryNumbers(c, args)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if err := a.refuseID(ctx, c, args, "the entries of the active conversation"); err != nil {
			return err
		}
	}
	s, err := a.session(ctx, idOf(c))
	if err != nil {
		return err
	}
	if len(seqs) == 0 {
		return a.listPins(s)
	}
	for _, seq := range seqs {
		if err := pinnable(s.Log(), seq); err != nil {
			return err
		}
	}
	var changed []int64
	var before int
	err = retried(ctx, func() error {
		before = s.Projection().Tokens()
		changed = toChange(s, seqs, on)
		if len(changed) == 0 {
			return nil
		}
		do := s.Unpin
		if on {
			do = s.Pin
		}
		err := do(ctx, changed...)
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
	return a.tellPins(s, seqs, changed, before, on)
}

// pinnable refuses entries that are not there, or that no model sees.
func pinnable(l *tenfold.Log, seq int64) error {
	e, ok := l.Entry(seq)
	switch {
	case !ok:
		return &problem.Error{
			Code: "not_found", Problem: "there is no entry " + strconv.FormatInt(seq, 10),
			Hint: "the conversation has entries 1.." + strconv.FormatInt(l.Version(), 10) + "; --id names another conversation",
		}
	case !e.Payload.Kind().Visible():
		return &problem.Error{
			Code: "not_visible", Problem: "entry " + strconv.FormatInt(seq, 10) + " is a " + string(e.Payload.Kind()) + ", which no model sees",
			Hint: "messages, reasoning, calls and results can be pinned",
		}
	}
	return nil
}

// toChange gives the entries named, and the other halves of their pairs (P8),
// that are not as they are to be.
func toChange(s *session.Session, seqs []int64, on bool) []int64 {
	pinned := pinnedIn(s.Log())
	var out []int64
	for _, seq := range seqs {
		for _, half := range []int64{seq, s.Log().Pair(seq)} {
			if half > 0 && slices.Contains(pinned, half) != on && !slices.Contains(out, half) {
				out = append(out, half)
			}
		}
	}
	slices.Sort(out)
	return out
}

// pinnedIn lists the entries pinned, with the other halves of their pairs, in
// order.
func pinnedIn(l *tenfold.Log) []int64 {
	pinned := map[int64]bool{}
	set := func(ids []string, on bool) {
		for _, id := range ids {
			if e, ok := l.Lookup(id); ok {
				pinned[e.Seq] = on
				if pair := l.Pair(e.Seq); pair > 0 {
					pinned[pair] = on
				}
			}
		}
	}
	for e := range l.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.Pin:
			set(p.Entries, true)
		case tenfold.Unpin:
			set(p.Entries, false)
		}
	}
	var out []int64
	for seq, on := range pinned {
		if on {
			out = append(out, seq)
		}
	}
	slices.Sort(out)
	return out
}

func newPinJSON(s *session.Session, seq int64) pinJSON {
	e, _ := s.Log().Entry(seq)
	turn, step, _ := s.Log().Where(seq)
	return pinJSON{seq, turn, step, string(e.Payload.Kind()), excerpt(entryText(e.Payload), resultWidth), e.Tokens}
}

func (a *app) listPins(s *session.Session) error {
	pins := pinnedIn(s.Log())
	if len(pins) == 0 {
		a.noticef(`no entry is pinned: "tenfold conversation pin ENTRY" pins one`)
	}
	for _, seq := range pins {
		if err := a.tellPin(newPinJSON(s, seq)); err != nil {
			return err
		}
	}
	return nil
}

// tellPin writes a line about an entry that is pinned.
func (a *app) tellPin(p pinJSON) error {
	if a.json {
		return a.emit(p)
	}
	head := "entry " + strconv.FormatInt(p.Seq, 10) + "  " + turnWords(p.Turn, p.Turn) + "  " +
		kindWord(tenfold.Kind(p.Kind)) + "  " + count(p.Tokens, "token", "tokens")
	a.twoParts(head, excerpt(p.Text, titleWidth), func(text string) string { return text })
	return nil
}

func (a *app) tellPins(s *session.Session, asked, changed []int64, before int, on bool) error {
	word := "unpinned"
	if on {
		word = "pinned"
	}
	after := s.Projection().Tokens()
	if a.json {
		return a.emit(map[string]any{
			"conversation": s.ID(), word: append([]int64{}, changed...), "tokens": tokensJSON{before, after, counterName},
		})
	}
	if len(changed) == 0 {
		a.noticef("nothing changed: that is %s already", word)
		return nil
	}
	for _, seq := range changed {
		also := ""
		if !slices.Contains(asked, seq) {
			other := s.Log().Pair(seq)
			e, _ := s.Log().Entry(other)
			also = "  (goes with the " + kindWord(e.Payload.Kind()) + ", entry " + strconv.FormatInt(other, 10) + ")"
		}
		p := newPinJSON(s, seq)
		a.printf("%s entry %d, %s, %s%s\n", map[bool]string{true: "Pinned", false: "Unpinned"}[on], seq,
			turnWords(p.Turn, p.Turn), kindWord(tenfold.Kind(p.Kind)), also)
	}
	a.printf("Total  %s\n", tokens(before, after))
	return nil
}
