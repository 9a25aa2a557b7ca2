package tenfold_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
)

// The targets of performance.md that the root package answers for. Ratios are
// printed, since machines are noisy: against the smallest n, and against a
// loop that looks once at every entry.

var sizes = []int{1_000, 10_000, 100_000, 1_000_000}

// benchmarkLog keeps the big logs, which take a while to make.
var benchmarkLogs = map[int][]tenfold.Entry{}

func longLog(b *testing.B, n int) *tenfold.Log {
	b.Helper()
	entries, ok := benchmarkLogs[n]
	if !ok {
		entries = logtest.Long(n)
		benchmarkLogs[n] = entries
	}
	l := tenfold.NewLog()
	if _, err := l.Append(entries...); err != nil {
		b.Fatal(err)
	}
	return l
}

func stripTools(to int) tenfold.Compaction {
	return tenfold.Compaction{
		ToTurn: to, Reasoning: &tenfold.Policy{Action: tenfold.Strip},
		ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true},
	}
}

// T1: what happens before a model call: an entry arrives, the projected total
// is known, a threshold is looked at. Flat in n, without allocation.
func BenchmarkT1Check(b *testing.B) {
	base := 0.0
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := longLog(b, n)
			if _, err := l.Append(tenfold.Entry{ID: "cmp", Payload: stripTools(l.Turns() - 2)}); err != nil {
				b.Fatal(err)
			}
			p := tenfold.Project(l)
			payload := tenfold.Payload(tenfold.AssistantMessage{Text: "ok"})
			ids := make([]string, b.N)
			for i := range ids {
				ids[i] = fmt.Sprintf("new-%09d", i)
			}
			over := 0
			runtime.GC()
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if _, err := l.Append(tenfold.Entry{ID: ids[i], Tokens: 1, Payload: payload}); err != nil {
					b.Fatal(err)
				}
				p.Advance()
				if p.Tokens() > 1<<30 {
					over++
				}
			}
			b.StopTimer()
			perOp := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if n == sizes[0] {
				base = perOp
			}
			b.ReportMetric(perOp/base, "×t(1k)")
		})
	}
}

// T2: a whole conversation replayed, with the check before each model call,
// against the running sum that a check needs at the least.
func BenchmarkT2Replay(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		longLog(b, n)
		entries := benchmarkLogs[n]
		var sum float64
		b.Run(fmt.Sprintf("sum/%d", n), func(b *testing.B) {
			for b.Loop() {
				total, over := 0, 0
				for i := range entries {
					if total += entries[i].Tokens; total > 1<<30 {
						over++
					}
				}
			}
			sum = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		})
		b.Run(fmt.Sprintf("replay/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := tenfold.NewLog()
				p := tenfold.Project(l)
				over := 0
				for i := range entries {
					if _, err := l.Append(entries[i]); err != nil {
						b.Fatal(err)
					}
					p.Advance()
					if p.Tokens() > 1<<30 {
						over++
					}
				}
			}
			perRun := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(perRun/1e9, "s/replay")
			b.ReportMetric(perRun/sum, "×sum")
		})
	}
}

// T3: plan "keep the newest 20,000 tokens", and build the view that is left.
func BenchmarkT3KeepNewest(b *testing.B) {
	tail := tenfold.Tail{Turns: -1, Tokens: 20_000}
	base := 0.0
	for _, n := range sizes {
		l := longLog(b, n)
		p := tenfold.Project(l)
		b.Run(fmt.Sprintf("plan/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok, why, err := p.Resolve(tenfold.Bounds{Tail: &tail, Now: time.Unix(0, 0)}); !ok || err != nil {
					b.Fatal(why, err)
				}
			}
		})
		r, _, _, err := p.Resolve(tenfold.Bounds{Tail: &tail})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("view/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			tokens, least := 0, time.Duration(1<<62)
			for b.Loop() {
				begin := time.Now()
				view := p.With(r.On(tenfold.Compaction{Turns: tenfold.Omit}))
				tokens = 0
				for it := range view.Items() {
					tokens += it.Tokens
				}
				least = min(least, time.Since(begin))
			}
			if n == sizes[0] {
				base = float64(least)
			}
			b.ReportMetric(float64(tokens), "tokens")
			b.ReportMetric(float64(least.Nanoseconds())/1e3, "µs")
			b.ReportMetric(float64(least)/base, "×t(1k)")
		})
	}
}

// T4: clear all results but the newest ten and project from scratch, against
// looking once at each entry; and the same as an increment.
func BenchmarkT4ClearOldResults(b *testing.B) {
	for _, n := range sizes[2:] {
		l := longLog(b, n)
		from := newestResults(l, 10)
		turn, step, _ := l.Where(from)
		c := tenfold.Compaction{ToTurn: turn, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}
		if step > 0 {
			step--
			c.ToStep = &step
		} else {
			c.ToTurn--
		}
		if _, err := l.Append(tenfold.Entry{ID: "cmp", Payload: c}); err != nil {
			b.Fatal(err)
		}
		var look float64
		b.Run(fmt.Sprintf("look/%d", n), func(b *testing.B) {
			for b.Loop() {
				results := 0
				for seq := int64(1); seq <= l.Version(); seq++ {
					if l.Pair(seq) > 0 {
						results++
					}
				}
			}
			look = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		})
		b.Run(fmt.Sprintf("scratch/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if tenfold.Project(l).Tokens() == 0 {
					b.Fatal("empty")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/look, "×look")
		})
		b.Run(fmt.Sprintf("scratch+items/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				items := 0
				for range tenfold.Project(l).Items() {
					items++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/look, "×look")
		})
		b.Run(fmt.Sprintf("increment/%d", n), func(b *testing.B) {
			p := tenfold.Project(l)
			var calls []tenfold.Entry
			for seq := l.Version(); seq > 0 && len(calls) < 4096; seq-- {
				if e, _ := l.Entry(seq); e.Payload.Kind() == tenfold.KindToolCall {
					calls = append(calls, e)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				call := calls[i%len(calls)]
				key := fmt.Sprintf("%s@%d", call.Payload.(tenfold.ToolCall).CallID, call.Seq)
				if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("inc", b.N, "/", i), Payload: tenfold.Compaction{
					ToTurn: l.Turns(), ToolCalls: &tenfold.ToolPolicy{
						Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{key: {Action: tenfold.Strip, Response: true}},
					},
				}}); err != nil {
					b.Fatal(err)
				}
				p.Advance()
			}
		})
	}
}

func newestResults(l *tenfold.Log, n int) int64 {
	for seq := l.Version(); seq > 0; seq-- {
		if e, _ := l.Entry(seq); e.Payload.Kind() == tenfold.KindToolResult {
			if n--; n == 0 {
				return seq
			}
		}
	}
	return 1
}

// What plans ask again and again: the totals that one small overlay more would
// leave, of a log in which fifty overlays name the calls they cleared.
func BenchmarkPreview(b *testing.B) {
	for _, n := range sizes {
		l := longLog(b, n)
		for part := range 50 {
			calls := map[string]tenfold.CallPolicy{}
			for seq := part * n / 50; seq < (part+1)*n/50; seq++ {
				if e, _ := l.Entry(int64(seq)); e.Payload != nil && e.Payload.Kind() == tenfold.KindToolCall {
					calls[fmt.Sprintf("%s@%d", e.Payload.(tenfold.ToolCall).CallID, seq)] = tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
				}
			}
			if _, err := l.Append(tenfold.Entry{Payload: tenfold.Compaction{
				ToTurn: l.Turns(), ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: calls},
			}}); err != nil {
				b.Fatal(err)
			}
		}
		p := tenfold.Project(l)
		last := l.Turns() - 1
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p.With(tenfold.Compaction{FromTurn: last, ToTurn: last, Turns: tenfold.Omit}).Tokens() == 0 {
					b.Fatal("empty")
				}
			}
		})
	}
}

// T9: memory of a log and its projection, beside the texts.
func BenchmarkT9Memory(b *testing.B) {
	const n = 200_000
	for b.Loop() {
		before := heap()
		l, text := logOf(b, n)
		p := tenfold.Project(l)
		b.ReportMetric(float64(heap()-before-text)/n, "bytes/message")
		runtime.KeepAlive(p)
		runtime.KeepAlive(l)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// logOf makes a long log and tells the bytes of text in it.
func logOf(b *testing.B, n int) (*tenfold.Log, int64) {
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
	return newLog(b, entries), text
}
