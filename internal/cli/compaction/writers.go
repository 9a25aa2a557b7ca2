package compaction

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/provider"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/summary"
)

// Writers answers the requests of one compaction for summaries and tangents. It
// shows progress, writes artifacts, and collects notes for the report.
type Writers struct {
	*command.App
	// Name is the model that is called; empty if none is.
	Name       string
	by         strategy.Summarizer
	classifier strategy.Classifier
	// review has a person review each summary.
	review, yes bool
	// artifacts is where files are written, nil for nowhere; conversation is
	// part of their names.
	artifacts    summary.Artifacts
	conversation string
	// Stored are the overlays of an earlier run on the same conversation.
	Stored    []tenfold.Overlay
	StoredLog *tenfold.Log

	bar   *terminal.Progress
	doing string
	last  summary.Progress
	// notes come from the summarizers, warnings are those about failures,
	// quotes are what a dry run would request.
	notes, warnings []string
	quotes          []report.Quote
	// said are the notes and warnings that were printed.
	said []string
	// files are the artifacts that no stored overlay names.
	files []string
	made  []madeSummary
}

// madeSummary is a summary written in this run, with its request.
type madeSummary struct {
	of  strategy.SummaryRequest
	got strategy.SummaryResult
}

// resume takes over what an earlier attempt did before another writer came
// first.
func (k *Writers) resume(before *Writers) {
	if before != nil {
		k.notes, k.warnings, k.files, k.made = before.notes, before.warnings, before.files, before.made
	}
}

// Summarize implements [strategy.Summarizer].
func (k *Writers) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	for _, m := range k.made {
		if m.of.Range.String() == r.Range.String() && m.of.Wishes() == r.Wishes() && slices.EqualFunc(m.of.Entries, r.Entries, sameEntry) {
			return m.got, nil
		}
	}
	if got, ok := k.recall(r); ok {
		k.Noticef("reused the summary of turns %s from an earlier run; %s was not called", r.Range, k.Name)
		return got, nil
	}
	by := k.by
	if k.review {
		by = &reviewed{App: k.App, of: by, yes: k.yes}
	}
	if k.artifacts != nil {
		by = summary.Recorded{Of: by, Artifacts: k.artifacts, Conversation: k.conversation, Now: k.Now}
	}
	if k.Name != "" {
		if err := store.Writable(k.Workspace.Store); err != nil {
			return strategy.SummaryResult{}, err
		}
		k.begin("summarize turns " + r.Range.String())
		defer func() { k.bar.End() }()
	}
	got, err := by.Summarize(ctx, r)
	if len(got.Failures) > 0 {
		k.warnings = append(k.warnings, got.Notes...)
	} else {
		k.notes = append(k.notes, got.Notes...)
	}
	if a := got.Artifacts; a != nil {
		k.files = append(k.files, a.Input, a.Summary)
	}
	if err == nil && r.Refusal(got) == nil {
		k.made = append(k.made, madeSummary{r, got})
	} else if u := got.Usage; u != (tenfold.Usage{}) {
		k.warnings = append(k.warnings, "used without a result: "+report.Figures(u.Prompt(), u.Output, u.Cost))
	}
	return got, err
}

func sameEntry(a, b tenfold.Entry) bool { return a.ID == b.ID }

// Quote implements [strategy.Quoter].
func (k *Writers) Quote(r strategy.SummaryRequest) strategy.Quote {
	if _, ok := k.recall(r); ok {
		return strategy.Quote{}
	}
	by, ok := k.by.(strategy.Quoter)
	if !ok {
		return strategy.Quote{}
	}
	q := by.Quote(r)
	if q != (strategy.Quote{}) {
		k.quotes = append(k.quotes, report.Quote{
			FromTurn: r.Range.FromTurn, ToTurn: r.Range.ToTurn, ToStep: r.Range.ToStep, Model: q.Model, Input: q.Input, Cost: q.Cost,
		})
	}
	return q
}

// recall finds the summary that an earlier run wrote of the same entries, with
// the same model and wishes, so that running a command again costs nothing.
func (k *Writers) recall(r strategy.SummaryRequest) (strategy.SummaryResult, bool) {
	if k.Name == "" || len(r.Prior) > 0 {
		return strategy.SummaryResult{}, false
	}
	for _, o := range k.Stored {
		c := o.Compaction
		span := tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}
		s := c.Summary
		if s == nil || s.Model != k.Name || s.Instructions != r.Wishes() || span.String() != r.Range.String() {
			continue
		}
		grown := slices.ContainsFunc(r.Entries, func(e tenfold.Entry) bool {
			known, ok := k.StoredLog.Lookup(e.ID)
			return !ok || known.Seq > o.Seq
		})
		if !grown {
			got := strategy.SummaryResult{Text: s.Text, Model: s.Model, Artifacts: s.Artifacts}
			if s.Usage != nil {
				got.Usage = *s.Usage
			}
			return got, true
		}
	}
	return strategy.SummaryResult{}, false
}

// Classify implements [strategy.Classifier].
func (k *Writers) Classify(ctx context.Context, r strategy.ClassifyRequest) ([]strategy.Tangent, error) {
	k.begin("find turns off the task")
	defer func() { k.bar.End() }()
	got, err := k.classifier.Classify(ctx, r)
	k.bar.End()
	if p := k.last; p.Input > 0 {
		k.Noticef("%s named the turns that are off the task: %s", k.Name, report.Figures(p.Input, p.Output, p.Cost))
	}
	return got, err
}

func (k *Writers) begin(doing string) {
	k.doing, k.last = doing, summary.Progress{}
	k.bar = k.StartProgress(k.line(), 0)
}

// at receives the progress of a model.
func (k *Writers) at(p summary.Progress) {
	k.last = p
	k.bar.Stage(k.line(), 0)
}

// waiting is called before a request is retried.
func (k *Writers) waiting(_ int, err error, d time.Duration) {
	why := strings.ReplaceAll(string(provider.KindOf(err)), "_", " ")
	k.bar.Stage(k.doing+": "+why+", waiting "+d.Round(100*time.Millisecond).String(), 0)
}

// line is the progress in words, what is being done first, so that a narrow
// terminal shows it.
func (k *Writers) line() string {
	p := k.last
	text := k.doing + ": "
	switch {
	case p.Doing == "":
		return text + "calling " + k.Name
	case p.Doing == summary.Reading && p.Parts > 1:
		text += "read " + number.Count(p.Done, "part") + " of " + number.Thousands(p.Parts)
	default:
		text += string(p.Doing)
	}
	return text + ", " + report.Figures(p.Input, p.Output, p.Cost) + ", " + k.Name
}

// Keep keeps the files of overlays that were stored.
func (k *Writers) Keep(stored []tenfold.Compaction) {
	for _, c := range stored {
		if c.Summary != nil && c.Summary.Artifacts != nil {
			a := *c.Summary.Artifacts
			k.files = slices.DeleteFunc(k.files, func(f string) bool { return f == a.Input || f == a.Summary })
		}
	}
}

// Discard removes the files of summaries that were not stored, because the
// compaction was cancelled, refused or preempted.
func (k *Writers) Discard() {
	if k == nil {
		return
	}
	for _, f := range k.files {
		if err := os.Remove(f); f != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
			k.Warn("cannot remove the artifact of a summary that was not stored: " + err.Error())
		}
	}
	k.files = nil
}

// FlushNotes prints how a summary was written, and warns of failures: of the
// model, or a name that is not in the log. With --json it returns the warnings
// for the result.
func (k *Writers) FlushNotes() (warnings []string) {
	if k == nil { // nothing was asked
		return nil
	}
	k.said = slices.Concat(k.said, k.notes, k.warnings)
	if k.JSON {
		warnings, k.warnings = k.warnings, nil
	}
	for _, note := range k.notes {
		k.Noticef("%s", terminal.VisibleLine(note))
	}
	for _, warning := range k.warnings {
		k.Warn(warning)
	}
	k.notes, k.warnings = nil, nil
	return warnings
}
