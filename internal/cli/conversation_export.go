package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/token"
	"tenfold/transcript"
)

func (a *app) exportCommand() *cobra.Command {
	var to, out string
	var compacted bool
	c := &cobra.Command{
		Use:   "export [ID] --to FORMAT [flags]",
		Short: "Write a conversation in another form",
		Long: `Writes a conversation to standard output, or to a file that appears whole or
not at all.

As tenfold it is the whole log, compactions included: importing it again loses
nothing. As ` + strings.Join(exportFormats()[1:], ", ") + ` it is the
conversation part of one request, ready to send: as it was, or with --compacted
as a model sees it.`,
		Example: `  tenfold conversation export --to tenfold --out backup.jsonl
  tenfold conversation export --to anthropic --compacted > request.json`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			format, err := formatFor(to, out)
			if err != nil {
				return err
			}
			return a.export(c.Context(), args, format, out, compacted)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the `FORMAT` to write")
	complete(c, "to", exportFormats()...)
	c.Flags().StringVar(&out, "out", "-", "the `FILE` to write to")
	c.Flags().BoolVar(&compacted, "compacted", false, "what a model sees, not what was said")
	return c
}

func (a *app) export(ctx context.Context, args []string, format, out string, compacted bool) error {
	to, err := a.destination(out)
	if err != nil {
		return err
	}
	defer to.abandon()
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	c, err := a.workspace.store.Conversation(ctx, s.ID())
	if err != nil {
		return err
	}
	view := s.Projection()
	if format != string(transcript.Tenfold) && !compacted {
		if view, err = raw(s.Log()); err != nil {
			return err
		}
	}
	about := transcript.Conversation{ID: c.ID, Title: c.Title, Format: transcript.Tenfold, Created: c.Created}
	if err := export(to, format, exported{about, view}); err != nil {
		return err
	}
	return to.commit()
}

// raw is a conversation's view without its overlays.
func raw(l *tenfold.Log) (*tenfold.Projection, error) {
	bare := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	for e := range l.Entries() {
		switch e.Payload.Kind() {
		case tenfold.KindCompaction, tenfold.KindCompactionRevoked:
			continue
		}
		if _, err := bare.Append(e); err != nil {
			return nil, err
		}
	}
	return tenfold.Project(bare), nil
}
