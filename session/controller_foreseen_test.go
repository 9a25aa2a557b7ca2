package session_test

import (
	"context"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
)

// appending counts the appends of a store.
type appending struct {
	store.Store
	n int
}

func (a *appending) Append(ctx context.Context, b store.Batch) (int64, error) {
	a.n++
	return a.Store.Append(ctx, b)
}

// X9, A3: a plan that was made before the request came that it is for is stored at once, with
// the record that its attempt began: there is nothing to do in between. What it says of the
// view's size is so, whatever came meanwhile.
func TestX9WhatWasForeseenIsStoredAtOnce(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]struct {
		do      func(r *running)
		appends int
	}{
		"nothing": {func(*running) {}, 1},
		"a turn":  {(*running).turn, 1},
		// The plan covers the turn before, to its end.
		"more of the turn": {func(r *running) { r.add(tenfold.UserMessage{Parts: tenfold.Text("and quickly")}) }, 1},
		"another writer's words": {func(r *running) {
			s, err := r.service().Open(t.Context(), r.id)
			if err == nil {
				err = s.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}, 3}, // which the first one meets
	} {
		r := cooling(t, 4500)
		count := &appending{Store: r.store}
		r.store = count
		r.reopen()
		r.clock.pass(6 * time.Minute)
		due := r.next()
		if meanwhile.do(r); name != "another writer's words" {
			due = r.next()
		}
		was := count.n
		d, err := r.c.Run(t.Context(), due)
		if err != nil || d.Action != session.Compacted {
			t.Fatalf("%s: %+v, %v", name, d, err)
		}
		if n := count.n - was; n != meanwhile.appends {
			t.Errorf("%s: it is stored in %d appends, not %d", name, n, meanwhile.appends)
		}
		made := payloads[tenfold.Compaction](r.log())
		begun := payloads[tenfold.CompactionAttempt](r.log())
		if len(made) != 1 || len(begun) != 1 || begun[0].State != tenfold.AttemptBegun || made[0].Reason != due.Reason || d.Result.Count != 1 {
			t.Fatalf("%s: the log has the attempts %+v, and %d compactions; %+v", name, begun, len(made), d)
		}
		p := r.c.Session().Projection()
		at := d.Result.Overlays[0].Seq
		if e, _ := p.Log().Entry(at - 1); e.Payload != tenfold.Payload(begun[0]) {
			t.Errorf("%s: before it stands %+v", name, e)
		}
		before := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		for e := range p.Log().Entries() {
			if e.Seq < at {
				if _, err := before.Append(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if from := tenfold.Project(before).Tokens(); made[0].TokensBefore != from || made[0].TokensAfter != p.Tokens() || d.Result.Plan.After != p.Tokens() {
			t.Errorf("%s: it says %d to %d tokens, the view went from %d to %d", name, made[0].TokensBefore, made[0].TokensAfter, from, p.Tokens())
		}
		r.want(r.settle(), session.GoOn, session.Ready)
	}
}

// A5: who compacts the conversation meanwhile goes first.
func TestX9WhatWasForeseenWaitsForOthers(t *testing.T) {
	t.Parallel()
	r := cooling(t, 4500)
	r.clock.pass(6 * time.Minute)
	due := r.next()
	r.add(tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: string(session.ByPerson), Seconds: 60})
	d, err := r.c.Run(t.Context(), due)
	if err != nil || d.Action != session.Wait || len(payloads[tenfold.Compaction](r.log())) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}
