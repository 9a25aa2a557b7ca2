package strategy_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/strategy"
	"tenfold/tool"
)

// comparing are the strategies that compare calls.
var comparing = []string{"dedup-tools", "dedup-tools:shell=true", "supersede"}

// holdComparison checks one proposal: it touches calls of the range and
// nothing else, what it omits is repeated by something still to be seen, and
// what a model sees is valid for every provider (P10).
func holdComparison(t rapid.TB, l *tenfold.Log, text string, span tenfold.Range) {
	t.Helper()
	s, err := strategy.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	plan, err := strategy.Pipeline{s}.Plan(context.Background(), p, strategy.Options{Range: span})
	if err != nil {
		t.Fatal(err)
	}
	note := 0 // the first thing that is shortened brings it (P5a)
	if p.Note() == "" {
		note = l.Counter().Count(plan.View().Note())
	}
	if plan.After > p.Tokens()+note {
		t.Fatalf("%s %s: %d → %d tokens", text, span, p.Tokens(), plan.After)
	}
	for e := range l.Entries() {
		was, _, before := p.Fate(e.Seq)
		is, _, after := plan.View().Fate(e.Seq)
		if why := plan.View().Why(e.Seq); was == is && before == after || why == tenfold.ReasonBound || why == tenfold.ReasonUnsigned {
			continue
		}
		seq := e.Seq
		if e.Payload.Kind() == tenfold.KindToolResult {
			seq = l.Pair(seq)
		}
		turn, step, _ := l.Where(seq)
		called, _ := l.Entry(seq)
		inside := turn >= span.FromTurn && turn <= span.ToTurn && (span.ToStep == nil || turn < span.ToTurn || called.Branch != "" || step <= *span.ToStep)
		result, _ := l.Entry(max(l.Pair(seq), 1))
		r, answered := result.Payload.(tenfold.ToolResult)
		if !inside || called.Payload.Kind() != tenfold.KindToolCall || !answered || r.Ended().Bad() {
			t.Fatalf("%s %s: entry %d (%s) is %s (%s)", text, span, e.Seq, e.Payload.Kind(), is, plan.View().Why(e.Seq))
		}
		if is == tenfold.Omitted && !seenLater(plan.View(), called, seq) {
			t.Fatalf("%s %s: the last of its kind went: entry %d %+v", text, span, seq, called.Payload)
		}
	}
	for _, f := range body.Profiles() {
		body, err := f.Write(plan.View())
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range f.Check(body) {
			t.Fatalf("%s %s, %s: %s", text, span, f.Name, v)
		}
	}
}

// seenLater reports whether a later call that says as much is shown: written
// without the machinery of the strategies, by looking at all that follow.
func seenLater(p *tenfold.Projection, e tenfold.Entry, seq int64) bool {
	call := e.Payload.(tenfold.ToolCall)
	known, _ := tool.Lookup(call.Name)
	for later := range p.Log().After(seq) {
		c, ok := later.Payload.(tenfold.ToolCall)
		f, _, _ := p.Fate(later.Seq)
		other, have := tool.Lookup(c.Name)
		if ok && changesWhat(other, have, c, known.Call(call.Arguments).Reads) {
			return false
		}
		if !ok || later.Branch != e.Branch || f == tenfold.Omitted {
			continue
		}
		if c.Name == call.Name && tool.Canonical(c.Arguments) == tool.Canonical(call.Arguments) {
			return true
		}
		if reads := known.Call(call.Arguments).Reads; len(reads) > 0 {
			for _, a := range other.Call(c.Arguments).Reads {
				if a.Path == reads[0].Path {
					return true // its lines are checked by TestH3…
				}
			}
		}
	}
	return false
}

// changesWhat reports whether a call may change one of the files, or anything.
func changesWhat(t tool.Tool, known bool, c tenfold.ToolCall, files []tool.Access) bool {
	does := t.Call(c.Arguments)
	for _, path := range does.Changes {
		for _, a := range files {
			if path == a.Path {
				return true
			}
		}
	}
	return !known || does.Unknown
}

// Random logs that hold everything a log can hold, with calls that meet.
func TestComparingKeepsTheLaws(t *testing.T) {
	names := []string{"fs_read_file", "Read", "read_file", "fs_create_file", "Edit", "shell", "Grep", "Skill", "mcp__x"}
	arguments := []string{
		fileA, fileB, `{"path":"a.go","start_line":3,"end_line":9}`, `{"path":"a.go"}`, `{"path":"/r/a.go","offset":2,"limit":4}`,
		`{"command":"cat a.go"}`, `{"command":"make"}`, `{"command":"cd x"}`, `{"cut":"o`, "",
	}
	rapid.Check(t, func(t *rapid.T) {
		entries := logtest.Entries(40).Draw(t, "log")
		for i := range entries {
			if c, ok := entries[i].Payload.(tenfold.ToolCall); ok {
				c.Name = rapid.SampledFrom(names).Draw(t, "name")
				c.Arguments = rapid.SampledFrom(arguments).Draw(t, "arguments")
				entries[i].Payload = c
			}
		}
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		if l.Turns() == 0 {
			return
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		for _, text := range comparing {
			holdComparison(t, l, text, someRange(r, l))
		}
	})
}

// The same over the corpus.
func TestComparingOverTheCorpus(t *testing.T) {
	for i, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "jp")) {
		for _, l := range importFile(t, f, tenfold.Chars4{}) {
			if l.Turns() == 0 {
				continue
			}
			r := rand.New(rand.NewPCG(3, uint64(i)))
			for _, text := range comparing {
				holdComparison(t, l, text, whole(l))
				holdComparison(t, l, text, someRange(r, l))
			}
		}
	}
}

// The cost grows with the log and no faster: the ratio beside each figure is
// its time per entry over that of the smallest log.
func BenchmarkComparing(b *testing.B) {
	for _, text := range comparing {
		for _, busy := range []string{"", "one file/"} {
			base := math.NaN()
			for _, n := range []int{1_000, 10_000, 100_000} {
				entries := logtest.Long(n)
				if busy != "" {
					// The worst case: all calls meet.
					for i := range entries {
						if c, ok := entries[i].Payload.(tenfold.ToolCall); ok {
							c.Name, c.Arguments = "fs_read_file", fmt.Sprintf(`{"path":"a","start_line":%d,"end_line":%d}`, i+1, i+3)
							entries[i].Payload = c
						}
					}
				}
				l := tenfold.NewLog()
				if _, err := l.Append(entries...); err != nil {
					b.Fatal(err)
				}
				p := tenfold.Project(l)
				s := mustParse(b, text)
				b.Run(fmt.Sprintf("%s/%sn=%d", text, busy, n), func(b *testing.B) {
					start := time.Now()
					for b.Loop() {
						if _, err := s.Propose(b.Context(), p, strategy.Options{Range: whole(l)}); err != nil {
							b.Fatal(err)
						}
					}
					perEntry := float64(time.Since(start).Nanoseconds()) / float64(b.N) / float64(n)
					if n == 1_000 {
						base = perEntry
					}
					b.ReportMetric(perEntry, "ns/entry")
					b.ReportMetric(perEntry/base, "ratio")
				})
			}
		}
	}
}
