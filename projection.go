package tenfold

import (
	"slices"
)

// A Projection is what a model sees of a log: every entry with its fate, the
// overlays resolved, repaired so that any provider takes it (P1, P10). It is
// a function of the log alone; it changes nothing in it.
//
// A projection is kept up with its log by [Projection.Advance], at the cost
// of what was appended: an ordinary entry costs the same in a short and in a
// long log, a compaction what it covers. Advancing gives the very state that
// projecting anew gives. Once the log has grown, advance before asking: sums
// are the log's own. Like its log, a projection is for one goroutine at a time.
type Projection struct {
	log     *Log
	reader  string
	sees    []bool // by branch
	version int32

	overlays    []overlay
	revocations []revocation // in order
	slots       [slotCount]covers
	named       sparse[mention] // of calls and messages that selective policies name
	texts       int             // live overlays with a policy for texts
	pinned      sparse[bool]

	reading []int32 // the branches the reader sees
	owner   *owner
	pieces  []*piece // by block; nil for one that no overlay touched
	// borrowed says that the list of them belongs to another projection.
	borrowed bool
	sums
	config config

	waiting  []int32 // overlays that hold back reasoning until the loop closes
	bindings bindings
	stubs    stubCounts
	layout   layout
}

// overlay is a compaction as the projection applies it.
type overlay struct {
	seq    int32
	c      *Compaction
	id     string
	lo, hi int32
	turns  Range // clamped to the log as it stood (P13)
	live   bool
	turned int32 // index of the revocation that turned it over last
	// users is where the turn begins whose user messages it leaves alone, the
	// one the range ends inside of (P9); 0 for a range that ends with a turn.
	users int32
	// contexts are the standing instructions that it must show (P8a).
	contexts []int32
	// keeps are the calls and the messages that it leaves alone (live V5).
	keeps []int32
	// heldFrom is where the tool loop began that was open when the overlay
	// was made; signed reasoning from there on stays until it closes (P10).
	heldFrom int32
	// named are the calls and the messages that selective policies name, under
	// what named each before; nil where nothing did.
	named []named
	under []mention
	// policies are those for the calls that are named; unchanged are the calls, and
	// messages, that it made no cheaper.
	policies  []sides
	unchanged []int64
	// tools is what the policy for tool calls does.
	tools act
	// plain is what it does to calls that it does not name, and hinted to those
	// of a tool that has a hint, by the tool's number.
	plain  *sides
	hinted []*sides
}

// revocation is an entry that took an overlay back, or gave it back.
type revocation struct {
	seq, overlay int32
	command      string
	live         bool // what it left the overlay
	direct       bool // it names the overlay itself, no earlier revocation
}

// Project gives the projection of the log for a reader on the root. It panics
// without a log that [NewLog] made.
func Project(l *Log) *Projection { return ProjectBranch(l, "") }

// ProjectBranch gives the projection for a reader on a branch (L7).
func ProjectBranch(l *Log, branch string) *Projection {
	if l == nil || l.counter == nil {
		panic("tenfold: a projection needs a log: make one with NewLog")
	}
	p := &Projection{log: l, reader: branch, owner: new(owner)}
	p.layout.stale = true
	p.stubs = stubCounts{log: l, remembered: newRemembered()}
	p.Advance()
	return p
}

// Advance takes in what was appended to the log since. Ordinary entries are
// summed up by the log itself; what remains are overlays and their like, and
// results of calls that an overlay covers already.
func (p *Projection) Advance() {
	l, from := p.log, p.version
	if from == l.n {
		return
	}
	p.version = l.n
	for len(p.pieces) < int(blockOf(l.n)) {
		p.pieces = append(p.pieces, nil)
	}
	for b := len(p.sees); b < len(l.branches.list); b++ {
		p.sees = append(p.sees, sees(p.reader, l.branches.list[b]))
		if p.sees[b] {
			p.reading = append(p.reading, int32(b))
		}
	}
	if len(p.overlays) > 0 || len(p.pinned.pieces) > 0 {
		p.settleResults(from)
	}
	i, _ := slices.BinarySearch(l.marks, from+1)
	j, _ := slices.BinarySearch(l.late, from+1)
	for marks, late := l.marks[i:], l.late[j:]; len(marks)+len(late) > 0; {
		var seq int32
		if len(late) == 0 || len(marks) > 0 && marks[0] < late[0] {
			seq, marks = marks[0], marks[1:]
		} else {
			seq, late = late[0], late[1:]
		}
		if n := l.node(seq); p.reads(n) {
			p.releaseReasoning(seq)
			p.applyEntry(seq)
		}
	}
	p.releaseReasoning(p.version + 1)
}

// settleResults settles the results that came after from to calls before it.
func (p *Projection) settleResults(from int32) {
	for seq := from + 1; seq <= p.version; seq++ {
		n := p.log.node(seq)
		if n.kind != codeResult || n.is(flagVoid) || n.pair > from || !p.reads(n) {
			continue
		}
		if !p.shows(n.pair, p.log.node(n.pair)) {
			p.countHidden(n.pair, -1)
		}
		p.updateFate(seq, n)
	}
}

// Log is the log projected.
func (p *Projection) Log() *Log { return p.log }

// Branch is the reader's branch; empty for the root.
func (p *Projection) Branch() string { return p.reader }

// Version is the log version the projection shows.
func (p *Projection) Version() int64 { return int64(p.version) }

// Tokens is what the whole projection costs a model.
func (p *Projection) Tokens() int { return p.Totals().All().After }

// Totals sums the projection.
func (p *Projection) Totals() Totals {
	p.arrange()
	t := Totals{ByFate: p.moved, Config: p.layout.config}
	unanswered := -p.hiddenCalls
	for _, b := range p.reading {
		if int(b) >= len(p.log.steppers) {
			break
		}
		s := &p.log.steppers[b]
		t.ByFate[Kept] = t.ByFate[Kept].plus(s.all).minus(s.void)
		t.ByFate[Omitted] = t.ByFate[Omitted].plus(Count{Entries: s.void.Entries, Before: s.void.Before})
		unanswered += s.open
	}
	t.Added = p.layout.added.plus(Count{Entries: unanswered, After: unanswered * p.layout.placeholder})
	return t
}

// Fate tells what became of the entry with the given seq, and the id of the
// overlay that decided it; empty for none and for repairs. Entries of other
// branches and beyond the version are Kept by nobody.
func (p *Projection) Fate(seq int64) (f Fate, by string, tokens int) {
	if seq < 1 || seq > int64(p.version) {
		return Kept, "", 0
	}
	n := p.log.node(int32(seq))
	if n.is(flagVoid) {
		return Omitted, "", 0
	}
	s := p.state(int32(seq))
	if i := s.by(); i >= 0 {
		by = p.overlays[i].id
	}
	return s.fate(), by, int(n.tokens - s.saved)
}

// Reads reports whether this reader's log holds the entry.
func (p *Projection) Reads(seq int64) bool {
	return seq >= 1 && seq <= int64(p.version) && p.reads(p.log.node(int32(seq)))
}

func (p *Projection) reads(n *node) bool { return n.branch == 0 || p.sees[n.branch] }

// shows reports whether the model sees anything of a visible entry.
func (p *Projection) shows(seq int32, n *node) bool {
	return !n.is(flagVoid) && p.state(seq).shown()
}

// answered reports whether a call's result is part of the projection.
func (p *Projection) answered(call *node) bool { return call.pair > 0 && call.pair <= p.version }

// applyEntry takes in an entry that changes how others are seen.
func (p *Projection) applyEntry(seq int32) {
	switch payload := p.log.payload(seq).(type) {
	case ConfigDelta:
		p.layout.stale = true
		p.watch(seq, func() int32 {
			p.config.merge(p.log.counter, payload)
			return untouched
		})
	case Compaction:
		p.watch(seq, func() int32 { return p.turn(p.addOverlay(seq)) })
	case CompactionRevoked:
		if by := p.revocable(payload.Target); by != nobody {
			p.watch(seq, func() int32 {
				p.revoke(seq, by, payload)
				return p.turn(by)
			})
		}
	case ToolResult:
		if p.wasLate(seq, p.log.node(seq)) {
			c := viewChange{seq: seq, before: p.bindings.state}
			if call := p.log.node(seq).pair; !p.shows(call, p.log.node(call)) {
				c.first = untouched // nothing stands in its place, until what hides its call is undone
			}
			p.bindings.state.turn(seq)
			p.bind(c)
		}
	case Pin:
		p.watch(seq, func() int32 { return p.pin(seq, payload.Entries, true) })
	case Unpin:
		p.watch(seq, func() int32 { return p.pin(seq, payload.Entries, false) })
	}
}

// updateFate gives an entry the fate the overlays say, and tells how many tokens
// less that costs than before. Void entries are nobody's business.
func (p *Projection) updateFate(seq int32, n *node) int32 {
	if n.is(flagVoid) {
		return 0
	}
	return p.mark(seq, n, newState(p.resolve(seq, n), n.tokens))
}

// settlePair settles an entry, and the result of a call with it.
func (p *Projection) settlePair(seq int32, n *node) int32 {
	saved := p.updateFate(seq, n)
	if n.kind == codeCall && p.answered(n) {
		saved += p.updateFate(n.pair, p.log.node(n.pair))
	}
	return saved
}

// mark notes what became of an entry, and keeps the sums.
func (p *Projection) mark(seq int32, n *node, next state) int32 {
	s := p.state(seq)
	if next == s {
		return 0
	}
	at := p.edit(seq)
	if s.fate() != next.fate() || s.saved != next.saved { // else the reason alone is another
		mute := 0
		if n.kind == codeCall && !p.answered(n) && s.shown() != next.shown() {
			if mute = 1; next.shown() {
				mute = -1
			}
		}
		p.move(n, s, next, mute)
		at.move(n, s, next, mute)
	}
	if n.kind != codeReasoning && (s.fate() != next.fate() || s.saved != next.saved || s.by() != next.by()) {
		p.touch(seq)
	}
	at.states[(seq-1)&(chunkLen-1)] = next
	return next.saved - s.saved
}

// addOverlay takes in a compaction, and gives its number.
func (p *Projection) addOverlay(seq int32) int32 {
	c := payloadOf[Compaction](p.log, seq)
	// An overlay speaks of nothing that came after it.
	lo, hi, r := p.log.extent(Range{c.FromTurn, c.ToTurn, c.ToStep}, int(p.log.node(seq).turn))
	hi = min(hi, seq-1)
	o := overlay{seq: seq, c: &c, id: p.log.ids.at(seq), lo: lo, hi: hi, turns: r, live: true}
	by := int32(len(p.overlays))
	if r.ToStep != nil {
		o.users = p.log.turns.get(r.ToTurn).seq
	}
	if c.hides() {
		o.contexts = p.newestContexts(lo, hi, seq)
	}
	if c.Keeps != nil {
		o.keeps = p.kept(c.Keeps, lo, hi)
	}
	if c.Reasoning != nil {
		if o.heldFrom = p.openLoop(seq); o.heldFrom > 0 {
			p.waiting = append(p.waiting, by)
		}
	}
	if c.ToolCalls != nil {
		o.tools = actOf(c.ToolCalls.Action)
		o.hints(&p.log.tools)
	}
	if o.tools == actSelective {
		o.named, o.policies = p.findCalls(c.ToolCalls, lo, hi)
	}
	if c.Texts != nil && c.Texts.Rest == "" {
		o.named = append(o.named, p.findTexts(c.Texts.Entries, lo, hi)...)
	}
	if c.Texts != nil {
		p.texts++
	}
	p.overlays = append(p.overlays, o)
	p.addMentions(by)
	p.paintSlots(by, o.lo, o.hi)
	p.settleOverlay(by)
	return by
}

// paintSlots puts a live overlay on the slots, as far as it lies in a stretch.
func (p *Projection) paintSlots(by, lo, hi int32) {
	o := &p.overlays[by]
	for s := range o.c.slots {
		p.slots[s] = p.slots[s].paint(max(lo, o.lo), min(hi, o.hi), by)
	}
}

// settleOverlay settles what an overlay covers, after it came or went.
func (p *Projection) settleOverlay(by int32) {
	o := &p.overlays[by]
	whole := false
	for range o.c.slots {
		whole = true
	}
	if whole {
		p.settleRange(o.lo, o.hi)
	} else {
		o.unchanged = nil
		for _, one := range o.named {
			if p.settlePair(one.seq, p.log.node(one.seq)) <= 0 {
				o.unchanged = append(o.unchanged, int64(one.seq))
			}
		}
	}
	p.layout.stale = true
}

// revoke takes an overlay back, or gives it back (C7): the target is the
// overlay itself or an earlier revocation of it, and either way the overlay
// changes between counting and not.
func (p *Projection) revoke(seq, by int32, r CompactionRevoked) {
	o := &p.overlays[by]
	o.live, o.turned = !o.live, int32(len(p.revocations))
	p.revocations = append(p.revocations, revocation{seq, by, r.Command, o.live, r.Target == o.id})
	if o.c.Texts != nil {
		p.texts++
		if !o.live {
			p.texts -= 2
		}
	}
	for range o.c.slots {
		p.repaint(o.lo, o.hi)
		break
	}
	p.settleOverlay(by)
}

// repaint lays all live overlays anew where they lie in a stretch.
func (p *Projection) repaint(lo, hi int32) {
	for s := range p.slots {
		p.slots[s] = p.slots[s].erase(lo, hi)
	}
	for i := range p.overlays {
		if p.overlays[i].live {
			p.paintSlots(int32(i), lo, hi)
		}
	}
}

// revocable gives the overlay that an id names, or an earlier revocation of
// it: those taken in so far stand before the entry that is.
func (p *Projection) revocable(id string) int32 {
	at := p.log.find(id)
	if i, ok := slices.BinarySearchFunc(p.overlays, at, func(o overlay, at int32) int { return int(o.seq - at) }); ok {
		return int32(i)
	}
	if i, ok := slices.BinarySearchFunc(p.revocations, at, func(r revocation, at int32) int { return int(r.seq - at) }); ok {
		return p.revocations[i].overlay
	}
	return nobody
}

// pin pins or unpins entries, calls with their results (P8). It tells where the view
// changes beside them: what is pinned stands at the head of what hides the rest (P3).
func (p *Projection) pin(pin int32, ids []string, on bool) (first int32) {
	first = untouched
	for _, id := range ids {
		seq := p.log.find(id)
		if seq == 0 || seq > pin {
			continue // a pin speaks of what stands before it
		}
		n := p.log.node(seq)
		if n.kind == codeResult && n.pair > 0 {
			seq = n.pair
		}
		if p.pinned.get(seq) != on {
			p.pinned.set(seq, on)
			if n = p.log.node(seq); n.visible() && p.reads(n) {
				shown := p.shows(seq, n)
				p.settlePair(seq, n)
				if p.bindings.state.turn(seq); p.shows(seq, n) != shown {
					first = 0
				}
			}
		}
	}
	p.layout.stale = true
	return first
}

// Pinned reports whether an entry is pinned, itself or as the result of a pinned
// call (P8).
func (p *Projection) Pinned(seq int64) bool {
	if seq < 1 || seq > int64(p.version) {
		return false
	}
	at := int32(seq)
	if n := p.log.node(at); n.kind == codeResult && n.pair > 0 {
		at = n.pair
	}
	return p.pinned.get(at)
}

// pins lists what is pinned in a stretch.
func (p *Projection) pins(lo, hi int32) []int32 {
	var found []int32
	for seq, pinned := range p.pinned.written(lo, hi) {
		if pinned {
			found = append(found, seq)
		}
	}
	return found
}
