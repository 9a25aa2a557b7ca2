// Package compaction holds the commands that compact: "tenfold compact", "tenfold
// conversation compact" and "tenfold resume", with the flags and the report that
// they share and the choice of who writes summaries.
package compaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/transcript"
)

// File is "tenfold compact FILE…".
type File struct {
	*command.App
	Flags
	to     []string
	out    string
	Format string
	strict bool
	// last and here choose the newest session of the tools on this machine.
	last, Here bool
	// Only is the session to read of a database that holds many; empty reads all.
	Only string
	// older is told once: see [command.App.Look].
	older bool
	// stored are the new conversations of a file, and active is its last.
	stored []string
	active string
}

// Command is "tenfold compact".
func Command(a *command.App) *cobra.Command {
	k := &File{App: a}
	c := &cobra.Command{
		Use:   "compact [FILE…] [flags]",
		Short: "Compact saved sessions of an agent",
		Long: `Reads saved sessions, compacts them, and reports how much that saves. "-" is
standard input.

Without a FILE, on a terminal, you pick one of the sessions that the tools on
this machine keep. --last takes the newest of them, --here the newest of this
directory.

` + command.Sentence("The format is detected: "+strings.Join(transcripts.ReadableFormats(), ", ")+".") + `

The conversations are kept in the store and the last one becomes active, so that
"tenfold conversation" can show it, undo the compaction, or compact differently.
The file is not changed. Running the command again on the same file imports only
new entries and replaces the compaction of the earlier run; with the same flags
it gives the same report and writes nothing. If the file no longer begins the
same way, it becomes a new conversation.

A damaged line or record is skipped with a warning; --strict makes it an error.

` + rangeHelp + `

` + modelHelp + `

--out writes the compacted conversation to a file, completely or not at all; "-"
is standard output, and the report then goes to standard error.
` + command.Sentence("--to then names its format: "+strings.Join(transcripts.ExportFormats(), ", ")+".") + `
A file named *.jsonl defaults to tenfold, which is lossless, and *.md to
markdown. Any other value of --to is the end of the range; to give both, repeat
--to.`,
		Example: `  tenfold compact --here
  tenfold compact session.jsonl
  tenfold compact session.jsonl --dry-run --keep 50k
  tenfold compact session.jsonl --strategy strip-tools:over=2KB
  tenfold compact session.jsonl --to -3 --out short.json --to anthropic`,
		Args: command.Arguments(0, -1, ""),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
	}
	k.Register(a, c)
	c.Flags().StringArrayVar(&k.to, "to", nil, "end of the range, a `BOUND`; or the format of --out")
	c.Flags().StringVar(&k.out, "out", "", "`FILE` to write the compacted conversation to")
	c.Flags().StringVar(&k.Format, "format", "", "`FORMAT` of the session (default: detected)")
	transcripts.RegisterStrict(c, &k.strict)
	c.Flags().BoolVar(&k.last, "last", false, "compact the newest session of the tools on this\nmachine")
	c.Flags().BoolVar(&k.Here, "here", false, "compact the newest session of this directory")
	command.Complete(c, "format", transcripts.ReadableFormats()...)
	command.Complete(c, "to", transcripts.ExportFormats()...)
	return c
}

// split separates the two meanings of --to: the format of --out, and the bound.
func (k *File) split() (bound, format string, err error) {
	for _, to := range k.to {
		place := &bound
		switch {
		case transcripts.IsExportFormat(to) && k.out == "":
			return "", "", command.Usage("--to "+to+" is a format, but --out is missing", "add --out FILE")
		case transcripts.IsExportFormat(to):
			place = &format
		case k.out != "":
			if _, err := tenfold.ParseBound(to); err != nil {
				return "", "", command.Usage("invalid --to value "+command.Quote(to)+": not a format or a bound",
					"formats are "+strings.Join(transcripts.ExportFormats(), ", ")+"; a bound is a turn (5), turns before the last (-3) or a time ago (5h, 2d)")
			}
		}
		if *place != "" {
			return "", "", command.Usage("--to is both "+command.Quote(*place)+" and "+command.Quote(to), "give at most one bound, and one format for --out")
		}
		*place = to
	}
	return bound, format, nil
}

func (k *File) run(ctx context.Context, paths []string) error {
	bound, format, err := k.split()
	if err != nil {
		return err
	}
	if k.out != "" {
		if k.DryRun {
			return command.Exclusive("--dry-run", "--out")
		}
		if format, err = transcripts.FormatFor(format, k.out); err != nil {
			return err
		}
	}
	req, err := k.begin(bound)
	if err != nil {
		return err
	}
	if paths, err = k.found(ctx, paths); err != nil || len(paths) == 0 {
		return err
	}
	paths = once(paths)
	switch {
	case k.out == "":
		return k.all(ctx, paths, req, nil)
	case len(paths) > 1:
		return command.Usage("--out requires a single FILE", "run the command once for each file")
	case sameFile(paths[0], k.out):
		return command.Usage("--out would overwrite the session", "choose another file")
	}
	to, err := transcripts.OpenDestination(k.App, k.out)
	if err != nil {
		return err
	}
	defer to.Abandon()
	req.Options.Renewed = transcript.Renewed(transcript.Format(format))
	return k.all(ctx, paths, req, &outTo{Destination: to, format: format})
}

// begin reads the flags, and reports what is wrong with them or the configuration before
// a session is looked for.
func (k *File) begin(bound string) (session.Request, error) {
	req, err := k.Request(bound)
	if err != nil {
		return req, err
	}
	if err := transcripts.CheckFormat("--format", k.Format); err != nil {
		return req, err
	}
	e, err := k.Effective()
	if err != nil {
		return req, err
	}
	first := req // what is configured may differ for each conversation
	req.Options.Source = sourceFile
	return req, k.configure(k.App, &first, e, subject{})
}

// once leaves out files that were named before, as patterns of shells name them again: what
// they save counts once.
func once(paths []string) []string {
	var seen []os.FileInfo
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		again := slices.ContainsFunc(seen, func(have os.FileInfo) bool { return os.SameFile(have, info) })
		seen = append(seen, info)
		return again
	})
}

// all compacts the files one after the other; it continues when one fails.
func (k *File) all(ctx context.Context, paths []string, req session.Request, to outlet) error {
	if len(paths) == 1 {
		_, err := k.one(ctx, paths[0], req, to, false)
		return err
	}
	var sum report.Tokens
	var failed error
	done := 0
	for _, path := range paths {
		all, err := k.one(ctx, path, req, to, true)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			k.Fail(err)
			failed = command.ErrTold
			continue
		}
		done++
		sum.Before, sum.After = sum.Before+all.Before, sum.After+all.After
	}
	if !k.JSON && done > 0 {
		display.PrintRows(k.App, []display.Row{display.TotalRow("All", number.Count(done, "file"), sum)})
	}
	return failed
}

// one compacts the conversations of one file, and sums up their tokens.
func (k *File) one(ctx context.Context, path string, req session.Request, to outlet, several bool) (sum report.Tokens, err error) {
	err = transcripts.Steadily(func() (err error) {
		sum, err = k.read(ctx, path, req, to, several)
		return err
	})
	return sum, err
}

func (k *File) read(ctx context.Context, path string, req session.Request, to outlet, several bool) (sum report.Tokens, err error) {
	var found []transcripts.Imported
	err = transcripts.Read(ctx, k.App, path, k.Only, k.Format, "--format", k.strict, func(in transcripts.Imported) error {
		found = append(found, in)
		return nil
	})
	if err != nil {
		return sum, err
	}
	if to != nil && len(found) > 1 {
		if many, format := to.many(); !many {
			return sum, command.Usage(path+" has "+number.Count(len(found), "conversation")+", but "+format+" holds only one",
				"use --to tenfold")
		}
	}
	if len(found) == 1 && !several { // of many, some may be too short
		if err := k.Outside(found[0].Log.Turns()); err != nil {
			return sum, err
		}
	}
	reports := make([]*Report, len(found))
	var views []transcript.View
	var failed error
	refused := 0
	k.stored = nil
	defer k.tellStored() // after an error, too
	for i, in := range found {
		r, err := k.compact(ctx, in, req)
		if err != nil {
			return sum, err
		}
		in.ID, failed, reports[i] = r.Conversation, cmp.Or(failed, r.failed), r
		if r.failed != nil {
			refused++
		}
		views = append(views, transcript.View{Conversation: in.Conversation, Projection: r.View(), Compacted: true})
		sum.Before, sum.After = sum.Before+r.Tokens.Before, sum.After+r.Tokens.After
	}
	if failed != nil && len(found) > 1 {
		failed = &problem.Error{
			Code: "summary_refused", Problem: fmt.Sprintf("the summary was refused for %d of %s", refused, number.Count(len(found), "conversation")),
			Hint: "the report says for which and why: those were not compacted",
		}
	}
	if to != nil && failed == nil {
		if err := to.write(k.App, reports[0], views); err != nil {
			return sum, err
		}
	}
	k.tellStored()
	k.print(reports, several || len(found) > 1, to != nil && to.piped())
	for _, r := range reports {
		transcripts.PrintResume(k.App, r.Resume)
	}
	return sum, failed
}

// tellStored says which conversations are new.
func (k *File) tellStored() {
	switch n := len(k.stored); {
	case n == 1 && k.stored[0] == k.active:
		k.NoticeActivef("stored as conversation %s, now the active one", k.active)
	case n > 0:
		k.NoticeActivef("stored as %s; %s is now the active one", number.Count(n, "conversation"), k.active)
	}
	k.stored = nil
}

// compact plans over one conversation, and stores it with the overlays. If
// another writer came first it plans again: a summary of the same entries is
// not requested twice.
func (k *File) compact(ctx context.Context, in transcripts.Imported, req session.Request) (*Report, error) {
	var l *command.Workspace
	var err error
	switch {
	case !k.DryRun:
		l, err = k.Open(ctx)
	case k.MayHaveConversations() && !k.older: // a dry run makes no store, and upgrades none
		if l, err = k.Look(ctx); errors.Is(err, store.ErrOlder) {
			k.Noticef("what is stored of it is not looked at: %s", terminal.VisibleLine(err.Error()))
			k.older, err = true, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var r *Report
	var at transcripts.Located
	k.Writers = nil
	err = session.Retried(ctx, func() (err error) {
		if at, err = transcripts.Locate(ctx, k.App, l, in); err == nil {
			r, err = k.plan(ctx, l, in, at, req)
		}
		return err
	})
	defer k.Writers.Discard()
	if err != nil {
		k.Writers.FlushNotes()
		return nil, err
	}
	k.Annotate(k.App, r, in.Warnings...)
	k.active = terminal.Word(at.ID)
	switch {
	case k.DryRun:
		in.Taken[at.ID] = true
		return r, nil
	case at.Created:
		k.stored = append(k.stored, k.active)
	case at.Added > 0:
		k.Noticef("added %s to conversation %s", number.CountOf(at.Added, "new entry", "new entries"), terminal.Word(at.ID))
	}
	return r, transcripts.Settle(ctx, k.App, l, in, at)
}

// plan plans over a conversation as it will be stored, without the overlays of
// earlier runs, and stores both.
func (k *File) plan(ctx context.Context, l *command.Workspace, in transcripts.Imported, at transcripts.Located, req session.Request) (*Report, error) {
	now := at.Projection()
	base := withoutFileOverlays(k.App, now)
	extras := command.ExtrasOf(now.Log())
	before := k.Writers
	if err := k.Prepare(k.App, &req, at.ID, base); err != nil {
		return nil, err
	}
	k.Writers.resume(before)
	if at.Session != nil {
		k.Writers.Stored, k.Writers.StoredLog = fileOverlays(at.Session.Projection()), at.Session.Log()
	}
	keep, err := k.KeepSettings(extras...)
	if err != nil {
		return nil, err
	}
	if path, err := filepath.Abs(in.Path); err == nil && in.Path != "-" {
		req.Options.Transcript = path
	}
	req.Options.Handle = session.Handle(at.ID)
	plan, err := session.PlanOver(ctx, session.ViewOf(base, ""), req, k.Now())
	if err != nil {
		return nil, err
	}
	r := newReport(at.ID, in.Log, plan, plan.View(), req.Target)
	r.failed = r.Refusal(req, k.Writers.Name)
	if !k.DryRun {
		var write, overlays []tenfold.Entry
		if r.failed == nil { // else keep what an earlier run made
			write, overlays = replacement(k.App, l, now, plan)
		}
		if len(write) == 0 {
			plan.Compactions = asStored(plan.Compactions, compactionsOf(overlays))
		}
		k.StartProgress("store "+at.ID, 0)
		err = at.Store(ctx, slices.Concat(keep, write)...)
		k.Progress.End()
		if err != nil {
			return nil, err
		}
		k.Writers.Keep(compactionsOf(overlays))
		failed := r.failed
		r = newReport(at.ID, in.Log, plan, at.Session.Projection(), req.Target, idsOf(overlays)...)
		r.failed = failed
		r.keeps(keep)
	}
	r.Source, r.DryRun, r.Parted = &report.Source{Path: in.Path, Format: string(in.Format)}, k.DryRun, report.PartedOf(at.Parted)
	return r, nil
}

// asStored gives the overlays of a plan with the files that the stored ones name, which say
// the same: those written for the plan do not stay.
func asStored(made, stored []tenfold.Compaction) []tenfold.Compaction {
	made = slices.Clone(made)
	for i := range min(len(made), len(stored)) {
		if made[i].Summary != nil && stored[i].Summary != nil {
			s := *made[i].Summary
			s.Artifacts = stored[i].Summary.Artifacts
			made[i].Summary = &s
		}
	}
	return made
}

// compactionsOf are the overlays that entries add.
func compactionsOf(entries []tenfold.Entry) (all []tenfold.Compaction) {
	for _, e := range entries {
		if c, ok := e.Payload.(tenfold.Compaction); ok {
			all = append(all, c)
		}
	}
	return all
}

func idsOf(entries []tenfold.Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// print prints the reports of one file, each with a heading if there are
// several, and aside if standard output has the result itself.
func (k *File) print(reports []*Report, headed, aside bool) {
	t := k.App
	if aside {
		_ = k.Flush()
		t = k.Aside()
		defer func() { _ = t.Flush() }()
	}
	for _, r := range reports {
		for _, w := range r.Warnings {
			if headed {
				w = r.Source.Path + ": " + w
			}
			k.Warn(w)
		}
		if k.JSON {
			if err := t.Emit(r); err != nil {
				k.Warn(err.Error())
			}
			continue
		}
		if headed {
			about := terminal.VisibleLine(r.Source.Format) + ", "
			if len(reports) > 1 {
				about += terminal.Word(r.Conversation) + ", "
			}
			about += number.Count(r.Turns, "turn") + ", " + number.CountOf(r.Entries, "entry", "entries")
			t.Printf("%s  %s\n", t.Paint(terminal.Bold, terminal.VisibleLine(r.Source.Path)), t.Paint(terminal.Faint, "("+about+")"))
		}
		if r.failed == nil || headed { // else the error says it
			PrintReport(t, r)
		}
		PrintNotes(k.App, r)
		if headed {
			t.Printf("\n")
		}
	}
}
