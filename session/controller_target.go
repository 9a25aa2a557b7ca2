package session

import (
	"tenfold"
	"tenfold/strategy"
	"tenfold/trigger"
)

// The bounds of the size that a compaction goes for.
const (
	// floorShare is the share of the budget that a view always may have. A turn
	// of real sessions adds 15,000 tokens in the median (of 35 sessions; 4,500 at
	// the tenth percentile), so that this bound decides for most: at a tenth the
	// view would hold a third less of what is needed later (docs/quality.md) and
	// make room for a fifth more.
	floorShare = 0.25
	// mostShare is the share of the present view that may be left at most:
	// what somebody asked for is to be worth it.
	mostShare = 0.50
	// leastView is the view that no target is below for money's sake: about what Claude
	// Code goes on with after its own compaction, a summary of 2,700 to 3,900 tokens in
	// recorded sessions and the files that it puts back. At 7,500 one of them would cost
	// more than without us (docs/money.md, with what views of that size keep).
	leastView = 7000
)

// target is the size that a wish goes for, by the provider's count.
func (c *Controller) target(w Wish) int {
	tokens, window := c.used()
	switch {
	case w.Target.Share > 0:
		return int(w.Target.Share * float64(tokens))
	case w.Target.Tokens > 0:
		return w.Target.Tokens
	case w.room > 0:
		return w.room
	}
	budget := trigger.Limit(c.live.Auto.Trigger, window)
	if w.By == ByClient {
		budget = min(budget, tokens) // the client's own limit may be another than ours
	}
	most := min(c.headroom(budget), int(mostShare*float64(tokens)))
	if w.By != ByPerson && w.By != ByModel { // the client would have compacted
		most = min(most, max(c.session.watcher.Scale(c.session.log).Tokens(c.affords()), leastView))
	}
	return max(most, 1)
}

// headroom is the largest view that leaves room for the turns wanted: the budget
// without so many times what a turn added so far, and never less than a quarter of
// the budget (live V2).
func (c *Controller) headroom(budget int) int {
	return max(budget-c.live.Turns*c.growth(), int(floorShare*float64(budget)))
}

// growth is what a turn adds to the view before anything is compacted: the mean
// over as many of the newest turns as are wanted, the one under way among them,
// by the provider's count.
func (c *Controller) growth() int {
	l := c.session.log
	first := max(l.Turns()-c.live.Turns, 0)
	t, ok := l.Turn(first)
	if !ok {
		return 0
	}
	sum := 0
	for e := range l.After(t.First - 1) {
		if e.Branch == "" && e.Payload.Kind().Visible() {
			sum += e.Tokens
		}
	}
	return c.session.watcher.Scale(l).Tokens(sum / (l.Turns() - first))
}

// asRequest makes a request of a wish.
func (c *Controller) asRequest(w Wish, target int) Request {
	r := c.live.Request
	r.ID, r.Trigger, r.Target, r.OpenEnd = "", nil, strategy.Target{}, true
	r.Options.Source = string(w.By)
	if w.By == ByClient {
		r.Options.Source = strategy.SourceAuto // nobody sat there and asked
	}
	if w.Focus != "" {
		r.Options.Focus = w.Focus
	}
	if t := r.Bounds.Tail; t != nil && t.Tokens > target { // or there is nothing to compact in a small window
		r.Bounds.Tail = &tenfold.Tail{Turns: t.Turns, Tokens: max(target/2, 1)}
	}
	goal := strategy.Tokens(target)
	if w.Target.Set() {
		r.Strategies = []strategy.Strategy{strategy.Fit{Target: w.Target}}
		return r
	}
	r.Strategies = make([]strategy.Strategy, len(c.live.Auto.Strategies))
	for i, s := range c.live.Auto.Strategies {
		if fit, ok := s.(strategy.Fit); ok && !fit.Target.Set() {
			fit.Target = goal
			s = fit
		}
		r.Strategies[i] = s
	}
	return r
}
