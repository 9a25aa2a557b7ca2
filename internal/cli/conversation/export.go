package conversation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/htmlexport"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/transcript"
)

func exportCommand(a *command.App) *cobra.Command {
	var to, out string
	var compacted, raw bool
	var words []string
	export := func(ctx context.Context, s *session.Session) error {
		if to == htmlFormat {
			return exportPage(ctx, a, s, out, htmlexport.Options{Compacted: compacted, Unredacted: raw, Words: words})
		}
		view, err := viewToExport(ctx, a, s, compacted)
		if err != nil {
			return err
		}
		if about, err := os.Stat(out); to == string(transcript.JP) && err == nil && about.IsDir() {
			return exportDirectory(a, out, to, view)
		}
		return exportFile(a, out, to, view)
	}
	c := a.OnConversation(&cobra.Command{
		Use:   "export [ID] --to FORMAT [flags]",
		Short: "Export a conversation in another format",
		Long: `Exports a conversation to standard output, or to a file, which is written
completely or not at all.

tenfold is the complete log including compactions: importing it loses nothing.
claude-code, codex, opencode, pi, gemini-cli and jp are sessions that the tool
can resume with the command that is printed; what they cannot represent is
reported. With --to jp and a directory, such as .jp/conversations, the session
is created in that directory. anthropic, gemini, openai-chat and
openai-responses are the conversation part of a request, ready to send. markdown
is a readable page. Without --to, a file named *.jsonl is written as tenfold,
*.md as markdown and *.html as html.

html is a page to share: one file that works without a server, with the
timeline, what became of each entry and what the compactions saved. Secrets,
e-mail addresses and the user names in paths are redacted; the page says how
many. --redact adds words of your own, --no-redact redacts nothing.

The raw conversation is exported, or with --compacted what a model sees. If the
store is damaged, what comes before the damage is exported, and the exit code
is 1.`,
		Example: `  tenfold conversation export --to tenfold --out backup.jsonl
  tenfold conversation export --to html --redact "Acme Corp" --out talk.html
  tenfold conversation export --to anthropic --compacted > request.json`,
		PreRunE: func(c *cobra.Command, _ []string) (err error) {
			if to == htmlFormat || to == "" && strings.HasSuffix(out, ".html") {
				to = htmlFormat
				if raw && len(words) > 0 {
					return command.Exclusive("--redact", "--no-redact")
				}
				return nil
			}
			for _, name := range []string{"redact", "no-redact"} {
				if c.Flags().Changed(name) {
					return command.Usage("--"+name+" is only for --to html", "only the page is redacted; the other formats hold everything")
				}
			}
			to, err = transcripts.FormatFor(to, out, htmlFormat)
			return err
		},
	}, export)
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.Session(c.Context(), args)
		var lost error
		if err != nil {
			if s, lost = beforeDamage(c.Context(), a, args, err); s == nil {
				return err
			}
		}
		if err := export(c.Context(), s); err != nil {
			return err
		}
		return lost
	}
	c.Flags().StringVar(&to, "to", "", "`FORMAT` to write")
	command.Complete(c, "to", append(transcripts.ExportFormats(), htmlFormat)...)
	c.Flags().StringVar(&out, "out", "-", "`FILE` to write to")
	c.Flags().BoolVar(&compacted, "compacted", false, "export what a model sees")
	c.Flags().StringArrayVar(&words, "redact", nil, "with --to html, redact this `WORD` too; may be repeated")
	c.Flags().BoolVar(&raw, "no-redact", false, "with --to html, redact nothing")
	return c
}

// beforeDamage is what can be read of a conversation that does not open, as one in
// memory, and the error that says what is lost; nil where nothing can be read.
func beforeDamage(ctx context.Context, a *command.App, args []string, why error) (*session.Session, error) {
	passes := ctx.Err() != nil || errors.Is(why, store.ErrUnavailable) || errors.Is(why, store.ErrLocked) || errors.Is(why, store.ErrNotFound)
	if a.Workspace == nil || passes {
		return nil, nil
	}
	c, err := a.Workspace.Find(ctx, args)
	if err != nil {
		return nil, nil //nolint:nilerr // why says it
	}
	var entries []tenfold.Entry
	for e, err := range a.Workspace.Store.Entries(ctx, c.ID, 0) {
		if err != nil {
			break
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 || int64(len(entries)) >= c.Version {
		return nil, nil
	}
	st := memory.New()
	if err := st.Create(ctx, c, entries...); err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	s, err := a.ServiceOver(st).Open(ctx, c.ID)
	if err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	return s, &problem.Error{
		Code: "damaged", Problem: fmt.Sprintf("exported the first %d of %d entries of conversation %s; what follows cannot be read: %v", len(entries), c.Version, c.ID, why),
		Hint: "restore the rest from a backup", Err: why,
	}
}

// exportJSON describes an export; path is empty for standard output.
type exportJSON struct {
	Conversation string   `json:"conversation"`
	Format       string   `json:"format"`
	Compacted    bool     `json:"compacted"`
	Path         string   `json:"path,omitzero"`
	Resume       []string `json:"resume,omitempty"`
	Warnings     []string `json:"warnings"`
}

func exportFile(a *command.App, out, format string, view transcript.View) error {
	to, err := transcripts.OpenDestination(a, out)
	if err != nil {
		return err
	}
	defer to.Abandon()
	warnings, err := transcripts.WriteTranscript(a, to, format, view)
	if err == nil {
		err = to.Commit()
	}
	if err != nil {
		return err
	}
	done := exportJSON{Conversation: view.ID, Format: format, Compacted: view.Compacted, Warnings: warnings}
	done.Resume = to.ResumeCommands(format)
	t := a
	switch {
	case to.File != nil:
		done.Path = out
	case a.JSON: // the conversation went to standard output
		t = a.Aside()
		defer func() { _ = t.Flush() }()
	}
	return t.Result(done, func() { transcripts.PrintResume(a, done.Resume) })
}

// viewToExport is a conversation as exporters take it.
func viewToExport(ctx context.Context, a *command.App, s *session.Session, compacted bool) (transcript.View, error) {
	c, err := a.Workspace.Store.Conversation(ctx, s.ID())
	if err != nil {
		return transcript.View{}, err
	}
	from := transcript.Tenfold
	if imported := session.FormatOf(c); imported != "" {
		from = transcript.Format(imported) // its exporter restores original records
	}
	return transcript.View{
		Conversation: transcript.Conversation{ID: c.ID, Title: c.Title, Format: from, Created: c.Created},
		Projection:   s.Projection(), Compacted: compacted, Copied: c.Origin.Key == "" && session.ToolOf(c) != "",
	}, nil
}

// exportDirectory creates the session in a directory of the tool.
func exportDirectory(a *command.App, dir, format string, view transcript.View) error {
	path, warnings, err := transcript.ExportDirectory(dir, transcript.Format(format), view)
	if err != nil {
		return err
	}
	done := exportJSON{Conversation: view.ID, Format: format, Compacted: view.Compacted, Warnings: warnings}
	done.Path = path
	return a.Result(done, func() {
		for _, text := range warnings {
			a.Warn(view.ID + ": " + text)
		}
		a.Noticef("created %s", terminal.VisibleLine(path))
	})
}
