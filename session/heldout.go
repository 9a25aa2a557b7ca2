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
	"tenfold/strategy"
)

// A Loss is a path, an id or an identifier that steps made after a plan used, and
// that they had from what the plan hides (live V4).
type Loss struct {
	Atom string
	// UsedBy is the seq of the call that used it.
	UsedBy int64
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
			eachName(it.Payload, func(name string, _ int) { found[name] = found[name] || wanted[name] > 0 })
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
			lost = append(lost, Loss{Atom: name, UsedBy: wanted[name]})
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

// usedAfter lists the names in the calls that came after a version, by the seq of
// the call, but for those that were shown in between.
func usedAfter(now *tenfold.Projection, version int64) (wanted map[string]int64, order []string) {
	wanted = map[string]int64{}
	shown := map[string]bool{}
	for e := range now.Log().After(version) {
		if !now.Reads(e.Seq) {
			continue
		}
		switch e.Payload.(type) {
		case tenfold.ToolCall:
			eachName(e.Payload, func(name string, _ int) {
				if !shown[name] && wanted[name] == 0 {
					wanted[name] = e.Seq
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
	var held HeldOut
	for attempt := 1; ; attempt++ {
		if err := s.Refresh(ctx); err != nil {
			return Result{}, held, err
		}
		next, why, err := s.renew(ctx, r, plan, &held)
		if err != nil || why != "" {
			return Result{Outcome: Superseded, Plan: plan, Reason: why, Count: s.compactions()}, held, err
		}
		c, err := s.Apply(ctx, next)
		if !isConflict(err) || attempt == maxAttempts {
			return c, held, err
		}
		if err := pause(ctx, attempt); err != nil {
			return c, held, err
		}
	}
}

// renew gives a plan for the log as it is now, from one that was made for an
// earlier version of it.
func (s *Session) renew(ctx context.Context, r Request, plan strategy.Plan, held *HeldOut) (strategy.Plan, string, error) {
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
	*held = HeldOut{}
	held.Used, held.Lost = Lost(base, plan.View(), view)
	held.Left = held.Lost
	if len(held.Lost) == 0 || costly(plan) {
		held.Left = nil
		return pinned(fitted, held.Lost, view), "", nil
	}
	r.Options.Needed = slices.Concat(r.Options.Needed, Needed(held.Lost))
	r.span = new(endedAt(base))
	r.span.FromTurn = plan.Range.FromTurn
	again, err := s.Plan(ctx, r)
	if err != nil {
		return plan, "", err
	}
	_, held.Left = Lost(base, again.View(), view)
	return again, "", nil
}

var errHandMade = errors.New("the plan is not of a strategy")

// endedAt is the range of all that a view shows.
func endedAt(p *tenfold.Projection) tenfold.Range {
	last := p.Log().Turns() - 1
	t, _ := p.Log().Turn(last)
	return tenfold.Range{ToTurn: last, ToStep: new(t.Steps - 1)}
}

// pinned gives a plan as one for a newer view, with what was lost pinned.
func pinned(plan strategy.Plan, lost []Loss, now *tenfold.Projection) strategy.Plan {
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
