package check_test

import (
	"flag"
	"os"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/transcript"
)

// TestMain tries generated logs that are the same every time, so that what
// fails is a change's fault; -rapid.seed=0 tries others.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.seed" })
	if !asked {
		if err := flag.Set("rapid.seed", "64"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

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
