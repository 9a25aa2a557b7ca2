package strategy

import (
	"slices"

	"tenfold"
)

// On gives the plan as one for another projection, with the figures that its
// compactions have there: where it was made by hand, changed, or is carried over
// to a newer log. Bounds are taken as they are. What the strategies said is kept.
func (plan Plan) On(p *tenfold.Projection) Plan {
	said := plan.Steps
	p = p.Snapshot()
	plan.Version, plan.Before, plan.After, plan.Steps = p.Version(), p, p, nil
	plan.Compactions = slices.Clone(plan.Compactions)
	for i := range plan.Compactions {
		c := &plan.Compactions[i]
		before, after := plan.After, plan.After.With(*c)
		c.TokensBefore, c.TokensAfter = before.Tokens(), after.Tokens()
		plan.Steps = append(plan.Steps, Step{
			Strategy: maker(*c), Entries: before.Changed(after), Before: c.TokensBefore, After: c.TokensAfter,
		})
		plan.After = after
	}
	for _, step := range said {
		if len(step.Notes) > 0 {
			step.Entries, step.Before, step.After = 0, plan.After.Tokens(), plan.After.Tokens()
			plan.Steps = append(plan.Steps, step)
		}
	}
	return plan
}

// maker names who made a compaction, as its step has it.
func maker(c tenfold.Compaction) string {
	if c.Strategy == "" && c.Profile != "" {
		return Profile{Title: c.Profile}.Name()
	}
	return c.Strategy
}
