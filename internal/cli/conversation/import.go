package conversation

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/token"
	"tenfold/transcript"
)

func importCommand(a *command.App) *cobra.Command {
	var format string
	var strict bool
	c := &cobra.Command{
		Use:   "import [FILE|DIRECTORY]… [flags]",
		Short: "Import saved sessions",
		Long: `Imports saved sessions into the store and makes the last one the active
conversation. Compactions made by the original tool become overlays, so undoing
them restores what they hid.

From a file that was imported before, only new entries are added, if it still
begins the same way. A file that was truncated, rewritten or rewound becomes a
new conversation, and the report says so; so does another file with the same
beginning.

A file can be compressed with gzip or zstd, and can contain several
conversations. A directory is searched for sessions; --from alone imports every
session that the tool has stored.

Damaged lines or records are skipped; a warning reports how many there are and
the first one. A file that is mostly damaged is an error; with --strict, any
damage is.

` + command.Sentence("The format is detected, or named with --from: "+strings.Join(transcripts.ReadableFormats(), ", ")+"."),
		Example: `  tenfold conversation import session.jsonl
  tenfold conversation import --from claude-code
  tenfold conversation import --from jp events.json`,
		Args: command.Arguments(0, -1, "a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := transcripts.CheckFormat("--from", format); err != nil {
				return err
			}
			i := importing{App: a, format: format, strict: strict}
			if len(args) == 0 {
				return i.home(c.Context())
			}
			return i.all(c.Context(), args)
		},
	}
	c.Flags().StringVar(&format, "from", "", "`FORMAT` of the files (default: detected)")
	transcripts.RegisterStrict(c, &strict)
	command.Complete(c, "from", transcripts.ReadableFormats()...)
	return c
}

// importing is one run of import.
type importing struct {
	*command.App
	format string
	strict bool

	// Totals over the directories searched.
	files, conversations, fresh, others int
	failed                              bool
}

// home imports every session that a tool has stored.
func (i *importing) home(ctx context.Context) error {
	if i.format == "" {
		return command.Usage("tenfold conversation import requires a file, a directory, or --from", "usage: tenfold conversation import FILE, or --from claude-code for all its sessions")
	}
	home, err := command.HomeDirectory()
	if err != nil {
		return err
	}
	dirs, err := transcript.Homes(transcript.Format(i.format), home, os.Getenv)
	if err != nil {
		return err
	}
	var there []string
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err == nil {
			there = append(there, dir)
		}
	}
	if len(there) == 0 {
		return command.Hinted(errors.New("import: no "+i.format+" sessions in "+strings.Join(dirs, " or ")), "not_found", "name a file or a directory")
	}
	return i.all(ctx, there)
}

// all imports files and directories; it continues when one fails.
func (i *importing) all(ctx context.Context, paths []string) error {
	searched := false
	for _, path := range paths {
		var err error
		if transcripts.ToSearch(path) {
			searched = true
			err = i.directory(ctx, path)
		} else {
			err = i.file(ctx, path)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil || len(paths) == 1:
			return err
		default:
			i.Fail(err)
			i.failed = true
		}
	}
	if searched && i.files == 0 {
		return command.Hinted(errors.New("no sessions found in "+strings.Join(paths, ", ")+i.left()), "not_found", "known formats: "+strings.Join(transcripts.ReadableFormats(), ", "))
	}
	if searched {
		i.Noticef("imported %s from %s, %s%s", number.Count(i.conversations, "conversation"), number.Count(i.files, "file"),
			number.CountOf(i.fresh, "new entry", "new entries"), i.left())
	}
	if i.Workspace != nil && i.Workspace.InMemory() {
		i.NoticeActivef("")
	}
	if i.failed {
		return command.ErrTold
	}
	return nil
}

// directory imports every transcript below a directory.
func (i *importing) directory(ctx context.Context, dir string) error {
	for f, err := range transcript.Find(ctx, dir, transcript.Format(i.format)) {
		switch {
		case err != nil:
			return err
		case f.Err != nil:
			i.others++
			continue
		}
		if err := i.file(ctx, f.Path); err != nil {
			if ctx.Err() != nil {
				return err
			}
			i.Fail(err)
			i.failed = true
		}
	}
	return nil
}

// left reports the files skipped in the directories.
func (i *importing) left() string {
	if i.others == 0 {
		return ""
	}
	return "; skipped " + number.CountOf(i.others, "file that is not a transcript", "files that are not transcripts")
}

type importJSON struct {
	Conversation string        `json:"conversation"`
	Source       report.Source `json:"source"`
	Turns        int           `json:"turns"`
	Entries      int           `json:"entries"`
	New          int           `json:"new"`
	Compactions  int           `json:"compactions"`
	Tokens       report.Tokens `json:"tokens"`
	Warnings     []string      `json:"warnings"`
	// Parted is set where the file no longer continues what it held before.
	Parted *report.Parted `json:"parted,omitzero"`
}

// file imports the conversations of one file, each as soon as it is read.
func (i *importing) file(ctx context.Context, path string) error {
	l, err := i.Open(ctx)
	if err != nil {
		return err
	}
	i.files++
	return transcripts.Steadily(func() error {
		return transcripts.Read(ctx, i.App, path, "", i.format, "--from", i.strict, func(in transcripts.Imported) error {
			at, err := transcripts.Put(ctx, i.App, l, in)
			if err != nil {
				return err
			}
			i.conversations++
			i.fresh += at.Added
			return printImport(i.App, in, at)
		})
	})
}

func printImport(a *command.App, in transcripts.Imported, at transcripts.Located) error {
	for _, w := range in.Warnings {
		a.Warn(in.Path + ": " + w)
	}
	view := at.Session.Projection()
	out := importJSON{
		Conversation: at.ID, Source: report.Source{Path: in.Path, Format: string(in.Format)},
		Turns: view.Log().Turns(), Entries: int(view.Version()), New: at.Added, Parted: report.PartedOf(at.Parted),
		Compactions: len(display.LiveOverlays(view)), Tokens: report.Totals(view, token.Calibrate(view.Log())),
		Warnings: in.Warnings,
	}
	if a.JSON {
		return a.Emit(out)
	}
	news := "all new"
	switch {
	case at.Added == 0:
		news = "none new"
	case at.Added < out.Entries:
		news = number.Thousands(at.Added) + " new"
	}
	a.Printf("%s  %s, %s (%s), %s", a.Paint(terminal.Bold, terminal.Word(at.ID)), number.Count(out.Turns, "turn"),
		number.CountOf(out.Entries, "entry", "entries"), news, number.Tokens(out.Tokens.Before, out.Tokens.After))
	if out.Compactions > 0 {
		a.Printf(", %s", number.Count(out.Compactions, "compaction"))
	}
	a.Printf("\n")
	display.PrintParted(a, in.Path, at.ID, out.Parted, false)
	return nil
}
