package digest

import (
	"fmt"
	"slices"
	"strings"

	"tenfold"
)

// section is a heading, in the order in which they stand.
type section int

const (
	inNow section = iota
	inDemands
	inFiles
	inErrors
	inDecisions
	inCommands
	inEarlier
	sections
)

var headings = [sections]string{
	"## Where the work stands\n", "## What the user demanded\n", "## Changed files\n", "## Open errors\n",
	"## Decisions and findings\n", "## Commands\n", "## Earlier summaries\n",
}

// The ranks of what a ledger and a digest can say, most valuable first. Within
// a rank the newest comes first. Those up to rankLast have precedence over the
// budget.
const (
	rankBinding  = iota // what binds: messages that state constraints
	rankAnswer          // answers to questions
	rankTask            // the first and the last request
	rankState           // plan, questions, approvals, the working tree, what is red
	rankError           // open errors, with their cause
	rankFocus           // what the focus speaks of; no fact, but a wish
	rankChanged         // files that were changed
	rankLast            // the assistant's last words
	rankDemand          // what else long messages demand
	rankHunk            // what was changed in a file
	rankCheck           // commands that check the work
	rankEarlier         // another tool's summary
	rankRequest         // other messages
	rankDecision        // decisions and findings of earlier turns
	rankCommand         // other commands that ran more than once
	rankRead            // files that were only read
	rankWords           // decisions and findings in more words
)

// item is a piece of text that is taken whole or not at all.
type item struct {
	section section
	rank    int
	// must is set on facts that have precedence over the budget.
	must bool
	// order is the place in the section; items of one order stand as made.
	order int
	// text is whole lines.
	text string
	// parent is the number, from 1, of an item without which this one says
	// nothing; with instead set it stands in that one's place.
	parent  int
	instead bool

	tokens int
	taken  bool
}

type items []item

// add makes an item and gives its number, from 1.
func (s *items) add(in section, rank, order int, format string, args ...any) int {
	*s = append(*s, item{section: in, rank: rank, must: rank <= rankLast && rank != rankFocus, order: order, text: fmt.Sprintf(format, args...)})
	return len(*s)
}

// addTo makes an item that follows another and needs it.
func (s *items) addTo(parent, rank int, text string) {
	above := (*s)[parent-1]
	n := s.add(above.section, rank, above.order, "%s", text)
	(*s)[n-1].parent = parent
}

// addInstead makes an item that says in more words what another does, and all that
// follows that.
func (s *items) addInstead(of, rank int, text string) {
	s.addTo(of, rank, text)
	(*s)[len(*s)-1].instead = true
}

// leftOut is what the line that tells of what was left out may cost, with the
// heading's line end.
const leftOut = 12

// choice takes items under a budget of tokens.
type choice struct {
	counter tenfold.Counter
	items   items
	// budget bounds all items, most those that must be there, share those of
	// a rank before exchanges.
	budget, most, share int
	// dir is where files are that are named without it.
	dir string
}

// heading is what stands above the items of a section.
func (c *choice) heading(s section) string {
	if s == inFiles && c.dir != "" {
		return headings[s] + "- in " + code(c.dir, 2*lineLength) + ":\n"
	}
	return headings[s]
}

// choose takes what fits, by rank, and writes it in sections.
func (c *choice) choose(head string) (text string) {
	order := make([]int, len(c.items))
	for i := range c.items {
		order[i] = i
		c.items[i].tokens = c.counter.Count(c.items[i].text)
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.items[a].rank - c.items[b].rank })
	used := c.counter.Count(head)
	var open [sections]bool
	var taken []int
	for _, i := range order {
		it := &c.items[i]
		cost := it.tokens
		if !open[it.section] {
			cost += c.counter.Count(c.heading(it.section)) + leftOut
		}
		limit := c.budget
		switch {
		case it.must:
			limit = c.most
		case it.rank > rankFocus && it.rank < rankRequest:
			limit = c.share
		}
		if it.instead {
			cost -= c.items[it.parent-1].tokens
			for _, other := range c.items[it.parent:i] { // what follows that stands between them
				if other.taken && other.parent == it.parent {
					cost -= other.tokens
				}
			}
		}
		if used+cost > limit || (it.parent > 0 && !c.items[it.parent-1].taken) {
			continue
		}
		it.taken, open[it.section] = true, true
		used += cost
		taken = append(taken, i)
	}
	text = c.write(head)
	// Parts can cost less than the whole where tokens join over their ends.
	for limit := max(c.budget, used); len(taken) > 0 && c.counter.Count(text) > limit; {
		c.items[taken[len(taken)-1]].taken = false
		taken = taken[:len(taken)-1]
		text = c.write(head)
	}
	return text
}

// write puts what was taken in order.
func (c *choice) write(head string) string {
	var b strings.Builder
	b.WriteString(head)
	replaced := map[int]bool{}
	for _, it := range c.items {
		if it.taken && it.instead {
			replaced[it.parent-1] = true
		}
	}
	for s := range sections {
		var here []*item
		missing := 0
		for i := range c.items {
			switch it := &c.items[i]; {
			case it.section != s, replaced[i], it.parent > 0 && replaced[it.parent-1] && !it.instead:
			case it.taken:
				here = append(here, it)
			case it.parent == 0:
				missing++
			}
		}
		if len(here) == 0 {
			continue
		}
		slices.SortStableFunc(here, func(a, b *item) int { return a.order - b.order })
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.heading(s))
		for _, it := range here {
			b.WriteString(it.text)
		}
		if missing > 0 && s != inDecisions && s != inCommands {
			fmt.Fprintf(&b, "- (%d more left out)\n", missing)
		}
	}
	return b.String()
}
