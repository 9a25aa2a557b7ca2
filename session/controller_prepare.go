package session

import (
	"context"
	"reflect"
	"slices"

	"tenfold"
	"tenfold/internal/pair"
	"tenfold/internal/record"
	"tenfold/internal/telemetry"
	"tenfold/strategy"
	"tenfold/trigger"
)

// A Prepared is a plan that was made while the conversation went on.
type Prepared struct {
	request Request
	plan    strategy.Plan
	target  int // of the request
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
		return ahead.prepared(ctx, wish, ahead.target(wish))
	}
}

// prepared plans for a wish.
func (c *Controller) prepared(ctx context.Context, w Wish, target int) (*Prepared, error) {
	r := c.asRequest(w, target)
	plan, err := c.session.Plan(ctx, r)
	for i, made := range plan.Compactions {
		p, _ := record.Canonical(made) // whoever applies it is told of an error
		if same, ok := p.(tenfold.Compaction); ok {
			plan.Compactions[i], c.session.canonical = same, same.ToolCalls
		}
	}
	return &Prepared{r, plan, target}, err
}

// planForCold gives the plan for a cold cache that was made before, where it would still be
// done had nobody come back so soon: nothing came since but what a person said. It is made
// anew where there is none, or for another configuration.
func (c *Controller) planForCold(ctx context.Context, w Wish, target int) (*Prepared, error) {
	s := c.session
	if p := s.foreseen; p != nil && s.onlySaid(p.plan.Version) {
		if w.room = p.target; reflect.DeepEqual(c.asRequest(w, p.target), p.request) {
			return p, nil
		}
	}
	w.room = target
	p, err := c.prepared(ctx, w, target)
	if s.foreseen = nil; err == nil {
		s.foreseen = p
	}
	return p, err
}

// onlySaid tells that nothing came since a version of the log but what a person said, and
// records.
func (s *Session) onlySaid(since int64) bool {
	for e := range s.log.After(since) {
		switch e.Payload.Kind() {
		case tenfold.KindTurnStart, tenfold.KindUserMessage, tenfold.KindUsage, tenfold.KindCompactionAttempt:
		default:
			return false
		}
	}
	return true
}

// applyForeseen applies a plan that was made for a cold cache, and that nothing came after
// but turns that it does not touch: its figures hold, and nothing is to be held against it.
// That the attempt begins is stored with it, as nothing is left to do in between. It is false
// where that is not so, or the store does not take it: then it is for [Controller.Run] to
// begin, with the same record.
func (c *Controller) applyForeseen(ctx context.Context, d Decision, ahead *Prepared, attempt tenfold.Entry) (Decision, bool) {
	s := c.session
	if ahead == nil || ahead != d.planned || s.service.hooks.Before != nil || !s.allNewIsBehind(ahead.plan) || c.state().On(RequestDue).Answer != Compact {
		return d, false
	}
	r, plan := ahead.request, ahead.plan
	r.Progress = progress
	if s.projection != ViewOf(s.projection, r.Branch) || r.tooLittle(plan) != "" {
		return d, false
	}
	ctx, op := telemetry.Begin(ctx, telemetry.Apply, s.id)
	before := s.projection.Tokens() - plan.Before
	plan.Compactions = slices.Clone(plan.Compactions)
	for i := range plan.Compactions {
		o := &plan.Compactions[i]
		o.Reason, o.TokensBefore, o.TokensAfter = d.Reason, o.TokensBefore+before, o.TokensAfter+before
	}
	plan.Before, plan.After = plan.Before+before, plan.After+before
	result := Result{Plan: plan, Attempts: 1}
	err := s.write(ctx, &result, attempt.ID, r.Branch, attempt)
	result.Count = s.compactions()
	measured(ctx, op, result, err)
	if err != nil {
		return d, false
	}
	s.service.hooks.after(ctx, s, result, nil)
	d.Action, d.State, d.Result = Compacted, c.state(), result
	return d, true
}

// allNewIsBehind tells that all that came since a plan was made is behind what it compacts,
// and that no call was open then, whose thoughts it would have had to keep (P10).
func (s *Session) allNewIsBehind(plan strategy.Plan) bool {
	if plan.Base() == nil || len(plan.Compactions) == 0 || !s.onlySaid(plan.Version) || openCall(plan.Base()) {
		return false
	}
	for e := range s.log.After(plan.Version) {
		turn, _, _ := s.log.Where(e.Seq)
		if e.Payload.Kind().Visible() && slices.ContainsFunc(plan.Compactions, func(c tenfold.Compaction) bool { return turn <= c.ToTurn }) {
			return false
		}
	}
	return true
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
	if c.readsAhead() {
		index := c.session.excerptIndex()
		index.Advance(c.session.projection)
		index.Widen() // for what a request brings that waits
	}
}

// AppendAhead is [Session.Append] and [Controller.ReadAhead] at once: what is appended is
// read while the store writes it, where the client has its prompts kept for longer, so that
// the request that adds much waits for the plan ([Pace.Paste]). Others wait for the store alone.
func (c *Controller) AppendAhead(ctx context.Context, entries ...tenfold.Entry) error {
	c.session.readsAlong = c.live.Lifetime > 0 && c.readsAhead()
	defer func() { c.session.readsAlong = false }()
	return c.session.Append(ctx, entries...)
}

// readsAhead tells whether what comes is to be read at once.
func (c *Controller) readsAhead() bool {
	tokens, window := c.used()
	fits := func(s strategy.Strategy) bool { _, ok := s.(strategy.Fit); return ok }
	return c.live.Auto.Enabled && c.live.Request.Options.Index == nil && slices.ContainsFunc(c.live.Auto.Strategies, fits) &&
		float64(tokens) >= aheadShare*float64(trigger.Limit(c.live.Auto.Trigger, window)) && ViewOf(c.session.projection, c.live.Request.Branch) == c.session.projection
}

// besideStoring does what can be done with the projection while the store writes what is
// appended. Where the store does not take it, an index that read it knows of what never was.
func (s *Session) besideStoring(with *tenfold.Projection, batch []tenfold.Entry, store func() (stored bool)) {
	switch {
	case s.along != nil && slices.ContainsFunc(batch, BeginsEpoch):
		pair.Run(func() { store() }, func() { s.along(with) })
	case s.readsAlong:
		index := s.excerptIndex()
		s.index = nil
		stored := false
		pair.Run(func() { stored = store() }, func() { index.Advance(with) })
		if stored {
			s.index = index
		}
	default:
		store()
	}
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
