package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
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

// A compaction that is stopped while it waits for what is prepared beside is said to have ended.
func TestAStoppedCompactionEnds(t *testing.T) {
	t.Parallel()
	w := writer{make(chan int64, 1), make(chan bool)}
	t.Cleanup(func() { close(w.goOn) })
	model := long(20, script.Text("Done."))
	k := begin(t, model, big, func(o *agent.Options) {
		o.Live.Request.Options.Window, o.Live.Request.Options.Summarizer = 9000, w
		o.Live.Request.Bounds = tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1, Tokens: 1000}}
		o.Live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var actions []session.Action
	for e := range k.Run(ctx, tenfold.TextPart("Bake.")) {
		if e.Compaction != nil {
			actions = append(actions, e.Compaction.Action)
			cancel()
		}
	}
	if want := []session.Action{session.Compact, session.Failed}; !slices.Equal(actions, want) {
		t.Errorf("%q", actions)
	}
}

// Where another program compacts, or was killed while it did, no new conversation is needed.
func TestTooLargeWhileAnotherCompacts(t *testing.T) {
	t.Parallel()
	large := script.Fail(&provider.Error{Kind: provider.TooLarge, Message: "prompt is too long"})
	k := begin(t, long(5, large, script.Text("It fits.")), big, func(o *agent.Options) { o.Limits.Steps = 5 })
	k.stop("Go.")
	begun := tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: strategy.SourceAuto, Seconds: 600}
	if err := k.Session().Append(t.Context(), tenfold.Entry{Payload: begun}); err != nil {
		t.Fatal(err)
	}
	_, err := k.run()
	if p, ok := errors.AsType[*problem.Error](err); !ok || p.Code != "compacting" || provider.KindOf(err) != provider.TooLarge {
		t.Errorf("%v", err)
	}
}
