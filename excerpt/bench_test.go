package excerpt_test

import (
	"fmt"
	"testing"
	"time"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/token"
)

// BenchmarkIndex reads the largest sessions of the corpus. µs/KB is the time by
// text; ×count is it against counting the tokens of the same text once.
func BenchmarkIndex(b *testing.B) {
	for _, format := range []string{"claude-code", "codex"} {
		b.Run(format, func(b *testing.B) {
			var logs []*tenfold.Log
			text := 0
			for _, f := range corpustest.Files(b, format)[:3] {
				for _, c := range conversations(b, f) {
					l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
					if _, err := l.Append(c...); err != nil {
						b.Fatal(err)
					}
					logs = append(logs, l)
					for _, e := range c {
						text += len(tenfold.SearchText(e.Payload))
					}
				}
			}
			counter := token.O200k()
			counter.Count("warm")
			began := time.Now()
			for _, l := range logs {
				for e := range l.Entries() {
					counter.Count(tenfold.SearchText(e.Payload))
				}
			}
			count := time.Since(began)
			b.ReportAllocs()
			for b.Loop() {
				for _, l := range logs {
					indexed(l)
				}
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each.Nanoseconds())/1000/float64(text>>10), "µs/KB")
			b.ReportMetric(float64(each)/float64(count), "×count")
		})
	}
}

// BenchmarkIndexIncrement takes in one more step, a call and its result, of a
// short and of a long log: ×n is the time against that at the short one.
func BenchmarkIndexIncrement(b *testing.B) {
	const steps = 1000
	base := 0.0
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			entries := logtest.Long(n + 3*steps)
			b.ReportAllocs()
			took, taken := time.Duration(0), 0
			for b.Loop() {
				b.StopTimer()
				l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
				if _, err := l.Append(entries[:n]...); err != nil {
					b.Fatal(err)
				}
				p, ix := tenfold.Project(l), excerpt.NewIndex()
				ix.Advance(p)
				began := time.Now()
				b.StartTimer()
				for at := n; at < len(entries); at += 3 {
					if _, err := l.Append(entries[at:min(at+3, len(entries))]...); err != nil {
						b.Fatal(err)
					}
					p.Advance()
					ix.Advance(p)
					taken++
				}
				took += time.Since(began)
			}
			each := float64(took.Nanoseconds()) / float64(taken)
			if n == 1_000 {
				base = each
			}
			b.ReportMetric(each, "ns/step")
			b.ReportMetric(each/base, "×n")
		})
	}
}
