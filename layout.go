package tenfold

import (
	"slices"
	"strings"
)

// Texts the projection puts in. They are addressed to the model.
const (
	// openingText begins a view that would begin with the model's own words.
	openingText = "[Conversation continues]"
	// interruptedText answers a call that has no result (P10).
	interruptedText = "Tool call was interrupted."
	// understoodText is the assistant's word after a summary in a user
	// message (P4).
	understoodText = "Understood, I will continue from this summary."
	// continuationHead begins the section of the system prompt that carries
	// summaries placed there (P4).
	continuationHead = "## Continuation\n\nThis session continues an earlier one, whose older part is summarised here; it is history, not a request.\n"
)

// layout is what hides whole stretches and stands in for them, worked out
// again when an overlay, a pin or the configuration changes.
type layout struct {
	stale   bool
	began   bool // the view shows anything
	opening bool // the view needs an opening message
	hidden  []hidden
	added   Count
	config  Count
	// placeholder is what one placeholder of an unanswered call costs.
	placeholder int
}

// hidden is a stretch of the log of which only shielded entries show: a run of
// a summary (P3), or a stretch of omitted turns.
type hidden struct {
	lo, hi   int32
	summary  int32   // index of the overlay whose summary stands in, or nobody
	shielded []int32 // shown all the same (P8, P9), in log order
	before   []string
	after    []said // what stands in, after the shielded entries
}

// said is a message the projection puts in.
type said struct {
	user bool
	text string
}

// arrange brings the layout up to date.
func (p *Projection) arrange() {
	if !p.layout.stale {
		return
	}
	count := p.log.counter.Count
	p.layout = layout{hidden: p.hiddenStretches(), placeholder: count(interruptedText)}
	for i := range p.layout.hidden {
		h := &p.layout.hidden[i]
		if h.summary != nobody {
			p.standIn(h, p.anythingBefore(h.lo, i))
		}
		for _, text := range h.before {
			p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(text)})
		}
		for _, s := range h.after {
			p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(s.text)})
		}
	}
	for item := range p.walk(p.version+1, len(p.layout.hidden)) {
		p.layout.began = true
		p.layout.opening = item.Payload.Kind() != KindUserMessage
		break
	}
	if p.layout.opening {
		p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(openingText)})
	}
	if text := p.continuation(); text != "" {
		p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(text)})
	}
	p.layout.config = p.config.count(p)
}

// anythingBefore reports whether the view shows anything before seq, given
// that the first n hidden stretches are arranged.
func (p *Projection) anythingBefore(seq int32, n int) bool {
	for range p.walk(seq, n) {
		return true
	}
	return false
}

// hiddenStretches joins the stretches a summary or an omission has the word
// over. A summary's run is one stretch even where turns in it are omitted too.
func (p *Projection) hiddenStretches() []hidden {
	var out []hidden
	for _, c := range p.slots[slotSummary] {
		if n := len(out); n > 0 && out[n-1].summary == c.by && out[n-1].hi+1 == c.lo {
			out[n-1].hi = c.hi
			continue
		}
		out = append(out, hidden{lo: c.lo, hi: c.hi, summary: c.by})
	}
	runs := len(out)
	for _, c := range p.slots[slotTurns] {
		if p.overlays[c.by].c.Turns != Omit {
			continue
		}
		lo := c.lo
		for _, run := range out[:runs] {
			if run.hi < lo || run.lo > c.hi {
				continue
			}
			if run.lo > lo {
				out = append(out, hidden{lo: lo, hi: run.lo - 1, summary: nobody})
			}
			lo = run.hi + 1
		}
		if lo <= c.hi {
			out = append(out, hidden{lo: lo, hi: c.hi, summary: nobody})
		}
	}
	slices.SortFunc(out, func(a, b hidden) int { return int(a.lo) - int(b.lo) })
	for i := range out {
		out[i].shielded = p.shielded(out[i].lo, out[i].hi)
	}
	return out
}

// shielded lists the entries of a hidden stretch that show all the same.
func (p *Projection) shielded(lo, hi int32) []int32 {
	var found []int32
	take := func(list []int32) {
		for i, _ := slices.BinarySearch(list, lo); i < len(list) && list[i] <= hi; i++ {
			if n := p.log.node(list[i]); n.visible() && p.reads(n) && p.shows(list[i], n) {
				found = append(found, list[i])
			}
		}
	}
	take(p.pins(lo, hi))
	for i := range p.overlays {
		if o := &p.overlays[i]; o.live && len(o.users) > 0 {
			take(o.users)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// standIn decides what stands for a summary's run, and where (P3, P4).
func (p *Projection) standIn(h *hidden, began bool) {
	s := p.overlays[h.summary].c.Summary
	if isBlank(s.Text) || s.Placement == PlaceSystem {
		return
	}
	say, pair := s.messages()
	if len(h.shielded) > 0 {
		first := p.log.node(h.shielded[0])
		last := p.log.node(h.shielded[len(h.shielded)-1])
		switch {
		case !began && first.kind != codeUser:
			h.before = []string{say[0].text}
			say = say[1:]
		case pair && last.kind == codeUser:
			say = say[1:] // it reports on the request above it
		}
	}
	h.after = say
}

// messages gives what stands for the summary, and whether it is the pair of
// P3, whose user message is a mere heading.
func (s *Summary) messages() (say []said, pair bool) {
	switch s.Placement {
	case PlaceMessage:
		return []said{{true, s.Text}}, false
	case PlaceUser:
		text := s.Text
		if s.Transcript != "" {
			text += "\n\nThe whole transcript lies at " + s.Transcript + "."
		}
		return []said{{true, text}, {false, understoodText}}, false
	}
	heading := s.Heading
	if isBlank(heading) {
		heading = DefaultHeading
	}
	return []said{{true, heading}, {false, s.Text}}, true
}

// continuation is the section of the system prompt that carries the summaries
// placed there, in log order; empty when there are none.
func (p *Projection) continuation() string {
	var b strings.Builder
	seen := map[int32]bool{}
	for _, h := range p.layout.hidden {
		if h.summary == nobody || seen[h.summary] {
			continue
		}
		seen[h.summary] = true
		s := p.overlays[h.summary].c.Summary
		if s.Placement != PlaceSystem || isBlank(s.Text) {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(continuationHead)
		}
		b.WriteString("\n<summary>\n" + s.Text + "\n</summary>\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// system is the system prompt as the model sees it.
func (p *Projection) system() string {
	p.arrange()
	section := p.continuation()
	switch system := p.config.current.System; {
	case section == "":
		return system
	case isBlank(system):
		return section
	default:
		return strings.TrimRight(system, "\n") + "\n\n" + section
	}
}
