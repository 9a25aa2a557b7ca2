package token_test

import (
	"strings"
	"testing"
	"time"

	"tenfold/internal/corpustest"
	"tenfold/token"
	"tenfold/token/internal/sample"
)

// benchTexts returns real transcripts if there are any, else generated texts.
func benchTexts(b *testing.B) []string {
	if root := corpustest.Dir(); root != "" {
		return corpusTexts(b, root, 6<<20)
	}
	b.Log("no shared/corpus above this directory: generated texts")
	var texts []string
	for i := range uint64(600) {
		texts = append(texts, sample.Mixed(i, 10_000))
	}
	return texts
}

// Target T5: ≥ 60 MB/s, no allocations. The comparison with a peer is in the
// module bench.
func BenchmarkT5Count(b *testing.B) {
	texts := benchTexts(b)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	for _, c := range []token.Counter{token.O200k(), token.Cl100k(), token.Heuristic{}} {
		b.Run(c.Name(), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			tokens := 0
			for b.Loop() {
				tokens = 0
				for _, text := range texts {
					tokens += c.Count(text)
				}
			}
			b.ReportMetric(float64(size)/float64(tokens), "bytes/token")
		})
	}
}

// Target T6: ≥ 10 MB/s and linear. The metric "x" is the time for a megabyte
// by that for 100 kB, and that for ten megabytes by that for one.
func BenchmarkT6Runs(b *testing.B) {
	e := token.O200k()
	repeat := func(unit string) func(int) string {
		return func(n int) string { return strings.Repeat(unit, n/len(unit)) }
	}
	runs := []struct {
		name string
		make func(n int) string
	}{
		{"letter", repeat("a")},
		{"space", repeat(" ")},
		{"equals", repeat("=")},
		{"han", repeat("日")},
		{"emoji", repeat("😀")},
		{"base64", func(n int) string { return sample.Base64(1, n) }},
		{"letters", func(n int) string { return sample.Letters(1, n) }},
	}
	for _, run := range runs {
		b.Run(run.name, func(b *testing.B) {
			small, medium, large := run.make(100_000), run.make(1_000_000), run.make(10_000_000)
			b.SetBytes(int64(len(medium)))
			b.ReportAllocs()
			for b.Loop() {
				e.Count(medium)
			}
			one := fastest(func() { e.Count(medium) })
			b.ReportMetric(one/fastest(func() { e.Count(small) }), "x1MB/100kB")
			b.ReportMetric(fastest(func() { e.Count(large) })/one, "x10MB/1MB")
		})
	}
}

// fastest returns the least of a few durations in seconds.
func fastest(do func()) float64 {
	best := time.Hour
	for range 4 {
		begin := time.Now()
		do()
		best = min(best, time.Since(begin))
	}
	return best.Seconds()
}
