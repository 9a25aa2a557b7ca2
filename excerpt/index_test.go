package excerpt_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/transcript"
)

// bytesOf is a choice as bytes: two are the same when these are.
func bytesOf(c excerpt.Choice) string {
	return fmt.Sprint(c.Len(), c.Estimate(c.Len()), c.First(c.Len()/2), c.First(c.Len()))
}

// variants are the options that choices are compared with.
func variants(l *tenfold.Log) []excerpt.Options {
	all := 0
	for e := range l.Entries() {
		all += e.Tokens
	}
	list := []excerpt.Options{
		{Budget: all / 20},
		{Budget: all / 5, Edits: 100},
		{Budget: all},
		{Budget: all / 5, From: l.Version() / 3, To: l.Version() * 2 / 3},
		{Budget: all / 5, Whole: func(seq int64) bool { return seq%7 == 0 }, Hidden: func(seq int64) bool { return seq%5 == 0 }},
	}
	for _, i := range excerpt.Ingredients() {
		list = append(list, excerpt.Options{Budget: all / 10, Without: without(i)})
	}
	return list
}

// holdIncremental reads entries in pieces, and compares with reading at once.
func holdIncremental(fatalf func(string, ...any), entries []tenfold.Entry, next func(left int) int) {
	grown := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	p, kept := tenfold.Project(grown), excerpt.NewIndex()
	for at := 0; at < len(entries); {
		n := next(len(entries) - at)
		if _, err := grown.Append(entries[at : at+n]...); err != nil {
			fatalf("append: %v", err)
		}
		at += n
		p.Advance()
		kept.Advance(p)
	}
	kept.Advance(p) // a second time reads nothing
	fresh := indexed(grown)
	for i, o := range variants(grown) {
		o = everything(grown, o)
		if a, b := bytesOf(kept.Choose(o)), bytesOf(fresh.Choose(o)); a != b {
			fatalf("options %d of %d entries: kept up it chooses\n%s\nread at once\n%s", i, len(entries), a, b)
		}
	}
}

// An index kept up entry by entry, or in any pieces, is the one read at once.
func TestIndexKeptUpIsTheOneReadAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := logtest.Entries(64).Draw(t, "log")
		if rapid.Bool().Draw(t, "long") {
			entries = logtest.Long(rapid.IntRange(1, 400).Draw(t, "n"))
		}
		most := rapid.IntRange(1, 9).Draw(t, "piece")
		holdIncremental(t.Fatalf, entries, func(left int) int { return min(rapid.IntRange(1, most).Draw(t, "n"), left) })
	})
}

func TestIndexKeptUpOverTheCorpus(t *testing.T) {
	corpustest.Unraced(t)
	files := corpustest.Files(t, "claude-code", "codex", "jp", "opencode", "gemini-cli")
	for i := 0; i < len(files); i += max(len(files)/16, 1) {
		f := files[i]
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for _, c := range conversations(t, f) {
				holdIncremental(t.Fatalf, c, func(left int) int { return min(1+r.IntN(40), left) })
			}
		})
	}
}

func conversations(tb testing.TB, f corpustest.File) [][]tenfold.Entry {
	tb.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(tb.Context(), file.Source, "", &all); err != nil {
		tb.Fatal(err)
	}
	var out [][]tenfold.Entry
	for _, c := range all.Conversations {
		out = append(out, c.Entries)
	}
	return out
}

// The same log gives the same choice, whatever maps do.
func TestAChoiceIsTheSameAHundredTimes(t *testing.T) {
	corpustest.Unraced(t)
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := l.Append(logtest.Long(1500)...); err != nil {
		t.Fatal(err)
	}
	o := everything(l, excerpt.Options{Budget: 4000})
	want := bytesOf(indexed(l).Choose(o))
	kept := indexed(l)
	for range 50 {
		same(t, "read anew", bytesOf(indexed(l).Choose(o)), want)
		same(t, "chosen again", bytesOf(kept.Choose(o)), want)
	}
}

// A change of what is chosen, on any machine, shows here. Where it is meant,
// the new sum is what the test prints.
func TestAChoiceIsTheSameOnEveryMachine(t *testing.T) {
	corpustest.Unraced(t)
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := l.Append(logtest.Long(2000)...); err != nil {
		t.Fatal(err)
	}
	for seq := range int64(40) {
		add(t, l, tenfold.ToolCall{CallID: fmt.Sprint("x", seq), Name: "Read", Arguments: fmt.Sprintf(`{"file_path":"src/part%d/file_%d.go"}`, seq%7, seq%11)})
		add(t, l, tenfold.ToolResult{CallID: fmt.Sprint("x", seq), Parts: tenfold.Text(fmt.Sprintf("func partName%d() { return otherName%d(%d) }\n", seq, seq%13, 1000+seq*37))})
	}
	h := sha256.New()
	for _, o := range variants(l) {
		fmt.Fprintln(h, bytesOf(indexed(l).Choose(everything(l, o))))
	}
	same(t, "sum", hex.EncodeToString(h.Sum(nil)[:8]), "5f17f347628639e7")
}

// The zero budget takes nothing, and all there is costs no more than it is.
func TestBudgets(t *testing.T) {
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := l.Append(logtest.Long(300)...); err != nil {
		t.Fatal(err)
	}
	ix := indexed(l)
	same(t, "of nothing", ix.Choose(everything(l, excerpt.Options{})).Len(), 0)
	last := 0
	for _, budget := range []int{10, 100, 500, 2000, 8000} {
		c := ix.Choose(everything(l, excerpt.Options{Budget: budget}))
		if got := c.Estimate(c.Len()); got > budget || got < last {
			t.Errorf("budget %d: spent %d, before %d", budget, got, last)
		}
		last = c.Estimate(c.Len())
		for n := range c.Len() {
			if got := c.Within(c.Estimate(n + 1)); got < n+1 {
				t.Fatalf("within %d are %d things, not %d", c.Estimate(n+1), got, n+1)
			}
		}
		for n := 1; n <= c.Len(); n += 50 {
			if kept := c.First(n); !slices.IsSortedFunc(kept, func(a, b excerpt.Kept) int { return int(a.Seq - b.Seq) }) {
				t.Fatalf("the first %d are in no order", n)
			}
		}
	}
}

// F7: of what is chosen at a tenth and at a fifth of real sessions, the median line
// stands in a run of four lines or more.
func TestF7TheMedianLineStandsInARun(t *testing.T) {
	corpustest.Unraced(t)
	files := corpustest.Sample(corpustest.Files(t, "claude-code", "codex", "opencode", "pi"))
	for _, part := range []int{10, 5} {
		var runs []int // one for each line
		for _, f := range files {
			for _, entries := range conversations(t, f) {
				l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
				if _, err := l.Append(entries...); err != nil {
					t.Fatal(err)
				}
				tokens := 0
				for e := range l.Entries() {
					tokens += e.Tokens
				}
				if tokens < 20_000 {
					continue
				}
				for _, k := range choose(l, excerpt.Options{Budget: tokens / part}) {
					for _, r := range slices.Concat(k.Body, k.Lines) {
						n := r.Last - r.First + 1
						runs = append(runs, slices.Repeat([]int{n}, n)...)
					}
				}
			}
		}
		slices.Sort(runs)
		if len(runs) < 1000 || runs[len(runs)/2] < 4 {
			t.Errorf("at a %dth the median of %d lines stands in a run of %d", part, len(runs), runs[len(runs)/2])
		}
	}
}
