package strategy

import (
	"cmp"
	"context"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/tool"
)

// Fit brings a conversation down to a target size, line by line. It keeps the lines
// that later work is likely to need, chosen from the whole conversation whatever
// earlier compactions left of it; only what those hid altogether stays hidden.
// Short messages of a person, the last step, the plan, an open error and pins
// always stay. It proposes nothing where the view is no larger than what it would
// keep.
//
// Source: Tenfold's own (semantics S-13a), measured on real sessions.
type Fit struct {
	// Target is the size to reach: a share of the conversation, or tokens. The
	// zero value means 10 %.
	Target Target `param:"target=10%"`
	// Context is how many neighbours each line is taken with. Zero means one where
	// there is room, a negative number none.
	Context int `param:"context"`
	// Recall ends each cut with a reference that lets a model ask for the rest
	// (A9).
	Recall bool `param:"recall"`
	// Without turns off ingredients of the choice, joined by +, to measure what
	// each is worth.
	Without []excerpt.Ingredient `param:"without"`

	within bool // the range, whatever its reach
}

// roomy is the share of the conversation from which on lines are taken with
// their neighbours: a little less is found again, but it reads better.
const roomy = 0.20

// Name implements [Strategy].
func (s Fit) Name() string { return written("fit", s) }

// ChoosesEnd implements [EndChooser].
func (Fit) ChoosesEnd() bool { return true }

// Propose implements [Strategy].
func (s Fit) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	index := o.Index
	if index == nil {
		index = excerpt.NewIndex()
	}
	// What earlier strategies of the plan propose is in a log of its own, whose
	// entries the index must not take for those that will come.
	index.Advance(cmp.Or(o.begun, p))
	if !s.Target.Set() {
		s.Target = settled(s).Target
	}
	f := fitting{Fit: s, p: p, o: o, index: index}
	if !f.begin() {
		return o.nothing("turns %s hold nothing before the last step of the conversation, which stays", o.Range)
	}
	c, after, err := f.best(ctx)
	if err != nil {
		return nil, err
	}
	if now := p.Tokens(); after >= now {
		return o.nothing("the view costs %d tokens, and what fit keeps for a target of %s would cost %d", now, s.Target, after)
	}
	return []tenfold.Compaction{c}, nil
}

// fitting is one plan of fit under way.
type fitting struct {
	Fit
	p     *tenfold.Projection
	o     Options
	index *excerpt.Index
	span  tenfold.Range
	// first and last are the seqs of what may be touched.
	first, last int64
	whole       map[int64]bool
	leaves      map[string]bool             // overlays that leave turns out
	long        map[int64]tenfold.LineRange // messages of the person that are cut, with how they begin
	answers     map[int64]bool              // calls too long to stay whole whose results do
	calls       []toolCall
}

// begin works out what may be touched: the range without the last step of the
// log, which is always whole. False when that is nothing.
func (f *fitting) begin() bool {
	l := f.p.Log()
	f.span = f.o.Range
	if f.o.Reach != nil && !f.within {
		f.span = *f.o.Reach
	}
	if last := l.Turns() - 1; f.span.ToTurn >= last {
		t, _ := l.Turn(last)
		switch {
		case t.Steps > 1 && (f.span.ToStep == nil || *f.span.ToStep > t.Steps-2 || f.span.ToTurn > last):
			f.span.ToTurn, f.span.ToStep = last, new(t.Steps-2)
		case t.Steps > 1:
		case last <= f.span.FromTurn:
			return false
		default:
			f.span.ToTurn, f.span.ToStep = last-1, nil
		}
	}
	f.first, f.last = l.Extent(f.span)
	if f.first > f.last {
		return false
	}
	f.calls = toolCalls(f.p, f.first, f.last)
	f.leaves = map[string]bool{}
	for overlay := range f.p.Overlays() {
		f.leaves[overlay.ID] = overlay.Compaction.Turns == tenfold.Omit
	}
	f.whole = f.always()
	f.long = f.cut()
	return true
}

// best is the overlay that keeps the most of what was chosen and is within the
// target, and what the view then costs.
func (f *fitting) best(ctx context.Context) (tenfold.Compaction, int, error) {
	bare := f.overlay(nil)
	least := f.p.With(bare).Tokens()
	limit := f.allowed(least)
	f.o.underWay().plan.Fitted = &Fitted{Always: least, Lines: limit - least}
	choice := f.index.Choose(excerpt.Options{
		From: f.first, To: f.last, Budget: (limit - least) * 5 / 4, Context: f.neighbours(),
		Whole:   f.stays,
		Hidden:  f.hides,
		Open:    f.edits(),
		Without: f.Without,
	})
	best, tokens := bare, least
	err := upTo(ctx, choice, limit-least, func(n int) int {
		c := f.overlay(choice.First(n))
		after := f.p.With(c).Tokens()
		if after <= limit {
			best, tokens = c, after
		}
		return after - least
	})
	return best, tokens, err
}

// upTo tries how far into a choice a budget reaches: try tells what the first n
// things cost. What a choice says of that is an estimate by shares of entries;
// it is right but for a factor, which the tries before have shown, so that a
// few do. The last try that was within the budget is the best.
func upTo(ctx context.Context, choice excerpt.Choice, budget int, try func(n int) int) error {
	fits, not := 0, choice.Len()+1
	cost := 0 // of what fits
	estimate, actual := 1, 1
	for tries := 0; not-fits > 1 && budget-cost > budget/200; tries++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := (fits + not) / 2
		if tries < 4 {
			n = choice.Within(int(int64(budget) * int64(estimate) / int64(actual)))
		}
		n = min(max(n, fits+1), not-1)
		if c := try(n); c > budget {
			not = n
			estimate, actual = choice.Estimate(n), c
		} else {
			fits, cost = n, c
			estimate, actual = max(choice.Estimate(n), 1), max(c, 1)
		}
	}
	return ctx.Err()
}

// allowed is what the view may cost, given what it costs at the least. A share
// is what lines may cost; what always stays is on top (fit.md). A number of
// tokens is a window to fit into: what always stays is within it, unless that
// would leave less than half of it for lines.
func (f *fitting) allowed(least int) int {
	limit := f.Target.Limit(f.p)
	if f.Target.Share > 0 {
		return least + limit
	}
	return max(limit, least+limit/2)
}

func (f *fitting) neighbours() int {
	if f.Context != 0 {
		return max(f.Context, 0)
	}
	limit, all := f.Target.Limit(f.p), f.p.Totals().All().Before
	if f.Target.Share >= roomy || limit >= int(roomy*float64(all)) {
		return 1
	}
	return 0
}

// stays reports whether an entry stands in the view as it is.
func (f *fitting) stays(seq int64) bool {
	return seq < f.first || seq > f.last || f.whole[seq]
}

// hides reports whether an entry is hidden by something that fit has no word
// on: a summary, or turns left out.
func (f *fitting) hides(seq int64) bool {
	switch fate, by, _ := f.p.Fate(seq); fate {
	case tenfold.Summarised:
		return true
	case tenfold.Omitted:
		return f.leaves[by]
	}
	return false
}

// overlay says of everything in the span what is left of it.
func (f *fitting) overlay(kept []excerpt.Kept) tenfold.Compaction {
	calls := map[string]tenfold.CallPolicy{}
	texts := map[int64]tenfold.TextTrim{}
	bySeq := make(map[int64]excerpt.Kept, len(kept))
	for _, k := range kept {
		bySeq[k.Seq] = k
	}
	folded, open := tenfold.Folded{}, "" // calls folded since the last one kept
	for _, c := range f.calls {
		k, chosen := bySeq[c.seq]
		delete(bySeq, c.seq)
		if f.answers[c.seq] {
			k.Whole, chosen = true, true
		}
		if !chosen && !f.whole[c.seq] {
			if folded.Calls == 0 {
				folded.From = c.seq
			}
			folded.Calls++
			folded.To = max(c.seq, c.result)
			continue
		}
		one := tenfold.CallPolicy{Action: tenfold.Keep}
		if !f.whole[c.seq] {
			one = left(k)
		}
		if folded.Calls > 0 {
			before := folded
			one.Folded = &before
			folded = tenfold.Folded{}
		}
		open = c.key()
		calls[open] = one
	}
	if one, ok := calls[open]; ok && folded.Calls > 0 {
		folded.After = true
		folded.Next = one.Folded
		one.Folded = &folded
		calls[open] = one
	}
	for seq, k := range bySeq {
		t := tenfold.TextTrim{Action: tenfold.Trim, Lines: k.Lines}
		if k.Whole {
			t = tenfold.TextTrim{Action: tenfold.Keep}
		}
		texts[seq] = t
	}
	for seq, first := range f.long {
		// What a person wrote is never hidden: it begins as it did.
		switch t, chosen := texts[seq]; {
		case !chosen:
			texts[seq] = tenfold.TextTrim{Action: tenfold.Trim, Lines: []tenfold.LineRange{first}}
		case t.Action == tenfold.Trim && (t.Lines[0].First > first.First || t.Lines[0].From > 0):
			t.Lines = append([]tenfold.LineRange{first}, t.Lines...)
			texts[seq] = t
		}
	}
	for seq := range f.whole {
		if e, _ := f.p.Log().Entry(seq); e.Payload.Kind() != tenfold.KindToolCall {
			texts[seq] = tenfold.TextTrim{Action: tenfold.Keep}
		}
	}
	return f.o.overlay(f.Fit, f.span, tenfold.Compaction{
		Reasoning:   &tenfold.Policy{Action: tenfold.Strip},
		Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: 2 << 10},
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Recall: f.Recall, Calls: calls,
			Arguments: tenfold.ArgumentsPrimary, Primary: tool.Primary(f.p.ToolNames()),
		},
		Texts: &tenfold.TextPolicy{
			Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Recall: f.Recall, Entries: texts,
		},
	})
}

// left is the policy that leaves of a call what was chosen of it.
func left(k excerpt.Kept) tenfold.CallPolicy {
	one := tenfold.CallPolicy{Action: tenfold.Trim, Lines: k.Lines}
	if !k.WholeBody {
		one.Body = append([]tenfold.LineRange{}, k.Body...)
	}
	switch {
	case k.Whole && k.WholeBody:
		one.Action = tenfold.Keep
	case k.Whole:
		one.Result = tenfold.Keep
	case len(k.Lines) == 0:
		one.Result = tenfold.Strip
	}
	return one
}
