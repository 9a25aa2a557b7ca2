package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/tool"
)

// keepPlan keeps the latest plan or list of todos. Nothing is chosen of earlier ones.
func (f *fitting) keepPlan(calls []toolCall) {
	latest := true
	f.pastPlans = map[int64]bool{}
	for _, c := range slices.Backward(calls) {
		t, _ := tool.Lookup(c.call.Name)
		if t.Kind != tool.Plans {
			continue
		}
		plan, ok := t.Plan(c.call.Arguments)
		if !ok {
			continue
		}
		if latest {
			again := repeatsPlan(payloadOf[tenfold.ToolResult](f.p.Log(), c.result), plan)
			f.pastPlans[c.result] = again
			f.keepCall(c.seq, stance{what: StandsPlan, whole: !again, body: again})
		} else {
			f.pastPlans[c.seq], f.pastPlans[c.result] = true, true
		}
		latest = false
	}
}

// repeatsPlan reports whether a result says again what the call said, as that of opencode does.
func repeatsPlan(result tenfold.ToolResult, plan tool.Plan) bool {
	text := tenfold.TextLines(result)
	return text != "" && !result.Ended().Bad() && len(plan.Items) > 0 && !slices.ContainsFunc(plan.Items, func(i tool.PlanItem) bool { return !strings.Contains(text, i.Text) })
}

// recentTurns is how many turns back a plan in words counts as being worked on.
const recentTurns = 3

// planText is a plan in words that a call shows: one that a person is asked to take,
// or a plan file that is read or written as a whole.
type planText struct {
	text string
	// from is the line of the bodies in the call's arguments that it begins at, 0
	// where it stands in the result.
	from int
}

func (f *fitting) planText(c toolCall) (planText, bool) {
	t, _ := tool.Lookup(c.call.Name)
	plan, asks := t.Plan(c.call.Arguments)
	text, writes := plan.Text, false
	if !asks || t.Kind != tool.Asks {
		result := payloadOf[tenfold.ToolResult](f.p.Log(), c.result)
		ops := t.Operations(c.call.Arguments)
		at := slices.IndexFunc(ops, func(op tool.FileOperation) bool { return op.Op != tool.FileModified && tool.IsPlanFile(op.Path) })
		if c.result == 0 || result.Ended().Bad() || at < 0 {
			return planText{}, false // an edit shows a part of it
		}
		if ops[at].Op == tool.FileRead {
			return planText{text: tenfold.TextLines(result)}, true
		}
		pieces := t.Pieces(c.call.Arguments)
		if writes = len(pieces) == 1; writes {
			text = pieces[0].New
		}
	}
	from := 1
	for _, body := range tenfold.ArgumentTexts(c.call.Arguments) {
		switch {
		case body.Text == text:
			return planText{text, from}, true
		case body.Body:
			from += len(slices.Collect(strings.Lines(body.Text)))
		}
	}
	return planText{text: text}, asks || writes
}

// keepPlanText keeps the newest version of a plan in words that is being worked on
// (F5): whole where it is short, else its open items. Nothing is chosen of older
// versions: a plan stands once.
func (f *fitting) keepPlanText(calls []toolCall) {
	l, newest := f.p.Log(), ""
	for _, c := range slices.Backward(calls) {
		if turn, _, _ := l.Where(c.seq); turn < l.Turns()-recentTurns {
			return
		}
		plan, ok := f.planText(c)
		st, there := f.stands[c.seq]
		switch {
		case !ok:
		case newest == "":
			if newest = plan.text; c.seq > f.last {
				continue
			}
			e, _ := l.Entry(c.seq)
			r, _ := l.Entry(c.result)
			if most := min(openError, f.limit/4); st.whole || e.Tokens+r.Tokens <= most {
				st.whole = true
			} else {
				plan.open(&st, f.p.Log().Counter(), most)
			}
			st.what, st.call = StandsPlan, true
			f.stands[c.seq] = st
		case versions(plan.text, newest):
			f.pastPlans[c.seq], f.pastPlans[c.result] = true, true
			if st.whole = false; there {
				f.stands[c.seq] = st
			}
		}
	}
}

// open has of a plan its title and its open items stand, for at most so many tokens;
// where there are no items with boxes, its headings and the items of its lists.
func (p planText) open(st *stance, counter tenfold.Counter, tokens int) {
	boxes := len(tool.Checklist(p.text)) > 0
	number := 0
	for line := range strings.Lines(p.text) {
		number++
		bare := line[atom.Gutter(line):]
		takes := isOpenItem(line)
		if !boxes {
			takes = atom.IsListItem(bare) || strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "- ") || strings.HasPrefix(bare, "* ")
		}
		if number > 1 && !takes {
			continue
		}
		if tokens -= counter.Count(line); tokens < 0 {
			return
		}
		if p.from == 0 {
			st.lines = union(st.lines, []tenfold.LineRange{shortRange(number, line)})
		} else {
			st.part = union(st.part, []tenfold.LineRange{shortRange(p.from+number-1, line)})
		}
	}
}

// versions reports whether two texts are versions of one plan: half of the lines of
// the older stand in the newer.
func versions(older, newer string) bool {
	lines := map[string]bool{}
	for line := range strings.Lines(newer) {
		lines[atom.Clean(line)] = true
	}
	all, same := 0, 0
	for line := range strings.Lines(older) {
		if line = atom.Clean(line); line != "" {
			all++
			if lines[line] {
				same++
			}
		}
	}
	return same*2 >= all
}

// planItems adds a plan in words to what gives way: its open items are left.
func (f *fitting) planItems(c toolCall, plans []concession) []concession {
	plan, ok := f.planText(c)
	if !ok {
		return plans
	}
	left := stance{what: StandsPlan, call: true, answer: f.stands[c.seq].answer}
	plan.open(&left, f.p.Log().Counter(), f.limit/8)
	_, _, now := f.base.Fate(c.seq)
	if plan.from == 0 {
		_, _, now = f.base.Fate(c.result)
	}
	saves := now - f.p.Log().Counter().Count(shownOf(plan.text, shifted(union(left.lines, left.part), min(1-plan.from, 0))))
	if saves <= 0 {
		return plans
	}
	return append(plans, concession{seq: c.seq, left: left, saves: saves})
}
