package strategy

import (
	"slices"

	"tenfold"
)

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
