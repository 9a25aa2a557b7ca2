package session_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/trigger"
)

// The targets of performance.md that hold for a session: T1s, T2 and T9.
// Machines are noisy, so that what is printed beside the time is its ratio to
// that of the shortest log in the same run.

var benchmarkSizes = []int{1_000, 10_000, 100_000, 1_000_000}

// grown is a session of n messages that were compacted so many times as they
// came, each time as micro does it: the results so far that no earlier
// compaction cleared, one by one.
func grown(b testing.TB, entries []tenfold.Entry, compactions int) *session.Session {
	b.Helper()
	st := memory.New()
	b.Cleanup(func() { _ = st.Close() })
	s, err := session.NewService(st, session.WithCounter(tenfold.Chars4{})).Create(b.Context(), session.Create{})
	if err != nil {
		b.Fatal(err)
	}
	parts := max(compactions, 1)
	for i := range parts {
		at := s.Log().Version()
		if err := s.Append(b.Context(), entries[i*len(entries)/parts:(i+1)*len(entries)/parts]...); err != nil {
			b.Fatal(err)
		}
		if i < compactions {
			if err := s.Append(b.Context(), tenfold.Entry{Payload: cleared(s.Log(), at)}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return s
}

// cleared is a compaction that clears the results of a log after a seq.
func cleared(l *tenfold.Log, after int64) tenfold.Compaction {
	calls := map[string]tenfold.CallPolicy{}
	for e := range l.After(after) {
		if c, ok := e.Payload.(tenfold.ToolCall); ok && l.Pair(e.Seq) > 0 {
			calls[fmt.Sprintf("%s@%d", c.CallID, e.Seq)] = tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
		}
	}
	return tenfold.Compaction{ToTurn: l.Turns() - 1, ToolCalls: &tenfold.ToolPolicy{
		Action: tenfold.Selective, Stub: "previous", Calls: calls,
	}}
}

// fresh gives entries as an agent has them, without id and time, but counted: what
// counting costs is T5.
func fresh(entries []tenfold.Entry) []tenfold.Entry {
	out := make([]tenfold.Entry, len(entries))
	for i, e := range entries {
		out[i] = tenfold.Entry{MessageID: e.MessageID, Tokens: e.Tokens, Payload: e.Payload}
	}
	return out
}

// T1s: what happens before a model call, through the session: an entry is
// stored with compare-and-swap, the projected total is known, a trigger is
// asked. Time is the median of stretches of a hundred, which a busy machine
// disturbs less than the mean.
func BenchmarkT1SessionCheck(b *testing.B) {
	shortest := 0.0
	for _, n := range benchmarkSizes {
		entries := logtest.Long(n)
		for _, compactions := range []int{0, 1, 50} {
			b.Run(fmt.Sprintf("%d/compactions=%d", n, compactions), func(b *testing.B) {
				stretches := checked(b, entries, compactions, b.N)
				median := stretches[len(stretches)/2]
				if n == benchmarkSizes[0] && compactions == 0 {
					shortest = median
				}
				b.ReportMetric(median/1e3, "µs/check")
				b.ReportMetric(median/shortest, "×t(1k)")
			})
		}
	}
}

// checked appends entries and asks a trigger after each, and tells how many
// nanoseconds one took, stretch by stretch, in order. A session grows by a
// fifth, then the next is made.
func checked(b *testing.B, entries []tenfold.Entry, compactions, times int) []float64 {
	b.Helper()
	const stretch = 100
	more, when := fresh(entries[:250]), trigger.Tokens(1<<40)
	var s *session.Session
	var watcher trigger.Watcher
	var took []float64
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < times; done += stretch {
		if b.StopTimer(); done%max(len(entries)/5, 1000) == 0 {
			s, watcher = grown(b, entries, compactions), trigger.Watcher{}
			watcher.Look(s.Projection())
			runtime.GC()
		}
		b.StartTimer()
		began := time.Now()
		for i := range stretch {
			if err := s.Append(b.Context(), more[(done+i)%len(more)]); err != nil {
				b.Fatal(err)
			}
			if fires, _ := when.Fires(watcher.Look(s.Projection())); fires {
				b.Fatal("there are not so many tokens")
			}
		}
		took = append(took, float64(time.Since(began).Nanoseconds())/stretch)
	}
	slices.Sort(took)
	return took
}

// T2: a whole conversation replayed through the session, with the totals known
// before each model call. The time is that of the fastest replay.
func BenchmarkT2SessionReplay(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		entries := logtest.Long(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			fastest := math.Inf(1)
			for b.Loop() {
				runtime.GC()
				began := time.Now()
				s := grown(b, nil, 0)
				for i := range entries {
					if err := s.Append(b.Context(), entries[i]); err != nil {
						b.Fatal(err)
					}
					if s.Projection().Tokens() > 1<<40 {
						b.Fatal("there are not so many tokens")
					}
				}
				fastest = min(fastest, time.Since(began).Seconds())
			}
			b.ReportMetric(fastest, "s/replay")
		})
	}
}

// T9: memory of a session and its store, beside the texts.
func BenchmarkT9SessionMemory(b *testing.B) {
	const n = 200_000
	for _, compactions := range []int{0, 50} {
		b.Run(fmt.Sprintf("compactions=%d", compactions), func(b *testing.B) {
			for b.Loop() {
				before := heap()
				s, text := remembered(b, n, compactions)
				b.ReportMetric(float64(heap()-before-text)/n, "bytes/message")
				runtime.KeepAlive(s)
			}
		})
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// remembered makes a session and tells how many bytes of text are in it.
func remembered(b *testing.B, n, compactions int) (*session.Session, int64) {
	b.Helper()
	entries := logtest.Long(n)
	var text int64
	for _, e := range entries {
		r, err := record.New(e.Payload)
		if err != nil {
			b.Fatal(err)
		}
		text += int64(len(r.Text))
	}
	return grown(b, entries, compactions), text
}
