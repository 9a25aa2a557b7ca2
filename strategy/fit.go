package strategy

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"tenfold"
	"tenfold/atom"
	"tenfold/excerpt"
	"tenfold/tool"
)

// Fit brings a conversation down to a target size. It keeps the passages that
// later work is likely to need, chosen from the whole conversation whatever
// earlier compactions left of it; only what those hid altogether stays hidden, and
// what an earlier fit hid more than sixteen targets, or 2,000 entries, before its end.
// Of what strategies before it in the same plan shortened, it keeps only what they left.
// What a person asked for, the beginning of the issue, page or document that they name, the
// last step, the plan, an open error, pins and
// standing instructions always stay, as far as that leaves half of the target; a fifth
// of what they may take is for a person's newest short messages (fit.md F4, F5). Of a
// last step over a fifth of the target the calls stay, and
// of their results the beginning, the end and what was chosen, as of a message of the
// model that is more than half of it; of its thoughts
// those that a provider requires. Where the system prompt and the tools leave no room in
// a target that is a share, the rest is brought to that share of its own size, and the
// target is missed. It proposes nothing where the view is within
// the target already, or no larger than what it would keep.
//
// Source: Tenfold's own (semantics S-13a), measured on real sessions.
type Fit struct {
	// Target is the size of the whole view to reach: a share of what a model
	// sees now, or tokens (F1). The zero value means 10 %.
	Target Target `param:"target=10%"`
	// Edits is how much text that may be edited next counts against names that may
	// be used next, in percent; 0 means 35.
	Edits int `param:"edits"`
	// Recall ends each cut with a reference that lets a model ask for the rest
	// (A9).
	Recall bool `param:"recall"`
	// Without turns off ingredients of the choice, joined by +, to measure what
	// each is worth.
	Without []excerpt.Ingredient `param:"without"`

	reach reach
}

// Name implements [Strategy].
func (s Fit) Name() string { return textForm("fit", s) }

// ChoosesEnd implements [EndChooser].
func (Fit) ChoosesEnd() bool { return true }

// Propose implements [Strategy].
func (s Fit) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	if !s.Target.Set() {
		s.Target = settled(s).Target
	}
	if err := s.Target.check(); err != nil {
		return nil, err
	}
	f := fitting{Fit: s, p: p, o: o, focus: newFocus(o.Focus), refused: map[int64]bool{}, open: 1}
	now := cmp.Or(o.begun, p)
	f.limit = s.Target.Limit(now, o.Scale)
	f.report = &Fitted{Of: s.Target, Now: now.Tokens(), Target: f.limit}
	o.underWay().plan.Fitted = f.report
	f.findRenewed()
	before := f.cost(p)
	f.report.Injected = f.renewedTokens(p)
	if f.report.After = before; before <= f.limit {
		return o.proposeNothing("the view costs %s tokens, which is within the target of %s", o.tokens(before), o.tokens(f.limit))
	}
	if !f.begin() {
		f.first, f.last, f.request = 0, 0, lastTyped(p)
		f.tail, _ = p.Log().Extent(tenfold.Range{FromTurn: f.span.FromTurn, ToTurn: p.Log().Turns() - 1})
		f.report.Always = f.standing(p)
		return o.proposeNothing("turns %s hold nothing before the last step of the conversation, which stays", o.Range)
	}
	if f.index = o.Index; f.index == nil {
		f.index = excerpt.NewIndex()
	}
	// What earlier strategies of the plan propose is in a log of its own, whose
	// entries the index must not take for those that will come.
	f.index.Advance(now)
	if err := f.fit(ctx); err != nil {
		return nil, err
	}
	f.tellBeside()
	after := f.cost(f.view)
	if after >= before {
		return o.proposeNothing("the view costs %s tokens, and what fit keeps for a target of %s would cost %s", o.tokens(before), o.tokens(f.limit), o.tokens(after))
	}
	f.report.After, f.report.Injected = after, f.renewedTokens(f.view)
	f.noteFocus()
	return f.o.withView(f.p, f.view, f.proposal(f.best)), nil
}

// fitting is one plan of fit under way.
type fitting struct {
	Fit
	p     *tenfold.Projection
	o     Options
	index *excerpt.Index
	limit int // the most tokens that the view may cost (F1)
	span  tenfold.Range
	// first and last are the seqs of what may be touched. Where the last step is
	// too large to stay whole it is among them, and begins at tail.
	first, last, tail int64
	// past is the part of the span that is out of reach, if there is one: open is the
	// first seq behind it, old are those of it that the view shows.
	past *tenfold.Range
	open int64
	old  []int64

	reaches bool             // what follows the span, or begins at tail, is the last step
	leaves  map[string]bool  // overlays that leave turns out
	stands  map[int64]stance // what always stays, by message or call
	refused map[int64]bool   // what costs more than it seems
	calls   []toolCall
	request int64 // the last request; 0 for none
	// pastPlans are the calls and results of plans that a later one took the place of.
	pastPlans map[int64]bool
	// left are the lines that earlier strategies of the plan left of what they
	// shortened, by entry.
	left     map[int64][]bool
	renewed  []int64                       // what is not counted, for it is put there anew (P8a)
	focus    *atom.Focus                   // nil without one
	endings  map[int64][]tenfold.LineRange // how commands ended, by call, as far as asked for
	commands map[int64][]tenfold.LineRange // and what they were
	edited   []excerpt.Opening             // [fitting.edits]; nil before they are asked for
	report   *Fitted

	// base is the view of what always stays; best is what was found, and view the
	// view that it gives; tried is the view tried last.
	base, view, tried *tenfold.Projection
	best              tenfold.Compaction
}

// cost is what a view counts against the target.
func (f *fitting) cost(view *tenfold.Projection) int { return view.Tokens() - f.renewedTokens(view) }

// begin works out what may be touched: the range without the last step of the
// log, unless that takes more than its part of the target. False when that is
// nothing.
func (f *fitting) begin() bool {
	l, alone := f.p.Log(), false
	f.span = f.o.Range
	if f.o.Reach != nil {
		f.span = *f.o.Reach
	}
	if last := f.lastResponse(); f.p.Branch() != "" {
		// Ranges count the root's steps: the last one of a branch is always taken in.
		f.reaches, f.span.ToTurn, f.span.ToStep = true, max(f.span.ToTurn, last), nil
	} else if f.span.ToTurn >= last {
		f.reaches = true
		t, _ := l.Turn(last)
		switch {
		case t.Steps > 1 && (f.span.ToStep == nil || *f.span.ToStep > t.Steps-2 || f.span.ToTurn > last):
			f.span.ToTurn, f.span.ToStep = last, new(t.Steps-2)
		case t.Steps > 1:
		case last < f.span.FromTurn || last == f.span.FromTurn && t.Steps == 0:
			return false
		case last == f.span.FromTurn: // the last step is all there is
			f.span.ToTurn, f.span.ToStep, alone = last, new(0), true
		default:
			f.span.ToTurn, f.span.ToStep = last-1, nil
		}
	}
	if f.first, f.last = l.Extent(f.span); alone {
		f.last = f.first - 1
	}
	f.tail = f.last + 1
	switch {
	case f.p.Branch() != "":
		f.tail = f.lastStepOfBranch()
	case f.reaches:
		f.takeLastStep()
	}
	if f.first > f.last {
		return false
	}
	f.leaves = map[string]bool{}
	for overlay := range f.p.Overlays() {
		f.leaves[overlay.ID] = overlay.Compaction.Turns == tenfold.Omit
	}
	f.boundPast()
	f.findLeft()
	// Of calls that a summary stands for, or that were left out, nothing is told again.
	f.calls = slices.DeleteFunc(f.callsIn(f.first, f.last), func(c toolCall) bool { return f.hides(c.seq) })
	f.findAlways()
	return true
}

// lastResponse is the last turn in which a model said or did something: what
// follows it stands beside the last step.
func (f *fitting) lastResponse() int {
	l := f.p.Log()
	for seq := f.p.Version(); seq > 0; seq-- {
		if e, _ := l.Entry(seq); !f.p.Reads(seq) {
			continue
		} else if kind := e.Payload.Kind(); kind == tenfold.KindAssistantMessage || kind == tenfold.KindToolCall || kind == tenfold.KindReasoning {
			turn, _, _ := l.Where(seq)
			return turn
		}
	}
	return l.Turns() - 1
}

// stays reports whether an entry, and with a call its result, stands in the view
// of what always stays as it is.
func (f *fitting) stays(seq int64) bool {
	if seq < f.first || seq > f.last {
		return true
	}
	return !slices.ContainsFunc([]int64{seq, f.p.Log().Pair(seq)}, func(one int64) bool {
		return one > 0 && changed(f.base, one)
	})
}

// hides reports whether an entry is hidden by something that fit has no word
// on: a summary, or turns left out.
func (f *fitting) hides(seq int64) bool {
	switch fate, by, _ := f.p.Fate(seq); fate {
	case tenfold.Summarised:
		return true
	case tenfold.Omitted:
		return f.leaves[by] || f.byPlan(seq)
	}
	return false
}

// isUntouchable reports whether nothing may be chosen of an entry.
func (f *fitting) isUntouchable(seq int64) bool {
	return f.isPast(seq) || f.hides(seq) || f.pastPlans[seq]
}

// overlay says of everything in the span what is left of it.
func (f *fitting) overlay(kept []excerpt.Kept) tenfold.Compaction {
	calls := map[string]tenfold.CallPolicy{}
	texts := make(map[int64]tenfold.TextTrim, len(kept)+len(f.stands))
	bySeq := make(map[int64]excerpt.Kept, len(kept))
	for _, k := range kept {
		bySeq[k.Seq] = k
	}
	folded, open := tenfold.Folded{}, toolCall{} // calls folded since the last one kept, and that one
	for _, c := range f.calls {
		if c.seq > f.last {
			break
		}
		k, chosen := bySeq[c.seq]
		delete(bySeq, c.seq)
		st, stands := f.stands[c.seq]
		if !chosen && !stands {
			if folded.Calls == 0 {
				folded.From = c.seq
			}
			folded.Calls++
			folded.To = max(c.seq, c.result)
			continue
		}
		one := tenfold.CallPolicy{Action: tenfold.Keep}
		if f.pastPlans[c.result] {
			k.Whole, k.Lines = false, nil // chosen for what the call says already
		}
		if !st.whole {
			k.Whole, k.WholeBody, k.Lines = k.Whole && f.left[c.result] == nil || st.answer, k.WholeBody || st.body, union(k.Lines, st.lines)
			k.Body = union(k.Body, st.part)
			if !k.WholeBody {
				k.Body = union(f.notIn(c, k), f.command(c))
			}
			if !k.Whole && (len(k.Lines) > 0 || f.endsUntold(c)) {
				k.Lines = union(k.Lines, f.endingLines(c))
			}
			k.Whole = k.Whole || len(k.Lines) == 0 && f.isBrief(c)
			one = keptPolicy(k)
		}
		switch {
		case folded.Calls == 0:
		case f.endTurn(open.seq, folded.To, c.seq):
			tellAfter(calls, open, folded)
		default:
			one.Folded = new(folded)
		}
		folded, open = tenfold.Folded{}, c
		calls[c.key()] = one
	}
	tellAfter(calls, open, folded)
	for seq, k := range bySeq {
		if seq > f.last {
			continue
		}
		texts[seq] = tenfold.TextTrim{Action: tenfold.Trim, Lines: k.Lines}
		if k.Whole {
			texts[seq] = tenfold.TextTrim{Action: tenfold.Keep}
		}
	}
	for seq, st := range f.stands {
		t, chosen := texts[seq]
		switch {
		case seq > f.last || st.call:
			continue
		case st.whole:
			t = tenfold.TextTrim{Action: tenfold.Keep}
		case !chosen && len(st.lines) == 0:
			continue // it gave way
		case !chosen || t.Action == tenfold.Trim:
			t = tenfold.TextTrim{Action: tenfold.Trim, Lines: union(st.lines, t.Lines)}
		}
		texts[seq] = t
	}
	c := f.o.overlay(f.Fit, f.span, tenfold.Compaction{
		Reasoning:   &tenfold.Policy{Action: tenfold.Strip},
		Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: 2 << 10},
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Recall: f.Recall, Calls: calls,
			Arguments: tenfold.ArgumentsPrimary, Primary: tool.Primary(f.p.ToolNames()),
		},
		Texts: &tenfold.TextPolicy{
			Action: tenfold.Selective, Rest: tenfold.Omit, Requests: true, Marks: tenfold.MarksShort, Recall: f.Recall, Entries: texts,
		},
	})
	c.Keeps = nil // what stays is named, handles among it (F5)
	return c
}

// briefResult is how many tokens a result has that a stub would not make shorter.
const briefResult = 8

// isBrief reports whether a result is no longer than what would stand in for it.
func (f *fitting) isBrief(c toolCall) bool {
	e, _ := f.p.Log().Entry(c.result)
	r, ok := e.Payload.(tenfold.ToolResult)
	return ok && e.Tokens <= briefResult && len(tenfold.TextLines(r)) > 0 && !f.pastPlans[c.result] && f.left[c.result] == nil
}

// endTurn reports whether folded calls are the last ones of a turn in which a call before
// them is kept: behind the next request they would seem to be what was done upon it.
func (f *fitting) endTurn(kept, folded, next int64) bool {
	l := f.p.Log()
	turn, _, _ := l.Where(folded)
	was, _, _ := l.Where(kept)
	now, _, _ := l.Where(next)
	return kept > 0 && was == turn && turn < now
}

// tellAfter tells of folded calls beside the result of the call before them.
func tellAfter(calls map[string]tenfold.CallPolicy, open toolCall, folded tenfold.Folded) {
	if one, ok := calls[open.key()]; ok && folded.Calls > 0 {
		folded.After, folded.Next = true, one.Folded
		one.Folded = &folded
		calls[open.key()] = one
	}
}

// tellBeside tells of the calls where none is left that could: beside the last words
// of the agent that stay, if there is room. Without it they would seem to be all that
// was done (F7).
func (f *fitting) tellBeside() {
	if len(f.best.ToolCalls.Calls) > 0 {
		return
	}
	at := int64(0)
	for seq, t := range f.best.Texts.Entries {
		e, _ := f.p.Log().Entry(seq)
		if _, ok := e.Payload.(tenfold.AssistantMessage); ok && t.Action != tenfold.Omit {
			at = max(at, seq)
		}
	}
	t, ok := f.best.Texts.Entries[at]
	if !ok {
		return
	}
	var earlier tenfold.Folded
	later := tenfold.Folded{After: true}
	for _, c := range f.calls {
		run := &earlier
		if c.seq > f.last {
			break
		}
		if c.seq > at {
			run = &later
		}
		if run.Calls == 0 {
			run.From = c.seq
		}
		run.Calls++
		run.To = max(run.To, c.seq, c.result)
	}
	if later.Calls > 0 {
		earlier.Next = &later
	}
	t.Folded = &earlier
	c, texts := f.best, *f.best.Texts
	texts.Entries = maps.Clone(texts.Entries)
	texts.Entries[at], c.Texts = t, &texts
	// What only filled the room that was left gives way, the oldest first, and to what was done
	// that nobody else tells of what was chosen.
	for _, seq := range append(f.fillers(at), 0) {
		if view := f.viewWith(c); f.cost(view) <= f.limit {
			f.best, f.view = c, view
			return
		}
		delete(texts.Entries, seq)
	}
}

// mostGiven is how many words that were chosen give way at most: each is tried.
const mostGiven = 16

// fillers are the words of the agent before those at a seq that stand for there was room,
// and where unknown tools did something those that were chosen.
func (f *fitting) fillers(at int64) []int64 {
	does := slices.ContainsFunc(f.calls, func(c toolCall) bool { return tool.Does(c.call.Name) })
	var fill, chosen []int64
	for _, seq := range slices.Sorted(maps.Keys(f.best.Texts.Entries)) {
		e, _ := f.p.Log().Entry(seq)
		switch st := f.stands[seq]; {
		case seq >= at || e.Payload.Kind() != tenfold.KindAssistantMessage || st.what != "":
		case st.whole:
			fill = append(fill, seq)
		case does && len(chosen) < mostGiven:
			chosen = append(chosen, seq)
		}
	}
	return slices.Concat(fill, chosen)
}

// keptPolicy is the policy that leaves of a call what was chosen of it.
func keptPolicy(k excerpt.Kept) tenfold.CallPolicy {
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
