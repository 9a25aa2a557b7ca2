package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
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
}

func (a *app) compactCommand() *cobra.Command {
	k := &compactFile{app: a}
	c := &cobra.Command{
		Use:   "compact FILE… [flags]",
		Short: "Compact the session that an agent saved",
		Long: `Reads saved sessions, compacts them, and tells what that saves. "-" is standard
input.

` + sentence("The format is detected: "+strings.Join(readableFormats(), ", ")+".") + `

The conversations are kept in the store, the last one as the active one, so that
"tenfold conversation" can show them, undo, and compact differently. The file is
not touched. Running the command again on the same file imports only new entries
and replaces the compaction of the earlier run; the same flags give the same
report and write nothing. A file that no longer begins as it did then becomes a
conversation of its own.

A damaged line or record is skipped with a warning; --strict makes it an error.

` + rangeHelp + `

` + modelHelp + `

--out writes the compacted conversation to a file, which appears whole or not
at all; "-" is standard output, and then the report goes to standard error.
` + sentence("--to then names its format: "+strings.Join(exportFormats(), ", ")+".") + `
A file named *.jsonl is written as tenfold, which holds everything. Any other
value of --to is the bound where the range ends; --to may be given twice, once
for each.`,
		Example: `  tenfold compact session.jsonl
  tenfold compact session.jsonl --dry-run --keep 50k
  tenfold compact session.jsonl --strategy strip-tools:over=2KB
  tenfold compact session.jsonl --to -3 --out short.json --to anthropic`,
		Args: arguments(1, -1, "a file"),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
	}
	k.register(c)
	k.completeProfiles(c)
	c.Flags().StringArrayVar(&k.to, "to", nil, "`BOUND` where the range ends; or what to write\n--out as")
	c.Flags().StringVar(&k.out, "out", "", "`FILE` to write the compacted conversation to")
	c.Flags().StringVar(&k.format, "format", "", "`FORMAT` of the session, else it is detected")
	registerStrict(c, &k.strict)
	complete(c, "format", readableFormats()...)
	complete(c, "to", exportFormats()...)
	return c
}

// registerStrict adds the flag of commands that read transcripts.
func registerStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "fail on a damaged line or record instead of\nskipping it with a warning")
}

// split tells the two meanings of --to apart: with --out the name of a format
// is one, all else is a bound.
func (k *compactFile) split() (bound, format string, err error) {
	for _, to := range k.to {
		place := &bound
		switch {
		case isExportFormat(to) && k.out == "":
			return "", "", usage("--to "+to+" names a format, but there is no --out", "name the file with --out FILE")
		case isExportFormat(to):
			place = &format
		case k.out != "":
			if _, err := tenfold.ParseBound(to); err != nil {
				return "", "", usage("--to: "+quote(to)+" is neither a format nor a bound",
					"formats are "+strings.Join(exportFormats(), ", ")+"; a bound is a turn (5), turns before the last (-3) or a time ago (5h, 2d)")
			}
		}
		if *place != "" {
			return "", "", usage("--to says "+quote(*place)+" and "+quote(to), "give one bound, and one format for --out")
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
	// What is wrong with the flags or the configuration is told before a file
	// is read.
	e, err := k.effective()
	if err != nil {
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
		return usage("--dry-run writes nothing, so --out has nothing to do", "leave out one of them")
	case len(paths) > 1:
		return usage("--out takes the conversations of one file, not of several", "run the command once for each file")
	case sameFile(paths[0], k.out):
		return usage("--out would overwrite the session it reads", "name another file")
	}
	to, err := k.destination(k.out)
	if err != nil {
		return err
	}
	defer to.abandon()
	return k.all(ctx, paths, req, &outTo{destination: to, format: format})
}

func sameFile(x, y string) bool {
	one, err := os.Stat(x)
	if err != nil {
		return false
	}
	other, err := os.Stat(y)
	return err == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

// outTo is where --out leads.
type outTo struct {
	*destination
	format string
}

// all compacts the files one after the other. One that fails does not keep the
// others from their turn.
func (k *compactFile) all(ctx context.Context, paths []string, req session.Request, to *outTo) error {
	if len(paths) == 1 {
		_, err := k.one(ctx, paths[0], req, to, false)
		return err
	}
	var sum tenfold.Count
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
		for _, c := range all {
			sum.Before, sum.After = sum.Before+c.Before, sum.After+c.After
		}
	}
	if !k.json && done > 0 {
		k.rows([]row{totalRow("All", count(done, "file", "files"), sum)})
	}
	return failed
}

// one compacts the conversations of one file.
func (k *compactFile) one(ctx context.Context, path string, req session.Request, to *outTo, several bool) ([]tenfold.Count, error) {
	var sums []tenfold.Count
	err := steadily(func() (err error) {
		sums, err = k.read(ctx, path, req, to, several)
		return err
	})
	return sums, err
}

func (k *compactFile) read(ctx context.Context, path string, req session.Request, to *outTo, several bool) ([]tenfold.Count, error) {
	var found []imported
	err := k.importFile(ctx, path, k.format, "--format", k.strict, func(in imported) error {
		found = append(found, in)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if to != nil && len(found) > 1 && to.format != string(transcript.Tenfold) {
		return nil, usage(path+" holds "+count(len(found), "conversation", "conversations")+", and a "+to.format+" body is one",
			"write them with --to tenfold")
	}
	if len(found) == 1 && !several { // of many, some may be too short
		if err := k.outside(found[0].log.Turns()); err != nil {
			return nil, err
		}
	}
	reports := make([]*report, len(found))
	var views []transcript.View
	for i, in := range found {
		if reports[i], err = k.compact(ctx, in, req); err != nil {
			return nil, err
		}
		in.ID = reports[i].conversation
		views = append(views, transcript.View{Conversation: in.Conversation, Projection: reports[i].view, Compacted: true})
	}
	failed := failedOf(reports)
	if to != nil && failed == nil {
		warnings, err := k.export(to, to.format, views...)
		if err != nil {
			return nil, err
		}
		if err := to.commit(); err != nil {
			return nil, err
		}
		reports[0].warnings = append(reports[0].warnings, warnings...)
		reports[0].resume = to.howToResume(to.format)
	}
	sums := k.tell(found, reports, several || len(found) > 1, to != nil && to.file == nil)
	for _, r := range reports {
		k.tellResume(r.resume)
	}
	return sums, cmp.Or(failed, missed(reports...))
}

// failedOf is what the first of the reports that failed did so by.
func failedOf(reports []*report) error {
	for _, r := range reports {
		if r.failed != nil {
			return r.failed
		}
	}
	return nil
}

// compact plans over one conversation, and keeps it with the overlays. When
// another writer came first it looks again: what a model wrote of the same
// entries is not asked for twice.
func (k *compactFile) compact(ctx context.Context, in imported, req session.Request) (*report, error) {
	var l *workspace
	if !k.dryRun || k.hasStore() { // a dry run makes none
		var err error
		if l, err = k.open(ctx); err != nil {
			return nil, err
		}
	}
	var r *report
	var at located
	k.asked = nil
	err := retried(ctx, func() (err error) {
		if at, err = k.locate(ctx, l, in); err == nil {
			r, err = k.plan(ctx, l, in, at, req)
		}
		return err
	})
	defer k.asked.discard()
	warnings := k.asked.tellNotes()
	if err != nil {
		return nil, err
	}
	r.warnings, r.said = slices.Concat(k.held(k.told), in.warnings, warnings, k.beyond(r.turns)), k.asked.said
	switch {
	case k.dryRun:
		in.taken[at.ID] = true
		return r, nil
	case at.created:
		k.noticeActivef("kept as conversation %s, now the active one", at.ID)
	case at.added > 0:
		k.noticef("conversation %s has %s", at.ID, count(at.added, "new entry", "new entries"))
	}
	return r, k.settle(ctx, l, in, at)
}

// plan plans over a conversation as it is to be, and stores both.
func (k *compactFile) plan(ctx context.Context, l *workspace, in imported, at located, req session.Request) (*report, error) {
	// What is planned over is what will be stored, so that the plan holds for
	// it: with what was done to the conversation since, but for earlier runs.
	now := at.Projection()
	base := k.withoutFileOverlays(now)
	extras := extrasOf(now.Log())
	e, err := k.effective(extras...)
	if err != nil {
		return nil, err
	}
	before := k.asked
	if err := k.configure(k.app, &req, e, subject{at.ID, base.Config().Model}); err != nil {
		return nil, err
	}
	k.asked.resume(before)
	k.held(k.told)
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
	plan, err := session.PlanOver(ctx, session.ViewOf(base, ""), req, k.now())
	if err != nil {
		return nil, err
	}
	r := &report{
		conversation: at.ID, source: &sourceJSON{in.path, string(in.Format)}, dryRun: k.dryRun,
		turns: in.log.Turns(), entries: int(in.log.Version()), plan: plan, view: plan.View(),
		target: req.Target, quotes: k.asked.quotes, parted: newPartedJSON(at.Parted),
	}
	r.failed = r.refused(req, k.asked.name)
	if k.dryRun {
		return r, nil
	}
	var write, overlays []tenfold.Entry
	if r.failed == nil { // else what an earlier run made stays as well
		write, overlays = k.replacement(l, now, plan)
	}
	k.startProgress("store "+at.ID, 0)
	err = at.Store(ctx, slices.Concat(keep, write)...)
	k.progress.end()
	if err != nil {
		return nil, err
	}
	r.kept = settingsOf(keep)
	var stored []tenfold.Compaction
	for _, e := range overlays {
		if c, ok := e.Payload.(tenfold.Compaction); ok {
			stored = append(stored, c)
		}
		r.compactions = append(r.compactions, e.ID)
	}
	k.asked.keep(stored)
	r.view = at.Session.Projection()
	return r, nil
}

// tell writes the reports of one file, and gives their totals.
func (k *compactFile) tell(found []imported, reports []*report, headed, aside bool) []tenfold.Count {
	var sums []tenfold.Count
	t := k.app
	if aside { // the result went to standard output
		_ = k.flush()
		t = k.aside()
	}
	for i, r := range reports {
		sums = append(sums, r.total())
		for _, w := range r.warnings {
			if headed {
				w = found[i].path + ": " + w
			}
			k.warn(w)
		}
		if k.json {
			if err := t.emit(r.json()); err != nil {
				k.warn(err.Error())
			}
			continue
		}
		if headed {
			t.printf("%s  %s\n", t.paint(bold, visibleLine(found[i].path)), t.paint(faint, "("+r.about()+")"))
		}
		if r.failed == nil || headed { // else the error says it
			t.report(r)
		}
		k.tellNotes(r)
		if headed {
			t.printf("\n")
		}
	}
	if aside {
		_ = t.flush()
	}
	return sums
}

// about describes a conversation in a heading.
func (r *report) about() string {
	return visibleLine(r.source.Format) + ", " + count(r.turns, "turn", "turns") + ", " + count(r.entries, "entry", "entries")
}
