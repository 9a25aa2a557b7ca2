package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
)

// dying is the store of a process that is killed at its nth append, before it is
// written or after.
type dying struct {
	store.Store
	left    int
	written bool
}

var errKilled = errors.New("killed")

func (d *dying) Append(ctx context.Context, b store.Batch) (int64, error) {
	d.left--
	if d.left > 0 || d.left == 0 && d.written {
		if v, err := d.Store.Append(ctx, b); d.left > 0 {
			return v, err
		}
	}
	return 0, errKilled
}

// A3, V1–V7: a kill between any two transitions leaves a conversation that answers
// as it would have: what was recorded holds, what was not can be done again, and
// an attempt that nobody ended is over when its time is.
func TestA3KillBetweenAnyTwoTransitions(t *testing.T) {
	type scenario struct {
		name  string
		begin func(r *running)
		// act is one settling of the controller under test.
		act func(c *session.Controller) (session.Decision, error)
		// whole is what it comes to, and then.
		whole, then session.Action
		// fresh is what a new turn comes to, in which what was stuck may go.
		fresh session.Action
	}
	settle := func(c *session.Controller) (session.Decision, error) { return c.Settle(context.Background()) }
	scenarios := []scenario{
		{"success", func(r *running) { due(r) }, settle, session.Compacted, session.GoOn, session.Compacted},
		{"failure", func(r *running) { hopeless(r, 8500) }, settle, session.Failed, session.GoOn, session.Compacted},
		{"exceeded", func(r *running) { hopeless(r, window+500) }, settle, session.Exceeded, session.Exceeded, session.Compacted},
		{
			"nothing to do", func(r *running) { r.turn(); r.say() },
			func(c *session.Controller) (session.Decision, error) {
				d, err := c.Ask(context.Background(), session.Wish{By: session.ByPerson})
				if err != nil {
					return d, err
				}
				return c.Run(context.Background(), d)
			},
			session.GoOn, session.GoOn, session.GoOn,
		},
		{
			"wish", func(r *running) {
				due(r)
				r.add(tenfold.ToolCall{CallID: "open", Name: "compact", Arguments: `{}`})
			},
			func(c *session.Controller) (session.Decision, error) {
				return c.Ask(context.Background(), session.Wish{By: session.ByModel})
			},
			session.Wait, session.Wait, session.Compacted,
		},
	}
	stores := map[string]store.Store{"memory": memory.New()}
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	stores["sqlite"] = st
	for name, st := range stores {
		for _, s := range scenarios {
			for kill := 1; ; kill++ {
				ended := false
				for _, written := range []bool{false, true} {
					r := run(t, st, name, s.name, string(rune('0'+kill)), map[bool]string{true: "written", false: "lost"}[written])
					s.begin(r)
					before := r.log().Version()
					d := &dying{Store: st, left: kill, written: written}
					r.store = d
					r.reopen()
					decision, err := s.act(r.c)
					if !errors.Is(err, errKilled) { // it ended before it could be killed
						r.want(decision, s.whole, decision.State)
						ended = true
					}
					r.store = st
					r.reopen()
					hold(t, r, s.name, before, s.whole, s.then, s.fresh)
				}
				if ended {
					break
				}
				if kill == 9 {
					t.Fatalf("%s takes more than %d appends", s.name, kill)
				}
			}
		}
	}
}

// hold looks at what a kill left.
func hold(t *testing.T, r *running, name string, before int64, whole, then, fresh session.Action) {
	t.Helper()
	begun, applied, failed, ended, wanted := 0, 0, 0, 0, 0
	for e := range r.log().After(before) {
		switch p := e.Payload.(type) {
		case tenfold.CompactionAttempt:
			switch p.State {
			case tenfold.AttemptBegun:
				begun++
			case tenfold.AttemptEnded:
				ended++
			case tenfold.AttemptWanted:
				wanted++
			}
		case tenfold.Compaction:
			applied++
		case tenfold.CompactionFailed:
			failed++
		default:
			t.Fatalf("%s: a %s came into the log", name, e.Payload.Kind())
		}
	}
	if begun > 1 || applied+failed+ended > begun {
		t.Fatalf("%s: %d attempts, %d applied, %d failed, %d ended", name, begun, applied, failed, ended)
	}
	d := r.next()
	switch {
	case wanted > 0:
		r.want(d, session.Wait, session.Wanted)
		r.answer("open", 10)
		r.want(r.settle(), fresh, session.Ready)
		return
	case begun > applied+failed+ended:
		// Killed in the midst of it: nobody else begins, until its time is over.
		r.want(d, session.Wait, session.Compacting)
		r.clock.pass(time.Hour)
		if d := r.next(); d.Action != session.GoOn && (d.Action != session.Exceeded || whole != session.Exceeded) {
			t.Fatalf("%s: after its time: %s (%s)", name, d.Action, d.Reason)
		}
		r.reopen()
		if r.settle().Action == session.Compacted {
			t.Fatalf("%s: a second attempt in the turn", name)
		}
		r.add(tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Go on.")})
		if d := r.settle(); d.Action != fresh {
			t.Fatalf("%s: the next turn: %s (%s), want %s", name, d.Action, d.Reason, fresh)
		}
	case begun == 0:
		// Killed before anything was recorded: the same input has the same answer.
		if again := r.settle(); whole != session.Wait && whole != session.GoOn && again.Action != whole {
			t.Fatalf("%s: again: %s (%s), want %s", name, again.Action, again.Reason, whole)
		}
	default:
		if d.Action != then {
			t.Fatalf("%s: after it: %s (%s), want %s", name, d.Action, d.Reason, then)
		}
	}
}
