package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tenfold"
	"tenfold/strategy"
)

// ErrVetoed is what a hook gives, as it is or wrapped with a reason, to have a
// compaction not made.
var ErrVetoed = errors.New("vetoed")

// Hooks are told of the compactions of all sessions of a service (M6), and of no
// dry run. Any of them may be nil. That a summary failed or was refused is told to
// strategy.Options.Failed, with its request.
type Hooks struct {
	// Before is shown each plan that would change something, and gives the one
	// to apply: the same, or another in its place, for the same version. Of that
	// only the compactions are taken; figures are worked out for them. One
	// without compactions has nothing done. An error ends the compaction; with
	// [ErrVetoed] in it that is not a failure. After a lost race it is shown the
	// new plan. It must not use the session to write.
	Before func(ctx context.Context, s *Session, plan strategy.Plan) (strategy.Plan, error)
	// After is told how each compaction ended, also those with nothing to do,
	// vetoed or failed: the plan that was applied or would have been, with the
	// view as it was before and as the plan left it.
	After func(ctx context.Context, s *Session, c Result, err error)
}

// WithHooks has a service tell of compactions.
func WithHooks(h Hooks) Option { return func(s *Service) { s.hooks = h } }

// before asks the hook, and gives the plan to apply with the figures of what it
// does. The plan given is that of an error too.
func (h Hooks) before(ctx context.Context, s *Session, plan strategy.Plan) (strategy.Plan, error) {
	if h.Before == nil {
		return plan, nil
	}
	was, shown := planContents(plan), plan
	shown.Compactions = slices.Clone(plan.Compactions)
	chosen, err := h.Before(ctx, s, shown)
	if err != nil || slices.Equal(planContents(chosen), was) {
		return plan, err
	}
	if len(chosen.Compactions) == 0 {
		plan.Nothing = cmp.Or(chosen.Nothing, "a hook left nothing of the plan")
	}
	return plan.With(chosen.Compactions), nil
}

// planContents is what a plan's compactions say, to compare.
func planContents(plan strategy.Plan) []string {
	out := make([]string, len(plan.Compactions))
	for i, c := range plan.Compactions {
		text, err := tenfold.MarshalPayload(c)
		if err != nil {
			text = fmt.Append(text, err)
		}
		out[i] = string(text)
	}
	return out
}

func (h Hooks) after(ctx context.Context, s *Session, c Result, err error) {
	if h.After != nil {
		h.After(ctx, s, c, err)
	}
}
