package check_test

import (
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/transcript"
)

// talk writes a log in short; see [logtest.Talk].
var talk = logtest.Talk

// requestOf asks for a summary of turns of a log.
func requestOf(l *tenfold.Log, from, to int) strategy.SummaryRequest {
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{FromTurn: from, ToTurn: to}, View: tenfold.Project(l)}
	for e := range l.Entries() {
		if turn, _, _ := l.Where(e.Seq); turn >= from && turn <= to {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

// sessions gives the conversations of a file of the corpus; none where its
// format cannot be read.
func sessions(tb testing.TB, f corpustest.File) []transcript.Collected {
	tb.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all transcript.Collector
	if err := transcript.Import(tb.Context(), file.Source, "", &all); err != nil {
		return nil
	}
	return all.Conversations
}
