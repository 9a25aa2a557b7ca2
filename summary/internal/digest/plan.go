package digest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenfold/internal/number"
	"tenfold/tool"
)

// plan is the latest state of a plan or a list of todos.
type plan struct {
	turn int
	// spoken is how many requests there had been.
	spoken int
	items  []tool.PlanItem
	text   string
	// refused is set where the person did not take it.
	refused bool
	// byID is where items stand, made when the first of them comes alone, and
	// highest the highest number among their ids.
	byID    map[string]int
	highest int
}

// addPlan takes in what a call says of the plan of its branch.
func (l *Ledger) addPlan(turn int, branch string, said tool.Plan) {
	p, ok := l.plans[branch]
	if !ok {
		p = &plan{}
		l.plans[branch] = p
		l.branches = append(l.branches, branch)
	}
	p.turn, p.spoken, p.refused = turn, l.spoken, false
	switch {
	case said.Text != "":
		p.text = said.Text
	case said.Partial:
		for _, item := range said.Items {
			p.setItem(item)
		}
	default:
		p.items, p.byID, p.highest = said.Items, nil, 0
	}
}

// setItem adds or changes an item. One made without an id gets the next number, as
// the agents that make such items do.
func (p *plan) setItem(item tool.PlanItem) {
	if p.byID == nil {
		p.byID = map[string]int{}
		p.items = slices.Clone(p.items) // those are the call's
		for i, have := range p.items {
			p.keepID(have.ID, i)
		}
	}
	if at, have := p.byID[item.ID]; have && item.ID != "" {
		if item.Status != "" {
			p.items[at].Status = item.Status
		}
		if item.Text != "" {
			p.items[at].Text = item.Text
		}
		return
	}
	if item.Text == "" {
		return // nobody knows what it is about
	}
	item.ID = cmp.Or(item.ID, strconv.Itoa(p.highest+1))
	p.keepID(item.ID, len(p.items))
	p.items = append(p.items, item)
}

func (p *plan) keepID(id string, at int) {
	p.byID[id] = at
	if n, err := strconv.Atoi(id); err == nil {
		p.highest = max(p.highest, n)
	}
}

// boxes are what stands in the box of a plan's item, by its status.
var boxes = map[string]string{"completed": "x", "in_progress": "~", "cancelled": "-"}

func isFinished(i tool.PlanItem) bool { return i.Status == "completed" || i.Status == "cancelled" }

// planTime says when a plan was as it is told, and whether it is since then.
func (l *Ledger) planTime(turn, spoken int) (where, when string) {
	where, when = fmt.Sprintf("turn %d", turn), "now"
	if since := l.spoken - spoken; since > 0 { // nobody knows where it stands
		where, when = where+", "+number.Count(since, "request")+" ago", "then"
	}
	return where, when
}

// planItems tells each plan with the step it is at.
func (l *Ledger) planItems(s *items) {
	for _, branch := range l.branches {
		p := l.plans[branch]
		where, when := l.planTime(p.turn, p.spoken)
		where += onBranch(branch)
		if p.refused {
			where += ", not accepted"
		}
		if len(p.items) > 0 {
			s.add(inNow, rankState, atPlan, "- plan of %s%s", where, steps(p.items, when))
		} else if p.text != "" {
			s.add(inNow, rankState, atPlan, "- plan of %s:\n%s", where, quote(opening(p.text, 2*wholeMessage)))
		}
	}
	l.planFileItem(s)
}

// steps tells the items of a plan, with the one it is at.
func steps(all []tool.PlanItem, when string) string {
	todo := all
	if !slices.ContainsFunc(todo, func(i tool.PlanItem) bool { return !isFinished(i) }) {
		return fmt.Sprintf(": all done, last %s\n", code(todo[len(todo)-1].Text, lineLength))
	}
	if len(todo) > planSize {
		todo = slices.DeleteFunc(slices.Clone(todo), isFinished)
		todo = todo[:min(len(todo), planSize)]
	}
	var b strings.Builder
	at := ""
	for _, i := range todo {
		id := ""
		if n, err := strconv.Atoi(i.ID); err == nil {
			id = fmt.Sprintf("#%d ", n)
		}
		if i.Status == "in_progress" && at == "" {
			at = ", " + when + " at " + cmp.Or(strings.TrimSpace(id), "the step marked ~")
		}
		fmt.Fprintf(&b, "  - [%s] %s%s\n", cmp.Or(boxes[i.Status], " "), id, code(i.Text, lineLength))
	}
	if n := len(all) - len(todo); n > 0 {
		fmt.Fprintf(&b, "  - and %d more\n", n)
	}
	return at + ":\n" + b.String()
}
