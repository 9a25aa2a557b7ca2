package session

import (
	"context"
	"slices"

	"tenfold/strategy"
	"tenfold/trigger"
)

// A Prepared is a plan that was made while the conversation went on.
type Prepared struct {
	request Request
	plan    strategy.Plan
}

// nearShare is the share of the limit from which on a compaction is prepared.
const nearShare = 0.90

// Prepare gives what may be done beside, in another goroutine, so that the next
// compaction that begins by itself need not wait for a model: it plans that one on
// a session of its own, and the plan goes to [Controller.RunPrepared]. It is nil
// where the view is not near the limit, or no model would be asked: then a plan
// takes no time, and one made when it is needed is better.
func (c *Controller) Prepare() func(context.Context) (*Prepared, error) {
	tokens, window := c.used()
	if !c.live.Auto.Enabled || !c.Paid() || float64(tokens) < nearShare*float64(trigger.Limit(c.live.Auto.Trigger, window)) || c.state() != Ready {
		return nil
	}
	service, id, live := c.session.service, c.session.id, c.live
	timeout := c.timeout()
	return func(ctx context.Context) (*Prepared, error) {
		ctx, stop := context.WithTimeout(ctx, timeout)
		defer stop()
		s, err := service.Open(ctx, id)
		if err != nil {
			return nil, err
		}
		ahead := s.Control(live)
		wish := Wish{By: ByTrigger}
		r := ahead.asRequest(wish, ahead.target(wish))
		plan, err := s.Plan(ctx, r)
		return &Prepared{r, plan}, err
	}
}

// aheadShare is the share of the limit from which on what comes is read for the next
// plan at once.
const aheadShare = 0.75

// ReadAhead reads what came since for the plan of the compaction that begins by itself
// next, where the view is on its way to the limit: half of the time that such a plan
// takes of a long log, which else a request waits for. It is for a caller that has time
// between two requests, takes time with what came since, and writes nothing. A plan is
// the same with it and without, so that a restart changes nothing.
func (c *Controller) ReadAhead() {
	tokens, window := c.used()
	fits := func(s strategy.Strategy) bool { _, ok := s.(strategy.Fit); return ok }
	if !c.live.Auto.Enabled || c.live.Request.Options.Index != nil || !slices.ContainsFunc(c.live.Auto.Strategies, fits) ||
		float64(tokens) < aheadShare*float64(trigger.Limit(c.live.Auto.Trigger, window)) || ViewOf(c.session.projection, c.live.Request.Branch) != c.session.projection {
		return
	}
	c.session.chosenFrom().Advance(c.session.projection)
}

// A pace is how much of what is due is looked for.
type pace int

const (
	settled pace = iota // all of it
	urgent              // what the request about to be sent cannot go without
	beside              // what the next one could not go without
)

// SettleUrgent is [Controller.Settle] for a caller who calls
// [Controller.SettleBeside] and [Controller.SettleAhead] as well: a request that can be
// sent as it is waits for no plan that comes as cheap later. It waits where it would
// not fit with its answer; where the cache is cold, so that a compaction is free now and
// no more afterwards; and for what asks a model, as nothing of that is done ahead.
func (c *Controller) SettleUrgent(ctx context.Context) (Decision, error) {
	return c.settleAt(ctx, urgent)
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

func (c *Controller) settleAt(ctx context.Context, p pace) (Decision, error) {
	c.pace = p
	defer func() { c.pace = settled }()
	return c.Settle(ctx)
}

func (c *Controller) settleFree(ctx context.Context, p pace) (Decision, error) {
	if err := c.session.Refresh(ctx); err != nil {
		return Decision{}, err
	}
	if c.Paid() || c.openCall() {
		return Decision{Action: Wait, State: c.state(), Reason: "waits for the next request"}, nil
	}
	return c.settleAt(ctx, p)
}

// compact does what a decision says, by the plan prepared ahead if that holds.
func (c *Controller) compact(ctx context.Context, r Request, d Decision, ahead *Prepared) (Result, error) {
	if ahead != nil && d.By == ByTrigger && d.wish.Focus == "" && len(ahead.plan.Compactions) > 0 {
		ahead.request.ID, ahead.request.Reason, ahead.request.Progress = r.ID, r.Reason, r.Progress
		result, _, err := c.session.commit(ctx, ahead.request, ahead.plan)
		if err == nil && result.Outcome == Applied {
			return result, nil
		}
	}
	result, _, err := c.session.compact(ctx, r)
	return result, err
}
