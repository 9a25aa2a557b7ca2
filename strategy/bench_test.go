package strategy_test

import (
	"fmt"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/strategy"
)

// A plan of each strategy over a whole log. ×n is the time against that at the
// smallest n, by what it would be if it grew with n: 1 is linear, and less is
// better than that; ×look is the time against one look at each entry.
func BenchmarkPlan(b *testing.B) {
	for _, name := range append(strategy.Names(), "micro:over=200", "trim-results:head=50,tail=50,over=200") {
		base := 0.0
		for _, n := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				l := tenfold.NewLog()
				if _, err := l.Append(logtest.Long(n)...); err != nil {
					b.Fatal(err)
				}
				p := tenfold.Project(l)
				pl := parse(b, name)
				o := able(tenfold.Range{ToTurn: max(l.Turns()-2, 0)})
				b.ReportAllocs()
				for b.Loop() {
					if _, err := pl.Plan(b.Context(), p, o); err != nil {
						b.Fatal(err)
					}
				}
				perEntry := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(n)
				if n == 1_000 {
					base = perEntry
				}
				b.ReportMetric(perEntry/base, "×n")
				b.ReportMetric(perEntry/look(b, l), "×look")
			})
		}
	}
}

// look is what it takes, by entry, to look once at each: the fastest of a few.
func look(b *testing.B, l *tenfold.Log) float64 {
	b.Helper()
	best, calls := time.Duration(1<<62), 0
	for range 5 {
		began := time.Now()
		for e := range l.Entries() {
			if e.Payload.Kind() == tenfold.KindToolCall {
				calls++
			}
		}
		best = min(best, time.Since(began))
	}
	if calls == 0 {
		b.Fatal("no calls")
	}
	return float64(best.Nanoseconds()) / float64(l.Version())
}
