package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/summary"
)

// due is a conversation of which a compaction is due before the next turn.
func due(r *running) *running {
	r.turn()
	r.call(4000)
	r.call(4500)
	r.say()
	r.turn()
	return r
}

// hopeless is one of which a compaction is due and cannot free anything.
func hopeless(r *running, tokens int) *running {
	r.stuck(tokens)
	return r
}

// A1: the boundary of micro moves only when that frees clear_at_least tokens, or
// 2,000 once the cache is cold; a move is an overlay of the source "micro", and no
// attempt.
func TestA1MicroMovesWhenItIsWorthIt(t *testing.T) {
	r := run(t, memory.New())
	r.live.Micro = session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 1}, ClearAtLeast: 3000, ColdAfter: 5 * time.Minute}
	r.live.Auto.Enabled = false
	r.reopen()
	r.turn()
	r.call(2500)
	r.call(100)
	r.want(r.settle(), session.GoOn, session.Ready)
	r.call(1000)
	r.call(100)
	d := r.settle()
	r.want(d, session.Compacted, session.Ready)
	made := payloads[tenfold.Compaction](r.log())
	if !d.Micro || len(made) != 1 || made[0].Source != "micro" || made[0].Reason == "" || len(payloads[tenfold.CompactionAttempt](r.log())) != 0 {
		t.Fatalf("recorded is %+v", made)
	}
	r.want(r.settle(), session.GoOn, session.Ready) // nothing new to clear
	r.call(2200)
	r.call(100)
	r.want(r.settle(), session.GoOn, session.Ready) // crumbs, while it is warm
	r.reopen()
	r.want(r.settle(), session.GoOn, session.Ready)
	r.clock.pass(6 * time.Minute)
	d = r.settle()
	r.want(d, session.Compacted, session.Ready)
	if !strings.Contains(d.Reason, "cold since") {
		t.Errorf("the reason is %q", d.Reason)
	}
	// B2: nothing is cleared while a call is open.
	r.call(4000)
	r.add(tenfold.ToolCall{CallID: "open", Name: "Read", Arguments: `{}`})
	r.want(r.settle(), session.GoOn, session.Ready)
	r.answer("open", 10)
	r.want(r.settle(), session.Compacted, session.Ready)
}

// A3: at most one attempt a turn. The tracker is set before the attempt, survives
// a restart, and is reset by a turn, a success, or by hand.
func TestA3OneAttemptATurn(t *testing.T) {
	r := hopeless(run(t, memory.New()), 8500)
	d := r.settle()
	if d.Action != session.Failed || d.Problem == nil || d.Problem.Hint == "" {
		t.Fatalf("%s: %+v", d.Action, d.Problem)
	}
	attempts := func() int {
		n := 0
		for _, a := range payloads[tenfold.CompactionAttempt](r.log()) {
			if a.State == tenfold.AttemptBegun {
				n++
			}
		}
		return n
	}
	for range 3 { // three more requests of the turn, each after a restart
		r.reopen()
		r.want(r.settle(), session.GoOn, session.Tried)
		r.want(r.ask(session.Wish{By: session.ByClient}), session.Failed, session.Tried)
		r.want(r.ask(session.Wish{By: session.ByModel}), session.Failed, session.Tried)
	}
	if attempts() != 1 {
		t.Fatalf("%d attempts in a turn", attempts())
	}
	// By hand, and then again none by itself.
	if d := r.ask(session.Wish{By: session.ByPerson}); d.Action != session.GoOn && d.Action != session.Failed || attempts() != 2 {
		t.Fatalf("by hand: %s, %d attempts", d.Action, attempts())
	}
	r.want(r.settle(), session.GoOn, session.Tried)
	r.turn()
	if r.settle(); attempts() != 3 {
		t.Fatalf("%d attempts after a new turn", attempts())
	}
	// The tracker is in the log before a plan is made.
	r = due(run(t, memory.New()))
	var before []tenfold.CompactionAttempt
	r.reopen(session.WithHooks(session.Hooks{Before: func(_ context.Context, s *session.Session, plan strategy.Plan) (strategy.Plan, error) {
		before = payloads[tenfold.CompactionAttempt](s.Log())
		return plan, nil
	}}))
	r.want(r.settle(), session.Compacted, session.Ready)
	if len(before) != 1 || before[0].State != tenfold.AttemptBegun {
		t.Fatalf("at the attempt the log holds %+v", before)
	}
	// A success resets it: the same turn may need another.
	r.call(7000)
	r.say()
	r.want(r.settle(), session.Compacted, session.Ready)
	// Two are allowed where the configuration says so.
	r = hopeless(run(t, memory.New()), 8500)
	r.live.Auto.MaxAttempts = 2
	r.reopen()
	r.want(r.settle(), session.Failed, session.Ready)
	r.want(r.settle(), session.Failed, session.Tried)
	r.want(r.settle(), session.GoOn, session.Tried)
}

// A4: what frees less than 10 % has failed, and is not applied.
func TestA4NoProgressIsAFailure(t *testing.T) {
	r := run(t, memory.New())
	r.stuck(8000)
	r.call(700)
	r.say()
	d := r.settle()
	r.want(d, session.Failed, session.Tried)
	failed := payloads[tenfold.CompactionFailed](r.log())
	if len(failed) != 1 || failed[0].Attempt == "" || len(payloads[tenfold.Compaction](r.log())) != 0 || !strings.Contains(d.Reason, "no progress") {
		t.Fatalf("%q; recorded is %+v", d.Reason, failed)
	}
	// Who asked for it is not told to.
	if d = r.ask(session.Wish{By: session.ByPerson}); d.Action != session.Failed || strings.Contains(d.Problem.Hint, "yourself") || !strings.Contains(d.Problem.Hint, "nothing was changed") {
		t.Errorf("%+v", d)
	}
	// A person who asks is told that there is nothing, and nothing has failed.
	r = run(t, memory.New())
	r.turn()
	r.say()
	r.want(r.ask(session.Wish{By: session.ByPerson}), session.GoOn, session.Tried)
	if n := len(payloads[tenfold.CompactionFailed](r.log())); n != 0 {
		t.Errorf("%d failures recorded", n)
	}
}

// A5: while it runs everybody sees so, and nobody else begins.
func TestA5CompactingIsVisible(t *testing.T) {
	r := due(run(t, memory.New()))
	seen := 0
	r.reopen(session.WithHooks(session.Hooks{Before: func(ctx context.Context, _ *session.Session, plan strategy.Plan) (strategy.Plan, error) {
		other := *r
		other.reopen()
		st := other.status()
		if st.State != session.Compacting || !st.Since.Equal(r.clock.now) {
			t.Errorf("another sees %+v", st)
		}
		other.want(other.settle(), session.Wait, session.Compacting)
		for _, by := range []session.Asker{session.ByPerson, session.ByClient, session.ByModel} {
			other.want(other.ask(session.Wish{By: by}), session.Wait, session.Compacting)
		}
		seen++
		return plan, nil
	}}))
	r.want(r.settle(), session.Compacted, session.Ready)
	if seen != 1 || r.status().State != session.Ready {
		t.Errorf("seen %d times, now %s", seen, r.status().State)
	}
}

// A5: an attempt that a machine began whose clock is far ahead, and did not end, holds
// nobody up for as long.
func TestA5AWrongClockHoldsNobodyUp(t *testing.T) {
	for _, wrong := range []time.Duration{-time.Hour, 30 * time.Second, time.Hour} {
		r := due(run(t, memory.New()))
		right := r.clock.now
		r.reopen(session.WithHooks(session.Hooks{Before: func(ctx context.Context, _ *session.Session, plan strategy.Plan) (strategy.Plan, error) {
			other := *r
			other.reopen()
			other.clock.now = right
			if got, want := other.status().State == session.Compacting, wrong == 30*time.Second; got != want {
				t.Errorf("with a clock %v ahead, compacting is %v", wrong, got)
			}
			return plan, nil
		}}))
		r.clock.now = right.Add(wrong)
		r.settle()
	}
}

// A6, V7: a failure is recorded, nothing is changed, a person can retry; over the
// window it is context_exceeded until something helps.
func TestA6FailureAndContextExceeded(t *testing.T) {
	r := hopeless(run(t, memory.New()), window+500)
	was := slices.Collect(r.c.Session().Projection().Items())
	d := r.settle()
	r.want(d, session.Exceeded, session.Closed)
	if d.Problem.Code != "context_exceeded" || !strings.Contains(d.Problem.Hint, "new session") {
		t.Errorf("a person is told %+v", d.Problem)
	}
	if failed := payloads[tenfold.CompactionFailed](r.log()); len(failed) != 1 || !failed[0].Exceeded || failed[0].Limit != window || failed[0].Tokens <= window {
		t.Errorf("recorded is %+v", failed)
	}
	if diff := cmp.Diff(was, slices.Collect(r.c.Session().Projection().Items())); diff != "" {
		t.Error("a failure changed the view:", diff)
	}
	r.reopen()
	r.want(r.settle(), session.Exceeded, session.Closed)
	if s := r.status(); s.State != session.Closed || s.Failure == "" {
		t.Errorf("the status is %+v", s)
	}
	// A model with a larger window reopens it.
	r.live.Request.Options.Window = 3 * window
	r.reopen()
	r.want(r.settle(), session.GoOn, session.Tried)
	// What fails under the limit, and then grows over it in the same turn.
	r = hopeless(run(t, memory.New()), 8500)
	r.want(r.settle(), session.Failed, session.Tried)
	r.call(2500)
	r.call(100)
	r.want(r.settle(), session.Exceeded, session.Closed)
	// A retry by hand finds what can go now.
	r.want(r.ask(session.Wish{By: session.ByPerson}), session.Compacted, session.Ready)
}

// broken is a summarizer that fails, as a model does that cannot be reached.
type broken struct{ strategy.Summarizer }

func (broken) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	return strategy.SummaryResult{}, errors.New("the model cannot be reached")
}

// A6: with the fallback a failing model is not a failure of the compaction.
func TestA6FallbackIsTheDigest(t *testing.T) {
	for _, fallback := range []bool{true, false} {
		r := due(run(t, memory.New()))
		r.live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
		r.live.Request.Bounds.Tail = &tenfold.Tail{Turns: 1}
		r.live.Request.Options.Summarizer = broken{}
		want, state := session.Failed, session.Tried
		if fallback {
			r.live.Request.Options.Summarizer = summary.Ladder{broken{}, summary.Digest{}}
			want, state = session.Compacted, session.Ready
		}
		r.reopen()
		d := r.settle()
		r.want(d, want, state)
		if !fallback && !strings.Contains(d.Reason, "cannot be reached") {
			t.Errorf("the reason is %q", d.Reason)
		}
	}
}

// A kept tail that is larger than a small window leaves nothing to compact: it is kept
// within what is gone for.
func TestTailFitsASmallWindow(t *testing.T) {
	r := run(t, memory.New())
	tail := tenfold.DefaultTail()
	r.live.Request.Bounds.Tail, r.live.Auto.Strategies = &tail, []strategy.Strategy{strategy.Summarize{}}
	r.live.Request.Options.Summarizer = summary.Digest{}
	r.reopen()
	r.turn()
	for range 10 {
		r.call(1000)
	}
	r.want(r.settle(), session.Compacted, session.Ready)
	if tail != tenfold.DefaultTail() {
		t.Errorf("the configured tail is %+v now", tail)
	}
}

// A3, A8: a wish of the model that comes to nothing, as one that comes too early, keeps no
// compaction away that is needed later in the turn; another wish is refused until then.
func TestA3ModelsWishIsNoAttemptOfTheTurn(t *testing.T) {
	r := run(t, memory.New())
	wish := session.Wish{By: session.ByModel}
	r.turn()
	asks := func(id string) session.Decision {
		r.add(tenfold.ToolCall{CallID: id, Name: "compact", Arguments: `{}`})
		d := r.ask(wish)
		r.add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text("…")})
		return d
	}
	r.want(asks("early"), session.Wait, session.Wanted)
	r.want(r.settle(), session.Failed, session.Ready)
	r.want(asks("again"), session.Failed, session.Ready)
	r.reopen()
	r.want(asks("and again"), session.Failed, session.Ready)
	for range 10 {
		r.call(1000)
	}
	r.want(r.settle(), session.Compacted, session.Ready)
	r.call(1000)
	r.want(asks("late"), session.Wait, session.Wanted)
}

// A8: the model's wish waits for the result of its call, survives a restart, and
// its focus is used.
func TestA8TheModelAsks(t *testing.T) {
	r := run(t, memory.New())
	r.turn()
	r.call(3000)
	r.add(tenfold.ToolCall{CallID: "compact", Name: "compact", Arguments: `{"focus":"the schema"}`})
	r.want(r.ask(session.Wish{By: session.ByModel, Focus: "the schema"}), session.Wait, session.Wanted)
	r.reopen()
	r.want(r.settle(), session.Wait, session.Wanted)
	r.answer("compact", 10)
	var focus string
	r.live.Auto.Strategies = []strategy.Strategy{peek{strategy.Fit{}, func(o strategy.Options) { focus = o.Focus }}}
	r.live.Auto.Strategies = append(r.live.Auto.Strategies, strategy.Fit{})
	r.reopen()
	d := r.settle()
	r.want(d, session.Compacted, session.Ready)
	if made := payloads[tenfold.Compaction](r.log()); focus != "the schema" || made[0].Source != "model" || made[0].Reason == "" || d.By != session.ByModel {
		t.Errorf("the focus is %q, the overlay %+v", focus, made)
	}
	// A call that was interrupted never gets its result: whoever knows says so.
	r.turn()
	r.call(3000)
	r.add(tenfold.ToolCall{CallID: "interrupted", Name: "Read", Arguments: `{}`})
	r.want(r.ask(session.Wish{By: session.ByPerson, Idle: true}), session.Compacted, session.Ready)
}

// quoting is a summarizer that would have to be paid.
type quoting struct{ broken }

func (quoting) Quote(strategy.SummaryRequest) strategy.Quote { return strategy.Quote{} }

// V7: an attempt that is stopped, by its caller or by its time, is recorded, and
// the conversation is as it was.
func TestV7StoppedAttemptsAreRecorded(t *testing.T) {
	for _, timeout := range []bool{true, false} {
		r := due(run(t, memory.New()))
		if timeout {
			r.live.Timeout = time.Millisecond
		}
		ctx, stop := context.WithCancel(t.Context())
		r.reopen(session.WithHooks(session.Hooks{Before: func(inner context.Context, _ *session.Session, plan strategy.Plan) (strategy.Plan, error) {
			if !timeout {
				stop()
			}
			<-inner.Done()
			return plan, inner.Err()
		}}))
		d, err := r.c.Settle(ctx)
		if (err != nil) == timeout || d.Action != session.Failed {
			t.Errorf("timeout %v: %v, %s", timeout, err, d.Action)
		}
		stop()
		failed := payloads[tenfold.CompactionFailed](r.log())
		if len(failed) != 1 || failed[0].Attempt == "" || len(payloads[tenfold.Compaction](r.log())) != 0 {
			t.Errorf("timeout %v: recorded is %+v", timeout, failed)
		}
		r.reopen()
		r.want(r.settle(), session.GoOn, session.Tried)
	}
}

// A3: what resets the tracker and what does not, by the log alone.
func TestA3WhatResetsTheTracker(t *testing.T) {
	strip := &tenfold.Policy{Action: tenfold.Strip}
	for _, test := range []struct {
		name        string
		from, after session.State
		payload     tenfold.Payload
	}{
		{"micro is not a success", session.Tried, session.Tried, tenfold.Compaction{Source: "micro", Reasoning: strip}},
		{"an import is none", session.Tried, session.Tried, tenfold.Compaction{Source: "import", Reasoning: strip}},
		{"a compaction by hand is one", session.Tried, session.Ready, tenfold.Compaction{Source: "user", Reasoning: strip}},
		{"another's success ends no attempt", session.Compacting, session.Compacting, tenfold.Compaction{Source: "user", Command: "x", Reasoning: strip}},
		{"another's failure ends no attempt", session.Compacting, session.Compacting, tenfold.CompactionFailed{Error: "e", Attempt: "x"}},
		{"another's end ends no attempt", session.Compacting, session.Compacting, tenfold.CompactionAttempt{State: tenfold.AttemptEnded, Attempt: "x"}},
	} {
		r := run(t, memory.New())
		inState(r, test.from)
		r.add(test.payload)
		if got := r.status().State; got != test.after {
			t.Errorf("%s: %s, want %s", test.name, got, test.after)
		}
	}
	// With two attempts a turn, each turn has two.
	r := run(t, memory.New())
	r.live.Auto.MaxAttempts = 2
	r.reopen()
	for range 2 {
		hopeless(r, 4*window/5)
		r.live.Request.Options.Window = r.status().Tokens * 10 / 9 // due, and the request stays
		r.live.Auto.Strategies = []strategy.Strategy{strategy.StripReasoning{}}
		r.reopen()
		r.want(r.settle(), session.Failed, session.Ready)
		r.want(r.settle(), session.Failed, session.Tried)
		r.want(r.settle(), session.GoOn, session.Tried)
	}
	// A retry by hand that fails is followed by none that begins by itself (A6).
	r = due(run(t, memory.New()))
	r.live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
	r.live.Request.Bounds.Tail = &tenfold.Tail{Turns: 1}
	r.live.Request.Options.Summarizer = broken{}
	r.reopen()
	r.want(r.ask(session.Wish{By: session.ByPerson}), session.Failed, session.Tried)
	r.want(r.settle(), session.GoOn, session.Tried)
}
