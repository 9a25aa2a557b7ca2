package tenfold

import (
	"maps"
	"slices"
	"strconv"
)

// With gives the projection that the log would have if the compactions were
// appended now. Nothing is appended: it is how plans, dry runs and reports see
// what they would do (C8).
func (p *Projection) With(compactions ...Compaction) *Projection {
	entries := make([]Entry, len(compactions))
	for i, c := range compactions {
		id := "preview-" + strconv.Itoa(i)
		for p.log.has(id) {
			id += "'"
		}
		entries[i] = Entry{ID: id, Payload: c}
	}
	return p.Preview(entries...)
}

// Preview gives the projection that the log would have if the entries were
// appended now; those that a log does not take are left out. The log stays as it is
// and must not change while the result, which has a log of its own, is used: for
// a result that lasts, preview a [Projection.Snapshot].
// The cost is that of appending, and of a few words for every 512 entries.
func (p *Projection) Preview(entries ...Entry) *Projection {
	q := *p
	q.log = p.log.fork()
	q.sees = slices.Clone(p.sees)
	q.overlays = slices.Clone(p.overlays)
	for i := range q.overlays {
		q.overlays[i].sides = nil // by tools of the log's own
	}
	q.marks = maps.Clone(p.marks)
	q.revoked = slices.Clone(p.revoked)
	for s := range q.slots {
		q.slots[s] = slices.Clone(p.slots[s])
	}
	q.named = sparse[mention]{newShared(p.named.chunks.chunks)}
	q.pinned = maps.Clone(p.pinned)
	q.pins = slices.Clone(p.pins)
	q.waiting = slices.Clone(p.waiting)
	q.owner, q.pieces = new(owner), slices.Clone(p.pieces)
	q.reading = slices.Clone(p.reading)
	q.stubs = stubCounts{log: q.log}
	q.config.extras = slices.Clip(p.config.extras)
	q.layout.stale = true
	for i := range entries {
		if one, err := values(entries[i : i+1]); err == nil {
			q.log.add(&one[0])
		}
	}
	q.Advance()
	return &q
}

// fork gives a log that shares what is there with l, and to which entries can
// be added without l's noticing.
func (l *Log) fork() *Log {
	f := *l
	f.nodes = newShared(l.nodes.chunks)
	f.records = newShared(l.records.chunks)
	f.blocks = newShared(l.blocks.chunks)
	f.base, f.shared, f.ids = l, l.n, idIndex{}
	f.branches = l.branches.clone()
	f.tools = l.tools.clone()
	f.open = maps.Clone(l.open)
	f.steppers = slices.Clone(l.steppers)
	for i := range f.steppers {
		f.steppers[i].requests = slices.Clip(f.steppers[i].requests)
	}
	f.marks = slices.Clip(l.marks)
	f.turns = slices.Clip(l.turns)
	f.steps = slices.Clip(l.steps)
	return &f
}

func (s names) clone() names {
	return names{list: slices.Clone(s.list), ids: maps.Clone(s.ids)}
}

// Changed counts the entries whose fate or cost differs between two
// projections of one log.
func (p *Projection) Changed(q *Projection) int {
	n, last := 0, min(p.version, q.version)
	for at := range min(len(p.pieces), len(q.pieces)) {
		switch a, b := p.pieces[at], q.pieces[at]; {
		case a == b || a.alike(b):
			continue
		case a.plain() && b.plain():
			n += int(p.log.blocks.at(int32(at + 1)).entries)
			continue
		}
		for seq := int32(at)<<chunkBits + 1; seq <= min(int32(at+1)<<chunkBits, last); seq++ {
			if a, b := p.state(seq), q.state(seq); a.fate() != b.fate() || a.saved != b.saved {
				n++
			}
		}
	}
	return n
}

// ToolNames lists the tools called in the log, in the order of their first
// call.
func (p *Projection) ToolNames() []string { return slices.Clone(p.log.tools.list) }

// Same reports whether two overlays say the same: their bounds and
// slots, wherever they came from.
func (c Compaction) Same(d Compaction) bool {
	for _, x := range []*Compaction{&c, &d} {
		x.Profile, x.Strategy, x.Source, x.Reason, x.Command = "", "", "", "", ""
		x.TokensBefore, x.TokensAfter = 0, 0
		if x.Summary != nil {
			s := *x.Summary
			s.Usage, s.Artifacts, s.Transcript = nil, nil, ""
			x.Summary = &s
		}
	}
	a, errA := marshal(c)
	b, errB := marshal(d)
	return errA == nil && errB == nil && string(a) == string(b)
}
