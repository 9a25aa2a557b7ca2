package agent_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"syscall"
	"testing"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// instant is a model that answers at once, and does not look at what it is sent.
type instant struct {
	*script.Model

	steps int
}

func (m *instant) Stream(_ context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		m.steps++
		stop := provider.StopEnd
		block := tenfold.Payload(tenfold.AssistantMessage{Text: "I have looked at oven.go, and it is hot."})
		if m.steps%2 == 1 {
			stop, block = provider.StopTools, call(fmt.Sprint("c", m.steps), "look", `{"path":"oven.go"}`)
		}
		_ = yield(provider.Event{Block: block}, nil) &&
			yield(provider.Event{Usage: &tenfold.Usage{Model: "script/script", Input: r.View.Tokens(), Output: 10}}, nil) &&
			yield(provider.Event{Stop: stop}, nil)
	}
}

// grown is an agent over a log of so many entries.
func grown(tb testing.TB, entries, window int) (*agent.Agent, *instant) {
	tb.Helper()
	st := memory.New()
	tb.Cleanup(func() { _ = st.Close() })
	s, err := session.NewService(st, session.WithCounter(tenfold.Chars4{})).Create(tb.Context(), session.Create{Entries: logtest.Long(entries)})
	if err != nil {
		tb.Fatal(err)
	}
	model := &instant{Model: script.New().As("script/script", body.Anthropic())}
	live := session.Live{Auto: session.LiveAuto{Enabled: true}, Micro: session.LiveMicro{Enabled: true, Strategy: strategy.Micro{}}}
	live.Request.Options.Window = window
	a, err := agent.New(s, agent.Options{Model: model, Tools: []toolbox.Tool{stub{name: "look", effect: toolbox.Reads}}, Live: live})
	if err != nil {
		tb.Fatal(err)
	}
	for range 3 {
		turn(tb, a) // what is made once
	}
	return a, model
}

func turn(tb testing.TB, a *agent.Agent) {
	tb.Helper()
	if _, err := collect(a.Run(context.Background(), tenfold.TextPart("Look again."))); err != nil {
		tb.Fatal(err)
	}
}

// Issue 18: a step costs the same in a long conversation as in a short one, in what
// it allocates.
func TestStepsCostTheSame(t *testing.T) {
	cost := func(entries int) float64 {
		a, model := grown(t, entries, 1<<30)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		from := model.steps
		for range 100 {
			turn(t, a)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(model.steps-from)
	}
	short, long := cost(1000), cost(20_000)
	if t.Logf("%.0f and %.0f bytes a step, ratio %.2f", short, long, long/short); long > 1.5*short {
		t.Errorf("a step allocates %.0f bytes after 20,000 entries, %.0f after 1,000", long, short)
	}
}

// BenchmarkStep is what a step costs without model and tools.
func BenchmarkStep(b *testing.B) {
	for _, entries := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			a, model := grown(b, entries, 1<<30)
			from := model.steps
			b.ReportAllocs()
			for b.Loop() {
				turn(b, a)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(model.steps-from), "µs/step")
		})
	}
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkTurns has 10,000 turns, and prints what the last thousand cost against the
// first in processor time and bytes, the compactions among them; and against the third,
// since the first has but one of a view that was never compacted, and others have two.
func BenchmarkTurns(b *testing.B) {
	for b.Loop() {
		a, _ := grown(b, 10, 32_768)
		var took [10]time.Duration
		var bytes [10]uint64
		for i := range took {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := processorTime(b)
			for range 1000 {
				turn(b, a)
			}
			took[i] = processorTime(b) - began
			runtime.ReadMemStats(&after)
			bytes[i] = after.TotalAlloc - before.TotalAlloc
		}
		for name, first := range map[string]int{"first": 0, "third": 2} {
			b.ReportMetric(float64(took[9])/float64(took[first]), "time/"+name)
			b.ReportMetric(float64(bytes[9])/float64(bytes[first]), "bytes/"+name)
		}
		b.ReportMetric(float64(took[9].Microseconds())/1000, "µs/turn")
		b.ReportMetric(float64(a.Gauge().Compactions), "compactions")
	}
}
