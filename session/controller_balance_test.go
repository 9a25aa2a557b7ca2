package session_test

import (
	"context"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/trigger"
)

// clearing is a conversation in which old results are cleared, once 3,000 tokens
// go: all but the newest one.
func clearing(t *testing.T, change func(*session.Live)) *running {
	r := run(t, memory.New())
	r.live.Micro = session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 1}, ClearAtLeast: 3000, ColdAfter: 5 * time.Minute}
	r.live.Auto.Enabled = false
	r.live.Request.Options.Window = 100_000
	if change != nil {
		change(&r.live)
	}
	r.reopen()
	r.turn()
	return r
}

// read adds a call with a large result, then one with a result that stays.
func (r *running) read(tokens int) {
	r.call(tokens)
	r.clock.pass(10 * time.Second)
	r.call(2500)
	r.clock.pass(10 * time.Second)
}

// live V2: while the cache is warm, clearing waits until earlier compactions saved
// what the rewriting costs.
func TestV2ClearingWaitsUntilItIsPaidFor(t *testing.T) {
	r := clearing(t, nil)
	r.stuck(5000)
	r.read(3500)
	r.want(r.settle(), session.GoOn, session.Ready) // nothing was saved yet
	r.clock.pass(6 * time.Minute)
	r.want(r.settle(), session.Compacted, session.Ready) // cold is free: 3,500 tokens are not written
	r.say()
	r.read(800)
	r.want(r.settle(), session.GoOn, session.Ready) // crumbs
	r.reopen()
	if d := r.settle(); d.Action != session.GoOn {
		t.Fatalf("another controller: %s (%s)", d.Action, d.Reason)
	}
	// What a cold start saved pays for one rewriting, in any controller, and not
	// for the next at once.
	r.call(100)
	r.reopen()
	r.want(r.settle(), session.Compacted, session.Ready)
	r.read(3500)
	r.want(r.settle(), session.GoOn, session.Ready)
	for range 40 { // each request reads 7,000 tokens less
		r.call(1)
	}
	r.want(r.settle(), session.Compacted, session.Ready)
}

// live V2: what is undone is no longer saved, and what was saved before stays so.
func TestV2UndoTakesFromWhatIsSaved(t *testing.T) {
	for _, tt := range []struct {
		name  string
		turns int // of undo and redo
		want  session.Action
	}{{"none", 0, session.Compacted}, {"undone", 1, session.GoOn}, {"redone", 2, session.Compacted}, {"undone again", 3, session.GoOn}} {
		r := clearing(t, nil)
		r.read(8000)
		r.clock.pass(6 * time.Minute)
		r.want(r.settle(), session.Compacted, session.Ready)
		r.clock.pass(time.Hour) // the changes themselves cost nothing
		for i := range tt.turns {
			change := r.c.Session().Undo
			if i%2 == 1 {
				change = r.c.Session().Redo
			}
			if _, err := change(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		r.live.Micro.Enabled = false // while requests go by
		r.reopen()
		r.read(100)
		for range 6 {
			r.call(1)
		}
		r.live.Micro.Enabled = true
		r.reopen()
		r.read(3500)
		if d := r.settle(); d.Action != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.name, d.Action, d.Reason, tt.want)
		}
	}
}

// live V2: a context that leaves no room for an answer is cleared whatever that costs,
// and so is one whose owner stakes enough; one that is only over the limit where the
// client's own summary, which it would have then, would cost as much.
func TestV2NothingHoldsAFullContextBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stays  int // tokens that cannot be cleared
		change func(*session.Live)
		want   session.Action
	}{
		{"room", 0, nil, session.GoOn},
		{"over the limit", 0, func(l *session.Live) { l.Request.Options.Window = 7000 }, session.Compacted},
		{"under the limit", 0, func(l *session.Live) { l.Request.Options.Window = 8000 }, session.GoOn},
		{"over the limit, and more stays than is paid for", 5000, func(l *session.Live) { l.Request.Options.Window = 13_500 }, session.GoOn},
		{"no room for an answer", 5000, func(l *session.Live) {
			l.Request.Options.Window, l.Auto.Trigger = 11_500, trigger.Context(1)
		}, session.Compacted},
		{"a stake", 0, func(l *session.Live) { l.Micro.Stake = 1 }, session.Compacted},
		{"a small stake", 0, func(l *session.Live) { l.Micro.Stake = 0.01 }, session.GoOn},
	} {
		r := clearing(t, tt.change)
		if tt.stays > 0 {
			r.stuck(tt.stays)
		}
		r.read(3500)
		if d := r.settle(); d.Action != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.name, d.Action, d.Reason, tt.want)
		}
	}
}

// live V2c: a cache that the client asked to be kept for an hour is not cold after
// five minutes.
func TestV2ColdIsAsTheClientAsked(t *testing.T) {
	r := clearing(t, func(l *session.Live) { l.Lifetime = time.Hour })
	r.read(3500)
	r.clock.pass(30 * time.Minute)
	r.want(r.settle(), session.GoOn, session.Ready)
	r.clock.pass(31 * time.Minute)
	r.want(r.settle(), session.Compacted, session.Ready)
}

// live V2: the client's own compactions neither save nor cost us anything, nor does
// an undo of what nobody knows.
func TestV2WhatIsNotOursIsNotSaved(t *testing.T) {
	r := clearing(t, nil)
	r.call(3000)
	r.add(tenfold.Compaction{Source: "import", TokensBefore: 1_000_000, TokensAfter: 10, Turns: tenfold.Keep},
		tenfold.CompactionRevoked{Target: "nobody"})
	for range 20 {
		r.call(1)
	}
	r.read(3500)
	r.want(r.settle(), session.GoOn, session.Ready)
}
