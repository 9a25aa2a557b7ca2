package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/telemetry"
	"tenfold/provider"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/token"
	"tenfold/trigger"
)

// A Request says what to compact and how.
type Request struct {
	// ID makes the request safe to repeat: a second one of the same id does
	// nothing. Empty for one that is not repeated.
	ID string
	// Bounds is the range as a person writes it.
	Bounds tenfold.Bounds
	// Branch is the reader whose view is to be shortened (L7); empty is the
	// root, or, in a conversation that has nothing on the root, its first
	// branch. Turns are the root's in any case.
	Branch string
	// Strategies are run left to right; none means the default profile.
	Strategies []strategy.Strategy
	// Reason is why it was asked for, kept with the overlays (A7); a Trigger
	// gives its own.
	Reason string
	// Progress is the share of the view's tokens that must go, or it fails
	// (A4); zero for whatever there is.
	Progress float64
	// Trigger is asked first, by [Session.Compact], and again where another writer
	// came first; nil is as good as always.
	Trigger trigger.Trigger
	// Prices are what the Trigger goes by, where it weighs what a prompt cache
	// saves; nil means those that come with the program.
	Prices provider.Prices
	// Target has the view fitted into so much after the strategies, or, where
	// none is given, instead of the default profile; zero for none. A fit among them
	// without a target of its own, and a profile that fits, go by this one.
	Target strategy.Target
	// OpenEnd tells that nobody said where the range ends: what chooses by
	// itself what to keep of the end, as fit does, goes on to the end.
	OpenEnd bool
	// Options are what the strategies share: hints, a summarizer, a focus.
	// [Session.Plan] works out a Scale that is not given.
	// Range is worked out from Bounds; an empty Source means "user", or with a
	// Trigger "auto", a nil Summarizer the digest, which needs no model (M4).
	Options strategy.Options

	attempt string         // the id of the entry in which it began (A3)
	span    *tenfold.Range // the range itself, where it is known already
}

// Plan works out what a request would do, and writes nothing (C8). A plan
// that would change nothing says why in Nothing.
func (s *Session) Plan(ctx context.Context, r Request) (strategy.Plan, error) {
	ctx, op := telemetry.Begin(ctx, telemetry.Plan, s.id)
	if err := s.checkBranch(r.Branch); err != nil {
		op.End(ctx, outcomeOf(err))
		return strategy.Plan{}, err
	}
	view := ViewOf(s.projection, r.Branch)
	if r.Options.Scale == (token.Scale{}) {
		r.Options.Scale = s.watcher.Scale(s.log)
	}
	r.Options.Handle = cmp.Or(r.Options.Handle, Handle(s.id))
	if view == s.projection && r.Options.Index == nil {
		r.Options.Index = s.excerptIndex() // it is read when a strategy asks it
	}
	plan, err := PlanOver(ctx, view, r, s.service.now())
	op.End(ctx, outcomeOf(err))
	return plan, err
}

// checkBranch rejects a branch that no entry is of: what is written for it would change
// no view that there is.
func (s *Session) checkBranch(branch string) error {
	if branch == "" {
		return nil
	}
	var others []string
	for e := range s.log.Entries() {
		if e.Branch == branch || strings.HasPrefix(e.Branch, branch+".") {
			return nil
		}
		if name := strconv.Quote(e.Branch); e.Branch != "" && len(others) < 5 && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	there := "the conversation has none"
	if others != nil {
		there = "there are " + strings.Join(others, ", ")
	}
	return fmt.Errorf("plan for conversation %s: no entry is of branch %q: %s", s.id, branch, there)
}

// excerptIndex is the index that strategies choose from what the root sees.
func (s *Session) excerptIndex() *excerpt.Index {
	if s.index == nil {
		s.index = excerpt.NewIndex()
	}
	return s.index
}

// ViewOf gives the projection that a request about a branch is planned over,
// from that of the root.
func ViewOf(root *tenfold.Projection, branch string) *tenfold.Projection {
	if branch == "" && root.Totals().Log().Before == 0 {
		for e := range root.Log().Entries() {
			if e.Payload.Kind().Visible() {
				branch = e.Branch
				break
			}
		}
	}
	if branch == "" {
		return root
	}
	return tenfold.ProjectBranch(root.Log(), branch)
}

// PlanOver works out what a request would do to a projection, stored or not.
// Options.Scale is taken as it is; [token.Calibrate] gives that of a log.
func PlanOver(ctx context.Context, p *tenfold.Projection, r Request, now time.Time) (strategy.Plan, error) {
	if p == nil {
		return strategy.Plan{}, errors.New("plan: there is no projection")
	}
	if r.Bounds.Now.IsZero() {
		r.Bounds.Now = now
	}
	r.Bounds.Tail = scaledTail(r.Bounds.Tail, r.Options.Scale)
	span, ok, why, err := p.Resolve(r.Bounds)
	if err != nil {
		return strategy.Plan{}, err
	}
	if r.span != nil {
		span, ok, r.OpenEnd = *r.span, true, false
	}
	pipeline, err := r.pipeline()
	if err != nil {
		return strategy.Plan{}, err
	}
	all := tenfold.Range{FromTurn: span.FromTurn, ToTurn: p.Log().Turns() - 1}
	if !ok && p.Log().Turns() > 0 && slices.ContainsFunc(pipeline, strategy.TakesAll) {
		span, ok = tenfold.Range{ToTurn: all.ToTurn}, true
	}
	if !ok && r.OpenEnd && all.FromTurn <= all.ToTurn && slices.ContainsFunc(pipeline, strategy.ChoosesEnd) {
		// All of it would be kept, but some strategies know what of it.
		pipeline = slices.DeleteFunc(pipeline, func(s strategy.Strategy) bool { return !strategy.ChoosesEnd(s) })
		span, ok = all, true
	}
	if !ok {
		plan, err := strategy.Pipeline{}.Plan(ctx, p, strategy.Options{DryRun: r.Options.DryRun, Scale: r.Options.Scale})
		plan.Nothing = why
		return plan, err
	}
	o := r.Options
	o.Range = span
	if r.OpenEnd {
		o.Reach = &all
	}
	if o.Source == "" {
		o.Source = "user"
		if r.Trigger != nil {
			o.Source = strategy.SourceAuto
		}
	}
	if o.Summarizer == nil {
		o.Summarizer = summary.Digest{} // no strategy goes without (M4)
	}
	return pipeline.Plan(ctx, p, o)
}

// scaledTail is a tail, by default the default one, in the tokens that the log
// counts (T3).
func scaledTail(t *tenfold.Tail, scale token.Scale) *tenfold.Tail {
	tail := tenfold.DefaultTail()
	if t != nil {
		tail = *t
	}
	if tail.Tokens > 0 {
		tail.Tokens = max(scale.Estimated(tail.Tokens), 1)
	}
	return &tail
}

// pipeline is what a request has run, the slice its own.
func (r Request) pipeline() (strategy.Pipeline, error) {
	pipeline := slices.Clone(strategy.Pipeline(r.Strategies))
	switch {
	case r.Target.Set():
		fits := false // the last of them
		for i, s := range pipeline {
			pipeline[i], fits = aimed(s, r.Target)
		}
		if !fits {
			pipeline = append(pipeline, strategy.Fit{Target: r.Target})
		}
	case len(pipeline) == 0:
		profile, err := strategy.FindProfile(strategy.DefaultProfile)
		if err != nil {
			return nil, err
		}
		pipeline = strategy.Pipeline{profile}
	}
	return pipeline, nil
}

// aimed gives a strategy that fits the target of its request (F3), and tells whether it does.
func aimed(s strategy.Strategy, at strategy.Target) (strategy.Strategy, bool) {
	switch s := s.(type) {
	case strategy.Fit:
		if !s.Target.Set() {
			s.Target = at
		}
		return s, s.Target == at
	case strategy.Profile:
		if s.Fit.Set() {
			s.Fit = at
		}
		return s, s.Fit.Set()
	}
	return s, false
}

// ErrDryRun says that a plan was made by a dry run, which is not applied: what it
// shows need not be all that it would do. Plan again without DryRun.
var ErrDryRun = errors.New("the plan is of a dry run: plan again to apply it")

// Apply writes a plan's compactions. A plan that changes nothing writes nothing
// (S-16), and one of a dry run is ErrDryRun. A plan made for another version than
// the session has read is a [*store.ConflictError]: plan again. Hooks may replace
// the plan; their veto is an error.
func (s *Session) Apply(ctx context.Context, plan strategy.Plan) (Result, error) {
	switch {
	case len(plan.Compactions) == 0:
		return Result{Outcome: Nothing, Plan: plan, Reason: plan.Nothing, Count: s.compactions()}, nil
	case plan.DryRun:
		return Result{Plan: plan}, fmt.Errorf("apply to conversation %s: %w", s.id, ErrDryRun)
	case plan.View() == nil && plan.Version == s.log.Version():
		plan = plan.On(s.projection) // made by hand
		base, view := plan.Base(), plan.View()
		if tokens := base.Tokens(); base.Changed(view) == 0 && view.Tokens() == tokens && base.Shared(view) == tokens {
			plan.Compactions, plan.Nothing = nil, "the compactions change nothing that a model sees"
			return Result{Outcome: Nothing, Plan: plan, Reason: plan.Nothing, Count: s.compactions()}, nil
		}
	}
	ctx, op := telemetry.Begin(ctx, telemetry.Apply, s.id)
	c, err := s.apply(ctx, plan, "")
	s.service.hooks.after(ctx, s, c, err)
	measured(ctx, op, c, err)
	return c, err
}

// apply applies a plan, as that of a request if it has an id.
func (s *Session) apply(ctx context.Context, plan strategy.Plan, request string) (Result, error) {
	plan, err := s.service.hooks.before(ctx, s, plan)
	c := Result{Plan: plan}
	switch {
	case errors.Is(err, ErrVetoed):
		c.Outcome, c.Reason = Vetoed, err.Error()
	case err == nil && len(plan.Compactions) == 0:
		c.Outcome, c.Reason = Nothing, plan.Nothing
	case err == nil && plan.Version != s.log.Version():
		err = fmt.Errorf("apply plan: %w", &store.ConflictError{Conversation: s.id, Expected: plan.Version, Actual: s.log.Version()})
	case err == nil:
		if err = s.write(ctx, &c, request, ""); err == nil {
			c.Attempts = 1
		}
	}
	c.Count = s.compactions()
	return c, err
}

// write appends the overlays of a result's plan at the version the session has
// read, on the branch that the request was about. Those of a request with an id have
// ids that follow from it. Other entries go before them.
func (s *Session) write(ctx context.Context, c *Result, request, branch string, before ...tenfold.Entry) (err error) {
	command := request
	if command == "" {
		command = s.service.NewCommand()
	}
	entries, ids := s.service.Overlays(c.Plan, command), map[string]bool{}
	for i := range entries {
		entries[i].Branch = branch
		if request != "" {
			entries[i].ID = overlayID(request, i)
		}
		ids[entries[i].ID] = true
	}
	if len(c.Plan.Pins) > 0 {
		entries = append(entries, tenfold.Entry{ID: "pin_" + command, Branch: branch, Time: s.service.now().UTC(), Payload: tenfold.Pin{Entries: c.Plan.Pins}})
	}
	next := s.log.Version() + 1 + int64(len(before))
	if entries = append(before, entries...); request == "" {
		err = s.appendMade(ctx, entries)
	} else {
		err = s.Append(ctx, entries...)
	}
	if err != nil {
		return err
	}
	c.Outcome, c.Overlays = Applied, nil
	for o := range s.viewOf(branch).Overlays() {
		if ids[o.ID] {
			c.Overlays = append(c.Overlays, o)
		}
	}
	if c.Overlays[0].Seq != next {
		c.Outcome = Repeated // an earlier attempt had come through (L9)
	}
	return nil
}

// viewOf is the projection for a reader on a branch.
func (s *Session) viewOf(branch string) *tenfold.Projection {
	if branch == "" {
		return s.projection
	}
	return tenfold.ProjectBranch(s.log, branch)
}

// Overlays gives a plan's compactions as entries to append, as a part of a
// command.
func (s *Service) Overlays(plan strategy.Plan, command string) []tenfold.Entry {
	entries := make([]tenfold.Entry, len(plan.Compactions))
	for i, c := range plan.Compactions {
		c.Command = command
		entries[i] = tenfold.Entry{ID: "cmp_" + s.newID(), Time: s.now().UTC(), Payload: c}
	}
	return entries
}

func overlayID(request string, i int) string { return fmt.Sprintf("cmp_%s/%d", request, i) }

// overlaysOf gives the overlays that an earlier attempt of a request left.
func (s *Session) overlaysOf(request string) []tenfold.Overlay {
	if request == "" {
		return nil
	}
	var found []tenfold.Overlay
	for o := range s.projection.Overlays() {
		if o.ID == overlayID(request, len(found)) {
			found = append(found, o)
		}
	}
	return found
}
