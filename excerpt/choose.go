package excerpt

import (
	"container/heap"

	"tenfold"
)

// Costs are counted in sixteenths of a token.
const (
	token = 16
	// markCost is what the mark of a gap between lines costs.
	markCost = 2 * token
)

// Choose takes what is worth most for what it costs until the budget is
// spent. The choice is always made from the log, never from an earlier one:
// there is no drift (fit.md).
func (ix *Index) Choose(o Options) Choice {
	c := &chooser{
		ix: ix, o: o, value: ix.values(o), shown: make([]bool, len(ix.atoms)),
		groups: make([]candidates, len(ix.groups)), lines: map[place]bool{}, left: int64(o.Budget) * token,
	}
	c.gather()
	c.run()
	return Choice{ix: ix, picks: c.picks}
}

// chooser is one choice under way.
type chooser struct {
	ix    *Index
	o     Options
	value []int64
	shown []bool // atoms that stand in the view already
	all   []candidate
	pool  []int32 // atoms of candidates
	// groups says per group which candidates it has, and whether it is open.
	groups []candidates
	lines  map[place]bool // lines taken
	queue  queue
	left   int64
	picks  []pick
}

// candidate is what may be taken: a line or a piece of one, the opening of a
// group (line 0), or a whole entry (line -1).
type candidate struct {
	entry, line int32
	from, to    int32
	atoms       span // those that count on it
	cost        int64
	taken       bool
}

type candidates struct {
	at   span
	open bool
}

// place is a line of an entry.
type place struct{ entry, line int32 }

// pick is what was taken, as a candidate has it.
type pick struct {
	entry, line, from, to int32
}

// gather lists the candidates in log order, and what is shown anyway.
func (c *chooser) gather() {
	on := make([][3]int32, len(c.ix.atoms))
	for a := range c.ix.atoms {
		on[a] = c.ix.counts(&c.ix.atoms[a], c.o)
	}
	for g := range c.ix.groups {
		group := &c.ix.groups[g]
		at := int32(len(c.all))
		head := &c.ix.entries[group.entry]
		switch {
		case c.o.Hidden != nil && c.o.Hidden(head.seq):
		case head.seq < c.o.From || head.seq > c.o.To || c.o.Whole != nil && c.o.Whole(head.seq):
			c.show(group.entry)
			if group.result >= 0 {
				c.show(group.result)
			}
		default:
			if head.role == roleCall {
				c.offer(candidate{entry: group.entry, atoms: c.counting(head.opening, group.entry, on)})
			}
			c.offerEntry(group.entry, on)
			if group.result >= 0 {
				c.offerEntry(group.result, on)
			}
		}
		c.groups[g].at = span{at, int32(len(c.all))}
	}
}

// show notes that all atoms of an entry stand in the view.
func (c *chooser) show(i int32) {
	e := &c.ix.entries[i]
	for _, a := range c.ix.pool[e.opening.from:e.opening.to] {
		c.shown[a] = true
	}
	for _, u := range c.ix.units[e.units.from:e.units.to] {
		for _, a := range c.ix.pool[u.atoms.from:u.atoms.to] {
			c.shown[a] = true
		}
	}
}

// offerEntry lists the units of an entry, or all of it as one.
func (c *chooser) offerEntry(i int32, on [][3]int32) {
	e := &c.ix.entries[i]
	units := c.ix.units[e.units.from:e.units.to]
	if c.o.without(Lines) {
		whole := candidate{entry: i, line: -1, cost: int64(e.tokens) * token, atoms: span{from: int32(len(c.pool))}}
		for _, u := range units {
			c.counting(u.atoms, i, on)
		}
		if whole.atoms.to = int32(len(c.pool)); whole.atoms.to > whole.atoms.from {
			c.offer(whole)
		}
		return
	}
	for _, u := range units {
		atoms := c.counting(u.atoms, i, on)
		if atoms.from < atoms.to {
			c.offer(candidate{entry: i, line: u.line, from: u.from, to: u.to, atoms: atoms, cost: e.share(int64(u.bytes))})
		}
	}
}

// share is what so many bytes of an entry cost.
func (e *entry) share(bytes int64) int64 {
	return max(bytes*int64(e.tokens)*token/int64(max(e.bytes, 1)), token/2)
}

// counting copies the atoms that count on an entry to the pool of candidates.
func (c *chooser) counting(atoms span, entry int32, on [][3]int32) span {
	from := int32(len(c.pool))
	everywhere := c.o.without(Recent)
	stale := everywhere && !c.o.without(Stale) && c.ix.stale(entry)
	for _, a := range c.ix.pool[atoms.from:atoms.to] {
		if o := &on[a]; everywhere && !stale || o[0] == entry || o[1] == entry || o[2] == entry {
			c.pool = append(c.pool, a)
		}
	}
	return span{from, int32(len(c.pool))}
}

func (c *chooser) offer(one candidate) { c.all = append(c.all, one) }

// run takes the best candidate again and again. What a candidate is worth
// falls as atoms are shown, so that it is looked at again when it comes to the
// front; where its cost falls it is put in once more.
func (c *chooser) run() {
	c.queue = make(queue, 0, len(c.all))
	for i := range c.all {
		if r := c.rank(int32(i)); r.gain > 0 {
			c.queue = append(c.queue, r)
		}
	}
	heap.Init(&c.queue)
	for len(c.queue) > 0 {
		r := heap.Pop(&c.queue).(ranked)
		if c.all[r.at].taken {
			continue
		}
		now := c.rank(r.at)
		switch {
		case now.gain <= 0:
		case len(c.queue) > 0 && c.queue[0].before(now):
			heap.Push(&c.queue, now)
		case now.cost > c.left:
			// Smaller ones may still fit.
		default:
			c.left -= now.cost
			c.take(r.at)
		}
	}
}

// rank works out what a candidate is worth and costs now.
func (c *chooser) rank(at int32) ranked {
	one := &c.all[at]
	r := ranked{at: at, cost: one.cost}
	for _, a := range c.pool[one.atoms.from:one.atoms.to] {
		if !c.shown[a] {
			r.gain += c.value[a]
		}
	}
	e := &c.ix.entries[one.entry]
	if g := &c.groups[e.group]; !g.open {
		group := &c.ix.groups[e.group]
		r.cost += int64(group.opening)
		if opening := &c.all[g.at.from]; opening.line == 0 && g.at.from != at {
			for _, a := range c.pool[opening.atoms.from:opening.atoms.to] {
				if !c.shown[a] {
					r.gain += c.value[a]
				}
			}
		}
	}
	if one.line > 0 {
		r.cost += c.around(one, e)
	}
	if c.o.without(Cost) {
		r.by = 1
	} else {
		r.by = max(r.cost, 1)
	}
	return r
}

// around is what a line costs beside itself: marks, and neighbours that come
// with it.
func (c *chooser) around(one *candidate, e *entry) int64 {
	var cost int64
	line := one.line
	lo, hi := line-int32(c.o.Context), line+int32(c.o.Context)
	for n := lo; n <= hi; n++ {
		if n != line && n > 0 && !c.lines[place{one.entry, n}] {
			cost += e.share(int64(e.bytes) / int64(max(e.lines, 1)))
		}
	}
	marks := int64(1)
	if c.lines[place{one.entry, lo - 1}] || c.lines[place{one.entry, lo}] {
		marks--
	}
	if c.lines[place{one.entry, hi + 1}] || c.lines[place{one.entry, hi}] {
		marks--
	}
	return max(cost+marks*markCost, token/2-one.cost)
}

// take takes a candidate, with its group's opening and its neighbours.
func (c *chooser) take(at int32) {
	one := &c.all[at]
	e := &c.ix.entries[one.entry]
	g := &c.groups[e.group]
	if !g.open {
		g.open = true
		if opening := &c.all[g.at.from]; opening.line == 0 && g.at.from != at {
			c.put(opening)
		}
		c.again(g.at)
	}
	c.put(one)
	if one.line <= 0 {
		return
	}
	for n := max(one.line-int32(c.o.Context), 1); n <= one.line+int32(c.o.Context); n++ {
		if p := (place{one.entry, n}); !c.lines[p] {
			c.lines[p] = true
			if n != one.line {
				c.picks = append(c.picks, pick{entry: one.entry, line: n})
			}
		}
	}
	c.beside(at, one)
}

// put notes what is taken.
func (c *chooser) put(one *candidate) {
	one.taken = true
	c.picks = append(c.picks, pick{one.entry, one.line, one.from, one.to})
	c.cover(one)
}

func (c *chooser) cover(one *candidate) {
	if c.o.without(Coverage) {
		return
	}
	for _, a := range c.pool[one.atoms.from:one.atoms.to] {
		c.shown[a] = true
	}
}

// beside looks at the candidates next to one that was taken: those that came
// with it are taken, of the others the cost fell.
func (c *chooser) beside(at int32, one *candidate) {
	near := int32(c.o.Context)
	look := func(i int32) bool {
		other := &c.all[i]
		distance := max(other.line-one.line, one.line-other.line)
		if other.entry != one.entry || other.line <= 0 || distance > 2*near+1 {
			return false
		}
		if distance > 0 && distance <= near && !other.taken {
			other.taken = true
			c.cover(other)
		}
		c.again(span{i, i + 1})
		return true
	}
	g := c.groups[c.ix.entries[one.entry].group].at
	for i := at - 1; i >= g.from && look(i); i-- {
	}
	for i := at + 1; i < g.to && look(i); i++ {
	}
}

// again puts candidates in once more.
func (c *chooser) again(s span) {
	for i := s.from; i < s.to; i++ {
		if c.all[i].taken {
			continue
		}
		if r := c.rank(i); r.gain > 0 {
			heap.Push(&c.queue, r)
		}
	}
}

// ranked is a candidate in the queue, as it was ranked when it was put in.
type ranked struct {
	at         int32
	gain, cost int64
	by         int64 // what the gain is divided by
}

// queue is a heap: most gain per cost first, then log order.
type queue []ranked

func (q queue) Len() int           { return len(q) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }

// before compares gain per cost, cross-multiplied: a gain is below 2^36, a
// cost below 2^26.
func (r ranked) before(s ranked) bool {
	if a, b := r.gain*s.by, s.gain*r.by; a != b {
		return a > b
	}
	return r.at < s.at
}

// Push implements [heap.Interface].
func (q *queue) Push(x any) { *q = append(*q, x.(ranked)) }

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// Choice is what was chosen, best first. It is valid until the index it came
// from is advanced.
type Choice struct {
	ix    *Index
	picks []pick
}

// Len is how many things were taken.
func (c Choice) Len() int { return len(c.picks) }

// A Kept is what is left of a call with its result, or of a message.
type Kept struct {
	// Seq is the call's or the message's, Result the result's; 0 for none.
	Seq, Result int64
	// Body are the lines of the bodies in a call's arguments, Lines those of
	// its result or of the message, in order.
	Body, Lines []tenfold.LineRange
	// WholeBody and Whole are set where the arguments, and the result or
	// message, stand as they are: so much of them was taken that the rest is
	// not worth its marks.
	WholeBody, Whole bool
}
