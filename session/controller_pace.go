package session

import (
	"cmp"
	"context"
	"math"
	"time"

	"tenfold"
	"tenfold/trigger"
)

// A Pace says when a host asks for what is due, so that no request waits for a plan that
// can be made beside it (live X9). It is for a host that must not look at the log to find
// out, and holds until something is appended that changes it.
//
// The host calls [Controller.SettleUrgent] before a request that [Pace.Waits],
// [Controller.SettleBeside] while the model answers one that is [Pace.Full] or where
// [Controller.Next] finds something due, and [Controller.SettleAhead] when no request came by
// [Pace.Rests] after the last word of a turn, and once more by [Pace.Cools].
type Pace struct {
	// Limit is the size that a compaction may be due from, Tight the one from which on a
	// request may not fit with its answer. Both are out of reach where none begins by itself.
	Limit, Tight int
	// Paste is how much somebody must have added at once for a request over the limit to
	// wait although it fits; out of reach where that is not dear.
	Paste int
	// Lifetime is how long the provider's cache lasts; zero is not known.
	Lifetime time.Duration
}

const (
	// RestAfter is how long after the last word of a turn nobody seems to go on.
	RestAfter = 3 * time.Second
	// coldMargin is how long after its lifetime a cache is taken to be cold.
	coldMargin = time.Second
	// lookEvery is how many tokens a log grows between two looks at it.
	lookEvery = 2000
)

// Waits tells whether a request of so many tokens, so many of them added since the last
// answer, waits for a look at the log: it may not fit, it is dear to have it written to the
// cache twice, or the cache is cold so long after the answer, so that what is due is free.
func (p Pace) Waits(tokens, added int, since time.Duration) bool {
	return tokens > p.Tight || p.Full(tokens) && added > p.Paste || p.Lifetime > 0 && since >= p.Lifetime
}

// Full tells whether a compaction may be due in a view of so many tokens.
func (p Pace) Full(tokens int) bool { return tokens > p.Limit }

// LooksAgain tells whether a log of so many tokens that was last looked at with so many,
// zero for never, has grown enough for another look while a request is answered.
func LooksAgain(tokens, looked int) bool { return looked == 0 || tokens-looked >= lookEvery }

// Rests is how long after the last word of a turn, in a view of so many tokens, what is due
// is done: at once where the context is full, else when nobody went on for so long.
func (p Pace) Rests(tokens int, idle time.Duration) time.Duration {
	if p.Full(tokens) {
		return 0
	}
	return idle
}

// Cools is how long after an answer what is free in a cold cache is done; zero for never.
func (p Pace) Cools() time.Duration {
	if p.Lifetime <= 0 {
		return 0
	}
	return p.Lifetime + coldMargin
}

// Pace is that of a conversation of which nothing is known but the model's window.
func (l Live) Pace(window int) Pace {
	p := Pace{Limit: math.MaxInt, Tight: math.MaxInt, Paste: math.MaxInt}
	if !l.Auto.Enabled {
		return p
	}
	when := l.Auto.Trigger
	when = cmp.Or(when, trigger.Context(trigger.DefaultContext))
	p.Tight = int((1 - reserve) * float64(window))
	p.Limit = min(trigger.Limit(when, window), p.Tight)
	if l.Lifetime > 0 {
		p.Paste = int(pasteShare * float64(window))
	}
	if l.Paid() {
		p.Tight = p.Limit // the request waits for what asks a model
	}
	return p
}

// Pace is that of the conversation as it is.
func (c *Controller) Pace() Pace {
	window := c.Window()
	p := c.live.Pace(window)
	p.Lifetime = c.Lifetime()
	if !c.live.Auto.Enabled {
		return p
	}
	if c.Undone() {
		p.Limit = int((1 - reserve) * float64(window))
	}
	if p.Tight = c.Room(); c.Paid() {
		p.Tight = p.Limit
	}
	return p
}

// An extent is how much of what is due is looked for.
type extent int

const (
	settled extent = iota // all of it
	urgent                // what the request about to be sent cannot go without
	beside                // what the next one could not go without
)

// SettleUrgent is [Controller.Settle] for a caller who calls
// [Controller.SettleBeside] and [Controller.SettleAhead] as well: a request that can be
// sent as it is waits for no plan that comes as cheap later. It waits where it would
// not fit with its answer; where the cache is cold, so that a compaction is free now and
// no more afterwards; and for what asks a model, as nothing of that is done ahead.
func (c *Controller) SettleUrgent(ctx context.Context) (Decision, error) {
	return c.settleAt(ctx, urgent)
}

// SettleUrgentAlong is SettleUrgent for a caller who needs the view that it makes: along is
// shown that while the store writes it, and is not to change or to keep it. Who used what it
// made sees by the log whether the store took it.
func (c *Controller) SettleUrgentAlong(ctx context.Context, along func(view *tenfold.Projection)) (Decision, error) {
	c.session.along = along
	defer func() { c.session.along = nil }()
	return c.SettleUrgent(ctx)
}

// SettleBeside does, while the model answers a request, what the next one could not be
// sent without: this one left little more than the room for an answer (A2). It clears
// old results as well, and leaves what is due between turns to their end: what the model
// thinks in a turn is bound to the view that the turn began with (B1).
func (c *Controller) SettleBeside(ctx context.Context) (Decision, error) {
	return c.settleFree(ctx, beside)
}

// SettleAhead does what is due already as [Controller.Settle] would before the next
// request, so that this one need not wait for it. It is for a caller whom nobody
// waits for. What would ask a model waits for the request, as nobody may come back for
// what it costs, and so does everything while a call has no result (B2).
func (c *Controller) SettleAhead(ctx context.Context) (Decision, error) {
	return c.settleFree(ctx, settled)
}

func (c *Controller) settleAt(ctx context.Context, e extent) (Decision, error) {
	c.extent = e
	defer func() { c.extent = settled }()
	return c.Settle(ctx)
}

func (c *Controller) settleFree(ctx context.Context, e extent) (Decision, error) {
	if err := c.session.Refresh(ctx); err != nil {
		return Decision{}, err
	}
	if c.Paid() || c.openCall() {
		return Decision{Action: Wait, State: c.state(), Reason: "waits for the next request"}, nil
	}
	return c.settleAt(ctx, e)
}
