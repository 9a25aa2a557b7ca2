package transcript

import (
	"os"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

func checkWhoAndWhen(tb testing.TB, data []byte, entries []tenfold.Entry) []group {
	tb.Helper()
	got, frames := recordsIn(tb, entries, "who-and-when.document")
	if len(frames) != 1 {
		tb.Fatalf("%d frames", len(frames))
	}
	checkRecords(tb, cutOut(tb, decodeJSON(tb, data), frames[0], ""), got)
	return got
}

// The index counts messages and does not say whose they are.
func TestWhoAndWhenCorpus(t *testing.T) {
	eachCorpusFile(t, WhoAndWhen, func(t *testing.T, path string, want corpustest.File, got Collected) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n := counts(checkWhoAndWhen(t, data, got.Entries))
		if n.user+n.assistant != want.Msgs || n.user == 0 {
			t.Errorf("%d messages of users and %d of assistants, want %d", n.user, n.assistant, want.Msgs)
		}
	})
}
