package web

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkWindowWork is BenchmarkWindow in the time that the processor works for a
// request: on a machine that others use too, the clock says more of them.
func BenchmarkWindowWork(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, _ := long(b, n)
			ask(b, s, "")
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			worked := func() time.Duration {
				var at unix.Timespec
				if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
					b.Fatal(err)
				}
				return time.Duration(at.Nano())
			}
			var took []time.Duration
			for b.Loop() {
				from := 1 + rand.IntN(n-200)
				began := worked()
				ask(b, s, "/rows?limit=200&from="+strconv.Itoa(from))
				took = append(took, worked()-began)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
