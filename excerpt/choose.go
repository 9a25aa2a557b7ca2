package excerpt

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
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
	c := ix.begin(o)
	c.run()
	return Choice{ix: ix, picks: c.picks}
}

// begin lists what may be taken, and what it is worth.
func (ix *Index) begin(o Options) *chooser {
	room := &ix.room
	c := &chooser{
		ix: ix, o: o, shown: empty(&room.shown, len(ix.atoms)), met: empty(&room.met, len(ix.atoms)),
		groups: empty(&room.groups, len(ix.groups)), left: int64(o.Budget) * token,
		held: empty(&room.held, len(ix.text)), outdated: empty(&room.outdated, len(ix.text)), said: empty(&room.said, len(ix.lines)), offers: empty(&room.offers, len(ix.entries)),
		under: map[int32][]below{},
	}
	c.findLookedAt()
	c.value = ix.values(o, c.counts)
	c.valueFocus()
	c.listCandidates()
	c.weigh()
	return c
}

// room is what a choice works in, kept for the next one: it is as large as the log.
type room struct {
	shown, held, said, old, outdated []bool
	met                              []int32
	value                            []int64
	on                               []latest
	groups                           []candidates
	offers                           []offer
}

// empty gives a list of so many zeroes, in the place of the one before.
func empty[T any](list *[]T, n int) []T {
	if cap(*list) < n {
		*list = make([]T, n+n/4)
	}
	*list = (*list)[:n]
	clear(*list)
	return *list
}

// openShare is the part of a budget that openings asked for may take, as one in
// so many.
const openShare = 8

// chooser is one choice under way.
type chooser struct {
	ix *Index
	o  Options
	// since is the first group that is looked at, beside those in before; old are the
	// atoms that these hold, nil where all groups are looked at.
	since  int32
	before []int32
	old    []bool
	value  []int64
	edits  *edits
	// focus is what each line of the texts is worth to the focus; nil without one.
	focus []int64
	shown []bool // atoms that stand in the view already
	// met says per atom which look at a candidate met it last: the opening of
	// a group and a line of it may have the same.
	met   []int32
	looks int32
	all   []candidate
	pool  []int32 // atoms of candidates
	// blocks are the candidates that are blocks.
	blocks []int32
	// concluded are those that are how the last words of a turn begin, in order.
	concluded []int32
	// remarks are those that are how the words before a turn's last ones begin, in order.
	remarks []int32
	// groups says per group which candidates it has, and whether it is open.
	groups []candidates
	// offers says per entry which candidates are lines and blocks of it.
	offers []offer
	// under has the candidates that stand under lines, of entries of which some were taken.
	under map[int32][]below
	// held says which lines of the index's texts are taken.
	held []bool
	// outdated says which lines of the index's texts are not to be taken.
	outdated []bool
	// said says which lines stand in the view, wherever.
	said  []bool
	queue queue
	left  int64
	picks []pick
}

// candidate is what may be taken: a line or a piece of one, a block of lines, the
// opening of a group (line 0), or a whole entry (line -1).
type candidate struct {
	entry, line int32
	// last is the last line of a block; 0 for anything else.
	last     int32
	from, to int32
	// atoms are those that count on it, of a block those on each of its lines.
	atoms span
	// edit is what it is worth that a block may be edited next.
	edit  int64
	cost  int64
	taken bool
}

// extent is the lines from the first to the last of a candidate.
func (one *candidate) extent() (first, last int32) { return one.line, max(one.line, one.last) }

type candidates struct {
	at   span
	open bool
}

// offer is the candidates of an entry, and how many single lines of it were taken.
type offer struct {
	lines, blocks span
	taken         int32
}

// pick is what was taken, as a candidate has it.
type pick struct {
	entry, line, last, from, to int32
	// spent is what it and all before it are estimated to cost.
	spent int64
}

// has reports whether a line of an entry is taken.
func (c *chooser) has(e *entry, line int32) bool {
	return line >= 1 && line <= e.last && c.held[e.text.from+line-1]
}

// listCandidates lists the candidates in log order, and what is shown anyway.
func (c *chooser) listCandidates() {
	on := empty(&c.ix.room.on, len(c.ix.atoms))
	for a := range c.ix.atoms {
		if c.counts(a) {
			on[a] = c.ix.counts(&c.ix.atoms[a], c.o)
		}
	}
	if len(c.before) == 0 && int(c.since) < len(c.ix.groups) {
		first := &c.ix.entries[c.ix.groups[c.since].entry]
		c.all = make([]candidate, 0, len(c.ix.groups)-int(c.since)+len(c.ix.units)-int(first.units.from)+len(c.ix.blocks)-int(first.blocks.from))
	}
	for g := range c.lookedAtGroups {
		group := &c.ix.groups[g]
		at := int32(len(c.all))
		head := &c.ix.entries[group.entry]
		stays, hidden := c.fixed(head)
		switch {
		case hidden:
		case stays:
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

// findLookedAt finds the groups that are looked at.
func (c *chooser) findLookedAt() {
	if c.o.Since <= 1 {
		return
	}
	since, _ := slices.BinarySearchFunc(c.ix.groups, c.o.Since, func(g group, seq int64) int { return cmp.Compare(c.ix.entries[g.entry].seq, seq) })
	c.since = int32(since)
	c.old = empty(&c.ix.room.old, len(c.ix.atoms))
	for _, seq := range c.o.Before {
		i, ok := c.ix.find(seq)
		if !ok {
			continue
		}
		e := &c.ix.entries[i]
		if n := len(c.before); e.group < c.since && (n == 0 || c.before[n-1] != e.group) {
			c.before = append(c.before, e.group)
		}
		for a := range c.atomsOf(e) {
			c.old[a] = true
		}
	}
	slices.Sort(c.before)
	c.before = slices.Compact(c.before)
}

// lookedAtGroups gives the groups that are looked at, in order.
func (c *chooser) lookedAtGroups(yield func(group int32) bool) {
	for _, g := range c.before {
		if !yield(g) {
			return
		}
	}
	for g := c.since; int(g) < len(c.ix.groups); g++ {
		if !yield(g) {
			return
		}
	}
}

// counts reports whether anything that is looked at may hold an atom.
func (c *chooser) counts(atom int) bool {
	if c.old == nil || c.old[atom] {
		return true
	}
	last := c.ix.atoms[atom].recent[recentEntries-1]
	return last >= 0 && c.ix.entries[last].group >= c.since
}

// atomsOf gives the atoms of an entry, as often as it has them.
func (c *chooser) atomsOf(e *entry) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, a := range c.ix.pool[e.opening.from:e.opening.to] {
			if !yield(a) {
				return
			}
		}
		for _, u := range c.ix.units[e.units.from:e.units.to] {
			for _, a := range c.ix.pool[u.atoms.from:u.atoms.to] {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// show notes that all atoms of an entry stand in the view.
func (c *chooser) show(i int32) {
	e := &c.ix.entries[i]
	for a := range c.atomsOf(e) {
		c.shown[a] = true
	}
	for n := range e.last {
		c.said[c.ix.text[e.text.from+n].line] = true
	}
}

// offerEntry lists the units of an entry, or all of it as one.
func (c *chooser) offerEntry(i int32, on []latest) {
	e := &c.ix.entries[i]
	units := c.ix.units[e.units.from:e.units.to]
	if c.o.without(Lines) {
		if !c.mayTake(e, 1, e.last) {
			return
		}
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
	if !c.o.without(Stale) {
		for _, n := range c.ix.outdated(i) {
			c.outdated[e.text.from+n-1] = true
		}
	}
	first, next := len(c.all), int32(1)
	for _, u := range units {
		c.offerFocused(i, next, u.line)
		next = max(next, u.line)
		atoms := c.counting(u.atoms, i, on)
		if !atoms.none() {
			c.all = append(c.all, candidate{entry: i, line: u.line, from: u.from, to: u.to, atoms: atoms, cost: e.share(int64(u.bytes))})
			next = u.line + 1
		}
	}
	c.offerFocused(i, next, e.last+1)
	c.all = append(c.all[:first], slices.DeleteFunc(c.all[first:], func(one candidate) bool { return !c.mayTake(e, one.line, one.line) })...)
	c.offers[i].lines = span{int32(first), int32(len(c.all))}
	if !c.o.without(Blocks) {
		c.offerBlocks(i, c.all[first:])
		c.offerSaid(i, c.all[first:c.offers[i].lines.to])
	}
	c.offers[i].blocks = span{c.offers[i].lines.to, int32(len(c.all))}
}

// offerBlocks lists the blocks of an entry, whose lines with atoms are given.
func (c *chooser) offerBlocks(i int32, lines []candidate) {
	e := &c.ix.entries[i]
	for k := e.blocks.from; k < e.blocks.to; k++ {
		for b := range c.current(&c.ix.blocks[k]) {
			one := covering(i, b.first, b.last, &lines)
			if c.ix.isNewestVersion(&b) && c.mayTake(e, b.first, b.last) {
				if c.edits == nil {
					c.edits = c.ix.edits()
				}
				one.edit = c.edits.chance(&b)
				c.blocks = append(c.blocks, int32(len(c.all)))
				c.all = append(c.all, one)
			}
		}
	}
}

// mayTake reports whether all lines of a passage may be chosen.
func (c *chooser) mayTake(e *entry, first, last int32) bool {
	for n := first; n <= last; n++ {
		if c.isOutdated(e, n) || c.o.Left != nil && !c.o.Left(e.seq, int(n)) {
			return false
		}
	}
	return true
}

// covering is the candidate of lines that follow one another; of those with atoms it
// drops what stands before it.
func covering(entry, first, last int32, lines *[]candidate) candidate {
	one := candidate{entry: entry, line: first, last: last}
	for len(*lines) > 0 && (*lines)[0].line < first {
		*lines = (*lines)[1:]
	}
	for n, line := range *lines {
		if line.line > last {
			break
		}
		if n == 0 {
			one.atoms.from = line.atoms.from
		}
		one.atoms.to = line.atoms.to
	}
	return one
}

// whole is what all that may be wanted again is worth: the names of a log and
// the blocks of it alike, so that neither outweighs the other by its number.
const whole = 1 << 40

// weigh brings the worth of names and of blocks to one scale.
func (c *chooser) weigh() {
	var sum int64
	for _, v := range c.value {
		sum += v
	}
	for a, v := range c.value {
		c.value[a] = parts(v, sum, whole)
	}
	sum = 0
	for _, at := range c.blocks {
		sum += c.all[at].edit
	}
	lambda := int64(cmp.Or(c.o.Edits, defaultEdits))
	for _, at := range c.blocks {
		one := &c.all[at]
		one.edit = parts(one.edit, sum, whole/100*lambda)
	}
	c.weighSaid()
}

// parts is what a part of a sum has of a whole.
func parts(v, sum, whole int64) int64 {
	if sum <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(v), uint64(whole))
	q, _ := bits.Div64(hi, lo, uint64(sum))
	return int64(q)
}

// share is what so many bytes of an entry cost.
func (e *entry) share(bytes int64) int64 {
	return max(bytes*int64(e.tokens)*token/int64(max(e.bytes, 1)), token/2)
}

// counting copies the atoms that count on an entry to the pool of candidates.
func (c *chooser) counting(atoms span, entry int32, on []latest) span {
	from := int32(len(c.pool))
	everywhere := c.o.without(Recent)
	stale := everywhere && !c.o.without(Stale) && c.ix.stale(entry)
	for _, a := range c.ix.pool[atoms.from:atoms.to] {
		if o := &on[a]; everywhere && !stale || slices.Contains(o[:], entry) {
			c.pool = append(c.pool, a)
		}
	}
	return span{from, int32(len(c.pool))}
}

// run takes the best candidate again and again. What a candidate is worth
// falls as atoms are shown, so that it is looked at again when it comes to the
// front; where its cost falls it is put in once more.
func (c *chooser) run() {
	c.takeOpenings()
	c.queue = make(queue, 0, len(c.all))
	for i := range c.all {
		if r := c.rank(int32(i)); r.gain > 0 {
			c.queue = append(c.queue, r)
		}
	}
	c.queue.order()
	for within := c.left; len(c.queue) > 0; {
		// What costs more than is left is put in again if its cost falls.
		if c.left < within/2 {
			within = c.left
			c.queue = slices.DeleteFunc(c.queue, func(r ranked) bool { return r.cost > within })
			c.queue.order()
			continue
		}
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
			c.take(now)
		}
	}
}

// takeOpenings takes the openings that are asked for.
func (c *chooser) takeOpenings() {
	if c.o.without(Changes) {
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
				c.take(r)
			}
			if its.line > 0 || slices.Contains(c.ix.pool[c.ix.entries[i].opening.from:c.ix.entries[i].opening.to], named) {
				break
			}
		}
	}
}

// take takes a candidate for what it costs.
func (c *chooser) take(r ranked) {
	n := len(c.picks)
	c.left -= r.cost
	c.choose(r.at)
	for i := range c.picks[n:] {
		c.picks[n+i].spent = int64(c.o.Budget)*token - c.left
	}
}
