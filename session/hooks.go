package session

import (
	"context"
	"errors"

	"tenfold/strategy"
)

// ErrVetoed is what a hook gives, as it is or wrapped with a reason, to have a
// compaction not made.
var ErrVetoed = errors.New("vetoed")

// Hooks are told of the compactions of all sessions of a service (M6). Any of
// them may be nil. That a summary failed or was refused is told to
// strategy.Options.Failed, with its request.
type Hooks struct {
	// Before is shown each plan that would change something, and gives the one
	// to apply: the same, or another in its place, made for the same version.
	// One without compactions has nothing done. An error ends the compaction;
	// with [ErrVetoed] in it that is no failure. After a lost race it is shown
	// the new plan. It must not use the session to write.
	Before func(ctx context.Context, s *Session, plan strategy.Plan) (strategy.Plan, error)
	// After is told how each compaction ended, also those with nothing to do,
	// vetoed or failed.
	After func(ctx context.Context, s *Session, c Compacted, err error)
}

// WithHooks has a service tell of compactions.
func WithHooks(h Hooks) Option { return func(s *Service) { s.hooks = h } }

func (h Hooks) before(ctx context.Context, s *Session, plan strategy.Plan) (strategy.Plan, error) {
	if h.Before == nil {
		return plan, nil
	}
	version := plan.Version
	plan, err := h.Before(ctx, s, plan)
	plan.Version = version
	if err == nil && len(plan.Compactions) == 0 && plan.Nothing == "" {
		plan.Nothing = "a hook left nothing of the plan"
	}
	return plan, err
}

func (h Hooks) after(ctx context.Context, s *Session, c Compacted, err error) {
	if h.After != nil {
		h.After(ctx, s, c, err)
	}
}
