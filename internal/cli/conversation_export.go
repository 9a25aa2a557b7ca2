package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold/session"
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
nothing. As a tool's own session (claude-code, codex, opencode, pi, gemini-cli,
jp) it is one the tool can go on with, as is printed, and what it has no
place for is named. As a provider's request (anthropic, gemini, openai-chat, openai-responses) it is the
conversation part of one, ready to send. As markdown it is a page for people to
read. All of them are as it was, or with --compacted as a model sees it.`,
		Example: `  tenfold conversation export --to tenfold --out backup.jsonl
  tenfold conversation export --to anthropic --compacted > request.json`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			format, err := formatFor(to, out)
			if err != nil {
				return err
			}
			return a.exportOne(c.Context(), args, format, out, compacted)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the `FORMAT` to write")
	complete(c, "to", exportFormats()...)
	c.Flags().StringVar(&out, "out", "-", "the `FILE` to write to")
	c.Flags().BoolVar(&compacted, "compacted", false, "what a model sees, not what was said")
	return c
}

// exportJSON tells of an export; path is empty for standard output.
type exportJSON struct {
	Conversation string   `json:"conversation"`
	Format       string   `json:"format"`
	Compacted    bool     `json:"compacted"`
	Path         string   `json:"path,omitzero"`
	Resume       []string `json:"resume,omitempty"`
	Warnings     []string `json:"warnings"`
}

func (a *app) exportOne(ctx context.Context, args []string, format, out string, compacted bool) error {
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
	from := transcript.Tenfold
	if imported := session.FormatOf(c); imported != "" {
		from = transcript.Format(imported) // its exporter gives back what it can as it was
	}
	view := transcript.View{
		Conversation: transcript.Conversation{ID: c.ID, Title: c.Title, Format: from, Created: c.Created},
		Projection:   s.Projection(), Compacted: compacted,
	}
	warnings, err := a.export(to, format, view)
	if err != nil {
		return err
	}
	if err := to.commit(); err != nil {
		return err
	}
	done := exportJSON{
		Conversation: s.ID(), Format: format, Compacted: compacted, Resume: to.howToResume(format), Warnings: append([]string{}, warnings...),
	}
	t := a
	switch {
	case to.file != nil:
		done.Path = out
	case a.json: // the conversation went to standard output
		t = a.aside()
		defer func() { _ = t.flush() }()
	}
	if a.json {
		return t.emit(done)
	}
	a.tellResume(done.Resume)
	return nil
}
