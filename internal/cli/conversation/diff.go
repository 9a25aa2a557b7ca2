package conversation

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/picture"
	"tenfold/session"
	"tenfold/token"
)

func diffCommand(a *command.App) *cobra.Command {
	var turns *command.Parsed[turnRange]
	var svg string
	c := a.OnConversation(&cobra.Command{
		Use:   "diff [ID] [flags]",
		Short: "Compare a conversation with what a model sees",
		Long: `Compares the raw conversation with what a model sees. For each entry it shows
the number, turn and step, kind and tokens. If a compaction changed the entry,
it also shows what is left, what happened to it and why, and by which
compaction. Totals by fate and by strategy follow.

A wide terminal shows both sides next to each other. A narrower one shows a
changed entry twice: "-" as it was, "+" as a model sees it.

--svg draws both as strips of tokens, to the same scale.`,
		Example: `  tenfold conversation diff
  tenfold conversation diff --turns 3..5
  tenfold conversation diff --json
  tenfold conversation diff --svg before-after.svg`,
	}, func(ctx context.Context, s *session.Session) error {
		if svg != "" && turns.Text != ".." {
			return command.Exclusive("--turns", "--svg")
		}
		if svg != "" {
			return command.WriteFile(a, svg, func(w io.Writer) error {
				_, err := io.WriteString(w, picture.SVG(s.Projection(), token.Calibrate(s.Log())))
				return err
			})
		}
		return a.Page(ctx, func() error { return diff(a, s, *turns.Value) })
	})
	turns = turnsFlag(c)
	c.Flags().StringVar(&svg, "svg", "", "draw the whole conversation, before and after, into `FILE`")
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

func diff(a *command.App, s *session.Session, turns turnRange) error {
	view := s.Projection()
	from, to, err := turns.in(s.Log().Turns())
	if err != nil {
		return err
	}
	scale := token.Calibrate(s.Log())
	d := newDiffer(a, view, scale)
	for e := range s.Log().Entries() {
		turn, step, _ := s.Log().Where(e.Seq)
		if turn < from || turn > to || !view.Reads(e.Seq) {
			continue
		}
		fate, by, after := view.Fate(e.Seq)
		line := diffJSON{e.Seq, turn, step, string(e.Payload.Kind()), fate.String(), by, view.Why(e.Seq).String(), e.Tokens, after}
		switch {
		case a.JSON:
			line.Before, line.After = scale.Tokens(line.Before), scale.Tokens(line.After)
			err = a.Emit(line)
		case e.Payload.Kind().Visible(): // no model saw the other kinds
			d.entry(e, line, fate)
		}
		if err != nil {
			return err
		}
	}
	if !a.JSON {
		d.sums()
	}
	return nil
}
