package session

import (
	"context"
	"slices"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/trigger"
)

// PromptCache says what a plan would do to what a provider has cached of the
// prompt, for [trigger.View]: how many tokens go, and how many stand at or behind
// the first change and are read anew. The model gives the price and the lifetime,
// where they are known; nil prices are those that come with the program. touched
// is when a request last used the cache, zero for never. Figures are calibrated by
// the scale (T3), the plan's are not.
func PromptCache(plan strategy.Plan, model string, prices provider.Prices, scale token.Scale, touched, now time.Time) trigger.Cache {
	if prices == nil {
		prices = provider.Shipped()
	}
	c := trigger.Cache{Planned: true, Touched: touched, Now: now}
	if plan.View() != nil {
		c.Going, c.Behind = scale.Tokens(plan.Before-plan.After), scale.Tokens(plan.After-plan.Shared())
	}
	if rule, ok := provider.CacheRuleOf(model); ok {
		c.Lifetime = rule.Lifetime
	}
	if price, ok := prices.Price(model); ok {
		price = price.For(scale.Tokens(plan.Before))
		c.Read, c.Write = price.CacheRead, price.CacheWrite
	}
	return c
}

// triggerFires asks the request's trigger, and gives the reason it gives. A trigger that
// weighs what would go (trigger.CacheAware) is asked about a plan, which is made
// first: it is cheap where no model is asked, and where one would be, what its
// summary hides is left out. The plan comes back where it can be applied as it is.
func (s *Session) triggerFires(ctx context.Context, r Request) (fires bool, why string, made *strategy.Plan, err error) {
	if r.Trigger == nil {
		return true, r.Reason, nil, nil
	}
	view := s.watcher.Look(s.projection)
	if r.Options.Window > 0 {
		view.Window = r.Options.Window
	}
	if trigger.NeedsPlan(r.Trigger, view) {
		trial := r
		_, quotes := r.Options.Summarizer.(strategy.Quoter)
		paid := r.Options.Classifier != nil || (quotes && slices.ContainsFunc(r.Strategies, strategy.Summarises))
		trial.Options.DryRun = trial.Options.DryRun || paid
		trial.Options.Classifier = nil // it would be asked twice
		plan, err := s.Plan(ctx, trial)
		if err != nil {
			return false, "", nil, err
		}
		if !paid {
			made = &plan
		}
		p := ViewOf(s.projection, r.Branch)
		view.Cache = PromptCache(plan, p.Config().Model, r.Prices, s.watcher.Scale(s.log), lastRequest(p), s.service.now())
	}
	fires, why = r.Trigger.Fires(view)
	return fires, why, made, nil
}

// lastRequest is when the model last answered the reader, so that the provider's
// cache was touched no later; zero when it never did, or nobody noted when.
func lastRequest(p *tenfold.Projection) time.Time {
	for seq := p.Version(); seq > 0; seq-- {
		if !p.Reads(seq) {
			continue
		}
		e, _ := p.Log().Entry(seq)
		switch e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.Usage:
			return e.Time
		}
	}
	return time.Time{}
}
