package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/client"
	"tenfold/internal/record"
	"tenfold/internal/report"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/strategy"
)

// Programs plan in one request and apply in another, what was planned and nothing
// else: the overlays themselves, against the version that they were made for.

// A Plan is what a compaction would append, made for a version of the log. Send it
// back to have it applied.
type Plan struct {
	Version     int64                     `json:"version" minimum:"1" doc:"of the log that it was made for"`
	Compactions []shape.PlannedCompaction `json:"compactions" maxItems:"1000" doc:"the overlays; none: there is nothing to do"`
	Pins        []string                  `json:"pins,omitempty" maxItems:"10000" doc:"ids of entries that are pinned along with it"`
	// What follows is told, and not read.
	Tokens   report.Tokens `json:"tokens,omitzero" doc:"of the view as it is, and as it would be"`
	Nothing  string        `json:"nothing,omitempty" doc:"why there is nothing to do"`
	Withheld []string      `json:"withheld,omitempty" doc:"what is not in the plan because it requires a model: compact by the wish instead to include it"`
}

// An Applying says what to apply: a plan, or what a wish comes to.
type Applying struct {
	shape.Wish
	Plan *Plan `json:"plan,omitempty" doc:"apply this plan; all other fields must be empty"`
}

func (s *Server) declarePlan() {
	op := operation(http.MethodPost, "prepare", "/conversations/{id}/plans", "Make a plan to apply: overlays for a version of the log; calls no model and writes nothing")
	declare(s, op, s.prepare)
	op = operation(http.MethodPost, "compact", "/conversations/{id}/compactions", "Compact in place, by a plan or by a wish")
	op.Description = "A plan is applied unchanged, and once: repeating it, or its Idempotency-Key, returns the same compaction. Entries appended after its version " +
		"are not covered. If they change the entries that it covers, the response is a conflict (409), and nothing is written."
	declare(s, op, s.compactBy)
}

// prepare gives the plan of a wish.
func (s *Server) prepare(ctx context.Context, in *wished) (out Plan, err error) {
	err = s.planned(ctx, in, func(o *held.Conversation, _ Prepared, plan strategy.Plan, r report.Report) {
		out = Plan{Version: o.Session.Log().Version(), Pins: plan.Pins, Tokens: r.Tokens, Nothing: r.Nothing}
		for _, c := range plan.Compactions {
			out.Compactions = append(out.Compactions, shape.PlannedCompaction{PlannedCompaction: client.PlannedCompaction{Compaction: c}})
		}
		for _, step := range plan.Steps {
			if step.Withheld {
				out.Withheld = append(out.Withheld, step.Notes...)
			}
		}
	})
	return out, err
}

type compacting struct {
	InConversation
	Keyed
	Body Applying
}

func (s *Server) compactBy(ctx context.Context, in *compacting) (report.Report, error) {
	switch byWish := !reflect.ValueOf(in.Body.Wish).IsZero(); {
	case in.Body.Plan == nil:
		return s.compact(ctx, in)
	case byWish:
		return report.Report{}, shape.Refused("a plan is applied as it is", "send the plan alone, or a wish without one")
	}
	return s.apply(ctx, in.ID, in.Key, *in.Body.Plan)
}

// requestID is that of a request which applies a plan, for overlays that are in a log
// once; that of one by a wish begins so.
func requestID(key string) string { return keyed(key, "compaction") }

// apply appends what a plan says, at the version it was made for or at a later one
// that did not touch what it is about.
func (s *Server) apply(ctx context.Context, id, key string, p Plan) (out report.Report, err error) {
	if err := s.writable(); err != nil {
		return out, err
	}
	plan := strategy.Plan{Pins: p.Pins, Asked: true} // it is not to be made again
	for i, c := range p.Compactions {
		if err := applicable(c.Compaction); err != nil {
			return out, unprocessable(fmt.Sprintf("plan.compactions[%d]: %v", i, err), "apply the plan as it was made", nil)
		}
		if c.Source != strategy.SourceAuto {
			c.Source = "user"
		}
		plan.Compactions = append(plan.Compactions, c.Compaction)
	}
	if len(plan.Compactions) == 0 {
		return out, unprocessable("the plan has no compactions", "there is nothing to apply", nil)
	}
	if key == "" {
		same, err := json.Marshal(Plan{Version: p.Version, Compactions: p.Compactions, Pins: p.Pins}, json.Deterministic(true))
		if err != nil {
			return out, err
		}
		key = string(same)
	}
	err = s.with(ctx, id, func(o *session.Session) error {
		base, err := viewAt(o, p.Version)
		if err != nil {
			return err
		}
		if _, err := isRepeated(o, key, requestID(key)); err != nil {
			return err
		}
		plan := plan.On(base)
		for i, c := range plan.Compactions {
			if c.Summary != nil && c.TokensAfter >= c.TokensBefore { // (C6)
				return unprocessable(fmt.Sprintf("plan.compactions[%d]: its summary is not smaller than what it hides", i), "write a shorter summary, or choose a longer range", nil)
			}
		}
		done, _, err := o.Commit(ctx, session.Request{ID: requestID(key)}, plan)
		if err != nil {
			return err
		}
		if err := whyNot(o, done, p); err != nil {
			return err
		}
		out = report.Compacted(o, done, strategy.Target{})
		return nil
	})
	return out, err
}

// applicable says what no plan has.
func applicable(c tenfold.Compaction) error {
	switch {
	case c.FromTurn < 0 || c.ToTurn < c.FromTurn || c.ToStep != nil && *c.ToStep < 0:
		return fmt.Errorf("it covers turns %d to %d", c.FromTurn, c.ToTurn)
	case c.Summary != nil && tenfold.Blank(c.Summary.Text):
		return fmt.Errorf("its summary is empty")
	}
	return nil
}

// whyNot says of what came of a plan why it is not in effect.
func whyNot(o *session.Session, done session.Result, p Plan) error {
	now := o.Log().Version()
	switch done.Outcome {
	case session.Superseded:
		lost := moved(p.Version, now, "nothing was written; make a new plan")
		lost.Detail = done.Reason
		return lost
	case session.Vetoed:
		return conflict(done.Reason, "nothing was written")
	case session.Nothing:
		return unprocessable(cmp.Or(done.Reason, "there is nothing to do"), "nothing was written", nil)
	case session.Repeated:
		if len(done.Overlays) != len(p.Compactions) {
			return keyReused()
		}
		for i, c := range p.Compactions {
			held := done.Overlays[i]
			if held.Compaction.ToStep != nil { // may be of the turn that went on
				c.ToStep = held.Compaction.ToStep
			}
			if !record.Same(held.Compaction, c.Compaction) {
				return keyReused()
			}
			if !held.Live {
				return conflict("the plan was applied before, and undone since", "redo it, or make a new plan")
			}
		}
	}
	return nil
}

// viewAt is what a model saw at a version.
func viewAt(o *session.Session, version int64) (*tenfold.Projection, error) {
	now := o.Log().Version()
	switch {
	case version > now:
		return nil, moved(version, now, "the plan is of another log; make a new one")
	case version == now:
		return session.ViewOf(o.Projection().Snapshot(), ""), nil
	}
	return session.ViewOf(tenfold.Project(o.Log().At(version)), ""), nil
}
