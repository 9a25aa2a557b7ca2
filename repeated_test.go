package tenfold_test

import (
	"runtime"
	"testing"
	"time"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
)

// Of what is there a thousand times, each costs what the first did: a log of
// ten times as many takes about ten times the memory to build and to look at,
// its projection kept up entry by entry is the one made at once, and no provider
// refuses it.
func TestRepeated(t *testing.T) {
	corpustest.Unraced(t)
	const most = 10_000
	few, many := logtest.Repeated(1_000), logtest.Repeated(most)
	for name := range few {
		t.Run(name, func(t *testing.T) {
			small, quick := grown(t, few[name])
			large, slow := grown(t, many[name])
			t.Logf("1,000 entries allocate %d KB in %v, %d %d KB in %v", small>>10, quick, most, large>>10, slow)
			if large > most/500*small {
				t.Errorf("1,000 entries allocate %d bytes, %d %d", small, most, large)
			}
		})
	}
}

// grown builds a log of entries one by one, its projection with it, and gives
// what that allocates and takes.
func grown(t *testing.T, entries []tenfold.Entry) (int, time.Duration) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	l := tenfold.NewLog()
	p := tenfold.Project(l)
	for _, e := range entries {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		p.Advance()
	}
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	fresh := tenfold.Project(l)
	if p.Totals() != fresh.Totals() || p.Tokens() != fresh.Tokens() {
		t.Errorf("kept up it has %+v, made at once %+v", p.Totals(), fresh.Totals())
	}
	for _, f := range body.Profiles() {
		made, err := f.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		if v := f.Check(made); len(v) > 0 {
			t.Errorf("%s: %s", f.Name, v[0])
		}
	}
	return int(after.TotalAlloc - before.TotalAlloc), took
}
