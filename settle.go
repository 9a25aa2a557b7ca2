package tenfold

import (
	"math"
	"slices"
)

// A piece is what overlays did to a block of the log.
type piece struct {
	owner *owner
	// states are those of the entries; nil where all that the reader has of
	// the block are hidden alike, and mark is the mark of each.
	states *[chunkLen]state
	mark   uint32
	// sums are kept where there are states; elsewhere the log's own tell.
	sums
}

// sums are what overlays did to the log's sums.
type sums struct {
	moved       [fateCount]Count
	hiddenCalls int // calls without a result that are not shown
}

// move notes that an entry has another state.
func (t *sums) move(n *node, from, to state, mute int) {
	a, b := &t.moved[from.fate()], &t.moved[to.fate()]
	a.Entries--
	a.Before -= int(n.tokens)
	a.After -= int(n.tokens - from.saved)
	b.Entries++
	b.Before += int(n.tokens)
	b.After += int(n.tokens - to.saved)
	t.hiddenCalls += mute
}

// An owner marks the pieces that one projection may write to: previews share
// those of others.
type owner struct{ _ byte }

// plain reports whether one fate befell all entries of a block.
func (c *piece) plain() bool { return c == nil || c.states == nil }

// alike reports whether the same befell all entries of two blocks.
func (c *piece) alike(d *piece) bool {
	return c.plain() && d.plain() && c.fate() == d.fate()
}

func (c *piece) fate() Fate {
	if c == nil {
		return Kept
	}
	return state{mark: c.mark}.fate()
}

// state is what became of an entry.
func (p *Projection) state(seq int32) state {
	piece := p.pieces[blockOf(seq)-1]
	switch {
	case piece == nil:
		return state{}
	case piece.states != nil:
		return piece.states[(seq-1)&(chunkLen-1)]
	}
	n := p.log.node(seq)
	if !n.visible() || n.is(flagVoid) || !p.reads(n) {
		return state{}
	}
	return state{mark: piece.mark, saved: n.tokens}
}

// statesOf gives the states of a block; not to be written to.
func (p *Projection) statesOf(block int32) *[chunkLen]state {
	piece := p.pieces[block-1]
	if piece != nil && piece.states != nil {
		return piece.states
	}
	states := new([chunkLen]state)
	if piece != nil {
		for i := range states {
			states[i] = p.state((block-1)<<chunkBits + 1 + int32(i))
		}
	}
	return states
}

// piece is where the piece of a block stands, for another to be put there.
func (p *Projection) piece(block int32) **piece {
	if p.borrowed {
		p.pieces, p.borrowed = slices.Clone(p.pieces), false
	}
	return &p.pieces[block-1]
}

// edit gives the piece of an entry for writing.
func (p *Projection) edit(seq int32) *piece {
	at := p.piece(blockOf(seq))
	if *at != nil && (*at).owner == p.owner && (*at).states != nil {
		return *at
	}
	next := &piece{owner: p.owner, states: new([chunkLen]state)}
	p.addSums(&next.sums, blockOf(seq), 1)
	if *at != nil {
		*next.states = *p.statesOf(blockOf(seq))
	}
	*at = next
	return next
}

// countHidden counts a call that is not shown among those without a result, or off
// them.
func (p *Projection) countHidden(call int32, n int) {
	if !p.pieces[blockOf(call)-1].plain() {
		p.edit(call).hiddenCalls += n
	}
	p.hiddenCalls += n
}

// put makes a piece the one of a block, and keeps the sums.
func (p *Projection) put(at int32, next *piece) {
	p.addSums(&p.sums, at, -1)
	if p.pieces[at-1] != next {
		p.touch((at-1)<<chunkBits + 1)
	}
	*p.piece(at) = next
	p.addSums(&p.sums, at, 1)
}

// addSums adds those of a block, so many times.
func (p *Projection) addSums(to *sums, at int32, times int) {
	switch c := p.pieces[at-1]; {
	case c == nil:
	case c.states != nil:
		for f, moved := range c.moved {
			to.moved[f] = to.moved[f].plus(moved.times(times))
		}
		to.hiddenCalls += times * c.hiddenCalls
	default:
		b := p.log.blocks.at(at)
		all := Count{Entries: int(b.entries), Before: int(b.tokens), After: int(b.tokens)}.times(times)
		to.moved[Kept] = to.moved[Kept].minus(all)
		all.After = 0
		to.moved[c.fate()] = to.moved[c.fate()].plus(all)
		to.hiddenCalls += times * int(b.open)
	}
}

// settleRange settles all entries of a stretch, and the results outside it
// whose calls are inside: block by block, where one fate befalls a whole block.
func (p *Projection) settleRange(lo, hi int32) {
	var v verdict
	late := false
	for seq := lo; seq <= hi; {
		at := blockOf(seq)
		last := min(at<<chunkBits, hi)
		if v.until < last {
			v = p.judge(seq)
		}
		if seq == (at-1)<<chunkBits+1 && last == at<<chunkBits && p.settleBlock(at, v) {
			late = true
		} else {
			p.settleEach(seq, last, hi)
		}
		seq = last + 1
	}
	for at := blockOf(hi); late && at <= blockOf(p.version); at++ {
		if p.log.blocks.at(at).reach > hi {
			continue
		}
		for seq := max((at-1)<<chunkBits, hi) + 1; seq <= min(at<<chunkBits, p.version); seq++ {
			if n := p.log.node(seq); n.kind == codeResult && lo <= n.pair && n.pair <= hi && p.reads(n) {
				p.updateFate(seq, n)
			}
		}
	}
}

// settleEach settles the entries of a piece of a stretch that ends at hi.
func (p *Projection) settleEach(seq, last, hi int32) {
	// Without anything that hides or shields, texts stay as they are.
	plain := len(p.slots[slotSummary]) == 0 && len(p.slots[slotTurns]) == 0 && p.texts == 0
	for ; seq <= last; seq++ {
		n := p.log.node(seq)
		if !n.visible() || !p.reads(n) {
			continue
		}
		if plain && (n.kind == codeAssistant || n.kind == codeItem) && p.state(seq) == (state{}) {
			continue
		}
		p.updateFate(seq, n)
		if n.kind == codeCall && n.pair > hi && n.pair <= p.version {
			p.updateFate(n.pair, p.log.node(n.pair))
		}
	}
}

// settleBlock settles a whole block where the verdict is one fate for all of
// it. False where the entries are to be looked at one by one.
func (p *Projection) settleBlock(at int32, v verdict) bool {
	b := p.log.blocks.at(at)
	first, last := (at-1)<<chunkBits+1, at<<chunkBits
	// A result shares the fate of its call.
	first = min(first, b.reach)
	if !v.one || first < v.since || last > v.until || (b.others && len(p.reading) > 1) || len(p.pins(first, last)) > 0 {
		return false
	}
	if v.mark == 0 && p.boundIn((at-1)<<chunkBits+1, last) {
		return false
	}
	marked := func(c *piece) bool { return c != nil && c.plain() && c.mark == v.mark }
	switch {
	case v.mark != 0 && marked(p.pieces[at-1]): // nothing changes
	case v.mark != 0 && at > 1 && marked(p.pieces[at-2]):
		p.put(at, p.pieces[at-2]) // blocks alike share it
	case v.mark != 0:
		p.put(at, &piece{mark: v.mark})
	case p.named.none(first, last):
		p.put(at, nil)
	default:
		return false
	}
	return true
}

// A verdict is what befalls the entries from since to until, as far as it does
// not depend on which they are.
type verdict struct {
	since, until int32
	// one says that it is the same for all of them: mark is the mark of a
	// summary or an omission that hides them, 0 where at most selective
	// policies have a word.
	one  bool
	mark uint32
}

// judge gives the verdict on an entry and those around it.
func (p *Projection) judge(seq int32) verdict {
	v := verdict{since: 1, until: math.MaxInt32, one: true}
	var by [slotCount]int32
	for s := range by {
		by[s] = p.slots[s].around(seq, &v)
	}
	d := decision{by: nobody}
	if s := by[slotSummary]; s != nobody {
		d = decision{fate: Summarised, reason: ReasonSummary, by: s}
	}
	if t := by[slotTurns]; t > d.by && p.overlays[t].c.Turns == Omit {
		d = decision{fate: Omitted, reason: ReasonTurns, by: t}
	}
	if d.by == nobody {
		v.one = by == [...]int32{nobody, nobody, nobody, nobody, nobody, nobody}
		return v
	}
	v.mark = newState(d, 0).mark
	for _, by := range [...]int32{by[slotSummary], by[slotTurns]} {
		if by == nobody {
			continue
		}
		v.endAt(p.overlays[by].contexts, seq, p.overlays[by].lo, p.overlays[by].hi)
		v.endAt(p.overlays[by].keeps, seq, p.overlays[by].lo, p.overlays[by].hi)
		if p.overlays[by].users == 0 {
			continue
		}
		for _, b := range p.reading {
			if int(b) < len(p.log.steppers) {
				v.endAt(p.log.steppers[b].requests, seq, p.overlays[by].users, p.overlays[by].hi)
			}
		}
	}
	return v
}

// endAt ends a verdict before and after the entries of a list that lie between
// two bounds: they are shown whatever hides the others (P8, P9).
func (v *verdict) endAt(list []int32, seq, lo, hi int32) {
	if i, _ := slices.BinarySearch(list, max(seq, lo)); i < len(list) && list[i] <= hi {
		v.until = min(v.until, list[i]-1)
	}
	if i, _ := slices.BinarySearch(list, min(seq, hi)); i > 0 && lo <= list[i-1] {
		v.since = max(v.since, list[i-1]+1)
	}
}
