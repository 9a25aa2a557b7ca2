package session_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
	"tenfold/strategy"
	"tenfold/summary"
)

// slow is a model that answers once the log says twice that an attempt goes on, or
// cannot be reached by then.
type slow struct {
	quoting
	r     *running
	fails bool
	asked *int
}

func (s slow) Summarize(ctx context.Context, q strategy.SummaryRequest) (strategy.SummaryResult, error) {
	*s.asked++
	held := 0
	for e, err := range s.r.store.Watch(ctx, s.r.id, 0) {
		if err != nil {
			return strategy.SummaryResult{}, err
		}
		if a, ok := e.Payload.(tenfold.CompactionAttempt); ok && a.State == tenfold.AttemptHeld {
			held++
		}
		if held == 2 {
			break
		}
	}
	if s.fails {
		return s.broken.Summarize(ctx, q)
	}
	return strategy.SummaryResult{Text: "it was built", Model: "slow"}, ctx.Err()
}

// A3: an attempt that a model may take ten minutes for keeps others away for no longer
// than its process is heard of, and that it is heard of has no plan made again.
func TestA3AttemptIsHeldWhileItGoesOn(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for name, st := range map[string]store.Store{"memory": memory.New(), "sqlite": st} {
		for _, fails := range []bool{false, true} {
			asked := 0
			r := run(t, st, name, map[bool]string{true: "fails", false: "answers"}[fails])
			due(r)
			r.live.Lease = 20 * time.Millisecond
			r.live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
			r.live.Request.Bounds.Tail = &tenfold.Tail{Turns: 1}
			r.live.Request.Options.Summarizer = slow{r: r, fails: fails, asked: &asked}
			if fails {
				r.live.Request.Options.Summarizer = paidLadder{summary.Ladder{slow{r: r, fails: true, asked: &asked}, summary.Digest{}}}
			}
			r.reopen()
			r.want(r.settle(), session.Compacted, session.Ready)
			if asked != 1 {
				t.Errorf("%s: the model was asked %d times", r.id, asked)
			}
			if err := r.c.Session().Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			for e := range r.log().Entries() {
				if a, ok := e.Payload.(tenfold.CompactionAttempt); ok && (a.State == tenfold.AttemptHeld && a.Attempt == "" || a.State == tenfold.AttemptBegun && a.Seconds != 1) {
					t.Errorf("%s: %+v", r.id, a)
				}
			}
		}
	}
}

// paidLadder may ask a model.
type paidLadder struct{ summary.Ladder }

func (paidLadder) Quote(strategy.SummaryRequest) strategy.Quote { return strategy.Quote{} }

// A3: an attempt that was killed is over when it was not heard of for its lease.
func TestA3AttemptIsOverSoonAfterItWasHeardOf(t *testing.T) {
	r := due(run(t, memory.New()))
	attempt := func(id string, a tenfold.CompactionAttempt) {
		t.Helper()
		r.append(tenfold.Entry{ID: id, Time: r.clock.now, Payload: a})
	}
	in := func(state session.State) {
		t.Helper()
		if got := r.status(); got.State != state {
			t.Fatalf("it is %s until %v, want %s", got.State, got.Until, state)
		}
	}
	attempt("a", tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Seconds: 60})
	begun := r.clock.now
	for range 12 {
		r.clock.pass(50 * time.Second)
		in(session.Compacting)
		attempt("", tenfold.CompactionAttempt{State: tenfold.AttemptHeld, Attempt: "a", Seconds: 60})
		attempt("", tenfold.CompactionAttempt{State: tenfold.AttemptHeld, Attempt: "another", Seconds: 3600})
	}
	if s := r.status(); !s.Since.Equal(begun) || !s.Until.Equal(r.clock.now.Add(time.Minute)) {
		t.Errorf("it began at %v and is over at %v", s.Since, s.Until)
	}
	r.clock.pass(61 * time.Second)
	in(session.Tried)
	attempt("", tenfold.CompactionAttempt{State: tenfold.AttemptHeld, Attempt: "a", Seconds: 60}) // it slept
	in(session.Compacting)
	r.clock.pass(61 * time.Second)
	r.turn()
	r.want(r.settle(), session.Compacted, session.Ready)

	// A paid attempt claims no more at once than an unpaid one.
	r = due(run(t, memory.New()))
	asked := 0
	r.live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
	r.live.Request.Options.Summarizer = costly{&asked}
	r.reopen()
	r.settle()
	for e := range r.log().Entries() {
		if a, ok := e.Payload.(tenfold.CompactionAttempt); ok && a.Seconds != 60 {
			t.Errorf("an attempt claims %d seconds", a.Seconds)
		}
	}
}
