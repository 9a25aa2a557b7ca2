package strategy

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"tenfold"
)

// A Target is how small a projection is to become. As a strategy it is a
// ladder: what costs a reader least goes first, what is oldest before what is
// newer, and no rung is climbed once the projection fits.
type Target struct {
	// Tokens is the most the projection may cost; where Share is set, that
	// share of what the raw conversation costs. Both zero is no target.
	Tokens int
	Share  float64
	// Tail lets the ladder go on into what the range leaves out at the end,
	// once all it can do within the range was not enough.
	Tail bool
}

var errTarget = errors.New("write tokens (20k, 20000) or a share of the conversation (10%)")

// ParseTarget reads a target as a command line has it: "20k", "20000" or
// "10%".
func ParseTarget(text string) (Target, error) {
	s := strings.TrimSpace(text)
	if strings.HasSuffix(s, "%") {
		share, err := parseShare("target", s)
		if err != nil {
			return Target{}, fmt.Errorf("%q is no target: %w", text, errTarget)
		}
		return Target{Share: share}, nil
	}
	n, err := parseTokenCount("target", s)
	if err != nil || n == 0 {
		return Target{}, fmt.Errorf("%q is no target: %w", text, errTarget)
	}
	return Target{Tokens: n}, nil
}

// Set reports whether there is a target.
func (t Target) Set() bool { return t.Tokens > 0 || t.Share > 0 }

// Limit is the most tokens that a projection of p's log may cost.
func (t Target) Limit(p *tenfold.Projection) int {
	if t.Share > 0 {
		return int(t.Share * float64(p.Totals().All().Before))
	}
	return t.Tokens
}

// Name implements [Strategy].
func (t Target) Name() string {
	name := "target:tokens=" + strconv.Itoa(t.Tokens)
	if t.Share > 0 {
		name = fmt.Sprintf("target:share=%g%%", t.Share*100)
	}
	if t.Tail {
		name += ",tail=true"
	}
	return name
}

// parts are the rungs, those of the kept tail last.
func (t Target) parts() Pipeline {
	var ladder Pipeline
	for _, tail := range []bool{false, true} {
		if tail && !t.Tail {
			break
		}
		for _, s := range []Strategy{
			stripReasoning{},
			dedupTools{},
			supersede{},
			trimResults{head: 400, tail: 400, over: 2 << 10, lines: 12},
			stripTools{name: "strip-tools", request: true, response: true},
			stripAttachments{},
			hideOldest{},
		} {
			ladder = append(ladder, rung{s, t, tail})
		}
	}
	return ladder
}

// Propose implements [Strategy].
func (t Target) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	plan, err := t.parts().Plan(ctx, p, o)
	return plan.Compactions, err
}

// rung is a strategy to be climbed to while the projection is larger than the
// target.
type rung struct {
	Strategy
	target Target
	tail   bool
}

func (r rung) Name() string {
	if r.tail {
		return r.Strategy.Name() + " (tail)"
	}
	return r.Strategy.Name()
}

// due reports whether the rung is needed. One that is not is no step.
func (r rung) due(p *tenfold.Projection) bool { return p.Tokens() > r.target.Limit(p) }

// Propose implements [Strategy]: over as much of the range as it takes from
// its beginning, step by step, or over all of it where that is not enough.
func (r rung) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	if r.tail {
		o.Range.ToTurn, o.Range.ToStep = p.Log().Turns()-1, nil
	}
	limit := r.target.Limit(p)
	all, err := r.Strategy.Propose(ctx, p, o)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	switch tokens := p.With(all...).Tokens(); {
	case tokens >= p.Tokens():
		return nil, nil // a stub can be longer than what it stands for
	case tokens > limit:
		return all, nil
	}
	o.notes = nil // what is tried is no news
	cuts := cutsIn(p.Log(), o.Range)
	var failed error
	least := all
	// Going further costs no more, but for stubs longer than what they stand
	// for; whatever the search ends at fits.
	sort.Search(len(cuts), func(i int) bool {
		o.Range = cuts[i]
		some, err := r.Strategy.Propose(ctx, p, o)
		if err != nil {
			failed = err
		}
		if err != nil || len(some) == 0 || p.With(some...).Tokens() > limit {
			return false
		}
		least = some
		return true
	})
	return least, failed
}

// hideOldest is the end of the ladder: what is in the range goes, but for the
// requests of the turn it ends in (P9). The last step of the log always
// stays: an empty view is of no use (S-9).
type hideOldest struct{}

func (hideOldest) Name() string { return "hide-oldest" }

func (s hideOldest) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	l, r := p.Log(), o.Range
	if last := l.Turns() - 1; r.ToTurn >= last {
		t, _ := l.Turn(last)
		switch {
		case t.Steps > 1 && (r.ToStep == nil || *r.ToStep > t.Steps-2):
			r.ToTurn, r.ToStep = last, new(t.Steps-2)
		case t.Steps > 1:
		case last <= r.FromTurn:
			o.Notef("turns %s hold nothing before the last step of the conversation, which stays", o.Range)
			return nil, nil
		default:
			r.ToTurn, r.ToStep = last-1, nil
		}
	}
	return []tenfold.Compaction{r.On(tenfold.Compaction{Strategy: s.Name(), Source: o.Source, Turns: tenfold.Omit})}, nil
}

// cutsIn lists where a range may end, step by step.
func cutsIn(l *tenfold.Log, r tenfold.Range) []tenfold.Range {
	var cuts []tenfold.Range
	for turn := r.FromTurn; turn <= min(r.ToTurn, l.Turns()-1); turn++ {
		t, _ := l.Turn(turn)
		for step := range max(t.Steps, 1) {
			if turn == r.ToTurn && r.ToStep != nil && step > *r.ToStep {
				break
			}
			cut := tenfold.Range{FromTurn: r.FromTurn, ToTurn: turn}
			if step < t.Steps-1 {
				cut.ToStep = &step
			}
			cuts = append(cuts, cut)
		}
	}
	return cuts
}
