package summary_test

import (
	"slices"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/transcript"
)

// logsOf imports a file of the corpus.
func logsOf(t *testing.T, f corpustest.File) []*tenfold.Log {
	t.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(t.Context(), file.Source, "", &all); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	var logs []*tenfold.Log
	for _, c := range all.Conversations {
		l := tenfold.NewLog()
		if _, err := l.Append(c.Entries...); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	return logs
}

// What models really wrote of real sessions, as imported, is mostly found in
// the session, and mostly not in another. They were asked by other words than
// ours, and put code and quotations in words of their own.
func TestM3CheckRealSummaries(t *testing.T) {
	type written struct {
		name, text string
		r          strategy.SummaryRequest
	}
	var all []written
	for _, f := range corpustest.Files(t, "claude-code") {
		for _, l := range logsOf(t, f) {
			for e := range l.Entries() {
				if c, ok := e.Payload.(tenfold.Compaction); ok && c.Summary != nil {
					r := requestOf(l, c.FromTurn, c.ToTurn)
					r.Entries = slices.DeleteFunc(r.Entries, func(x tenfold.Entry) bool { return x.Seq >= e.Seq })
					all = append(all, written{f.Name, c.Summary.Text, r})
				}
			}
		}
	}
	for i, w := range all {
		size := 0
		for _, e := range w.r.Entries {
			size += len(tenfold.SearchText(e.Payload))
		}
		at := time.Now()
		own := summary.Check(w.text, w.r)
		took := time.Since(at)
		if other := all[(i+1)%len(all)]; other.r.Log != w.r.Log {
			if f := summary.Check(w.text, other.r); len(f.Strangers)*2 < f.Atoms {
				t.Errorf("%s: held against %s, %d of %d are strangers", w.name, other.name, len(f.Strangers), f.Atoms)
			}
		}
		t.Logf("%-42.42s %3d atoms, %2d strangers, %d %% a tool's words; %d KB in %s", w.name, own.Atoms, len(own.Strangers), own.Repeats, size>>10, took.Round(time.Millisecond))
		if len(own.Strangers)*100 > own.Atoms*15 || own.Repeats > 10 || own.Atoms < 20 {
			t.Errorf("%s: %d of %d are strangers, %d %% a tool's words: %.300s", w.name, len(own.Strangers), own.Atoms, own.Repeats, strangers(own))
		}
	}
}
