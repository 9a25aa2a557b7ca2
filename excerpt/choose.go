package excerpt

import "slices"

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
		ix: ix, o: o, value: ix.values(o), shown: make([]bool, len(ix.atoms)), met: make([]int32, len(ix.atoms)),
		groups: make([]candidates, len(ix.groups)), left: int64(o.Budget) * token,
	}
	c.number()
	c.gather()
	c.run()
	return Choice{ix: ix, picks: c.picks}
}

// openShare is the part of a budget that openings asked for may take, as one in
// so many.
const openShare = 8

// chooser is one choice under way.
type chooser struct {
	ix    *Index
	o     Options
	value []int64
	shown []bool // atoms that stand in the view already
	// met says per atom which look at a candidate met it last: the opening of
	// a group and a line of it may have the same.
	met   []int32
	looks int32
	all   []candidate
	pool  []int32 // atoms of candidates
	// groups says per group which candidates it has, and whether it is open.
	groups []candidates
	// lines says which lines are taken, those of an entry from its first on.
	lines []bool
	first []int
	queue queue
	left  int64
	picks []pick
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

// pick is what was taken, as a candidate has it.
type pick struct {
	entry, line, from, to int32
	// spent is what it and all before it are estimated to cost.
	spent int64
}

// number gives each line of each entry its place in lines.
func (c *chooser) number() {
	c.first = make([]int, len(c.ix.entries))
	n := 0
	for i := range c.ix.entries {
		c.first[i] = n
		n += int(c.ix.entries[i].last)
	}
	c.lines = make([]bool, n)
}

// has reports whether a line of an entry is taken.
func (c *chooser) has(entry, line int32) bool {
	return line >= 1 && line <= c.ix.entries[entry].last && c.lines[c.first[entry]+int(line)-1]
}

// hold notes that a line of an entry is taken.
func (c *chooser) hold(entry, line int32) { c.lines[c.first[entry]+int(line)-1] = true }

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
				c.all = append(c.all, candidate{entry: group.entry, atoms: c.counting(head.opening, group.entry, on)})
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
		c.looks++
		c.pool = c.pool[:int(whole.atoms.from)+len(c.distinct(c.pool[whole.atoms.from:]))]
		if whole.atoms.to = int32(len(c.pool)); !whole.atoms.none() {
			c.all = append(c.all, whole)
		}
		return
	}
	for _, u := range units {
		atoms := c.counting(u.atoms, i, on)
		if !atoms.none() {
			c.all = append(c.all, candidate{entry: i, line: u.line, from: u.from, to: u.to, atoms: atoms, cost: e.share(int64(u.bytes))})
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

// run takes the best candidate again and again. What a candidate is worth
// falls as atoms are shown, so that it is looked at again when it comes to the
// front; where its cost falls it is put in once more.
func (c *chooser) run() {
	c.open()
	c.queue = make(queue, 0, len(c.all))
	for i := range c.all {
		if r := c.rank(int32(i)); r.gain > 0 {
			c.queue = append(c.queue, r)
		}
	}
	c.queue.order()
	for len(c.queue) > 0 {
		r := c.queue.pop()
		if c.all[r.at].taken {
			continue
		}
		now := c.rank(r.at)
		switch {
		case now.gain <= 0:
		case len(c.queue) > 0 && c.queue[0].before(now):
			c.queue.push(now)
		case now.cost > c.left:
			// Smaller ones may still fit.
		default:
			c.buy(now)
		}
	}
}

// open takes the openings that are asked for.
func (c *chooser) open() {
	if c.o.without(Edits) {
		return
	}
	floor := c.left - c.left/openShare
	for _, one := range c.o.Open {
		i, ok := c.ix.find(one.Seq)
		if !ok {
			continue
		}
		group := c.groups[c.ix.entries[i].group].at
		named := c.ix.named(one.Path)
		for at := group.from; at < group.to; at++ {
			its := &c.all[at]
			if its.line > 0 && !slices.Contains(c.pool[its.atoms.from:its.atoms.to], named) {
				continue
			}
			if r := c.rank(at); !its.taken && c.left-r.cost >= floor {
				c.buy(r)
			}
			if its.line > 0 || slices.Contains(c.ix.pool[c.ix.entries[i].opening.from:c.ix.entries[i].opening.to], named) {
				break
			}
		}
	}
}

// buy takes a candidate for what it costs.
func (c *chooser) buy(r ranked) {
	n := len(c.picks)
	c.left -= r.cost
	c.take(r.at)
	for i := range c.picks[n:] {
		c.picks[n+i].spent = int64(c.o.Budget)*token - c.left
	}
}

// rank works out what a candidate is worth and costs now.
func (c *chooser) rank(at int32) ranked {
	one := &c.all[at]
	c.looks++
	r := ranked{at: at, cost: one.cost, gain: c.worth(one)}
	e := &c.ix.entries[one.entry]
	if g := &c.groups[e.group]; !g.open {
		group := &c.ix.groups[e.group]
		r.cost += int64(group.opening)
		if opening := &c.all[g.at.from]; opening.line == 0 && g.at.from != at {
			r.gain += c.worth(opening)
		}
	}
	if one.line > 0 {
		r.cost += c.around(one, e)
	}
	if r.by = max(r.cost, 1); c.o.without(Cost) {
		r.by = 1
	}
	return r
}

// worth sums up the atoms of a candidate that are not shown yet, nor met in
// this look.
func (c *chooser) worth(one *candidate) int64 {
	var sum int64
	for _, a := range c.pool[one.atoms.from:one.atoms.to] {
		if !c.shown[a] && c.met[a] != c.looks {
			c.met[a] = c.looks
			sum += c.value[a]
		}
	}
	return sum
}

// distinct moves the atoms not met in this look to the front, and gives them.
func (c *chooser) distinct(atoms []int32) []int32 {
	n := 0
	for _, a := range atoms {
		if c.met[a] != c.looks {
			c.met[a] = c.looks
			atoms[n] = a
			n++
		}
	}
	return atoms[:n]
}

// neighbour is how many bytes a line has that would come with the one next to
// it. False where it does not come: there is none, it is there, or it is long.
func (c *chooser) neighbour(at int32, e *entry, line int32) (int64, bool) {
	if line < 1 || line > e.last || c.has(at, line) {
		return 0, false
	}
	bytes, u := c.ix.sizeOf(e, line)
	return bytes, u == nil || (u.to == 0 && u.bytes <= longLine)
}

// around is what a line costs beside itself: marks, and neighbours that come
// with it.
func (c *chooser) around(one *candidate, e *entry) int64 {
	var cost int64
	line := one.line
	lo, hi := line-int32(c.o.Context), line+int32(c.o.Context)
	for n := lo; n <= hi; n++ {
		if n == line {
			continue
		}
		if bytes, ok := c.neighbour(one.entry, e, n); ok {
			cost += e.share(bytes)
		}
	}
	marks := int64(1)
	if c.has(one.entry, lo-1) || c.has(one.entry, lo) {
		marks--
	}
	if c.has(one.entry, hi+1) || c.has(one.entry, hi) {
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
	c.hold(one.entry, one.line)
	for n := one.line - int32(c.o.Context); n <= one.line+int32(c.o.Context); n++ {
		if _, ok := c.neighbour(one.entry, e, n); ok {
			c.hold(one.entry, n)
			c.picks = append(c.picks, pick{entry: one.entry, line: n})
		}
	}
	c.beside(at, one)
}

// put notes what is taken.
func (c *chooser) put(one *candidate) {
	one.taken = true
	c.picks = append(c.picks, pick{entry: one.entry, line: one.line, from: one.from, to: one.to})
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
		if distance > 0 && !other.taken && other.to == 0 && c.has(other.entry, other.line) {
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
			c.queue.push(r)
		}
	}
}
