package tenfold

import (
	"slices"
)

// A cover says which overlay wins over a stretch of the log.
type cover struct {
	lo, hi int32 // seqs, inclusive
	by     int32 // index of the overlay
}

// covers is a slot's stretches: sorted, disjoint, the latest overlay on top
// (P2). An entry in no stretch is nobody's.
type covers []cover

const nobody int32 = -1

// paint lays a stretch over what is there.
func (c covers) paint(lo, hi, by int32) covers { return c.replace(lo, hi, cover{lo, hi, by}) }

// erase takes what is there off a stretch.
func (c covers) erase(lo, hi int32) covers { return c.replace(lo, hi) }

func (c covers) replace(lo, hi int32, with ...cover) covers {
	if lo > hi {
		return c
	}
	first, _ := slices.BinarySearchFunc(c, lo, func(s cover, lo int32) int { return int(s.hi) - int(lo) })
	last := first
	for last < len(c) && c[last].lo <= hi {
		last++
	}
	put := make([]cover, 0, 3)
	if first < last && c[first].lo < lo {
		put = append(put, cover{c[first].lo, lo - 1, c[first].by})
	}
	put = append(put, with...)
	if first < last && c[last-1].hi > hi {
		put = append(put, cover{hi + 1, c[last-1].hi, c[last-1].by})
	}
	return slices.Replace(c, first, last, put...)
}

// around is the winning overlay at seq, or nobody; the verdict ends where
// another wins.
func (c covers) around(seq int32, v *verdict) int32 {
	i, _ := slices.BinarySearchFunc(c, seq, func(s cover, seq int32) int { return int(s.hi) - int(seq) })
	if i < len(c) && c[i].lo <= seq {
		v.since, v.until = max(v.since, c[i].lo), min(v.until, c[i].hi)
		return c[i].by
	}
	if i < len(c) {
		v.until = min(v.until, c[i].lo-1)
	}
	if i > 0 {
		v.since = max(v.since, c[i-1].hi+1)
	}
	return nobody
}

// at is the winning overlay at seq, or nobody.
func (c covers) at(seq int32) int32 {
	if len(c) == 0 || seq > c[len(c)-1].hi {
		return nobody
	}
	lo, hi := 0, len(c)-1
	for lo < hi {
		if mid := (lo + hi) / 2; c[mid].hi < seq {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if c[lo].lo > seq {
		return nobody
	}
	return c[lo].by
}

// slot is what an overlay can have an opinion on (P2).
type slot int

const (
	slotSummary slot = iota
	slotReasoning
	slotTools
	slotAttachments
	slotTurns
	slotTexts
	slotCount
)

// slots lists the slots the overlay has an opinion on over its whole range. A
// selective policy has one only on the calls or messages it names, unless it
// says what befalls the rest.
func (c *Compaction) slots(yield func(slot) bool) {
	on := [slotCount]bool{
		slotSummary:     c.Summary != nil,
		slotReasoning:   c.Reasoning != nil,
		slotTools:       c.ToolCalls != nil && (c.ToolCalls.Action != Selective || c.ToolCalls.Rest != ""),
		slotAttachments: c.Attachments != nil,
		slotTurns:       c.Turns != "",
		slotTexts:       c.Texts != nil && c.Texts.Rest != "",
	}
	for s, ok := range on {
		if ok && !yield(slot(s)) {
			return
		}
	}
}
