package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tenfold"
	"tenfold/strategy"
	"tenfold/trigger"
)

// reserve is the share of the window that a request leaves to its answer: one
// that takes more does not fit (A2). Where somebody waits for the request it is less,
// as the answers so far suggest: at least leastReserve of the window.
const (
	reserve      = 0.05
	leastReserve = 0.01
)

// used is what the next request takes, and what the model does.
func (c *Controller) used() (tokens, window int) {
	v := c.triggerView()
	tokens, _ = v.Used()
	return tokens, v.Room()
}

// limit is the size that a compaction is due from.
func (c *Controller) limit() int { return trigger.Limit(c.live.Auto.Trigger, c.Window()) }

func (c *Controller) triggerView() trigger.View {
	v := c.session.watcher.Look(c.session.projection)
	if c.live.Request.Options.Window > 0 {
		v.Window = c.live.Request.Options.Window
	}
	return v
}

// isFull tells whether the view is over the window, and whether the next request
// would not fit with its answer.
func (c *Controller) isFull() (over, tight bool) {
	tokens, window := c.used()
	if c.extent == urgent {
		return tokens > window, tokens > c.Room()
	}
	return tokens > window, float64(tokens) > (1-reserve)*float64(window)
}

// Room is how many tokens a request may have that need not wait for a compaction
// ([Controller.SettleUrgent]): it leaves twice what the longest answer so far took,
// within the bounds of the reserve.
func (c *Controller) Room() int {
	c.state()
	_, window := c.used()
	answer := float64(2 * c.session.watcher.Scale(c.session.log).Tokens(c.past.longest))
	return window - int(min(max(answer, leastReserve*float64(window)), reserve*float64(window)))
}

// request says what the request is that is about to be sent, with the reason
// (A2, live V2).
func (c *Controller) request(ctx context.Context, state State) (Input, Decision, error) {
	d := Decision{By: ByTrigger, wish: Wish{By: ByTrigger}}
	if !c.live.Auto.Enabled {
		d.Reason = "automatic compaction is off"
		return RequestFits, d, nil
	}
	over, tight := c.isFull()
	tokens, window := c.used()
	between := c.betweenTurns()
	switch fires, why := c.fires(); {
	case over:
		d.Reason = fmt.Sprintf("%d tokens are more than the window of %d", tokens, window)
		return RequestOver, d, nil
	case c.past.undone && !tight:
		d.Reason = "a compaction was undone: none begins by itself until somebody asks, or the next request does not fit"
		return RequestUndone, d, nil
	case between && fires && (tight || c.extent == settled || c.Paid() || c.extent == urgent && (c.isCold() || c.pasted())):
		d.Reason = why
		return RequestDue, d, nil
	case !between && tight, c.extent == beside && float64(tokens) > (1-2*reserve)*float64(window):
		d.Reason = fmt.Sprintf("the next request, of %d tokens, leaves no room for an answer in a window of %d", tokens, window)
		return RequestDue, d, nil
	case between && fires:
		d.Reason = why + ": that waits for the end of the turn"
	default:
		d.Reason = why
	}
	if !between || state != Ready || c.Paid() {
		return RequestFits, d, nil
	}
	return c.decideWhenCold(ctx, d)
}

// pasteShare is the share of the window that a person must have added at once for the
// request to wait for a plan, where the client has its prompts kept for longer and so pays twice
// the price for writing them. As much is dear to write before the compaction and after: one
// recorded session would cost 11 % more for it.
const pasteShare = 0.15

// pasted tells whether what came since the last answer is as much.
func (c *Controller) pasted() bool {
	if c.live.Lifetime <= 0 {
		return false
	}
	tokens, l := 0, c.session.log
	for seq := l.Version(); seq > 0; seq-- {
		e, _ := l.Entry(seq)
		if e.Branch != "" || !e.Payload.Kind().Visible() {
			continue
		}
		if isAnswer(e.Payload.Kind()) {
			break
		}
		tokens += e.Tokens
	}
	return c.session.watcher.Scale(l).Tokens(tokens) > int(pasteShare*float64(c.Window()))
}

// isAnswer tells what a model says.
func isAnswer(k tenfold.Kind) bool {
	return k == tenfold.KindAssistantMessage || k == tenfold.KindReasoning || k == tenfold.KindToolCall
}

// fires asks the trigger. One that weighs what a plan would do to the cache is
// asked about none: what counts is headroom (live V2), and a cold cache is looked
// at apart.
func (c *Controller) fires() (bool, string) { return c.live.Auto.Trigger.Fires(c.triggerView()) }

// Paid tells whether an attempt may ask a model.
func (c *Controller) Paid() bool { return c.live.Paid() }

// Paid tells whether an attempt may ask a model.
func (l Live) Paid() bool {
	o := l.Request.Options
	_, quotes := o.Summarizer.(strategy.Quoter)
	return o.Classifier != nil || quotes && slices.ContainsFunc(l.Auto.Strategies, strategy.Summarises)
}

// decideWhenCold finds whether the provider has forgotten the prompt anyway, so that a
// compaction that would come in the turns to come is free now (live V2 c).
func (c *Controller) decideWhenCold(ctx context.Context, d Decision) (Input, Decision, error) {
	s := c.session
	cache := trigger.Cache{Touched: lastRequest(s.projection), Now: s.service.now()}
	is, words := c.cacheRule().Cold(cache)
	tokens, _ := c.used()
	target := c.headroom(c.limit())
	least := cmp.Or(max(c.live.Micro.ClearAtLeast, 0), trigger.DefaultClearAtLeast)
	if !is || cache.Touched.IsZero() || tokens-target < least || float64(tokens-target) < progress*float64(tokens) {
		return RequestFits, d, nil
	}
	p, err := c.planForCold(ctx, d.wish, target)
	if err != nil || s.watcher.Scale(s.log).Tokens(p.plan.Before-p.plan.After) < least {
		return RequestFits, d, nil //nolint:nilerr // what cannot be planned is not free
	}
	d.Reason = fmt.Sprintf("the prompt cache is %s, and a compaction to %d tokens makes room for %d turns", words, p.target, c.live.Turns)
	d.wish.room, d.planned = p.target, p
	return RequestDue, d, nil
}

// sourceMicro is the source of overlays that clear old results (A1).
const sourceMicro = "micro"

// decideClearing looks whether old results are worth clearing, and if so says that instead
// (A1).
func (c *Controller) decideClearing(ctx context.Context, d Decision) (Decision, error) {
	r := c.live.Request
	r.ID, r.Target, r.Reason = "", strategy.Target{}, ""
	r.Bounds = tenfold.Bounds{Tail: &tenfold.Tail{}}
	r.Strategies = []strategy.Strategy{c.live.Micro.Strategy}
	r.Trigger = c.cacheRule()
	r.Options.Source, r.Options.Classifier = sourceMicro, nil
	if c.openCall() || c.nothingToClear() {
		return d, nil // B2
	}
	fires, why, made, err := c.session.triggerFires(ctx, r)
	if err != nil || !fires || made == nil || len(made.Compactions) == 0 || !c.clearingPays(*made) {
		c.cleared.epoch, c.cleared.tokens, c.cleared.found = c.past.epoch, c.session.log.Tokens(), true
		return d, err
	}
	return Decision{Action: Compact, State: d.State, Reason: why, By: ByTrigger, Micro: true, trial: r}, nil
}

// looked is when it was last found that clearing old results is not worth it.
type looked struct {
	epoch  Epoch
	tokens int // of the log
	found  bool
	cache  trigger.Cache // what it would cost, where that was the reason
}

// The log has to grow by this part, as one in so many, of what clearing must free and
// of the view before it is looked at again.
const (
	settledPart     = 8
	settledViewPart = 50
)

// nothingToClear tells that nothing came since that could make clearing worth it, so that
// not every request costs a plan, which takes time with the length of the log: the
// cache is still warm, the view within the limit, and little was added.
func (c *Controller) nothingToClear() bool {
	if !c.cleared.found || c.cleared.epoch != c.past.epoch ||
		c.cleared.cache.Planned && c.past.balance.allows(c.cleared.cache, c.price(), c.live.Micro.Stake) {
		return false
	}
	least := cmp.Or(max(c.live.Micro.ClearAtLeast, 0), trigger.DefaultClearAtLeast)
	if c.session.log.Tokens()-c.cleared.tokens >= max(least/settledPart, c.session.projection.Tokens()/settledViewPart) {
		return false
	}
	tokens, window := c.used()
	return !c.isCold() && tokens <= trigger.Limit(c.live.Auto.Trigger, window)
}

// isCold tells whether the provider has forgotten the prompt.
func (c *Controller) isCold() bool {
	cold, _ := c.cacheRule().Cold(trigger.Cache{Touched: lastRequest(c.session.projection), Now: c.session.service.now()})
	return cold
}
