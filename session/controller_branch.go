package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tenfold/strategy"
	"tenfold/trigger"
)

// NextOn decides about the request that a sub-agent on a branch is about to send,
// of so many tokens by the provider's count, or about a wish to compact its view; nil
// is none. The limit is the root's, and there are no turns to wait for. Run with
// [Controller.RunOn].
func (c *Controller) NextOn(tokens int, w *Wish) Decision {
	window := c.Window()
	limit := trigger.Limit(c.live.Auto.Trigger, window)
	d := Decision{Action: GoOn, By: ByTrigger, wish: Wish{By: ByTrigger}, Target: max(int(mostShare*float64(min(tokens, limit))), 1)}
	switch {
	case w != nil:
		d.Action, d.By, d.Reason, d.wish = Compact, w.By, w.Reason, *w
	case c.live.Auto.Enabled && tokens > limit:
		d.Action, d.Reason = Compact, fmt.Sprintf("%d tokens of a window of %d, the limit is %d", tokens, window, limit)
	}
	return d
}

// RunOn compacts the view of a branch as a decision says: Compacted or Failed comes
// of it. It is not an attempt of the root's turn.
func (c *Controller) RunOn(ctx context.Context, branch string, d Decision) (Decision, error) {
	if d.Action != Compact {
		return d, nil
	}
	r := c.asRequest(d.wish, d.Target)
	r.Branch, r.Reason, r.Progress = branch, d.Reason, progress
	bounded, stop := context.WithTimeout(ctx, c.timeout())
	result, _, err := c.session.compact(bounded, r)
	isFit := func(s strategy.Strategy) bool { _, ok := s.(strategy.Fit); return ok }
	if err == nil && result.Outcome != Applied && !slices.ContainsFunc(r.Strategies, isFit) { // summaries stand for turns of the root alone
		r.Strategies = []strategy.Strategy{strategy.Fit{Target: strategy.Tokens(d.Target)}}
		result, _, err = c.session.compact(bounded, r)
	}
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
