package tenfold

import (
	"iter"
	"slices"
)

// An Overlay is a compaction as it stands in a projection.
type Overlay struct {
	// ID and Seq name the compaction's entry.
	ID         string
	Seq        int64
	Compaction Compaction
	// Live is false while the compaction is revoked.
	Live bool
	// Vain are the entries that its selective policies name, and that it made
	// no cheaper: pinned ones, and those whose stub is no shorter. None where
	// it has a word over its whole range.
	Vain []int64
	// First and Last bound the entries it covers; First > Last for none.
	First, Last int64
}

// Overlays lists the compactions of the log in order, revoked ones included.
func (p *Projection) Overlays() iter.Seq[Overlay] {
	return func(yield func(Overlay) bool) {
		for i := range p.overlays {
			if !yield(p.overlay(i)) {
				return
			}
		}
	}
}

func (p *Projection) overlay(i int) Overlay {
	o := &p.overlays[i]
	return Overlay{
		ID: o.id, Seq: int64(o.seq), Compaction: *o.c, Live: o.live,
		First: int64(o.lo), Last: int64(o.hi), Vain: o.vain,
	}
}

// Undoable is the newest live compaction: what undo revokes (C7).
func (p *Projection) Undoable() (Overlay, bool) {
	for i := len(p.overlays) - 1; i >= 0; i-- {
		if p.overlays[i].live {
			return p.overlay(i), true
		}
	}
	return Overlay{}, false
}

// Redoable is the compaction revoked last that still is, and the id of that
// revocation: what redo revokes (C7).
func (p *Projection) Redoable() (o Overlay, revocation string, ok bool) {
	for _, r := range slices.Backward(p.revocations) {
		if r.undo && !p.overlays[r.overlay].live {
			return p.overlay(int(r.overlay)), p.log.ids.at(r.seq), true
		}
	}
	return Overlay{}, "", false
}
