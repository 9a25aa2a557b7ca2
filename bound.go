package tenfold

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Reasoning that its provider signed is bound to all that stood before it when it
// was made (P10a; live B1). What changes the view before it makes it useless, and
// some providers refuse a request that still holds it. So it goes, and all that is
// older goes with it: what is kept is an unbroken run at the end of the view.
//
// bindings follows this for a projection. Between two changes a view only grows
// (P11a), hence all reasoning between them was made under one view.
type bindings struct {
	// from is where the run begins: signed reasoning before it is left out.
	from    int32
	changes []viewChange
	state   state128
	// touched is the first entry that the change under way has changed.
	touched int32
}

// viewChange is an entry that changed how earlier ones are seen.
type viewChange struct {
	seq int32
	// first is the first entry that is seen otherwise; untouched for none.
	first int32
	// before tells the overlays and pins that counted until then: the same ones, the
	// same view (C7).
	before state128
	// config is the configuration before; nil where that stays.
	config *Config
	// from is where the run of kept reasoning begins, after the change.
	from int32
}

// untouched is behind every entry.
const untouched = math.MaxInt32

// state128 is a set of overlays and pins as a sum that each of them goes into, and out
// of, alike.
type state128 [2]uint64

// turn puts in an overlay or a late result, by its entry, or the pin on another; or takes it out.
func (s *state128) turn(seq int32) {
	x := uint64(seq)
	for i := range s {
		// The steps of splitmix64.
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		s[i] ^= z ^ z>>31
	}
}

// bound reports whether the entry is reasoning that a change before it has made
// useless, or words that go on without their signature.
func (p *Projection) bound(seq int32, n *node) bool {
	return seq < p.bindings.from && n.is(flagOpaque)
}

// boundIn reports whether there is such reasoning in a stretch.
func (p *Projection) boundIn(lo, hi int32) bool {
	i, _ := slices.BinarySearch(p.log.opaque, lo)
	return i < len(p.log.opaque) && p.log.opaque[i] <= hi && p.log.opaque[i] < p.bindings.from
}

// watch does something that changes the view, and takes note of it: do tells the first
// entry that it changes beside those that it settles. Only what has signed reasoning
// before it matters.
func (p *Projection) watch(seq int32, do func() (first int32)) {
	if len(p.log.opaque) == 0 || p.log.opaque[0] > seq {
		do()
		return
	}
	note, config := p.findNote(), p.config.current
	p.bindings.touched = untouched
	c := viewChange{seq: seq, before: p.bindings.state}
	c.first = min(do(), p.bindings.touched)
	if p.findNote() != note {
		c.first = 0
	}
	if !sameHead(&config, &p.config.current) {
		c.first, c.config = 0, &config
	}
	if o := payloadOf[Compaction](p.log, seq); o.Rewinds() {
		c.first = untouched // what it hides stands at the end, with all that was thought behind it
	}
	p.bind(c)
}

// touch notes that the change under way has changed an entry.
func (p *Projection) touch(seq int32) { p.bindings.touched = min(p.bindings.touched, seq) }

// bind takes in a change, and lets the reasoning go that it makes useless; or
// gives it back where the change has undone others, and nothing was made since.
func (p *Projection) bind(c viewChange) {
	p.bindings.changes = append(p.bindings.changes, c)
	made := &p.bindings.changes[len(p.bindings.changes)-1]
	was := p.bindings.from
	p.bindings.from = p.findRun(c.seq)
	if said := p.firstSaid(was, p.bindings.from); said < made.first {
		made.first = said
		p.bindings.from = p.findRun(c.seq)
	}
	made.from = p.bindings.from
	p.settleReasoning(was, p.bindings.from)
}

// firstSaid gives the first signed words between two seqs, in either order; untouched for none. Where
// they lose their signature, or get it back, what follows them is seen after something else.
func (p *Projection) firstSaid(a, b int32) int32 {
	i, _ := slices.BinarySearch(p.log.opaque, min(a, b))
	for _, seq := range p.log.opaque[i:] {
		if seq >= max(a, b) {
			break
		}
		if n := p.log.node(seq); n.kind == codeAssistant && p.reads(n) && p.resolveUnbound(seq, n).fate == Kept {
			return seq
		}
	}
	return untouched
}

// settleReasoning settles the signed reasoning between two seqs, in either order.
func (p *Projection) settleReasoning(a, b int32) {
	if a == b {
		return
	}
	i, _ := slices.BinarySearch(p.log.opaque, min(a, b))
	for _, seq := range p.log.opaque[i:] {
		if seq >= max(a, b) {
			break
		}
		if n := p.log.node(seq); p.reads(n) {
			p.updateFate(seq, n)
		}
	}
	p.layout.stale = true
}

// findRun gives where the run of kept reasoning begins, looking at what stands
// before seq, newest first.
func (p *Projection) findRun(seq int32) int32 {
	var (
		first  = int32(untouched) // what is seen otherwise than now, at most
		config = &p.config.current
		state  = p.bindings.state // with which the view is as it is now
		least  = int32(0)         // the run of what is kept does not begin earlier
		next   = len(p.bindings.changes)
	)
	i, _ := slices.BinarySearch(p.log.opaque, seq)
	for _, at := range slices.Backward(p.log.opaque[:i]) {
		if at < least {
			return least
		}
		n := p.log.node(at)
		if !p.reads(n) {
			continue
		}
		for ; next > 0 && p.bindings.changes[next-1].seq > at; next-- {
			c := &p.bindings.changes[next-1]
			first = min(first, c.first)
			if c.config != nil {
				config = c.config
			}
			switch same := sameHead(config, &p.config.current); {
			case !same:
			case c.before == p.bindings.state || c.before == state:
				first = untouched // the view was as it is now
			case first == untouched:
				state = c.before // of what came since nothing changed it
			}
		}
		s := p.state(at)
		if s.reason() == ReasonBound || s.reason() == ReasonUnsigned {
			s = newState(p.resolveUnbound(at, n), n.tokens)
		}
		switch {
		case s.reason() == ReasonSummary, s.reason() == ReasonTurns:
			continue // what it belongs to is hidden as well: no gap
		case s.fate() != Kept, first < at:
			return at + 1
		}
		if next > 0 { // put back before it would be what it was not made under
			least = max(least, p.bindings.changes[next-1].from)
		}
	}
	return least
}

// sameHead reports whether two configurations begin a request alike, and send it to
// the same provider.
func sameHead(a, b *Config) bool {
	return a.System == b.System && slices.Equal(a.Tools, b.Tools) && sameProvider(a.Model, b.Model)
}

// sameProvider reports whether two models are of one provider, as far as their names
// say it: another one cannot check what this one signed, be it on the same wire.
// Another model of the same provider is for that provider to decide.
func sameProvider(a, b string) bool {
	one, _, ok := strings.Cut(a, "/")
	other, _, both := strings.Cut(b, "/")
	return !ok || !both || one == other
}

// turn takes note of an overlay that comes or goes, and tells where it changes what is
// put in: the system prompt and the tools, or what stands for what is hidden. What it
// does to entries is seen as it is done.
func (p *Projection) turn(by int32) (first int32) {
	o := &p.overlays[by]
	if o.lo > o.hi {
		return untouched // the view is the same with it and without (P13)
	}
	p.bindings.state.turn(o.seq)
	switch c := o.c; {
	case c.Summary != nil && c.Summary.Placement == PlaceSystem,
		c.ToolDefinitions != nil && len(p.config.current.Tools) > 0:
		return 0
	case c.Summary != nil, c.Turns == Omit:
		return o.lo
	}
	return untouched
}

// noteLate notes a result that came when reasoning after its call had been
// made under the placeholder: the exception that P11a names.
func (l *Log) noteLate(seq int32, n *node) {
	if n.kind != codeResult || n.is(flagVoid) || len(l.opaque) == 0 {
		return
	}
	if last := l.opaque[len(l.opaque)-1]; last > n.pair {
		l.late = append(l.late, seq)
	}
}

// wasLate reports whether a result came behind reasoning that the reader has of a later step
// than its call's: it was made without it.
func (p *Projection) wasLate(seq int32, n *node) bool {
	i, _ := slices.BinarySearch(p.log.opaque, n.pair)
	for _, at := range p.log.opaque[i:] {
		if at > seq {
			break
		}
		if m := p.log.node(at); p.reads(m) && (m.turn != n.turn || m.step != n.step || m.branch != n.branch) {
			return true
		}
	}
	return false
}

// openLoop tells where the tool loop began that is open at seq: after the last
// request, if the last response since makes a call. 0 when none is open.
func (p *Projection) openLoop(seq int32) int32 {
	from := p.lastRequest(seq) + 1
	var last *node
	for s := seq - 1; s >= from; s-- {
		n := p.log.node(s)
		if n.kind <= codeUser || n.kind > codeItem || n.kind == codeResult || !p.reads(n) {
			continue
		}
		last = cmp.Or(last, n)
		if n.turn != last.turn || n.step != last.step || n.branch != last.branch {
			return 0
		}
		if n.kind == codeCall {
			return from
		}
	}
	return 0
}

// lastRequest is the last user message or turn start before seq; 0 for none.
func (p *Projection) lastRequest(seq int32) int32 {
	var last int32
	for _, b := range p.reading {
		if int(b) >= len(p.log.steppers) {
			break
		}
		requests := p.log.steppers[b].requests
		if i, _ := slices.BinarySearch(requests, seq); i > 0 {
			last = max(last, requests[i-1])
		}
	}
	return last
}

// nextRequest is the first user message or turn start after seq; untouched for none.
func (p *Projection) nextRequest(seq int32) int32 {
	next := int32(untouched)
	for _, b := range p.reading {
		if int(b) >= len(p.log.steppers) {
			break
		}
		requests := p.log.steppers[b].requests
		if i, _ := slices.BinarySearch(requests, seq+1); i < len(requests) {
			next = min(next, requests[i])
		}
	}
	return next
}

// releaseReasoning drops the reasoning that overlays had to hold for a tool loop which a
// request before an entry has closed: the other exception that P11a names.
func (p *Projection) releaseReasoning(before int32) {
	if len(p.waiting) == 0 {
		return
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(by int32) bool {
		o := &p.overlays[by]
		request := p.nextRequest(o.seq)
		if request >= before {
			return false
		}
		from := o.heldFrom
		o.heldFrom = 0
		for s := max(from, o.lo); s <= o.hi; s++ {
			if n := p.log.node(s); n.kind == codeReasoning && p.reads(n) {
				p.updateFate(s, n)
			}
		}
		p.layout.stale = true
		p.bind(viewChange{seq: request, first: untouched, before: p.bindings.state})
		return true
	})
}
