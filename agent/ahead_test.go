package agent_test

import (
	"context"
	"strings"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider/script"
	"tenfold/strategy"
)

// writer is a summariser that a model is paid for; it says when it was asked.
type writer struct {
	asked chan int64 // the version of the log that it read
	goOn  chan bool
}

func (writer) Quote(strategy.SummaryRequest) strategy.Quote {
	return strategy.Quote{Model: "writer", Input: 1}
}

func (w writer) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	w.asked <- r.Log.Version()
	select {
	case <-w.goOn:
	case <-ctx.Done():
		return strategy.SummaryResult{}, ctx.Err()
	}
	return strategy.SummaryResult{Text: "The cake was baked in oven.go.", Model: "writer"}, nil
}

// V4: a compaction that is near, and that a model writes, is prepared while the steps
// go on, and applied at the next boundary with what they used kept.
func TestV4CompactionIsPreparedBeside(t *testing.T) {
	t.Parallel()
	w := writer{make(chan int64, 1), make(chan bool, 1)}
	steps := 0
	k := begin(t, script.Choose(func(script.Shown) script.Answer {
		if steps++; steps == 8 {
			w.goOn <- true // it was asked some steps ago
		}
		if steps > 12 {
			return script.Text("Done.")
		}
		return script.Calls(call(strings.Repeat("c", steps), "big"))
	}), big, func(o *agent.Options) {
		o.Live.Request.Options.Window, o.Live.Request.Options.Summarizer = 9000, w
		o.Live.Request.Bounds = tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1, Tokens: 1000}}
		o.Live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
	})
	if stop := k.stop("Bake."); stop.Reason != agent.Answered {
		t.Errorf("%+v", stop)
	}
	read := <-w.asked
	for e := range k.Session().Log().Entries() {
		if c, ok := e.Payload.(tenfold.Compaction); ok {
			a, _ := k.Session().Log().Lookup(c.Command)
			if c.Summary == nil || c.Source != "auto" || a.Seq <= read || a.Payload.Kind() != tenfold.KindCompactionAttempt {
				t.Errorf("overlay %d of attempt %d was written by what read %d entries: %+v", e.Seq, a.Seq, read, c)
			}
			return
		}
	}
	t.Errorf("nothing was compacted:\n%s", strings.Join(k.shows(), "\n"))
}
