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
// ladder: what costs a reader least goes first, and no rung is climbed once
// the projection fits.
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
			hideOldest{t},
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

func (r rung) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	if r.tail {
		o.Range.ToTurn, o.Range.ToStep = p.Log().Turns()-1, nil
	}
	proposed, err := r.Strategy.Propose(ctx, p, o)
	if err != nil || len(proposed) == 0 {
		return nil, err
	}
	if p.With(proposed...).Tokens() >= p.Tokens() {
		return nil, nil // a stub can be longer than what it stands for
	}
	return proposed, nil
}

// hideOldest is the end of the ladder: the oldest steps go, no more of them
// than must. The last step of the log always stays, and so do the requests of
// the turn it cuts (P9).
type hideOldest struct{ target Target }

func (hideOldest) Name() string { return "hide-oldest" }

func (s hideOldest) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	cuts := cutsIn(p.Log(), o.Range)
	if len(cuts) == 0 {
		o.Notef("the last step of the conversation stays, and turns %s hold nothing before it", o.Range)
		return nil, nil
	}
	limit := s.target.Limit(p)
	hide := func(i int) tenfold.Compaction {
		return cuts[i].On(tenfold.Compaction{Strategy: s.Name(), Source: o.Source, Turns: tenfold.Omit})
	}
	// Hiding more costs no more, but for a message that opens the view: the
	// search ends at a cut that fits if the last one does.
	last := len(cuts) - 1
	i := sort.Search(last, func(i int) bool { return p.With(hide(i)).Tokens() <= limit })
	return []tenfold.Compaction{hide(i)}, nil
}

// cutsIn lists where a range may end, step by step, but for the last step of
// the log: an empty view is of no use (S-9).
func cutsIn(l *tenfold.Log, r tenfold.Range) []tenfold.Range {
	var cuts []tenfold.Range
	for turn := r.FromTurn; turn <= min(r.ToTurn, l.Turns()-1); turn++ {
		t, _ := l.Turn(turn)
		for step := range max(t.Steps, 1) {
			whole := step >= t.Steps-1
			if whole && turn == l.Turns()-1 {
				break
			}
			if turn == r.ToTurn && r.ToStep != nil && step > *r.ToStep {
				break
			}
			cut := tenfold.Range{FromTurn: r.FromTurn, ToTurn: turn}
			if !whole {
				cut.ToStep = &step
			}
			cuts = append(cuts, cut)
		}
	}
	return cuts
}
