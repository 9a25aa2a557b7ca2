package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/transcript"
)

func (a *app) importCommand() *cobra.Command {
	var format string
	var strict bool
	c := &cobra.Command{
		Use:   "import [FILE|DIRECTORY]… [flags]",
		Short: "Put saved sessions into the store",
		Long: `Reads saved sessions into the store, and makes the last one the active
conversation. Compactions that the other tool made come along as overlays, so
that undoing them gives back what they hid.

Only the new entries of a file that was imported before are added, as long as it
still begins as it did then. One that was cut, rewritten or turned back becomes
a conversation of its own, and the report says so; so does another file that
begins alike.

A file may be packed with gzip or zstd, and may hold several conversations. Of a
directory every session in it is read; with --from alone those that the tool
keeps in its own place.

A damaged line or record is skipped; a warning says how many there were and
which came first. A file that is mostly damaged is an error, and with --strict
every file with a damaged record is.

` + sentence("The format is detected, or named with --from: "+strings.Join(readableFormats(), ", ")+"."),
		Example: `  tenfold conversation import session.jsonl
  tenfold conversation import --from claude-code
  tenfold conversation import --from jp events.json`,
		Args: arguments(0, -1, "a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat("--from", format); err != nil {
				return err
			}
			i := importing{app: a, format: format, strict: strict}
			if len(args) == 0 {
				return i.home(c.Context())
			}
			return i.all(c.Context(), args)
		},
	}
	c.Flags().StringVar(&format, "from", "", "the `FORMAT` of the files, instead of detecting it")
	registerStrict(c, &strict)
	complete(c, "from", readableFormats()...)
	return c
}

// importing is one run of import.
type importing struct {
	*app
	format string
	strict bool

	// What was done in the directories that were searched.
	files, conversations, fresh, others int
	failed                              bool
}

// home imports what a tool keeps in its own place.
func (i *importing) home(ctx context.Context) error {
	if i.format == "" {
		return usage("tenfold conversation import needs a file, a directory, or --from", "write tenfold conversation import FILE, or --from claude-code for all that tool keeps")
	}
	home, err := os.UserHomeDir()
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
		return hinted(errors.New("no sessions of "+i.format+" in "+strings.Join(dirs, " or ")), "not_found", "name the file or the directory")
	}
	return i.all(ctx, there)
}

// all imports files and directories. One that fails stops no other.
func (i *importing) all(ctx context.Context, paths []string) error {
	searched := false
	for _, path := range paths {
		var err error
		if i.searches(path) {
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
			i.fail(err)
			i.failed = true
		}
	}
	if searched && i.files == 0 {
		return hinted(errors.New("no session was found in "+strings.Join(paths, ", ")+i.left()), "not_found", "known formats: "+strings.Join(readableFormats(), ", "))
	}
	if searched {
		i.noticef("%s from %s, %s%s", count(i.conversations, "conversation", "conversations"), count(i.files, "file", "files"),
			count(i.fresh, "new entry", "new entries"), i.left())
	}
	if i.workspace != nil && i.workspace.inMemory() {
		i.noticeActivef("")
	}
	if i.failed {
		return errTold
	}
	return nil
}

// searches reports whether a path is a directory that holds transcripts, and is
// none itself.
func (i *importing) searches(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return false
	}
	f, err := transcript.Open(path)
	if err == nil {
		_ = f.Close()
	}
	return err != nil
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
			i.fail(err)
			i.failed = true
		}
	}
	return nil
}

// left says what was passed over in the directories.
func (i *importing) left() string {
	if i.others == 0 {
		return ""
	}
	return "; " + count(i.others, "other file is not a transcript", "other files are not transcripts")
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
	// Parted is set where the file no longer continues what it held before.
	Parted *partedJSON `json:"parted,omitzero"`
}

// file imports the conversations of one file, each as soon as it is read.
func (i *importing) file(ctx context.Context, path string) error {
	l, err := i.open(ctx)
	if err != nil {
		return err
	}
	i.files++
	return steadily(func() error {
		return i.importFile(ctx, path, i.format, "--from", i.strict, func(in imported) error {
			at, err := i.put(ctx, l, in)
			if err != nil {
				return err
			}
			i.conversations++
			i.fresh += at.added
			return i.tellImport(in, at)
		})
	})
}

func (a *app) tellImport(in imported, at located) error {
	for _, w := range in.warnings {
		a.warn(in.path + ": " + w)
	}
	view := at.Session.Projection()
	out := importJSON{
		Conversation: at.ID, Source: sourceJSON{in.path, string(in.Format)},
		Turns: view.Log().Turns(), Entries: int(view.Version()), New: at.added, Parted: newPartedJSON(at.Parted),
		Compactions: len(live(view)), Tokens: countJSON(view.Totals().All()),
		Warnings: append([]string{}, in.warnings...),
	}
	if a.json {
		return a.emit(out)
	}
	news := "all new"
	switch {
	case at.added == 0:
		news = "none new"
	case at.added < out.Entries:
		news = thousands(at.added) + " new"
	}
	a.printf("%s  %s, %s (%s), %s", a.paint(bold, at.ID), count(out.Turns, "turn", "turns"),
		count(out.Entries, "entry", "entries"), news, tokens(out.Tokens.Before, out.Tokens.After))
	if out.Compactions > 0 {
		a.printf(", %s", count(out.Compactions, "compaction", "compactions"))
	}
	a.printf("\n")
	a.tellParted(in.path, at.ID, out.Parted, false)
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
