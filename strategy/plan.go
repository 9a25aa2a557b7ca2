package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/token"
)

// A Step is what one strategy of a plan does (S-17).
type Step struct {
	Strategy string
	// Entries is how many entries it changes the fate or cost of.
	Entries int
	// Before and After are the projection's tokens before and after it.
	Before, After int
	// Notes are what the strategy has to say: why it proposes nothing, what
	// it did otherwise than asked, what a dry run held back, as Withheld says.
	Notes    []string
	Withheld bool
}

// A Plan is what a pipeline would do. It was made for one version of the log, and
// stays as it is when the log grows.
// What its compactions point to goes into the log when it is applied, and is not to be
// changed any more.
type Plan struct {
	Version int64
	// DryRun says that it was made to be looked at (C8): it may lack what would
	// have to be paid for, and is not applied.
	DryRun      bool
	Range       tenfold.Range
	Compactions []tenfold.Compaction
	Steps       []Step
	// Before and After are the projection's tokens as it stood and as it would be:
	// estimates, like all figures of the plan. Scale converts them (T3).
	Before, After int
	Scale         token.Scale
	// Fitted says what a strategy that fits into a target came to; nil where none
	// ran.
	Fitted *Fitted
	// Nothing says why there is nothing to do; empty when there is (S-16).
	Nothing string
	// Refused are the notes of its steps that say why a summary was not taken
	// (C6), whether anything else is done or not. None for one that a person
	// dropped.
	Refused []string
	// Pins are the ids of entries that are pinned along with it (live V4).
	Pins []string
	// Asked says that a model was paid or a person answered: the plan is none
	// to make again for nothing (D3).
	Asked bool
	// Unused is what summaries cost that were not taken. A plan that failed says it
	// too.
	Unused []tenfold.Usage

	base, view *tenfold.Projection // snapshots
}

// Sizes are the tokens of the view before and after, as the conversation's provider
// counts them (semantics T3).
func (plan Plan) Sizes() (before, after int) {
	return plan.Scale.Tokens(plan.Before), plan.Scale.Tokens(plan.After)
}

// Paid is what its summaries cost, those that were not taken too, under the name of the
// model that was asked last. The cost in money is known where that of all is.
func (plan Plan) Paid() (sum tenfold.Usage) {
	all := slices.Clone(plan.Unused)
	for _, c := range plan.Compactions {
		if c.Summary != nil && c.Summary.Usage != nil {
			all = append(all, *c.Summary.Usage)
		}
	}
	known := true
	for _, u := range all {
		sum.Model = u.Model
		sum.Input, sum.Output = sum.Input+u.Input, sum.Output+u.Output
		sum.CacheRead, sum.CacheWrite = sum.CacheRead+u.CacheRead, sum.CacheWrite+u.CacheWrite
		if u.Cost == nil {
			known = false
			continue
		}
		sum.Cost = cmp.Or(sum.Cost, new(0.0))
		*sum.Cost += *u.Cost
	}
	if !known {
		sum.Cost = nil
	}
	return sum
}

// View is the conversation as the plan would leave it: a snapshot, which later
// writes do not change. It is nil for a plan made by hand, until [Plan.On].
func (plan Plan) View() *tenfold.Projection { return plan.view }

// Base is the conversation as it was when the plan was made, a snapshot; nil for
// a plan made by hand, until [Plan.On].
func (plan Plan) Base() *tenfold.Projection { return plan.base }

// Shared is how many tokens at the front of the view the plan leaves as they
// are: what a prompt cache still holds.
func (plan Plan) Shared() int {
	if plan.view == nil {
		return 0
	}
	return plan.base.Shared(plan.view)
}

// newPlan is a plan that leaves a projection as it is.
func newPlan(p *tenfold.Projection) Plan {
	p = p.Snapshot()
	plan := Plan{Version: p.Version(), Before: p.Tokens(), base: p}
	plan.show(p)
	return plan
}

func (plan *Plan) show(view *tenfold.Projection) { plan.view, plan.After = view, view.Tokens() }

// A Pipeline is strategies composed left to right.
type Pipeline []Strategy

// underWay is a step that is being planned.
type underWay struct {
	plan *Plan
	step Step
	// over, proposed and next are what was tried last, and what came of it.
	over, next *tenfold.Projection
	proposed   []tenfold.Compaction
	// handles are the open handles of the view; nil where nobody asked.
	handles []int64
	// judged are the summaries that a job found none to refuse.
	judged []*tenfold.Summary
}

// underWay gives the step under way, or outside a plan one that nobody reads.
func (o Options) underWay() *underWay {
	if o.now == nil {
		return &underWay{plan: &Plan{}}
	}
	return o.now
}

// Notef tells whoever reads the plan something the strategy under way thinks
// they should know, above all why it proposes nothing (S-16).
func (o Options) Notef(format string, args ...any) {
	step := &o.underWay().step
	step.Notes = append(step.Notes, fmt.Sprintf(format, args...))
}

// proposeNothing proposes nothing, and notes why.
func (o Options) proposeNothing(format string, args ...any) ([]tenfold.Compaction, error) {
	o.Notef(format, args...)
	return nil, nil
}

// tokens writes an estimate for a note, by the provider's count.
func (o Options) tokens(n int) string { return number.Thousands(o.Scale.Tokens(n)) }

// noteWithheld notes what would be done were it not a dry run.
func (o Options) noteWithheld(format string, args ...any) ([]tenfold.Compaction, error) {
	o.underWay().step.Withheld = true
	return o.proposeNothing(format, args...)
}

// overlay completes an overlay that a strategy proposes for a range.
func (o Options) overlay(s Strategy, r tenfold.Range, c tenfold.Compaction) tenfold.Compaction {
	c.Strategy, c.Source = s.Name(), o.Source
	c = r.On(o.withReferences(c))
	if takesCalls(c) {
		c.Keeps = o.handles(c)
	}
	return c
}

// withReferences puts references on an overlay where they are wanted, and names the
// conversation that they are of.
func (o Options) withReferences(c tenfold.Compaction) tenfold.Compaction {
	if o.Recall && c.ToolCalls != nil {
		calls := *c.ToolCalls
		calls.Recall = true
		c.ToolCalls = &calls
	}
	if o.Recall && c.Texts != nil {
		texts := *c.Texts
		texts.Recall = true
		c.Texts = &texts
	}
	if (c.ToolCalls != nil && c.ToolCalls.Recall) || (c.Texts != nil && c.Texts.Recall) {
		c.Handle = o.Handle
	}
	return c
}

// withOverlays gives the projection with some overlays. What a strategy tried and then
// proposes is not applied twice.
func (o Options) withOverlays(p *tenfold.Projection, proposed ...tenfold.Compaction) *tenfold.Projection {
	if len(proposed) == 0 {
		return p
	}
	u := o.underWay()
	if u.over != p || !slices.Equal(u.proposed, proposed) {
		u.over, u.proposed, u.next = p, slices.Clone(proposed), p.With(proposed...)
	}
	return u.next
}

// withView gives overlays on, and notes the view that they make.
func (o Options) withView(p, view *tenfold.Projection, proposed []tenfold.Compaction) []tenfold.Compaction {
	u := o.underWay()
	u.over, u.proposed, u.next = p, slices.Clone(proposed), view
	return proposed
}

// Plan runs the pipeline over the range (S-15 to S-17). It writes nothing.
func (pl Pipeline) Plan(ctx context.Context, p *tenfold.Projection, o Options) (Plan, error) {
	if p == nil {
		return Plan{}, errors.New("plan: there is no projection")
	}
	if o.Hints == nil {
		o.Hints = o.Tools.Hints()
	}
	plan := newPlan(p)
	plan.DryRun, plan.Range, plan.Scale = o.DryRun, o.Range, o.Scale
	p = plan.base
	o.begun = cmp.Or(o.begun, p)
	withheld, request := false, firstRequest(p.Log())
	for i, s := range pl.flat() {
		if err := ctx.Err(); err != nil {
			return Plan{}, err
		}
		if s == nil {
			return Plan{Unused: plan.Unused}, fmt.Errorf("strategy %d of %d is nil: leave it out, or give one", i+1, len(pl.flat()))
		}
		o.now = &underWay{plan: &plan}
		proposed, err := s.Propose(ctx, plan.view, o)
		if err != nil {
			return Plan{Unused: plan.Unused}, fmt.Errorf("strategy %s: %w", s.Name(), err)
		}
		n, before, had := len(plan.Steps), plan.view, len(plan.Compactions)
		plan.add(s.Name(), o.withoutRefused(plan.view, proposed), o)
		if len(plan.Compactions) == had {
			if err := readable(proposed); err != nil {
				return Plan{Unused: plan.Unused}, fmt.Errorf("strategy %s proposes an overlay that no log takes: %w", s.Name(), err)
			}
		}
		if fate, _, _ := plan.view.Fate(request); request > 0 && fate == tenfold.Omitted && !hidden(before, request) {
			turn, _, _ := p.Log().Where(request)
			o.Notef("the first request (turn %d) is not shown any more", turn)
		}
		plan.Steps[n].Notes, plan.Steps[n].Withheld = o.now.step.Notes, o.now.step.Withheld
		withheld = withheld || o.now.step.Withheld
	}
	if len(plan.Compactions) == 0 && !withheld {
		plan.Nothing = plan.why()
	}
	return plan, nil
}

// readable gives an error where an overlay says what no log could read again: a word
// that its slot does not know changes nothing, and would else pass for nothing to do.
func readable(overlays []tenfold.Compaction) error {
	for _, c := range overlays {
		object, err := tenfold.MarshalPayload(c)
		if err == nil {
			_, err = tenfold.UnmarshalPayload(c.Kind(), object)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// why gives the reasons for a plan that changes nothing (S-16).
func (plan *Plan) why() string {
	var reasons []string
	for _, s := range plan.Steps {
		for _, note := range s.Notes {
			if !slices.Contains(reasons, note) {
				reasons = append(reasons, note)
			}
		}
	}
	if len(reasons) == 0 {
		return fmt.Sprintf("nothing in turns %s would change", plan.Range)
	}
	return strings.Join(reasons, "; ")
}

// flat puts the parts of composite strategies in their places, so that each is
// reported for itself (S-17).
func (pl Pipeline) flat() Pipeline {
	var out Pipeline
	for _, s := range pl {
		if c, ok := s.(Composite); ok {
			out = append(out, c.Parts().flat()...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// withoutRefused gives what a strategy proposes in a slice of the plan's own, without the
// summaries that are none to take, which any strategy may have written (C6).
func (o Options) withoutRefused(p *tenfold.Projection, proposed []tenfold.Compaction) []tenfold.Compaction {
	return slices.DeleteFunc(slices.Clone(proposed), func(c tenfold.Compaction) bool {
		if c.Summary == nil || slices.Contains(o.underWay().judged, c.Summary) {
			return false
		}
		j := job{span: rangeOf(c), placement: c.Summary.Placement}
		room := p
		if _, shown := j.countHidden(p, c); shown == 0 {
			room, _ = j.withoutSummaries(p)
		}
		why := refusal(p, room, SummaryResult{Text: c.Summary.Text}, c)
		if why != nil {
			o.refused(j.span, why)
		}
		return why != nil
	})
}

// add takes in what one strategy proposes, if it changes anything, and reports
// what each of its slots gains.
func (plan *Plan) add(name string, proposed []tenfold.Compaction, o Options) {
	before := plan.view
	next := o.withOverlays(before, proposed...)
	changed := before.Changed(next)
	tokens := next.Tokens()
	// A summary may say something else at the very same cost.
	if changed == 0 && tokens == before.Tokens() && (next == before || before.Shared(next) == tokens) {
		plan.Steps = append(plan.Steps, Step{Strategy: name, Before: before.Tokens(), After: before.Tokens()})
		return
	}
	view := before
	for i := range proposed {
		was := view.Tokens()
		if view = next; i < len(proposed)-1 {
			view = before.With(proposed[:i+1]...)
		}
		proposed[i].TokensBefore, proposed[i].TokensAfter = was, view.Tokens()
	}
	plan.Compactions = append(plan.Compactions, proposed...)
	plan.show(next)
	parts := separate(proposed)
	if len(parts) < 2 {
		plan.Steps = append(plan.Steps, Step{Strategy: name, Entries: changed, Before: before.Tokens(), After: next.Tokens()})
		return
	}
	for _, part := range parts {
		with := before.With(part.only)
		plan.Steps = append(plan.Steps, Step{
			Strategy: part.strategy, Entries: before.Changed(with), Before: before.Tokens(), After: with.Tokens(),
		})
		before = with
	}
}

// separate takes a lone overlay apart, so that what each slot gains can be told.
// Overlays whose slots hang together are left whole.
func separate(proposed []tenfold.Compaction) []slot {
	if len(proposed) != 1 || proposed[0].Summary != nil || proposed[0].Turns != "" {
		return nil
	}
	if calls := proposed[0].ToolCalls; calls != nil && calls.Rest != "" {
		return nil // of all that it does not name something is said
	}
	return slots(proposed[0])
}

// slot is one slot of an overlay, and the strategy that would set it alone.
type slot struct {
	name, strategy string
	only           tenfold.Compaction // the overlay with no other slot
}

// slots lists the slots of which an overlay says something.
func slots(c tenfold.Compaction) []slot {
	var set []slot
	put := func(is bool, name, strategy string, only tenfold.Compaction) {
		if only.Keeps = c.Keeps; is {
			set = append(set, slot{name, strategy, rangeOf(c).On(only)})
		}
	}
	put(c.Summary != nil, "summary", "summarize", tenfold.Compaction{Summary: c.Summary})
	put(c.Turns != "", "turns", "", tenfold.Compaction{Turns: c.Turns})
	put(c.Reasoning != nil, "reasoning", "strip-reasoning", tenfold.Compaction{Reasoning: c.Reasoning})
	put(c.ToolCalls != nil, "tool_calls", "strip-tools", tenfold.Compaction{ToolCalls: c.ToolCalls})
	put(c.Texts != nil, "texts", "trim-texts", tenfold.Compaction{Texts: c.Texts})
	put(c.Attachments != nil, "attachments", "strip-attachments", tenfold.Compaction{Attachments: c.Attachments})
	put(c.ToolDefinitions != nil, "tool_definitions", "prune-tools", tenfold.Compaction{ToolDefinitions: c.ToolDefinitions})
	return set
}

// On gives the plan as one for another projection, with the figures that its
// compactions have there: where it was made by hand, changed, or is carried over
// to a newer log. Bounds are taken as they are. What the strategies said is kept.
func (plan Plan) On(p *tenfold.Projection) Plan {
	said, now := plan.Steps, newPlan(p)
	plan.Version, plan.Before, plan.base, plan.Steps = now.Version, now.Before, now.base, nil
	plan.show(now.view)
	plan.Compactions = slices.Clone(plan.Compactions)
	for i := range plan.Compactions {
		c := &plan.Compactions[i]
		before, after := plan.view, plan.view.With(*c)
		c.TokensBefore, c.TokensAfter = before.Tokens(), after.Tokens()
		plan.Steps = append(plan.Steps, Step{
			Strategy: maker(*c), Entries: before.Changed(after), Before: c.TokensBefore, After: c.TokensAfter,
		})
		plan.show(after)
	}
	for _, step := range said {
		if len(step.Notes) > 0 {
			step.Entries, step.Before, step.After = 0, plan.After, plan.After
			plan.Steps = append(plan.Steps, step)
		}
	}
	return plan
}

// With gives the plan with other compactions in place of its own, and the figures
// that they have where the plan was made.
func (plan Plan) With(compactions []tenfold.Compaction) Plan {
	plan.Compactions = compactions
	if plan.base == nil {
		return plan
	}
	version := plan.Version
	plan = plan.On(plan.base)
	plan.Version = version
	return plan
}

// maker names who made a compaction, as its step has it.
func maker(c tenfold.Compaction) string {
	if c.Strategy == "" && c.Profile != "" {
		return Profile{Title: c.Profile}.Name()
	}
	return c.Strategy
}
