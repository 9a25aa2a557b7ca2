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
	// Unchanged are the entries that its selective policies name, and that it made
	// no cheaper when it was appended: pinned ones, and those whose stub is no
	// shorter. What came later, such as an answer, changes nothing of it. None
	// where it covers its whole range.
	Unchanged []int64
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
		First: int64(o.lo), Last: int64(o.hi), Unchanged: o.unchanged,
	}
}

// Undoable is the newest live compaction: what undo revokes, alone or with those
// that the same command made (C7). A result shortened at birth is none, nor is a rewind.
func (p *Projection) Undoable() (Overlay, bool) {
	for i := len(p.overlays) - 1; i >= 0; i-- {
		if o := &p.overlays[i]; o.live && !o.c.AtBirth() && !o.c.Rewinds() {
			return p.overlay(i), true
		}
	}
	return Overlay{}, false
}

// Rewound reports whether an entry was taken back: a client went back to before it, and
// said something else.
func (p *Projection) Rewound(seq int64) bool {
	if seq < 1 || seq > int64(p.version) {
		return false
	}
	n, at := p.log.node(int32(seq)), int32(seq)
	if n.kind == codeTurnStart { // it stays where something of its turn does
		for next := at + 1; next <= p.version && p.log.node(next).turn == n.turn; next++ {
			if m := p.log.node(next); m.branch == 0 && m.visible() {
				return p.Rewound(int64(next))
			}
		}
	}
	if n.kind == codeResult && n.pair > 0 {
		at = n.pair
	}
	by := p.slots[slotTurns].at(at)
	return by != nobody && p.tookBack(by+1, at)
}

// undone is the index of the newest revocation that still holds its overlay back,
// and whose command put nothing in its place; -1 for none.
func (p *Projection) undone() int {
	for i := len(p.revocations) - 1; i >= 0; i-- {
		r := &p.revocations[i]
		if r.live || int(p.overlays[r.overlay].turned) != i {
			continue // it was given back since
		}
		if r.command == "" || (r.direct && !p.compacts(r.command)) {
			return i
		}
	}
	return -1
}

// compacts reports whether a command made compactions: what it revoked they took
// the place of.
func (p *Projection) compacts(command string) bool {
	return slices.ContainsFunc(p.overlays, func(o overlay) bool { return o.c.Command == command })
}

// A Change turns an overlay over: revoking Target takes it back where it is
// live, and gives it back where it is not.
type Change struct {
	// Overlay is as it will be.
	Overlay Overlay
	Target  string
}

// Undo gives the changes that take back all that the newest compacting command
// did: its compactions that are live, and the revocation of those that they took
// the place of. A compaction of no known command is taken back alone. None where
// nothing is live.
func (p *Projection) Undo() []Change {
	newest, _ := p.Undoable()
	command := newest.Compaction.Command
	if command == "" {
		return p.UndoOne()
	}
	var changes []Change
	for i := len(p.overlays) - 1; i >= 0; i-- {
		if o := &p.overlays[i]; o.live && o.c.Command == command {
			changes = append(changes, p.change(int32(i), o.id))
		}
	}
	for i := len(p.revocations) - 1; i >= 0; i-- {
		r := &p.revocations[i]
		if o := &p.overlays[r.overlay]; r.command == command && !r.live && !o.live && int64(o.seq) < newest.Seq {
			changes = append(changes, p.change(r.overlay, p.log.ids.at(r.seq)))
		}
	}
	return changes
}

// UndoOne gives the change that takes back the newest live compaction alone.
func (p *Projection) UndoOne() []Change {
	o, ok := p.Undoable()
	if !ok {
		return nil
	}
	o.Live = false
	return []Change{{o, o.ID}}
}

// Redo gives the changes that give back what was undone last and still is, by
// one undo.
func (p *Projection) Redo() []Change {
	last := p.undone()
	if last < 0 {
		return nil
	}
	command := p.revocations[last].command
	if command == "" {
		return p.RedoOne()
	}
	var changes []Change
	for i := len(p.revocations) - 1; i >= 0; i-- {
		if r := &p.revocations[i]; r.command == command && r.live == p.overlays[r.overlay].live {
			changes = append(changes, p.change(r.overlay, p.log.ids.at(r.seq)))
		}
	}
	return changes
}

// RedoOne gives the change that gives back the compaction undone last alone.
func (p *Projection) RedoOne() []Change {
	last := p.undone()
	if last < 0 {
		return nil
	}
	r := p.revocations[last]
	return []Change{p.change(r.overlay, p.log.ids.at(r.seq))}
}

func (p *Projection) change(overlay int32, target string) Change {
	o := p.overlay(int(overlay))
	o.Live = !o.Live
	return Change{o, target}
}
