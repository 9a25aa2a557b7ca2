package session

import (
	"context"
	"errors"
	"fmt"

	"tenfold/trigger"
)

// NextOn decides about the request that a sub-agent on a branch is about to send,
// of so many tokens by the provider's count: the limit is the root's, and there are
// no turns to wait for. Run with [Controller.RunOn].
func (c *Controller) NextOn(tokens int) Decision {
	window := c.Window()
	limit := trigger.Limit(c.live.Auto.Trigger, window)
	d := Decision{Action: GoOn, By: ByTrigger, wish: Wish{By: ByTrigger}}
	if c.live.Auto.Enabled && tokens > limit {
		d.Action, d.Reason = Compact, fmt.Sprintf("%d tokens of a window of %d, the limit is %d", tokens, window, limit)
		d.Target = max(min(int(mostShare*float64(tokens)), int(mostShare*float64(limit))), 1)
	}
	return d
}

// AskOn decides about a wish to compact the view of a branch.
func (c *Controller) AskOn(w Wish, tokens int) Decision {
	return Decision{
		Action: Compact, By: w.By, Reason: w.Reason, wish: w,
		Target: max(min(int(mostShare*float64(tokens)), int(mostShare*float64(trigger.Limit(c.live.Auto.Trigger, c.Window())))), 1),
	}
}

// RunOn compacts the view of a branch as a decision says: Compacted or Failed comes
// of it. It is no attempt of the root's turn.
func (c *Controller) RunOn(ctx context.Context, branch string, d Decision) (Decision, error) {
	if d.Action != Compact {
		return d, nil
	}
	r := c.asRequest(d.wish, d.Target)
	r.Branch, r.Reason, r.Progress = branch, d.Reason, progress
	bounded, stop := context.WithTimeout(ctx, c.timeout())
	result, _, err := c.session.compact(bounded, r)
	stop()
	if err == nil && result.Outcome != Applied {
		err = fmt.Errorf("%w: %s", ErrNoProgress, result.Reason)
	}
	c.session.service.hooks.after(ctx, c.session, result, err)
	if err != nil {
		d.Action, d.Reason = Failed, err.Error()
		d.Problem = c.problem("compaction_failed", "compacting a sub-agent failed: "+d.Reason, "the sub-agent goes on while there is room")
		if errors.Is(err, context.Canceled) {
			return d, ctx.Err()
		}
		return d, nil
	}
	d.Action, d.Result = Compacted, result
	return d, nil
}
