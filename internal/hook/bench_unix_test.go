//go:build unix

package hook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tenfold/internal/hook"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/transcript"
)

// BenchmarkCompact compacts a session of Claude Code that is new to the store,
// and one of which the store has all but the last turn.
func BenchmarkCompact(b *testing.B) {
	for _, tokens := range []int{50_000, 200_000, 1_000_000} {
		path := writeTranscript(b, logtest.Long(tokens/48))
		for _, known := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dk/known=%v", tokens/1000, known), func(b *testing.B) {
				var spent time.Duration
				for b.Loop() {
					b.StopTimer()
					db := filepath.Join(b.TempDir(), "tenfold.db")
					run := func(f func(h *hook.Host) error) {
						st, err := sqlite.Open(b.Context(), db, sqlite.WithoutIndex())
						if err != nil {
							b.Fatal(err)
						}
						h := &hook.Host{Configure: configure, Now: time.Now}
						h.Open = func(context.Context) (*session.Service, error) { return session.NewService(st), nil }
						if err := f(h); err != nil {
							b.Fatal(err)
						}
						if err := st.Close(); err != nil {
							b.Fatal(err)
						}
					}
					ask := hook.Ask{Format: transcript.ClaudeCode, Path: path, Window: tokens}
					if known {
						run(func(h *hook.Host) error {
							_, err := h.Import(b.Context(), ask)
							return err
						})
					}
					b.StartTimer()
					began := cpuTime(b)
					run(func(h *hook.Host) error {
						_, err := h.Compact(b.Context(), ask)
						return err
					})
					spent += cpuTime(b) - began
				}
				b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms/op")
				info, err := os.Stat(path)
				if err == nil {
					b.SetBytes(info.Size())
				}
			})
		}
	}
}

// cpuTime is what the process took of the processors so far: wall clocks say little
// on a busy machine.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
