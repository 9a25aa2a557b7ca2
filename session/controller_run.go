package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tenfold"
)

// progress is the share of the tokens that an attempt must free (A4).
const progress = 0.10

// The times that an attempt may take where nothing else is said.
const (
	attemptTime     = time.Minute
	paidAttemptTime = 10 * time.Minute
)

// Run does what a decision says: it compacts, and gives the decision that comes
// of it, Compacted or Failed or Exceeded. That an attempt begins is in the log
// before anything is planned, and how it ended after (A3, A6, A7). A decision
// with nothing to do comes back as it is. An error is one of the store: then it
// is not known what the log holds, and nothing is to be compacted by hand.
func (c *Controller) Run(ctx context.Context, d Decision) (Decision, error) {
	return c.RunPrepared(ctx, d, d.planned)
}

// RunPrepared is Run with a plan that was prepared ahead, as [Controller.Prepare]
// says; nil is none. It is held against the steps made since (live V4). Where it
// does not hold any more, or is not for this decision, a new one is made.
func (c *Controller) RunPrepared(ctx context.Context, d Decision, ahead *Prepared) (Decision, error) {
	switch {
	case d.Action != Compact:
		return d, nil
	case d.Micro:
		return c.clearOldResults(ctx, d)
	}
	c.session.foreseen = nil
	attempt := c.attempt(d)
	if done, ok := c.applyForeseen(ctx, d, ahead, attempt); ok {
		return done, nil
	}
	id, begun, err := c.beginAttempt(ctx, d, attempt)
	if err != nil || id == "" {
		return begun, err
	}
	r := c.asRequest(d.wish, d.Target)
	r.ID, r.attempt, r.Reason, r.Progress = id, id, d.Reason, progress
	bounded, stop := context.WithTimeout(ctx, c.timeout())
	release := c.hold(bounded, id)
	result, failure := c.compact(bounded, r, d, ahead)
	release()
	stop()
	result.Count = c.session.compactions()
	switch {
	case errors.Is(failure, ErrVetoed):
		result.Outcome, result.Reason, failure = Vetoed, failure.Error(), nil
	case failure == nil && result.Outcome == Nothing && d.By != ByPerson:
		failure = fmt.Errorf("%w: %s", ErrNoProgress, cmp.Or(result.Reason, "nothing to compact")) // A4
	}
	c.session.service.hooks.after(ctx, c.session, result, failure)
	if failure != nil {
		return c.failed(ctx, d, r, result.Plan.Paid(), failure)
	}
	d.Result = result
	if result.Outcome == Applied || result.Outcome == Repeated {
		d.Action, d.State = Compacted, c.state()
		return d, nil
	}
	err = c.session.AppendLatest(ctx, tenfold.Entry{Payload: tenfold.CompactionAttempt{State: tenfold.AttemptEnded, Attempt: id, Reason: result.Reason}})
	d.Action, d.State, d.Reason = GoOn, c.state(), result.Reason
	return d, err
}

func (c *Controller) timeout() time.Duration {
	if c.live.Timeout > 0 {
		return c.live.Timeout
	}
	if c.Paid() {
		return paidAttemptTime
	}
	return attemptTime
}

// attempt is the record that one begins.
func (c *Controller) attempt(d Decision) tenfold.Entry {
	return tenfold.Entry{ID: "att_" + c.session.service.newID(), Payload: tenfold.CompactionAttempt{
		State: tenfold.AttemptBegun, Source: string(d.By), Reason: d.Reason, Focus: d.wish.Focus,
		Seconds: wholeSeconds(c.lease()),
	}}
}

// beginAttempt records that an attempt begins, if the state still allows it. Where it
// does not, the id is empty and the decision says what is to be done instead.
func (c *Controller) beginAttempt(ctx context.Context, d Decision, e tenfold.Entry) (id string, other Decision, err error) {
	in := map[Asker]Input{ByTrigger: RequestDue, ByClient: ClientAsks, ByModel: ModelAsks, ByPerson: PersonAsks}[d.By]
	err = Retried(ctx, func() error {
		if err := c.session.Refresh(ctx); err != nil {
			return err
		}
		if t := c.state().On(in); t.Answer != Compact {
			id, other = "", c.answered(d, t)
			return nil
		}
		id, other = e.ID, d
		return c.session.Append(ctx, e)
	})
	return id, other, err
}

// failed records that an attempt failed (A6), also one that was stopped: the
// record is what ends it.
func (c *Controller) failed(ctx context.Context, d Decision, r Request, paid tenfold.Usage, failure error) (Decision, error) {
	if errors.Is(failure, context.DeadlineExceeded) && ctx.Err() == nil {
		failure = fmt.Errorf("it took longer than %v: %w", c.timeout(), failure)
	}
	record := c.session.recordAs(context.WithoutCancel(ctx), "", r, paid, failure)
	d.Action, d.State, d.Reason = Failed, c.state(), failure.Error()
	hint := "nothing was changed; compact it yourself, or go on: the next turn tries again"
	if d.By == ByPerson { // who did just that
		hint = "nothing was changed; go on, or compact it to a target of your own"
	}
	d.Problem = c.problem("compaction_failed", "compaction failed: "+d.Reason, hint)
	if over, _ := c.isFull(); over && d.State != Ready {
		d = c.answered(d, Transition{Exceeded, Closed})
	}
	if record != nil {
		return d, errors.Join(failure, record)
	}
	return d, ctx.Err()
}

// clearOldResults clears old results (A1). It is not an attempt: it needs no model, and what it
// does not do now it does in the next iteration.
func (c *Controller) clearOldResults(ctx context.Context, d Decision) (Decision, error) {
	result, err := c.session.Compact(ctx, d.trial)
	d.Result, d.State = result, c.state()
	d.Action = GoOn
	if result.Outcome == Applied {
		d.Action = Compacted
	}
	return d, err
}

// Settle decides about the request that is about to be sent and does what is to
// be done, until it can be sent or cannot. The decision is the last one; where the
// request can be sent and something was compacted on the way, it is Compacted.
func (c *Controller) Settle(ctx context.Context) (Decision, error) {
	var done *Decision
	for {
		d, err := c.Next(ctx)
		if err == nil && d.Action == Compact {
			d, err = c.Run(ctx, d)
		}
		if err != nil {
			return d, err
		}
		if d.Action != Compacted {
			if d.Action == GoOn && done != nil {
				return *done, nil
			}
			return d, nil
		}
		done = &d
	}
}
