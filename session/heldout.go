package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/internal/number"
	"tenfold/internal/telemetry"
	"tenfold/strategy"
)

// A Loss is a path, an id or an identifier that steps made after a plan used, and
// that they had from what the plan hides (live V4).
type Loss struct {
	Atom string
	// Seq is the newest entry that showed it, and Lines those of its lines that
	// did, as [tenfold.TextLines] numbers them.
	Seq   int64
	Lines []tenfold.LineRange
}

// HeldOut is what came of holding a plan against the steps that were made since.
type HeldOut struct {
	// Used counts the names that those steps had from the prefix, each once.
	Used int
	// Lost are those that the plan as it was prepared would have hidden, and Left
	// those that the plan as it was applied still hides: what they stand in is
	// larger than what may be kept.
	Lost, Left []Loss
}

// Lost finds what steps used that a plan does not show (live V4): of every path,
// id and identifier in the calls that came after base was the view, and that base
// showed, those which neither view names, a stub included, nor a result or a
// message showed again before. now is the conversation with those steps.
func Lost(base, view, now *tenfold.Projection) (used int, lost []Loss) {
	l := now.Log()
	wanted, order := usedAfter(now, base.Version())
	if len(wanted) == 0 {
		return 0, nil
	}
	shows := func(p *tenfold.Projection) map[string]bool {
		found := map[string]bool{}
		for it := range p.Items() {
			if it.Seq > base.Version() {
				continue // one of those steps
			}
			eachName(it.Payload, func(name string, _ int) { found[name] = found[name] || wanted[name] })
		}
		return found
	}
	before, after := shows(base), shows(view)
	missing := map[string]int{}
	for _, name := range order {
		if before[name] {
			used++
		}
		if before[name] && !after[name] {
			missing[name] = len(lost)
			lost = append(lost, Loss{Atom: name})
		}
	}
	for seq := base.Version(); seq > 0 && len(missing) > 0; seq-- {
		if fate, _, _ := base.Fate(seq); !base.Reads(seq) || fate == tenfold.Omitted || fate == tenfold.Summarised {
			continue
		}
		e, _ := l.Entry(seq)
		found := map[string]bool{}
		eachName(e.Payload, func(name string, line int) {
			if at, ok := missing[name]; ok {
				found[name] = true
				lost[at].Seq = seq
				if n := len(lost[at].Lines); n == 0 || lost[at].Lines[n-1].Last != line {
					lost[at].Lines = append(lost[at].Lines, tenfold.LineRange{First: line, Last: line})
				}
			}
		})
		for name := range found {
			delete(missing, name)
		}
	}
	return used, slices.DeleteFunc(lost, func(one Loss) bool { return one.Seq == 0 })
}

// usedAfter lists the names in the calls that came after a version, but for those
// that were shown in between.
func usedAfter(now *tenfold.Projection, version int64) (wanted map[string]bool, order []string) {
	wanted = map[string]bool{}
	shown := map[string]bool{}
	for e := range now.Log().After(version) {
		if !now.Reads(e.Seq) {
			continue
		}
		switch e.Payload.(type) {
		case tenfold.ToolCall:
			eachName(e.Payload, func(name string, _ int) {
				if !shown[name] && !wanted[name] {
					wanted[name] = true
					order = append(order, name)
				}
			})
		case tenfold.ToolResult, tenfold.UserMessage:
			eachName(e.Payload, func(name string, _ int) { shown[name] = true })
		}
	}
	return wanted, order
}

// eachName gives the paths, ids and identifiers of a payload, with the lines that
// they stand in.
func eachName(p tenfold.Payload, yield func(name string, line int)) {
	text := tenfold.TextLines(p)
	if call, ok := p.(tenfold.ToolCall); ok {
		text = call.Arguments
	}
	line := 0
	for one := range strings.Lines(text) {
		line++
		for kind, at := range atom.Scan(strings.TrimRight(one, "\r\n")) {
			if kind != atom.Number {
				yield(at.Of(one), line)
			}
		}
	}
}

// Needed is what has to stay for the names that were lost.
func Needed(lost []Loss) []strategy.Needed {
	var out []strategy.Needed
	for _, one := range lost {
		at := slices.IndexFunc(out, func(n strategy.Needed) bool { return n.Seq == one.Seq })
		switch {
		case at < 0:
			out = append(out, strategy.Needed{Seq: one.Seq, Lines: one.Lines})
		default:
			all := slices.Concat(out[at].Lines, one.Lines)
			slices.SortFunc(all, func(a, b tenfold.LineRange) int { return cmp.Compare(a.First, b.First) })
			out[at].Lines = slices.Compact(all)
		}
	}
	return out
}

// Commit applies a plan that was prepared for the request while the conversation
// went on (live V4). What the steps made since used of the prefix, and the plan
// hides, is kept, and the plan made again for the same range: that asks no model.
// A plan with a model's summary is not made again (D3): what is missing in it is
// pinned along with it. Without steps in between it is Apply.
//
// What the prefix held that was changed meanwhile by another compaction makes the
// plan Superseded, as with [Session.Compact].
func (s *Session) Commit(ctx context.Context, r Request, plan strategy.Plan) (Result, HeldOut, error) {
	c, held, err := s.commit(ctx, r, plan)
	if c.Outcome != Superseded {
		s.service.hooks.after(ctx, s, c, err)
	}
	return c, held, err
}

func (s *Session) commit(ctx context.Context, r Request, plan strategy.Plan) (Result, HeldOut, error) {
	return s.commitUnless(ctx, r, plan, func() bool { return false })
}

// commitUnless commits a plan, unless it is superseded by something that renewing it
// does not see. What frees less than Request.Progress is not applied (A4).
func (s *Session) commitUnless(ctx context.Context, r Request, plan strategy.Plan, superseded func() bool) (c Result, held HeldOut, err error) {
	ctx, op := telemetry.Begin(ctx, telemetry.Apply, s.id)
	defer func() {
		c.Count = s.compactions()
		measured(ctx, op, c, err)
	}()
	attempts := 0
	err = Retried(ctx, func() error {
		c = Result{}
		if err := s.Refresh(ctx); err != nil {
			return err
		}
		attempts++
		c = Result{Plan: plan, Attempts: attempts}
		if done := s.overlaysOf(r.ID); len(done) > 0 { // an earlier attempt came through (L9)
			c.Outcome, c.Overlays = Repeated, done
			return nil
		}
		next, why, err := plan, errSuperseded, error(nil)
		if !superseded() {
			next, why, err = s.renewPlan(ctx, r, plan, &held)
		}
		if err != nil || why != "" {
			c.Outcome, c.Reason = Superseded, why
			return err
		}
		if little := r.tooLittle(next); little != "" {
			c.Outcome, c.Plan, c.Reason = Nothing, next, little
			return nil
		}
		if r.Reason != "" {
			for i := range next.Compactions {
				next.Compactions[i].Reason = r.Reason
			}
		}
		c, err = s.apply(ctx, next, r.ID)
		c.Attempts, c.Rebased = attempts, next.Version != plan.Version
		return err
	})
	return c, held, err
}

// tooLittle says that a plan frees less than is wanted (A4); empty if it does not.
func (r Request) tooLittle(plan strategy.Plan) string {
	gone := plan.Before - plan.After
	if r.Progress <= 0 || len(plan.Compactions) == 0 || float64(gone) >= r.Progress*float64(plan.Before) {
		return ""
	}
	before, after := plan.Sizes()
	return fmt.Sprintf("%s of %s tokens would go, less than %.0f %%", number.Thousands(max(before-after, 0)), number.Thousands(before), 100*r.Progress)
}

// renewPlan gives a plan for the log as it is now, from one that was made for an
// earlier version of it.
func (s *Session) renewPlan(ctx context.Context, r Request, plan strategy.Plan, held *HeldOut) (strategy.Plan, string, error) {
	if plan.Version == s.log.Version() || len(plan.Compactions) == 0 {
		return plan, "", nil
	}
	if plan.Base() == nil {
		return plan, "", fmt.Errorf("commit to conversation %s: %w", s.id, errHandMade)
	}
	base, fitted := plan.Base(), plan
	fitted.Compactions = slices.Clone(plan.Compactions)
	if why := s.rebase(&fitted, plan.Version); why != "" {
		return plan, why, nil
	}
	view := ViewOf(s.projection, r.Branch)
	if costly(plan) {
		*held = HeldOut{}
		held.Used, held.Lost = Lost(base, plan.View(), view)
		return withLostPinned(fitted, held.Lost, view), "", nil
	}
	r.span = new(coveredRange(fitted))
	next, now, err := Hold(plan, view, func(needed []strategy.Needed) (strategy.Plan, error) {
		with := r
		with.Options.Needed = slices.Concat(r.Options.Needed, needed)
		return s.Plan(ctx, with)
	})
	if *held = now; err == nil && len(now.Lost) == 0 {
		next = fitted.On(view)
	}
	return next, "", err
}

// Hold holds a prepared plan against the steps that were made since, and has it
// made again with what they needed, until no more is lost or little is gained by
// it. now is the conversation with those steps. Where nothing was lost the plan is
// the prepared one.
func Hold(prepared strategy.Plan, now *tenfold.Projection, again func([]strategy.Needed) (strategy.Plan, error)) (strategy.Plan, HeldOut, error) {
	var held HeldOut
	plan, base := prepared, prepared.Base()
	held.Used, held.Lost = Lost(base, plan.View(), now)
	held.Left = held.Lost
	for all, round := held.Lost, 1; len(all) > 0; round++ {
		var err error
		if plan, err = again(Needed(all)); err != nil {
			return prepared, held, err
		}
		_, held.Left = Lost(base, plan.View(), now)
		// What is kept now stands where other names stood.
		fresh := slices.DeleteFunc(slices.Clone(held.Left), func(one Loss) bool {
			return slices.ContainsFunc(all, func(known Loss) bool { return known.Atom == one.Atom })
		})
		if len(fresh) == 0 || round == maxRounds {
			break
		}
		all = slices.Concat(all, fresh)
	}
	return plan, held, nil
}

// maxRounds bounds how often a plan is made again for what the last one lost.
const maxRounds = 4

var errHandMade = errors.New("the plan is not of a strategy")

// coveredRange is the range that the overlays of a plan cover together.
func coveredRange(plan strategy.Plan) tenfold.Range {
	r := tenfold.Range{FromTurn: plan.Range.FromTurn, ToTurn: -1}
	for _, c := range plan.Compactions {
		switch {
		case c.ToTurn > r.ToTurn, c.ToTurn == r.ToTurn && r.ToStep != nil && (c.ToStep == nil || *c.ToStep > *r.ToStep):
			r.ToTurn, r.ToStep = c.ToTurn, c.ToStep
		}
	}
	return r
}

// withLostPinned gives a plan as one for a newer view, with what was lost pinned.
func withLostPinned(plan strategy.Plan, lost []Loss, now *tenfold.Projection) strategy.Plan {
	for _, one := range lost {
		e, _ := now.Log().Entry(one.Seq)
		if !slices.Contains(plan.Pins, e.ID) {
			plan.Pins = append(plan.Pins, e.ID)
		}
	}
	if len(plan.Pins) == 0 {
		return plan.On(now)
	}
	plan = plan.On(now.Preview(tenfold.Entry{ID: "preview-pin", Payload: tenfold.Pin{Entries: plan.Pins}}))
	plan.Version = now.Version()
	return plan
}
