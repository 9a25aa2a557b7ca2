package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// X9: what a request waits for, what is done while it is answered, and what is left to
// the end of the turn. The window has 10,000 tokens; a compaction is due between turns
// from 8,000 on, and a request does not fit from 9,500 on, or where somebody waits for it from
// as much less than 10,000 as twice the longest answer, between 9,500 and 9,900.
func TestX9WhatARequestWaitsFor(t *testing.T) {
	t.Parallel()
	const goOn, compacted, wait = session.GoOn, session.Compacted, session.Wait
	for _, one := range []struct {
		name                  string
		log                   func(r *running)
		urgent, beside, ahead session.Action
	}{
		{"there is room", func(r *running) { r.turn(); r.call(4000); r.say(); r.turn() }, goOn, goOn, goOn},
		{"full, between turns", func(r *running) { due(r) }, goOn, goOn, compacted},
		{"full by what a person said", func(r *running) { r.turn(); r.call(7200); r.say(); r.stuck(1300) }, goOn, goOn, compacted},
		{"full by much that a person pasted", func(r *running) { r.turn(); r.call(6800); r.say(); r.stuck(1700) }, goOn, goOn, compacted},
		{"the same, kept for an hour", func(r *running) { r.live.Lifetime = time.Hour; r.turn(); r.call(6800); r.say(); r.stuck(1700) }, compacted, goOn, compacted},
		{"not full, by much that a person pasted", func(r *running) { r.live.Lifetime = time.Hour; r.turn(); r.call(5800); r.say(); r.stuck(1700) }, goOn, goOn, goOn},
		{"full, at the end of a turn", func(r *running) { r.turn(); r.call(4000); r.call(4500); r.say() }, goOn, goOn, compacted},
		{"full, inside a turn", func(r *running) { r.turn(); r.call(4000); r.call(4500) }, goOn, goOn, goOn},
		{"the next may not fit, between turns", func(r *running) { r.turn(); r.call(9200); r.say(); r.turn() }, goOn, compacted, compacted},
		{"the next may not fit, inside a turn", func(r *running) { r.turn(); r.call(4000); r.call(5200) }, goOn, compacted, goOn},
		{"it leaves what answers took, inside a turn", func(r *running) { r.turn(); r.call(4000); r.call(5700) }, goOn, compacted, compacted},
		{"it leaves what answers took, between turns", func(r *running) { r.turn(); r.call(9700); r.say(); r.turn() }, goOn, compacted, compacted},
		{"it does not leave it, inside a turn", func(r *running) { r.turn(); r.call(4000); r.call(5900) }, compacted, compacted, compacted},
		{"it does not leave it, between turns", func(r *running) { r.turn(); r.call(9900); r.say(); r.turn() }, compacted, compacted, compacted},
		{"answers are long", func(r *running) {
			r.turn()
			r.add(tenfold.AssistantMessage{Text: strings.Repeat("long ", 200)})
			r.call(4000)
			r.call(5300)
		}, compacted, compacted, compacted},
		{"no answer needs more than the reserve", func(r *running) {
			r.turn()
			r.add(tenfold.AssistantMessage{Text: strings.Repeat("long ", 2000)})
			r.call(2000)
			r.call(4850)
		}, goOn, compacted, goOn},
		{"a call is open", func(r *running) {
			r.turn()
			r.call(9200)
			r.add(tenfold.ToolCall{CallID: "open", Name: "Read", Arguments: `{}`})
		}, goOn, wait, wait},
		{"full, and the cache is cold", func(r *running) {
			due(r)
			r.add(tenfold.Usage{Model: "claude-sonnet-4-5", Input: 10, CacheRead: 8600, Output: 5})
			r.clock.pass(time.Hour)
		}, compacted, goOn, compacted},
	} {
		for how, want := range map[string]session.Action{"urgent": one.urgent, "beside": one.beside, "ahead": one.ahead} {
			r := run(t, memory.New())
			r.live.Micro.ColdAfter = 5 * time.Minute
			one.log(r)
			r.reopen() // the log says all
			version := r.log().Version()
			settle := map[string]func(context.Context) (session.Decision, error){"urgent": r.c.SettleUrgent, "beside": r.c.SettleBeside, "ahead": r.c.SettleAhead}[how]
			d, err := settle(t.Context())
			if err != nil || d.Action != want || d.Reason == "" {
				t.Errorf("%s, %s: %q, %q, %v; want %q", one.name, how, d.Action, d.Reason, err, want)
			}
			if wrote := r.log().Version() > version; wrote != (want == compacted) {
				t.Errorf("%s, %s: wrote %v", one.name, how, wrote)
			}
			if again := r.next(); how == "urgent" && one.ahead == compacted && want == goOn && again.Action != session.Compact {
				t.Errorf("%s: afterwards it is not due any more, but %q", one.name, again.Action)
			}
		}
	}
}

// What asks a model is not done ahead, so that the request waits for it as before.
func TestX9WhatAsksAModelIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := run(t, memory.New())
	r.live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
	asked := 0
	r.live.Request.Options.Summarizer = costly{&asked}
	r.live.Request.Bounds = tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1}}
	due(r)
	r.reopen()
	for _, settle := range []func(context.Context) (session.Decision, error){r.c.SettleBeside, r.c.SettleAhead} {
		if d, err := settle(t.Context()); err != nil || d.Action != session.Wait {
			t.Errorf("ahead it is %q, %v", d.Action, err)
		}
	}
	if asked > 0 {
		t.Error("a model was asked")
	}
	if d, err := r.c.SettleUrgent(t.Context()); err != nil || d.Action != session.Compacted || asked != 1 {
		t.Errorf("the request is told %q, %q, %v; asked %d times", d.Action, d.Reason, err, asked)
	}
}

// A1: old results are cleared beside a request, and at it where that is free as the
// cache is cold.
func TestX9ClearingWaitsForNoRequest(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		r := run(t, memory.New())
		r.live.Micro = session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 1}, ClearAtLeast: 1000, ColdAfter: 5 * time.Minute, Stake: 1}
		r.live.Auto.Enabled = false
		r.reopen()
		r.turn()
		r.call(2500)
		r.call(100)
		r.add(tenfold.Usage{Model: "claude-sonnet-4-5", Input: 10, CacheRead: 2600, Output: 5})
		if cold {
			r.clock.pass(time.Hour)
		}
		want := map[bool]session.Action{false: session.GoOn, true: session.Compacted}[cold]
		if d, err := r.c.SettleUrgent(t.Context()); err != nil || d.Action != want {
			t.Errorf("cold %v: %q, %q, %v", cold, d.Action, d.Reason, err)
		}
		if d, err := r.c.SettleBeside(t.Context()); err != nil || !cold && d.Action != session.Compacted {
			t.Errorf("beside, cold %v: %q, %q, %v", cold, d.Action, d.Reason, err)
		}
	}
}

// X9: a host that knows a conversation's pace asks whenever there is something to do: what
// the controller does before a request, the pace says that the request waits for.
func TestX9ThePaceMissesNothing(t *testing.T) {
	t.Parallel()
	waited, went := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := run(t, memory.New())
		r.live.Micro = session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 1}, ClearAtLeast: 1000, ColdAfter: 5 * time.Minute}
		r.live.Auto.Enabled = rapid.Bool().Draw(rt, "auto")
		r.live.Lifetime = rapid.SampledFrom([]time.Duration{0, 10 * time.Minute}).Draw(rt, "kept")
		r.reopen()
		var said int // of the window, by the last answer
		var at time.Time
		for range rapid.IntRange(1, 4).Draw(rt, "turns") {
			r.stuck(rapid.SampledFrom([]int{5, 900, 1700}).Draw(rt, "words"))
			for range rapid.IntRange(0, 3).Draw(rt, "calls") {
				r.call(rapid.SampledFrom([]int{10, 900, 2500, 4000}).Draw(rt, "result"))
			}
			tokens, _ := r.c.Used()
			since := time.Duration(0)
			if !at.IsZero() {
				since = r.clock.now.Sub(at)
			}
			waits := r.c.Pace().Waits(tokens, tokens-said, since)
			d, err := r.c.SettleUrgent(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case waits:
				waited++
			case d.Action == session.GoOn:
				went++
			default:
				rt.Fatalf("%q, %q, of a request of %d tokens that waits for nothing: %+v", d.Action, d.Reason, tokens, r.c.Pace())
			}
			r.add(tenfold.Usage{Model: "claude-sonnet-4-5", Input: tokens, Output: 5})
			r.say()
			said, _ = r.c.Used()
			at = r.clock.now
			r.clock.pass(rapid.SampledFrom([]time.Duration{time.Second, time.Hour}).Draw(rt, "pause"))
		}
	})
	if waited == 0 || went == 0 {
		t.Errorf("%d requests waited, %d went on", waited, went)
	}
}
