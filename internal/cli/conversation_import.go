package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
)

func (a *app) importCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "import FILE… [flags]",
		Short: "Put saved sessions into the store",
		Long: `Reads saved sessions into the store, and makes the last one the active
conversation. Compactions that the other tool made come along as overlays, so
that undoing them gives back what they hid.

A conversation that is in the store already gets what is new of the file.

` + sentence("The format is detected, or named with --from: "+strings.Join(readableFormats(), ", ")+"."),
		Example: `  tenfold conversation import session.jsonl
  tenfold conversation import --from jp events.json`,
		Args: arguments(1, -1, "a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat("--from", format); err != nil {
				return err
			}
			var failed error
			for _, path := range args {
				err := a.importOne(c.Context(), path, format)
				switch {
				case err == nil:
				case c.Context().Err() != nil || len(args) == 1:
					return err
				default:
					a.fail(err)
					failed = errTold
				}
			}
			return failed
		},
	}
	c.Flags().StringVar(&format, "from", "", "the `FORMAT` of the files, instead of detecting it")
	complete(c, "from", readableFormats()...)
	return c
}

type importJSON struct {
	Conversation string     `json:"conversation"`
	Source       sourceJSON `json:"source"`
	Turns        int        `json:"turns"`
	Entries      int        `json:"entries"`
	New          int        `json:"new"`
	Compactions  int        `json:"compactions"`
	Tokens       tokensJSON `json:"tokens"`
	Warnings     []string   `json:"warnings"`
}

func (a *app) importOne(ctx context.Context, path, format string) error {
	found, err := a.importFile(ctx, path, format, "--from")
	if err != nil {
		return err
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	for _, in := range found {
		k, err := a.put(ctx, l, in, nil)
		if err != nil {
			return err
		}
		if err := l.active.set(in.ID); err != nil {
			return err
		}
		if err := a.tellImport(in, k); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) tellImport(in imported, k kept) error {
	for _, w := range in.warnings {
		a.warn(in.path + ": " + w)
	}
	view := k.session.Projection()
	out := importJSON{
		Conversation: in.ID, Source: sourceJSON{in.path, string(in.Format)},
		Turns: view.Log().Turns(), Entries: int(view.Version()), New: k.added,
		Compactions: len(live(view)), Tokens: countJSON(view.Totals().All()),
		Warnings: append([]string{}, in.warnings...),
	}
	if a.json {
		return a.emit(out)
	}
	news := "all new"
	switch {
	case k.added == 0:
		news = "none new"
	case k.added < out.Entries:
		news = thousands(k.added) + " new"
	}
	a.printf("%s  %s, %s (%s), %s", a.paint(bold, in.ID), count(out.Turns, "turn", "turns"),
		count(out.Entries, "entry", "entries"), news, tokens(out.Tokens.Before, out.Tokens.After))
	if out.Compactions > 0 {
		a.printf(", %s", count(out.Compactions, "compaction", "compactions"))
	}
	a.printf("\n")
	return nil
}

// live are the overlays in effect.
func live(p *tenfold.Projection) []tenfold.Overlay {
	var out []tenfold.Overlay
	for o := range p.Overlays() {
		if o.Live {
			out = append(out, o)
		}
	}
	return out
}
