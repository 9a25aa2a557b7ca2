package tenfold

import (
	"slices"
	"sort"
	"strings"
)

// A Projection is what a model sees of a log: every entry with its fate, the
// overlays resolved, repaired so that any provider takes it (P1, P10). It is
// a function of the log alone; it changes nothing in it.
//
// A projection is kept up with its log by [Projection.Advance], at the cost
// of what was appended: an ordinary entry costs the same in a short and in a
// long log, a compaction what it covers. Advancing gives the very state that
// projecting anew gives.
type Projection struct {
	log     *Log
	reader  string
	sees    []bool // by branch
	version int32

	overlays []overlay
	marks    map[string]int32 // id of an overlay or revocation → overlay
	revoked  []revocation     // those that took an overlay back, in order
	slots    [slotCount]covers
	named    map[int32][]int32 // call → overlays whose selective policy names it
	pinned   map[int32]struct{}
	pins     []int32 // the pinned, sorted

	states chunks[state]
	totals Totals
	config config

	unanswered int // shown calls without a result
	loop       loop
	waiting    map[int32]struct{} // overlays that hold back reasoning until the loop closes
	stubs      stubCounts
	layout     layout
}

// overlay is a compaction as the projection applies it.
type overlay struct {
	seq    int32
	c      *Compaction
	id     string
	lo, hi int32
	live   bool
	// users are the user messages of the turn the range ends inside of (P9).
	users []int32
	// heldFrom is where the tool loop began that was open when the overlay
	// was made; signed reasoning from there on stays until it closes (P10).
	heldFrom int32
	// calls are the calls a selective policy names.
	calls []int32
	// tools is what the policy for tool calls does.
	tools act
	// sides is what a strip does to the calls of each tool, by its number.
	sides []sides
}

// revocation is an entry that took an overlay back.
type revocation struct {
	id      string
	overlay int32
}

// loop follows the agent's tool loop: everything since the last request.
type loop struct {
	from int32 // first seq after the last user message or turn start
	turn int32
	step int32
	call bool // the last step makes a call, so the loop is open
}

// Project gives the projection of the log for a reader on the root.
func Project(l *Log) *Projection { return ProjectBranch(l, "") }

// ProjectBranch gives the projection for a reader on a branch (L7).
func ProjectBranch(l *Log, branch string) *Projection {
	p := &Projection{
		log: l, reader: branch, loop: loop{from: 1},
		marks: map[string]int32{}, named: map[int32][]int32{}, pinned: map[int32]struct{}{},
		waiting: map[int32]struct{}{},
	}
	p.layout.stale = true
	p.stubs.log = l
	p.Advance()
	return p
}

// Advance takes in what was appended to the log since.
func (p *Projection) Advance() {
	for p.version < p.log.n {
		p.version++
		p.take(p.version)
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
	t := p.totals
	p.arrange()
	t.Added = p.layout.added.plus(Count{Entries: p.unanswered, After: p.unanswered * p.layout.placeholder})
	t.Config = p.layout.config
	return t
}

// Fate tells what became of the entry with the given seq, and the id of the
// overlay that decided it; empty for none and for repairs. Entries of other
// branches and beyond the version are Kept by nobody.
func (p *Projection) Fate(seq int64) (f Fate, by string, tokens int) {
	if seq < 1 || seq > int64(p.version) {
		return Kept, "", 0
	}
	s := p.state(int32(seq))
	if i := s.by(); i >= 0 {
		by = p.overlays[i].id
	}
	return s.fate(), by, int(s.tokens)
}

// Reads reports whether this reader's log holds the entry.
func (p *Projection) Reads(seq int64) bool {
	return seq >= 1 && seq <= int64(p.version) && p.reads(p.log.node(int32(seq)))
}

func (p *Projection) state(seq int32) state { return *p.states.at(seq) }

func (p *Projection) reads(n *node) bool {
	if n.branch == 0 {
		return true
	}
	for int(n.branch) >= len(p.sees) {
		p.sees = append(p.sees, sees(p.reader, p.log.branches.list[len(p.sees)]))
	}
	return p.sees[n.branch]
}

// take takes in one entry.
func (p *Projection) take(seq int32) {
	own := p.states.push(seq)
	n := p.log.node(seq)
	if !p.reads(n) {
		return
	}
	p.totals.ByFate[Kept].Entries++ // until settled otherwise
	switch n.kind {
	case codeOther:
	case codeTurnStart:
		p.closeLoop(seq)
	case codeConfig:
		p.layout.stale = true
		p.config.merge(p.log.counter, p.log.payload(seq).(ConfigDelta))
	case codeCompaction:
		p.cover(seq)
	case codeRevoked:
		p.revoke(p.log.records.at(seq).id, p.log.payload(seq).(CompactionRevoked).Target)
	case codePin:
		p.pin(p.log.payload(seq).(Pin).Entries, true)
	case codeUnpin:
		p.pin(p.log.payload(seq).(Unpin).Entries, false)
	default:
		p.totals.ByFate[Kept].Before += int(n.tokens)
		p.totals.ByFate[Kept].After += int(n.tokens)
		*own = newState(Kept, nobody, n.tokens)
		if n.kind == codeUser {
			p.closeLoop(seq)
		} else {
			p.followLoop(n)
		}
		if n.kind == codeCall {
			p.unanswered++
		}
		orphan := n.kind == codeResult && n.pair <= 0
		if len(p.overlays) > 0 || n.is(flagEmpty) || orphan {
			p.settle(seq, n)
		}
		if n.kind == codeResult && n.pair > 0 && p.state(n.pair).shown() {
			p.unanswered--
		}
		p.layout.stale = p.layout.stale || !p.layout.began
	}
}

// answered reports whether a call's result is part of the projection.
func (p *Projection) answered(call *node) bool { return call.pair > 0 && call.pair <= p.version }

func shownChange(shown bool) int {
	if shown {
		return 1
	}
	return -1
}

// settle gives the entry the fate the overlays say, and keeps the sums.
func (p *Projection) settle(seq int32, n *node) {
	s := p.state(seq)
	f, by, tokens := p.resolve(seq, n)
	next := newState(f, by, tokens)
	if next == s {
		return
	}
	old := &p.totals.ByFate[s.fate()]
	old.Entries--
	old.Before -= int(n.tokens)
	old.After -= int(s.tokens)
	now := &p.totals.ByFate[f]
	now.Entries++
	now.Before += int(n.tokens)
	now.After += int(tokens)
	if n.kind == codeCall && !p.answered(n) && s.shown() != next.shown() {
		p.unanswered += shownChange(next.shown())
	}
	*p.states.edit(seq) = next
}

// settleRange settles all entries of a stretch, and the results outside it
// whose calls are inside.
func (p *Projection) settleRange(lo, hi int32) {
	for seq := lo; seq <= hi; seq++ {
		n := p.log.node(seq)
		if !n.visible() || !p.reads(n) {
			continue
		}
		p.settle(seq, n)
		if n.kind == codeCall && n.pair > hi && n.pair <= p.version {
			p.settle(n.pair, p.log.node(n.pair))
		}
	}
}

// cover takes in a compaction.
func (p *Projection) cover(seq int32) {
	r := p.log.records.at(seq)
	c := r.payload.(Compaction)
	lo, hi, inside := p.log.extent(&c, seq)
	o := overlay{seq: seq, c: &c, id: r.id, lo: lo, hi: hi, live: true}
	by := int32(len(p.overlays))
	p.marks[r.id] = by
	if inside >= 0 {
		for s := p.log.turns[inside].seq; s <= hi; s++ {
			if u := p.log.node(s); u.kind == codeUser && p.reads(u) {
				o.users = append(o.users, s)
			}
		}
	}
	if p.loop.call {
		o.heldFrom = p.loop.from
		if c.Reasoning != nil {
			p.waiting[by] = struct{}{}
		}
	}
	if c.ToolCalls != nil {
		o.tools = actOf(c.ToolCalls.Action)
	}
	if o.tools == actSelective {
		o.calls = p.find(c.ToolCalls.Calls, lo, hi)
	}
	p.overlays = append(p.overlays, o)
	p.lay(by)
	p.apply(by)
}

// find gives the calls in a stretch that a selective policy names: by id, or
// by "id@seq" where only one of several is meant.
func (p *Projection) find(calls map[string]CallPolicy, lo, hi int32) []int32 {
	var found []int32
	byID := false
	for key := range calls {
		if seq := p.exact(key); seq == 0 {
			byID = true
		} else if lo <= seq && seq <= hi {
			found = append(found, seq)
		}
	}
	for seq := lo; byID && seq <= hi; seq++ {
		if n := p.log.node(seq); n.kind == codeCall && p.reads(n) {
			if _, ok := calls[p.log.payload(seq).(ToolCall).CallID]; ok {
				found = append(found, seq)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// exact reads a key "id@seq" that names a call; 0 for any other key.
func (p *Projection) exact(key string) int32 {
	at := strings.LastIndexByte(key, '@')
	if at < 0 {
		return 0
	}
	seq := atoi(key[at+1:])
	if seq < 1 || seq > int64(p.version) {
		return 0
	}
	n := p.log.node(int32(seq))
	if n.kind != codeCall || p.log.payload(int32(seq)).(ToolCall).CallID != key[:at] {
		return 0
	}
	return int32(seq)
}

// lay puts a live overlay on the slots.
func (p *Projection) lay(by int32) {
	o := &p.overlays[by]
	for s := range o.c.slots {
		p.slots[s] = p.slots[s].paint(o.lo, o.hi, by)
	}
	for _, call := range o.calls {
		p.named[call] = append(p.named[call], by)
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
		for _, call := range o.calls {
			p.settleRange(call, call)
		}
	}
	p.layout.stale = true
}

// revoke takes an overlay back, or gives it back (C7): the target is the
// overlay itself or an earlier revocation of it, and either way the overlay
// changes between counting and not.
func (p *Projection) revoke(id, target string) {
	by, ok := p.marks[target]
	if !ok {
		return
	}
	p.marks[id] = by
	o := &p.overlays[by]
	if o.live = !o.live; !o.live {
		p.revoked = append(p.revoked, revocation{id, by})
	}
	p.slots = [slotCount]covers{}
	clear(p.named)
	for i := range p.overlays {
		if p.overlays[i].live {
			p.lay(int32(i))
		}
	}
	p.apply(by)
}

// pin pins or unpins entries, calls with their results (P8).
func (p *Projection) pin(ids []string, on bool) {
	for _, id := range ids {
		seq := p.log.find(id)
		if seq == 0 || seq > p.version {
			continue
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
		p.settleRange(seq, seq)
	}
	p.layout.stale = true
}

// followLoop notes whether the last step makes a call.
func (p *Projection) followLoop(n *node) {
	if n.turn != p.loop.turn || n.step != p.loop.step {
		if n.kind == codeResult {
			return // late, of an earlier step
		}
		p.loop.turn, p.loop.step, p.loop.call = n.turn, n.step, false
	}
	if n.kind == codeCall {
		p.loop.call = true
	}
}

// closeLoop is called where a request stands: the reasoning that had to stay
// for the loop before it may go now (P11a names this exception).
func (p *Projection) closeLoop(seq int32) {
	p.loop.call = false
	p.loop.from = seq + 1
	for by := range p.waiting {
		o := &p.overlays[by]
		from := o.heldFrom
		o.heldFrom = 0
		delete(p.waiting, by)
		for s := max(from, o.lo); s <= o.hi; s++ {
			if n := p.log.node(s); n.kind == codeReasoning && p.reads(n) {
				p.settle(s, n)
			}
		}
		p.layout.stale = true
	}
}

// config is the configuration in effect at the end of the log.
type config struct {
	current      Config
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
// tools gone.
func (p *Projection) Config() Config {
	c := p.config.current
	c.System = p.system()
	if pruned := p.pruned(); pruned != nil {
		c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t ToolDefinition) bool {
			return slices.Contains(pruned, t.Name)
		})
	}
	return c
}

func (c *config) merge(counter Counter, d ConfigDelta) {
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
			c.toolTokens[i] = counter.Count(t.Name) + counter.Count(t.Description) + counter.Count(t.Schema)
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
		if !slices.Contains(pruned, c.current.Tools[i].Name) {
			sum.After += t
		}
	}
	return sum
}

// pruned names the tools whose definitions go: the latest live overlay with an
// opinion says so.
func (p *Projection) pruned() []string {
	for i := len(p.overlays) - 1; i >= 0; i-- {
		if o := &p.overlays[i]; o.live && o.c.ToolDefinitions != nil {
			if o.c.ToolDefinitions.Action == Prune {
				return o.c.ToolDefinitions.Names
			}
			return nil
		}
	}
	return nil
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
