package tenfold

import (
	"slices"
	"strings"

	"tenfold/internal/shield"
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
	began   bool  // the view shows anything
	opening bool  // the view needs an opening message
	looked  int32 // where what it begins with was looked for without finding it
	hidden  []hidden
	added   Count
	config  Count
	// note is what the view begins with (P5a), and what that costs.
	note       string
	noteTokens int
	// placeholder is what one placeholder of an unanswered call costs.
	placeholder int
}

// hidden is a stretch of the log of which only shielded entries show: a run of
// a summary (P3), or a stretch of omitted turns.
type hidden struct {
	lo, hi   int32
	summary  int32   // index of the overlay whose summary stands in, or nobody
	shielded []int32 // shown all the same (P8, P8a, P9), in log order
	before   []string
	after    []insertion // what stands in, after the shielded entries
}

// insertion is a message the projection puts in.
type insertion struct {
	user bool
	text string
}

// arrange brings the layout up to date.
func (p *Projection) arrange() {
	if p.layout.stale {
		p.rebuildLayout()
	}
	if !p.layout.began {
		p.findFirst()
	}
}

func (p *Projection) rebuildLayout() {
	count := p.log.counter.Count
	p.layout = layout{hidden: p.hiddenStretches(), placeholder: count(interruptedText)}
	began, from, n := false, int32(1), 0
	for i := range p.layout.hidden {
		h := &p.layout.hidden[i]
		if h.summary != nobody {
			// Whether anything shows before it: what was looked at for an
			// earlier stretch need not be looked at again.
			for range p.walk(from, h.lo, p.layout.hidden[n:i]) {
				began = true
				break
			}
			from, n = h.lo, i
			if began {
				from, n = p.version+1, i+1
			}
			p.placeSummary(h, began)
		}
		for _, text := range h.before {
			p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(text)})
		}
		for _, s := range h.after {
			p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(s.text)})
		}
	}
	if text := p.continuation(); text != "" {
		p.layout.added = p.layout.added.plus(Count{Entries: 1, After: count(text)})
	}
	p.layout.config = p.config.count(p)
	p.layout.note = p.findNote()
}

// findFirst finds what the view begins with, from where it was not found before.
func (p *Projection) findFirst() {
	l := &p.layout
	h, _ := slices.BinarySearchFunc(l.hidden, l.looked, func(h hidden, seq int32) int { return int(h.lo) - int(seq) })
	for item := range p.walk(l.looked+1, p.version+1, l.hidden[h:]) {
		l.began = true
		if m, ok := item.Payload.(UserMessage); ok && len(m.Parts) > 0 && IsNote(m.Parts[0].Text) {
			l.note = "" // the note of a view that was exported and came back
		}
		if l.note != "" {
			l.noteTokens = p.log.counter.Count(l.note)
			l.added = l.added.plus(Count{Entries: 1, After: l.noteTokens})
		}
		if l.opening = item.Payload.Kind() != KindUserMessage; l.opening {
			l.added = l.added.plus(Count{Entries: 1, After: p.log.counter.Count(openingText)})
		}
		break
	}
	l.looked = p.version
}

// hiddenStretches joins the stretches a summary or an omission wins
// over. A summary's run is one stretch even where turns in it are omitted too.
func (p *Projection) hiddenStretches() []hidden {
	var runs []hidden
	for _, c := range p.slots[slotSummary] {
		if n := len(runs); n > 0 && runs[n-1].summary == c.by && runs[n-1].hi+1 == c.lo {
			runs[n-1].hi = c.hi
			continue
		}
		runs = append(runs, hidden{lo: c.lo, hi: c.hi, summary: c.by})
	}
	var out []hidden
	next := int32(1) // what comes after the stretches in out
	omit := func(from, hi int32) {
		if lo := max(from, next); lo <= hi {
			out = append(out, hidden{lo: lo, hi: hi, summary: nobody})
			next = hi + 1
		}
	}
	for _, c := range p.slots[slotTurns] {
		if p.overlays[c.by].c.Turns != Omit {
			continue
		}
		for len(runs) > 0 && runs[0].lo <= c.hi {
			omit(c.lo, runs[0].lo-1)
			out, next, runs = append(out, runs[0]), runs[0].hi+1, runs[1:]
		}
		omit(c.lo, c.hi)
	}
	out = append(out, runs...)
	spared := p.sparedRanges()
	for i := range out {
		out[i].shielded = p.shielded(out[i].lo, out[i].hi, spared)
	}
	return out
}

// sparedRanges gives the stretches, in order, whose user messages overlays that
// hide what is around them leave alone (P9).
func (p *Projection) sparedRanges() []cover {
	var all, out []cover
	for i := range p.overlays {
		if o := &p.overlays[i]; o.live && o.users > 0 && o.users <= o.hi {
			all = append(all, cover{lo: o.users, hi: o.hi})
		}
	}
	slices.SortFunc(all, func(a, b cover) int { return int(a.lo) - int(b.lo) })
	for _, c := range all {
		if n := len(out); n > 0 && c.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, c.hi)
			continue
		}
		out = append(out, c)
	}
	return out
}

// shielded lists the entries of a hidden stretch that show all the same: pins,
// standing instructions, and user messages that are spared (P8, P8a, P9).
func (p *Projection) shielded(lo, hi int32, spared []cover) []int32 {
	var found []int32
	take := func(list []int32, lo, hi int32) {
		for i, _ := slices.BinarySearch(list, lo); i < len(list) && list[i] <= hi; i++ {
			if n := p.log.node(list[i]); n.visible() && p.reads(n) && p.shows(list[i], n) {
				found = append(found, list[i])
			}
		}
	}
	take(p.pins(lo, hi), lo, hi)
	take(p.log.contextSeqs(lo, hi), lo, hi)
	for i := range p.overlays {
		if o := &p.overlays[i]; o.live && len(o.keeps) > 0 {
			take(o.keeps, lo, hi)
		}
	}
	first, _ := slices.BinarySearchFunc(spared, lo, func(c cover, lo int32) int { return int(c.hi) - int(lo) })
	for _, c := range spared[first:] {
		if c.lo > hi {
			break
		}
		for _, b := range p.reading {
			if int(b) < len(p.log.steppers) {
				take(p.log.steppers[b].requests, max(c.lo, lo), min(c.hi, hi))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// placeSummary decides what stands for a summary's run, and where (P3, P4).
func (p *Projection) placeSummary(h *hidden, began bool) {
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
		case pair && last.kind == codeUser && !last.is(flagContext):
			say = say[1:] // it reports on the request above it
		}
	}
	h.after = say
}

// messages gives what stands for the summary, and whether it is the pair of
// P3, whose user message is a mere heading.
func (s *Summary) messages() (say []insertion, pair bool) {
	switch s.Placement {
	case PlaceMessage:
		return []insertion{{true, s.Text}}, false
	case PlaceUser:
		text := s.Text
		if s.Transcript != "" {
			text = shield.Element("summary", text) + "\n\nThe whole transcript lies at " + shield.Label(s.Transcript) + "."
		}
		return []insertion{{true, text}, {false, understoodText}}, false
	}
	heading := s.Heading
	if isBlank(heading) {
		heading = DefaultHeading
	}
	return []insertion{{true, heading}, {false, s.Text}}, true
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
		b.WriteString("\n" + shield.Element("summary", s.Text) + "\n")
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

// config is the configuration in effect at the end of the log.
type config struct {
	current      Config
	extras       []string // what the deltas hold beside, in order
	systemTokens int
	toolTokens   []int
}

// Config is a configuration: what all config deltas together say.
type Config struct {
	Model  string
	System string
	Tools  []ToolDefinition
}

// Config is the configuration in effect (P7), with the system prompt and the
// tools as the projection shows them: summaries placed there (P4), pruned
// tools gone. The list of tools is the log's, and not to be changed.
func (p *Projection) Config() Config {
	c := p.config.current
	c.System = p.system()
	if pruned := p.pruned(); pruned != nil {
		c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t ToolDefinition) bool {
			return pruned[t.Name]
		})
	}
	return c
}

// Continuation is the section that summaries placed in the system prompt add to
// its end (P4): for clients that bring a system prompt of their own. Empty
// without any.
func (p *Projection) Continuation() string {
	p.arrange()
	return p.continuation()
}

func (c *config) merge(counter Counter, d ConfigDelta) {
	if d.Extra != "" {
		c.extras = append(c.extras, d.Extra)
	}
	if d.Model != "" {
		c.current.Model = d.Model
	}
	if d.System != nil {
		c.current.System = *d.System
		c.systemTokens = counter.Count(*d.System)
	}
	if d.Tools != nil {
		c.current.Tools = *d.Tools
		c.toolTokens = make([]int, len(*d.Tools))
		for i, t := range *d.Tools {
			c.toolTokens[i] = CountTool(counter, t)
		}
	}
}

// count sums the configuration raw and as projected, texts placed in the
// system prompt aside.
func (c *config) count(p *Projection) Count {
	sum := Count{Before: c.systemTokens, After: c.systemTokens}
	pruned := p.pruned()
	for i, t := range c.toolTokens {
		sum.Before += t
		if !pruned[c.current.Tools[i].Name] {
			sum.After += t
		}
	}
	return sum
}

// pruned names the tools whose definitions go: the latest live overlay with an
// opinion says so.
func (p *Projection) pruned() map[string]bool {
	for i := len(p.overlays) - 1; i >= 0; i-- {
		if o := &p.overlays[i]; o.live && o.lo <= o.hi && o.c.ToolDefinitions != nil {
			if o.c.ToolDefinitions.Action != Prune {
				return nil
			}
			names := make(map[string]bool, len(o.c.ToolDefinitions.Names))
			for _, name := range o.c.ToolDefinitions.Names {
				names[name] = true
			}
			return names
		}
	}
	return nil
}
