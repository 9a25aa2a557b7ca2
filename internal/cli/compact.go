package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/transcript"
)

// compactFile is "tenfold compact FILE…".
type compactFile struct {
	*app
	rangeFlags
	to     []string
	out    string
	format string
	strict bool
	// last and here choose the newest session of the tools on this machine.
	last, here bool
	// only is the session to read of a database that holds many; empty reads all.
	only string
}

func (a *app) compactCommand() *cobra.Command {
	k := &compactFile{app: a}
	c := &cobra.Command{
		Use:   "compact [FILE…] [flags]",
		Short: "Compact saved sessions of an agent",
		Long: `Reads saved sessions, compacts them, and reports how much that saves. "-" is
standard input.

Without a FILE, on a terminal, you pick one of the sessions that the tools on
this machine keep. --last takes the newest of them, --here the newest of this
directory.

` + sentence("The format is detected: "+strings.Join(readableFormats(), ", ")+".") + `

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
` + sentence("--to then names its format: "+strings.Join(exportFormats(), ", ")+".") + `
A file named *.jsonl defaults to tenfold, which is lossless. Any other value of
--to is the end of the range; to give both, repeat --to.`,
		Example: `  tenfold compact --here
  tenfold compact session.jsonl
  tenfold compact session.jsonl --dry-run --keep 50k
  tenfold compact session.jsonl --strategy strip-tools:over=2KB
  tenfold compact session.jsonl --to -3 --out short.json --to anthropic`,
		Args: arguments(0, -1, ""),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
	}
	k.register(a, c)
	c.Flags().StringArrayVar(&k.to, "to", nil, "end of the range, a `BOUND`; or the format of --out")
	c.Flags().StringVar(&k.out, "out", "", "`FILE` to write the compacted conversation to")
	c.Flags().StringVar(&k.format, "format", "", "`FORMAT` of the session (default: detected)")
	registerStrict(c, &k.strict)
	c.Flags().BoolVar(&k.last, "last", false, "compact the newest session of the tools on this\nmachine")
	c.Flags().BoolVar(&k.here, "here", false, "compact the newest session of this directory")
	complete(c, "format", readableFormats()...)
	complete(c, "to", exportFormats()...)
	return c
}

// registerStrict adds --strict to a command that reads transcripts.
func registerStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "fail on a damaged line or record, do not skip it")
}

// split separates the two meanings of --to: the format of --out, and the bound.
func (k *compactFile) split() (bound, format string, err error) {
	for _, to := range k.to {
		place := &bound
		switch {
		case isExportFormat(to) && k.out == "":
			return "", "", usage("--to "+to+" is a format, but --out is missing", "add --out FILE")
		case isExportFormat(to):
			place = &format
		case k.out != "":
			if _, err := tenfold.ParseBound(to); err != nil {
				return "", "", usage("invalid --to value "+quote(to)+": not a format or a bound",
					"formats are "+strings.Join(exportFormats(), ", ")+"; a bound is a turn (5), turns before the last (-3) or a time ago (5h, 2d)")
			}
		}
		if *place != "" {
			return "", "", usage("--to is both "+quote(*place)+" and "+quote(to), "give at most one bound, and one format for --out")
		}
		*place = to
	}
	return bound, format, nil
}

func (k *compactFile) run(ctx context.Context, paths []string) error {
	bound, format, err := k.split()
	if err != nil {
		return err
	}
	req, err := k.request(bound)
	if err != nil {
		return err
	}
	if err := checkFormat("--format", k.format); err != nil {
		return err
	}
	// Report errors in flags and configuration before reading a file.
	e, err := k.effective()
	if err != nil {
		return err
	}
	if paths, err = k.found(ctx, paths); err != nil || len(paths) == 0 {
		return err
	}
	first := req
	if err := k.configure(k.app, &first, e, subject{}); err != nil {
		return err
	}
	req.Options.Source = sourceFile
	if k.out == "" {
		return k.all(ctx, paths, req, nil)
	}
	if format, err = formatFor(format, k.out); err != nil {
		return err
	}
	switch {
	case k.dryRun:
		return exclusive("--dry-run", "--out")
	case len(paths) > 1:
		return usage("--out requires a single FILE", "run the command once for each file")
	case sameFile(paths[0], k.out):
		return usage("--out would overwrite the session", "choose another file")
	}
	to, err := k.destination(k.out)
	if err != nil {
		return err
	}
	defer to.abandon()
	req.Options.Renewed = transcript.Renewed(transcript.Format(format))
	return k.all(ctx, paths, req, &outTo{destination: to, format: format})
}

// all compacts the files one after the other; it continues when one fails.
func (k *compactFile) all(ctx context.Context, paths []string, req session.Request, to outlet) error {
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
			k.fail(err)
			failed = errTold
			continue
		}
		done++
		sum.Before, sum.After = sum.Before+all.Before, sum.After+all.After
	}
	if !k.JSON && done > 0 {
		k.rows([]row{totalRow("All", count(done, "file", "files"), sum)})
	}
	return failed
}

// one compacts the conversations of one file, and sums up their tokens.
func (k *compactFile) one(ctx context.Context, path string, req session.Request, to outlet, several bool) (sum report.Tokens, err error) {
	err = steadily(func() (err error) {
		sum, err = k.read(ctx, path, req, to, several)
		return err
	})
	return sum, err
}

func (k *compactFile) read(ctx context.Context, path string, req session.Request, to outlet, several bool) (sum report.Tokens, err error) {
	var found []imported
	err = k.importSession(ctx, path, k.only, k.format, "--format", k.strict, func(in imported) error {
		found = append(found, in)
		return nil
	})
	if err != nil {
		return sum, err
	}
	if to != nil && len(found) > 1 {
		if many, format := to.many(); !many {
			return sum, usage(path+" has "+count(len(found), "conversation", "conversations")+", but "+format+" holds only one",
				"use --to tenfold")
		}
	}
	if len(found) == 1 && !several { // of many, some may be too short
		if err := k.outside(found[0].log.Turns()); err != nil {
			return sum, err
		}
	}
	reports := make([]*compactReport, len(found))
	var views []transcript.View
	var failed error
	for i, in := range found {
		r, err := k.compact(ctx, in, req)
		if err != nil {
			return sum, err
		}
		in.ID, failed, reports[i] = r.Conversation, cmp.Or(failed, r.failed), r
		views = append(views, transcript.View{Conversation: in.Conversation, Projection: r.View(), Compacted: true})
		sum.Before, sum.After = sum.Before+r.Tokens.Before, sum.After+r.Tokens.After
	}
	if to != nil && failed == nil {
		if err := to.write(k.app, reports[0], views); err != nil {
			return sum, err
		}
	}
	k.print(reports, several || len(found) > 1, to != nil && to.piped())
	for _, r := range reports {
		k.printResume(r.Resume)
	}
	return sum, failed
}

// compact plans over one conversation, and stores it with the overlays. If
// another writer came first it plans again: a summary of the same entries is
// not requested twice.
func (k *compactFile) compact(ctx context.Context, in imported, req session.Request) (*compactReport, error) {
	var l *workspace
	if !k.dryRun || k.hasStore() { // a dry run makes none
		var err error
		if l, err = k.open(ctx); err != nil {
			return nil, err
		}
	}
	var r *compactReport
	var at located
	k.asked = nil
	err := retried(ctx, func() (err error) {
		if at, err = k.locate(ctx, l, in); err == nil {
			r, err = k.plan(ctx, l, in, at, req)
		}
		return err
	})
	defer k.asked.discard()
	if err != nil {
		k.asked.flushNotes()
		return nil, err
	}
	k.annotate(k.app, r, in.warnings...)
	switch {
	case k.dryRun:
		in.taken[at.ID] = true
		return r, nil
	case at.created:
		k.noticeActivef("stored as conversation %s, now the active one", at.ID)
	case at.added > 0:
		k.Noticef("added %s to conversation %s", count(at.added, "new entry", "new entries"), at.ID)
	}
	return r, k.settle(ctx, l, in, at)
}

// plan plans over a conversation as it will be stored, without the overlays of
// earlier runs, and stores both.
func (k *compactFile) plan(ctx context.Context, l *workspace, in imported, at located, req session.Request) (*compactReport, error) {
	now := at.Projection()
	base := k.withoutFileOverlays(now)
	extras := extrasOf(now.Log())
	before := k.asked
	if err := k.prepare(k.app, &req, at.ID, base); err != nil {
		return nil, err
	}
	k.asked.resume(before)
	if at.Session != nil {
		k.asked.stored, k.asked.storedLog = fileOverlays(at.Session.Projection()), at.Session.Log()
	}
	keep, err := k.keepSettings(extras...)
	if err != nil {
		return nil, err
	}
	if path, err := filepath.Abs(in.path); err == nil && in.path != "-" {
		req.Options.Transcript = path
	}
	req.Options.Handle = session.Handle(at.ID)
	plan, err := session.PlanOver(ctx, session.ViewOf(base, ""), req, k.now())
	if err != nil {
		return nil, err
	}
	r := newCompactReport(at.ID, in.log, plan, plan.View(), req.Target)
	r.failed = r.Refusal(req, k.asked.name)
	if !k.dryRun {
		var write, overlays []tenfold.Entry
		if r.failed == nil { // else keep what an earlier run made
			write, overlays = k.replacement(l, now, plan)
		}
		k.StartProgress("store "+at.ID, 0)
		err = at.Store(ctx, slices.Concat(keep, write)...)
		k.Progress.End()
		if err != nil {
			return nil, err
		}
		k.asked.keep(compactionsOf(overlays))
		failed := r.failed
		r = newCompactReport(at.ID, in.log, plan, at.Session.Projection(), req.Target, idsOf(overlays)...)
		r.failed = failed
		r.keeps(keep)
	}
	r.Source, r.DryRun, r.Parted = &report.Source{Path: in.path, Format: string(in.Format)}, k.dryRun, report.PartedOf(at.Parted)
	return r, nil
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

// idsOf are the ids of entries.
func idsOf(entries []tenfold.Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// print prints the reports of one file, each with a heading if there are
// several, and aside if standard output has the result itself.
func (k *compactFile) print(reports []*compactReport, headed, aside bool) {
	t := k.app
	if aside {
		_ = k.Flush()
		t = k.aside()
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
			about := terminal.VisibleLine(r.Source.Format) + ", " + count(r.Turns, "turn", "turns") + ", " + count(r.Entries, "entry", "entries")
			t.Printf("%s  %s\n", t.Paint(terminal.Bold, terminal.VisibleLine(r.Source.Path)), t.Paint(terminal.Faint, "("+about+")"))
		}
		if r.failed == nil || headed { // else the error says it
			t.printReport(r)
		}
		k.printNotes(r)
		if headed {
			t.Printf("\n")
		}
	}
}
