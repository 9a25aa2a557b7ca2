package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tenfold"
	"tenfold/internal/pause"
	"tenfold/internal/telemetry"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/summary"
)

// An Outcome is how a compaction ended.
type Outcome string

// The outcomes.
const (
	// Applied: the overlays are in the log.
	Applied Outcome = "applied"
	// Nothing: there was nothing to do; the plan says why (S-16).
	Nothing Outcome = "nothing"
	// Superseded: another writer touched what the plan was about, and the
	// plan is not one to make again for nothing: it cost a model call. Nothing
	// was written (D3).
	Superseded Outcome = "superseded"
	// Repeated: an earlier attempt of the same request came through.
	Repeated Outcome = "repeated"
	// Vetoed: a hook did not want it. Nothing was written (M6).
	Vetoed Outcome = "vetoed"
	// Planned: it was a dry run; the plan says what would be done (C8). Nothing
	// was written.
	Planned Outcome = "planned"
)

// A Result is what came of a compaction.
type Result struct {
	Outcome  Outcome
	Plan     strategy.Plan
	Overlays []tenfold.Overlay
	// Attempts is how many plans it took; Rebased tells that a plan was
	// applied to a newer log than it was made for.
	Attempts int
	Rebased  bool
	// Reason is why nothing was written.
	Reason string
	// Count is the number of compactions the conversation has seen, those of
	// this request and those undone included (A7).
	Count int
}

// ErrNoProgress says that a compaction would not free enough to be worth it (A4).
var ErrNoProgress = errors.New("no progress")

// maxAttempts bounds how often a mechanical plan is made anew.
const maxAttempts = 50

// Compact reads the newest version, plans, and applies at that version. When
// another writer came first, a mechanical plan is made anew; one that cost a
// model call is applied to the newer log where its range was not touched, and
// given up as superseded where it was (D3). With a Request.ID the same request
// again changes nothing (L9).
//
// A compaction that cannot be made leaves a [tenfold.CompactionFailed] in the log
// and nothing else (A6); one that was only not worth it, lost a race, was vetoed,
// ended with ctx, or could not be stored leaves nothing. What a request with a
// trigger did not get because its summary was refused counts as failed.
func (s *Session) Compact(ctx context.Context, r Request) (Result, error) {
	ctx, op := telemetry.Begin(ctx, telemetry.Compact, s.id)
	refused := r.notice()
	c, planned, err := s.compact(ctx, r)
	switch {
	case errors.Is(err, ErrVetoed):
		c.Outcome, c.Reason, err = Vetoed, err.Error(), nil
	case err != nil && !planned:
		err = s.failed(ctx, r, c.Plan.Paid(), err)
	case c.Outcome == Nothing && r.Trigger != nil && refused.err != nil:
		err = s.failed(ctx, r, c.Plan.Paid(), refused.err)
	}
	c.Count = s.compactions()
	if !r.Options.DryRun {
		s.service.hooks.after(ctx, s, c, err)
	}
	measured(ctx, op, c, err)
	return c, err
}

// compact does the work. Planned is false where an error is that of the plan.
func (s *Session) compact(ctx context.Context, r Request) (c Result, planned bool, err error) {
	if err := s.Refresh(ctx); err != nil {
		return c, true, err
	}
	for c.Attempts < maxAttempts {
		// Whoever came first may have made the room that the trigger asked for.
		fires, why, made, err := s.triggerFires(ctx, r)
		if err != nil {
			return c, false, err
		}
		done := s.overlaysOf(r.ID)
		if !fires && (c.Attempts == 0 || len(done) == 0) {
			c.Outcome, c.Reason, c.Plan = Nothing, why, strategy.Plan{}
			return c, true, nil
		}
		if len(done) > 0 {
			c.Outcome, c.Overlays = Repeated, done
			return c, true, nil
		}
		plan, err := s.planOnce(ctx, r, made)
		if err == nil && len(plan.Compactions) > 0 && !plan.DryRun {
			plan, err = s.service.hooks.before(ctx, s, plan)
		}
		c.Plan = plan
		if err != nil {
			return c, false, err
		}
		if little := r.tooLittle(plan); little != "" {
			return c, false, fmt.Errorf("%w: %s", ErrNoProgress, little)
		}
		for i := range plan.Compactions {
			plan.Compactions[i].Reason = why // why it was made (A7)
		}
		c.Attempts++
		switch {
		case plan.Nothing != "" || (len(plan.Compactions) == 0 && !plan.DryRun):
			c.Outcome, c.Reason = Nothing, plan.Nothing
			return c, true, nil
		case plan.DryRun:
			c.Outcome = Planned
			return c, true, nil
		}
		again, err := s.applyPlan(ctx, r, &c)
		if err != nil || !again {
			return c, true, err
		}
		if err := backOff(ctx, c.Attempts); err != nil {
			return c, true, err
		}
	}
	return c, true, fmt.Errorf("compact conversation %s: other writers came first %d times, try again when it is quieter: %w", s.id, c.Attempts,
		&store.ConflictError{Conversation: s.id, Expected: c.Plan.Version, Actual: s.log.Version()})
}

// backOff waits a little, at random and longer each time, so that rivals do not
// go on meeting.
func backOff(ctx context.Context, attempts int) error {
	longest := min(time.Duration(attempts)*time.Millisecond, 25*time.Millisecond)
	return pause.For(ctx, rand.N(longest))
}

// planOnce plans, unless what was planned to ask the trigger still holds.
func (s *Session) planOnce(ctx context.Context, r Request, made *strategy.Plan) (strategy.Plan, error) {
	if made != nil && made.Version == s.log.Version() {
		return *made, nil
	}
	return s.Plan(ctx, r)
}

// applyPlan applies the plan, and tells whether to plan again.
func (s *Session) applyPlan(ctx context.Context, r Request, c *Result) (again bool, err error) {
	for {
		made := s.log.Version()
		err := s.write(ctx, c, r.ID, r.Branch)
		if !isConflict(err) {
			return false, err
		}
		if err := s.Refresh(ctx); err != nil {
			return false, err
		}
		if !costly(c.Plan) && !s.onlyAttempts(made) || len(s.overlaysOf(r.ID)) > 0 {
			return true, nil
		}
		if why := s.rebase(&c.Plan, made); why != "" {
			c.Outcome, c.Reason = Superseded, why
			return false, nil
		}
		now, base := ViewOf(s.projection, r.Branch), c.Plan.Base()
		_, lost := Lost(base, c.Plan.View(), now) // by the steps made while it was asked (V4)
		c.Plan, c.Rebased = withLostPinned(c.Plan, lost, now), true
	}
}

// onlyAttempts tells that nothing came since a version but records of attempts, such as
// that the one which made the plan goes on.
func (s *Session) onlyAttempts(since int64) bool {
	for e := range s.log.After(since) {
		if e.Payload.Kind() != tenfold.KindCompactionAttempt {
			return false
		}
	}
	return true
}

// costly tells whether a plan holds what a model was paid for or a person was
// asked about. A digest is made anew for nothing (M4).
func costly(plan strategy.Plan) bool {
	for _, c := range plan.Compactions {
		if c.Summary != nil && (c.Summary.Model != summary.DigestName || c.Summary.Usage != nil) {
			return true
		}
	}
	return plan.Asked
}

// rebase fits a plan made at one version to the log as it is now: it still
// speaks of the entries it was made of, and of no others. It tells why that
// cannot be.
func (s *Session) rebase(plan *strategy.Plan, made int64) (why string) {
	for e := range s.log.After(made) {
		turn, step, _ := s.log.Where(e.Seq)
		switch payload := e.Payload.(type) {
		case tenfold.Compaction:
			if payload.Summary != nil && overlaps(plan, payload.FromTurn, payload.ToTurn) {
				return "another summary of the range came first"
			}
			if payload.Rewinds() {
				return "the conversation went back to before it"
			}
		case tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
			return "what is shown of the range was changed by another writer"
		}
		if !e.Payload.Kind().Visible() || e.Branch != "" {
			continue
		}
		for i := range plan.Compactions {
			c := &plan.Compactions[i]
			if turn > c.ToTurn || (turn == c.ToTurn && c.ToStep != nil && step > *c.ToStep) {
				continue
			}
			last, ok := s.lastStep(c.ToTurn, made)
			if turn < c.ToTurn || c.ToStep != nil || !ok || step <= last {
				return fmt.Sprintf("turn %d of the range has grown since", turn)
			}
			c.ToStep = &last // the turn went on: what came is not covered
		}
	}
	return ""
}

// lastStep is the last step that a turn had at a version.
func (s *Session) lastStep(turn int, version int64) (int, bool) {
	for seq := version; seq > 0; seq-- {
		e, _ := s.log.Entry(seq)
		if t, step, _ := s.log.Where(seq); e.Branch == "" && e.Payload.Kind().Visible() && t == turn {
			return step, true
		} else if t < turn {
			break
		}
	}
	return 0, false
}

func overlaps(plan *strategy.Plan, from, to int) bool {
	return slices.ContainsFunc(plan.Compactions, func(c tenfold.Compaction) bool {
		return c.Summary != nil && from <= c.ToTurn && to >= c.FromTurn
	})
}
