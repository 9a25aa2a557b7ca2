package excerpt_test

import (
	"runtime"
	"testing"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
)

// X9: where room was made beside the requests, reading what one brings moves nothing of what
// the index knows.
func TestX9AWideIndexMovesNothing(t *testing.T) {
	corpustest.Unraced(t)
	entries := logtest.Long(30_000)
	read := func(wide bool) int {
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		add := func(some []tenfold.Entry) *tenfold.Projection {
			if _, err := l.Append(some...); err != nil {
				t.Fatal(err)
			}
			return tenfold.Project(l)
		}
		ix := excerpt.NewIndex()
		ix.Advance(add(entries[:25_000]))
		if wide {
			ix.Widen()
		}
		rest := add(entries[25_000:])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ix.Advance(rest)
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	if wide, not := read(true), read(false); wide > not/2 {
		t.Errorf("reading a fifth more takes %d bytes, and %d where no room was made", wide, not)
	}
}
