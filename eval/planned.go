package eval

import (
	"context"
	"time"

	"tenfold/eval/replay"
	"tenfold/session"
	"tenfold/summary"
)

// RequestPolicy is a policy that plans as a request says, with its bounds counted
// from the cut: what the request would have done there. It calls no model: where a
// summary is written, the digest writes it.
func RequestPolicy(name string, r session.Request) Policy {
	return Policy{text: name, family: name, view: func(ctx context.Context, c *Cut) (*View, error) {
		var now time.Time
		if last, ok := c.log.Entry(c.log.Version()); ok {
			now = last.Time
		}
		r := r
		r.Options.Index, r.Options.Summarizer, r.Options.DryRun = c.index, summary.Digest{}, false
		plan, err := session.PlanOver(ctx, c.projection, r, now)
		if err != nil {
			return nil, err
		}
		return c.ViewOf(plan.View()), nil
	}}
}

// LivePolicy is what the controller of a running conversation shows, asked before
// each request up to the cut.
func LivePolicy(name string, live session.Live) Policy {
	return Policy{text: name, family: name, baseline: true, view: func(ctx context.Context, c *Cut) (*View, error) {
		made, err := replay.LiveCompactions(ctx, c.log, live)
		if err != nil {
			return nil, err
		}
		return c.ViewOf(c.projection.With(made...)), nil
	}}
}
