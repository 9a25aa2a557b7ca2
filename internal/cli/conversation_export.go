package cli

import (
	"context"
	"os"

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
jp) it is one the tool can go on with, as is printed, and what it has no place
for is named; with --to jp and a directory, such as .jp/conversations, one is
made in it as JP keeps them. As a provider's request (anthropic, gemini,
openai-chat, openai-responses) it is the conversation part of one, ready to
send. As markdown it is a page for people to read.
All of them are as it was, or with --compacted as a model sees it.`,
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
	if about, err := os.Stat(out); format == string(transcript.JP) && err == nil && about.IsDir() {
		return a.exportDirectory(ctx, args, format, out, compacted)
	}
	to, err := a.destination(out)
	if err != nil {
		return err
	}
	defer to.abandon()
	view, err := a.view(ctx, args, compacted)
	if err != nil {
		return err
	}
	warnings, err := a.export(to, format, view)
	if err != nil {
		return err
	}
	if err := to.commit(); err != nil {
		return err
	}
	done := exportJSON{
		Conversation: view.ID, Format: format, Compacted: compacted, Resume: to.howToResume(format), Warnings: append([]string{}, warnings...),
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

// view gives a conversation as it is to be exported.
func (a *app) view(ctx context.Context, args []string, compacted bool) (transcript.View, error) {
	s, err := a.session(ctx, args)
	if err != nil {
		return transcript.View{}, err
	}
	c, err := a.workspace.store.Conversation(ctx, s.ID())
	if err != nil {
		return transcript.View{}, err
	}
	from := transcript.Tenfold
	if imported := session.FormatOf(c); imported != "" {
		from = transcript.Format(imported) // its exporter gives back what it can as it was
	}
	return transcript.View{
		Conversation: transcript.Conversation{ID: c.ID, Title: c.Title, Format: from, Created: c.Created},
		Projection:   s.Projection(), Compacted: compacted,
	}, nil
}

// exportDirectory makes a directory of a tool's that keeps each conversation in
// one.
func (a *app) exportDirectory(ctx context.Context, args []string, format, dir string, compacted bool) error {
	view, err := a.view(ctx, args, compacted)
	if err != nil {
		return err
	}
	path, warnings, err := transcript.ExportDirectory(dir, transcript.Format(format), view)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(exportJSON{
			Conversation: view.ID, Format: format, Compacted: compacted, Path: path, Warnings: append([]string{}, warnings...),
		})
	}
	for _, text := range warnings {
		a.warn(view.ID + ": " + text)
	}
	a.noticef("made %s", visibleLine(path))
	return nil
}
