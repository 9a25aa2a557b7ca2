package excerpt

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
)

// rank works out what a candidate is worth and costs now.
func (c *chooser) rank(at int32) ranked {
	one := &c.all[at]
	c.looks++
	e := &c.ix.entries[one.entry]
	asked := c.focused(one, e)
	if asked == 0 && c.saysNothingAlone(one, e) {
		return ranked{at: at}
	}
	r := ranked{at: at, cost: one.cost, gain: c.worth(one) + asked}
	if one.line > 0 {
		r.gain = c.inFlood(r.gain, one, e)
		r.cost = c.costOf(one, e)
		if one.last > 0 && r.cost > 0 {
			r.gain += c.chance(one, e)
		}
	}
	if g := &c.groups[e.group]; !g.open {
		r.cost += c.openingCost(e.group)
		if opening := &c.all[g.at.from]; opening.line == 0 && g.at.from != at {
			r.gain += c.worth(opening)
		}
	}
	if r.by = max(r.cost, token/2); c.o.without(Cost) {
		r.by = 1
	}
	return r
}

// flood is how many single lines of a listing or an output make the next one worth half.
const flood = 30

// inFlood is what a line is worth behind those that were taken of what a search or a
// command printed: of eighty names in a row the last ones are hardly what is wanted.
func (c *chooser) inFlood(gain int64, one *candidate, e *entry) int64 {
	if one.last > 0 || e.source != searchText && e.source != outputText {
		return gain
	}
	// In steps: what one line more makes of all the others would have all looked at again.
	taken := c.offers[one.entry].taken
	shift := max(bits.Len32(uint32(taken))-3, 0)
	return gain / (flood + int64(taken>>shift<<shift)) * flood
}

// saysNothingAlone reports whether a candidate is a single line that says nothing by itself.
func (c *chooser) saysNothingAlone(one *candidate, e *entry) bool {
	return one.line > 0 && one.last == 0 && c.ix.lines[c.ix.text[e.text.from+one.line-1].line].mute
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

// chance is what it is worth that a block may be edited next: of the part that
// stands nowhere yet, and more where it goes on with what stands.
func (c *chooser) chance(one *candidate, e *entry) int64 {
	var all, left int64
	for n := one.line; n <= one.last; n++ {
		bytes := int64(c.ix.text[e.text.from+n-1].bytes)
		all += bytes
		if !c.has(e, n) && !c.isShownElsewhere(e, n) && !c.ix.lines[c.ix.text[e.text.from+n-1].line].furniture {
			left += bytes
		}
	}
	worth := one.edit / all * left
	tenths := int64(10)
	if c.has(e, one.line-1) {
		tenths += beside
	}
	if c.has(e, one.last+1) {
		tenths += beside
	}
	return worth / 10 * tenths
}

// beside is how much more a block is worth that touches lines taken, in tenths.
const beside = 6

// loneLine is how often the marks beside one line of a file count: by itself it says
// less than a line that is one by nature, such as what a search found (F6).
const loneLine = 3

const (
	// maxFill and maxFillBytes bound a gap that is filled rather than marked (F6).
	maxFill      = 2
	maxFillBytes = 160
)

// gap looks at the lines beyond one, in the direction of step, until one that is
// taken: how many they are and their bytes. False where they are too many to be
// filled.
func (c *chooser) gap(e *entry, line, step int32) (lines int32, bytes int64, ok bool) {
	for n := line + step; n >= 1 && n <= e.last; n += step {
		if c.has(e, n) {
			return lines, bytes, true
		}
		if !c.mayTake(e, n, n) {
			break
		}
		lines++
		bytes += int64(c.ix.text[e.text.from+n-1].bytes)
		if lines > maxFill || bytes > maxFillBytes {
			break
		}
	}
	return 0, 0, false
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

// costOf is what lines cost that are not taken yet, with the lines that fill the
// gaps to those that are, and marks for what is left out beside them.
func (c *chooser) costOf(one *candidate, e *entry) int64 {
	first, last := one.extent()
	cost := one.cost
	if one.last > 0 {
		cost = 0
		for n := first; n <= last; n++ {
			if !c.has(e, n) {
				cost += e.share(int64(c.ix.text[e.text.from+n-1].bytes))
			}
		}
		if cost == 0 {
			return 0
		}
	}
	for h := range c.headingsOf(e, first) {
		cost += e.share(int64(c.ix.text[e.text.from+h-1].bytes)) + markCost/2
	}
	marks := int64(1)
	if _, bytes, ok := c.gap(e, first, -1); ok {
		marks--
		if bytes > 0 {
			cost += e.share(bytes)
		}
	}
	if _, bytes, ok := c.gap(e, last, +1); ok {
		marks--
		if bytes > 0 {
			cost += e.share(bytes)
		}
	}
	if one.last == 0 && (e.source == fileText || e.source == ownText) {
		marks *= loneLine
	}
	return max(cost+marks*markCost, token/2)
}

// foldCost is what the line costs that tells of folded calls.
const foldCost = 12 * token

// openingCost is what it costs to open a group: its name and primary argument, and
// one more line that tells of folded calls, unless its neighbours are open.
func (c *chooser) openingCost(group int32) int64 {
	g := &c.ix.groups[group]
	cost := int64(g.opening)
	if c.ix.entries[g.entry].role != roleCall {
		return cost
	}
	cost += foldCost
	for _, step := range []int32{-1, +1} {
		if next, ok := c.nextCall(group, step); !ok || c.groups[next].open {
			cost -= foldCost
		}
	}
	return max(cost, token)
}

// nextCall is the call next to a group; false where there is none.
func (c *chooser) nextCall(group, step int32) (int32, bool) {
	for n := group + step; n >= 0 && int(n) < len(c.groups); n += step {
		if g := &c.ix.groups[n]; c.ix.entries[g.entry].role == roleCall {
			return n, true
		}
	}
	return 0, false
}

// choose takes a candidate, with its group's opening and the lines that fill gaps.
func (c *chooser) choose(at int32) {
	one := &c.all[at]
	e := &c.ix.entries[one.entry]
	g := &c.groups[e.group]
	if !g.open {
		g.open = true
		if opening := &c.all[g.at.from]; opening.line == 0 && g.at.from != at {
			c.noteTaken(opening)
		}
		c.requeue(g.at)
		for _, step := range []int32{-1, +1} {
			if next, ok := c.nextCall(e.group, step); ok && !c.groups[next].open {
				c.requeue(c.groups[next].at) // one fold less beside it
			}
		}
	}
	first, last := one.extent()
	for h := range c.headingsOf(e, first) {
		c.takeLines(e, one.entry, h, h)
	}
	c.noteTaken(one)
	if one.line <= 0 {
		return
	}
	before, _, _ := c.gap(e, first, -1)
	after, _, _ := c.gap(e, last, +1)
	first, last = first-before, last+after
	c.markTaken(e, first, last)
	if before > 0 {
		c.picks = append(c.picks, pick{entry: one.entry, line: first, last: one.line - 1})
	}
	if after > 0 {
		c.picks = append(c.picks, pick{entry: one.entry, line: last - after + 1, last: last})
	}
	c.updateNeighbours(one.entry, first, last)
}

// headingsOf are the line that a line stands under and the one that this stands under, as
// far as they do not stand yet.
func (c *chooser) headingsOf(e *entry, line int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for h := range c.ix.headsOf(e, line) {
			if !c.has(e, h) && c.mayTake(e, h, h) && !yield(h) {
				return
			}
		}
	}
}

// mostHeads is how many lines are kept that one stands under, each under the next.
const mostHeads = 3

// headsOf are the line that a line stands under and those that this stands under.
func (ix *Index) headsOf(e *entry, line int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for below, n := line, 0; n < mostHeads && below > 0; n++ {
			h := ix.text[e.text.from+below-1].head
			if h == 0 || h == below || h == line || !yield(h) {
				return
			}
			below = h
		}
	}
}

// takeLines takes lines that are not candidates.
func (c *chooser) takeLines(e *entry, entry, first, last int32) {
	c.markTaken(e, first, last)
	c.picks = append(c.picks, pick{entry: entry, line: first, last: last})
	c.updateNeighbours(entry, first, last)
}

// markTaken notes that lines are taken, and that what they say stands.
func (c *chooser) markTaken(e *entry, first, last int32) {
	for n := first; n <= last; n++ {
		c.held[e.text.from+n-1] = true
		c.said[c.ix.text[e.text.from+n-1].line] = true
	}
}

// isShownElsewhere reports whether what a line says stands elsewhere in the view.
func (c *chooser) isShownElsewhere(e *entry, line int32) bool {
	id := c.ix.text[e.text.from+line-1].line
	return c.said[id] && c.ix.lines[id].long
}

func (c *chooser) noteTaken(one *candidate) {
	one.taken = true
	if one.line > 0 && one.last == 0 {
		c.offers[one.entry].taken++
	}
	c.picks = append(c.picks, pick{entry: one.entry, line: one.line, last: max(one.line, one.last), from: one.from, to: one.to})
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

// near is how far a line may be from one that was taken for its cost to fall.
const near = maxFill + 1

// updateNeighbours looks at the candidates by lines that were taken: those that stand now
// are taken, of the others the cost fell.
func (c *chooser) updateNeighbours(entry, first, last int32) {
	e := &c.ix.entries[entry]
	for _, list := range []span{c.offers[entry].lines, c.offers[entry].blocks} {
		// They are in order, and no block or beginning is longer than that.
		far, _ := slices.BinarySearchFunc(c.all[list.from:list.to], first-near-max(maxBlock, e.lead), func(one candidate, line int32) int { return cmp.Compare(one.line, line) })
		for i := list.from + int32(far); i < list.to && c.all[i].line <= last+near; i++ {
			other := &c.all[i]
			lo, hi := other.extent()
			switch {
			case other.taken || hi < first-near:
			case other.last == 0 && other.to == 0 && c.has(e, lo):
				other.taken = true
				c.cover(other)
			default:
				c.requeue(span{i, i + 1})
			}
		}
	}
	c.requeueUnder(entry, first, last)
}

// below is a candidate that stands under a line.
type below struct{ head, at int32 }

// requeueUnder puts in once more what stands under lines that were taken.
func (c *chooser) requeueUnder(entry, first, last int32) {
	list, found := c.under[entry]
	if !found {
		list = c.listUnder(entry)
		c.under[entry] = list
	}
	n, _ := slices.BinarySearchFunc(list, first, func(b below, line int32) int { return cmp.Compare(b.head, line) })
	for ; n < len(list) && list[n].head <= last; n++ {
		if at := list[n].at; at >= 0 {
			list[n].at = -1 // it gets no cheaper by that line
			c.requeue(span{at, at + 1})
		}
	}
}

// listUnder lists the candidates of an entry that stand under lines, by these.
func (c *chooser) listUnder(entry int32) (list []below) {
	e := &c.ix.entries[entry]
	for _, of := range []span{c.offers[entry].lines, c.offers[entry].blocks} {
		for i := of.from; i < of.to; i++ {
			for h := range c.ix.headsOf(e, c.all[i].line) {
				list = append(list, below{h, i})
			}
		}
	}
	slices.SortFunc(list, func(a, b below) int { return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.at, b.at)) })
	return list
}

// requeue puts candidates in once more.
func (c *chooser) requeue(s span) {
	for i := s.from; i < s.to; i++ {
		if c.all[i].taken {
			continue
		}
		if r := c.rank(i); r.gain > 0 {
			c.queue.push(r)
		}
	}
}
