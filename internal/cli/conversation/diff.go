package conversation

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"tenfold"
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
			draw := func(w io.Writer) error {
				_, err := io.WriteString(w, picture.SVG(s.Projection(), token.Calibrate(s.Log())))
				return err
			}
			if svg == "-" {
				return draw(a.Out)
			}
			return command.WriteFile(a, svg, draw)
		}
		return a.Page(ctx, func() error { return diff(a, s, *turns.Value) })
	})
	turns = turnsFlag(c)
	c.Flags().StringVar(&svg, "svg", "", "draw the whole conversation, before and after, into `FILE`")
	return c
}

type diffJSON struct {
	// Seq is left out of what the projection puts in, and Config set of the system prompt
	// and the tools.
	Seq    int64  `json:"seq,omitzero"`
	Config bool   `json:"config,omitzero"`
	Turn   int    `json:"turn"`
	Step   int    `json:"step"`
	Kind   string `json:"kind,omitzero"`
	Added  string `json:"added,omitzero"`
	Fate   string `json:"fate,omitzero"`
	By     string `json:"by,omitzero"`
	Why    string `json:"why,omitzero"`
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
	d := newDiffer(a, view, scale, from, to)
	emit := func(line diffJSON) {
		line.Before, line.After = scale.Tokens(line.Before), scale.Tokens(line.After)
		err = errors.Join(err, a.Emit(line))
	}
	added := func(seq int64) {
		for _, it := range d.added[seq] {
			emit(diffJSON{Turn: it.Turn, Step: it.Step, Kind: string(it.Payload.Kind()), Added: it.Added.String(), By: it.By, After: it.Tokens})
		}
	}
	if a.JSON {
		if d.system != (tenfold.Count{}) {
			emit(diffJSON{Config: true, Before: d.system.Before, After: d.system.After})
		}
		added(0)
	}
	for e := range s.Log().Entries() {
		turn, step, _ := s.Log().Where(e.Seq)
		if turn < from || turn > to || !view.Reads(e.Seq) {
			continue
		}
		fate, by, after := view.Fate(e.Seq)
		line := diffJSON{
			Seq: e.Seq, Turn: turn, Step: step, Kind: string(e.Payload.Kind()), Fate: fate.String(), By: by, Why: view.Why(e.Seq).String(),
			Before: e.Tokens, After: after,
		}
		switch {
		case a.JSON:
			emit(line)
			added(e.Seq)
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
