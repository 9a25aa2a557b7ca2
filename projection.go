package tenfold

import (
	"slices"
	"sort"
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

	overlays []overlay
	marks    map[string]int32 // id of an overlay or revocation → overlay
	revoked  []revocation     // those that turned an overlay over, in order
	slots    [slotCount]covers
	named    sparse[mention] // of calls and messages that selective policies name
	texts    int             // live overlays with a policy for texts
	pinned   map[int32]struct{}
	pins     []int32 // the pinned, sorted

	reading []int32 // the branches the reader sees
	owner   *owner
	pieces  []*piece // by block; nil for one that no overlay touched
	sums
	config config

	waiting []int32 // overlays that hold back reasoning until the loop closes
	stubs   stubCounts
	layout  layout
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
	// heldFrom is where the tool loop began that was open when the overlay
	// was made; signed reasoning from there on stays until it closes (P10).
	heldFrom int32
	// named are the calls and the messages that selective policies name, under
	// what named each before; nil where nothing did.
	named []named
	under []mention
	// policies are those for the calls that are named.
	policies []sides
	// tools is what the policy for tool calls does.
	tools act
	// sides is what a strip does to the calls of each tool, by its number.
	sides []sides
}

// revocation is an entry that took an overlay back, or gave it back.
type revocation struct {
	id, command string
	overlay     int32
	live        bool // what it left the overlay
	direct      bool // it names the overlay itself, no earlier revocation
}

// Project gives the projection of the log for a reader on the root.
func Project(l *Log) *Projection { return ProjectBranch(l, "") }

// ProjectBranch gives the projection for a reader on a branch (L7).
func ProjectBranch(l *Log, branch string) *Projection {
	p := &Projection{
		log: l, reader: branch,
		owner: new(owner), marks: map[string]int32{}, pinned: map[int32]struct{}{},
	}
	p.layout.stale = true
	p.stubs.log = l
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
	if len(p.overlays) > 0 {
		p.arrive(from)
	}
	i, _ := slices.BinarySearch(l.marks, from+1)
	for _, seq := range l.marks[i:] {
		if n := l.node(seq); p.reads(n) {
			p.take(seq, n)
		}
	}
	p.letGo()
}

// arrive settles the results that came after from to calls before it.
func (p *Projection) arrive(from int32) {
	for seq := from + 1; seq <= p.version; seq++ {
		n := p.log.node(seq)
		if n.kind != codeResult || n.is(flagVoid) || n.pair > from || !p.reads(n) {
			continue
		}
		if !p.shows(n.pair, p.log.node(n.pair)) {
			p.unmute(n.pair)
		}
		p.settle(seq, n)
	}
}

// Log is the log projected.
func (p *Projection) Log() *Log { return p.log }

// Version is the log version the projection shows.
func (p *Projection) Version() int64 { return int64(p.version) }

// Tokens is what the whole projection costs a model.
func (p *Projection) Tokens() int { return p.Totals().All().After }

// Totals sums the projection.
func (p *Projection) Totals() Totals {
	p.arrange()
	t := Totals{ByFate: p.moved, Config: p.layout.config}
	unanswered := -p.mute
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

// take takes in an entry that changes how others are seen.
func (p *Projection) take(seq int32, n *node) {
	switch payload := p.log.payload(seq).(type) {
	case ConfigDelta:
		p.layout.stale = true
		p.config.merge(p.log.counter, payload)
	case Compaction:
		p.cover(seq)
	case CompactionRevoked:
		p.revoke(p.log.records.at(seq).id, payload)
	case Pin:
		p.pin(seq, payload.Entries, true)
	case Unpin:
		p.pin(seq, payload.Entries, false)
	}
}

// settle gives an entry the fate the overlays say, and keeps the sums. Void
// entries are nobody's business.
func (p *Projection) settle(seq int32, n *node) {
	if n.is(flagVoid) {
		return
	}
	f, by, tokens := p.resolve(seq, n)
	s, next := p.state(seq), newState(f, by, n.tokens-tokens)
	if next == s {
		return
	}
	at, before := p.edit(seq), int(n.tokens)
	was, is := Count{1, before, before - int(s.saved)}, Count{1, before, int(tokens)}
	p.moved[s.fate()], at.moved[s.fate()] = p.moved[s.fate()].minus(was), at.moved[s.fate()].minus(was)
	p.moved[f], at.moved[f] = p.moved[f].plus(is), at.moved[f].plus(is)
	if n.kind == codeCall && !p.answered(n) && s.shown() != next.shown() {
		d := 1
		if next.shown() {
			d = -1
		}
		p.mute, at.mute = p.mute+d, at.mute+d
	}
	at.states[(seq-1)&(chunkLen-1)] = next
}

// cover takes in a compaction.
func (p *Projection) cover(seq int32) {
	c := p.log.payload(seq).(Compaction)
	id := p.log.records.at(seq).id
	// An overlay speaks of nothing that came after it.
	lo, hi, r := p.log.extent(Range{c.FromTurn, c.ToTurn, c.ToStep}, int(p.log.node(seq).turn))
	hi = min(hi, seq-1)
	o := overlay{seq: seq, c: &c, id: id, lo: lo, hi: hi, turns: r, live: true}
	by := int32(len(p.overlays))
	p.marks[id] = by
	if r.ToStep != nil {
		o.users = p.log.turns[r.ToTurn].seq
	}
	if c.Reasoning != nil {
		if o.heldFrom = p.openLoop(seq); o.heldFrom > 0 {
			p.waiting = append(p.waiting, by)
		}
	}
	if c.ToolCalls != nil {
		o.tools = actOf(c.ToolCalls.Action)
	}
	if o.tools == actSelective {
		o.named, o.policies = p.find(c.ToolCalls, lo, hi)
	}
	if c.Texts != nil && c.Texts.Rest == "" {
		o.named = append(o.named, p.findTexts(c.Texts.Entries, lo, hi)...)
	}
	if c.Texts != nil {
		p.texts++
	}
	p.overlays = append(p.overlays, o)
	p.name(by)
	p.lay(by, o.lo, o.hi)
	p.apply(by)
}

// lay puts a live overlay on the slots, as far as it lies in a stretch.
func (p *Projection) lay(by, lo, hi int32) {
	o := &p.overlays[by]
	for s := range o.c.slots {
		p.slots[s] = p.slots[s].paint(max(lo, o.lo), min(hi, o.hi), by)
	}
}

// apply settles what an overlay covers, after it came or went.
func (p *Projection) apply(by int32) {
	o := &p.overlays[by]
	whole := false
	for range o.c.slots {
		whole = true
	}
	if whole {
		p.settleRange(o.lo, o.hi)
	} else {
		for _, n := range o.named {
			p.settleEach(n.seq, n.seq, n.seq)
		}
	}
	p.layout.stale = true
}

// revoke takes an overlay back, or gives it back (C7): the target is the
// overlay itself or an earlier revocation of it, and either way the overlay
// changes between counting and not.
func (p *Projection) revoke(id string, r CompactionRevoked) {
	by, ok := p.marks[r.Target]
	if !ok {
		return
	}
	p.marks[id] = by
	o := &p.overlays[by]
	o.live, o.turned = !o.live, int32(len(p.revoked))
	p.revoked = append(p.revoked, revocation{id, r.Command, by, o.live, r.Target == o.id})
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
	p.apply(by)
}

// repaint lays all live overlays anew where they lie in a stretch.
func (p *Projection) repaint(lo, hi int32) {
	for s := range p.slots {
		p.slots[s] = p.slots[s].erase(lo, hi)
	}
	for i := range p.overlays {
		if o := &p.overlays[i]; o.live && o.lo <= hi && lo <= o.hi {
			p.lay(int32(i), lo, hi)
		}
	}
}

// pin pins or unpins entries, calls with their results (P8).
func (p *Projection) pin(pin int32, ids []string, on bool) {
	for _, id := range ids {
		seq := p.log.find(id)
		if seq == 0 || seq > pin {
			continue // a pin speaks of what stands before it
		}
		n := p.log.node(seq)
		if n.kind == codeResult && n.pair > 0 {
			seq = n.pair
		}
		i := sort.Search(len(p.pins), func(i int) bool { return p.pins[i] >= seq })
		_, have := p.pinned[seq]
		switch {
		case on && !have:
			p.pinned[seq] = struct{}{}
			p.pins = slices.Insert(p.pins, i, seq)
		case !on && have:
			delete(p.pinned, seq)
			p.pins = slices.Delete(p.pins, i, i+1)
		}
		p.settleEach(seq, seq, seq)
	}
	p.layout.stale = true
}

// atoi reads a positive decimal; 0 for anything else.
func atoi(s string) int64 {
	var n int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n
}
