package tenfold

import (
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
// The cost is that of appending; what is there is shared, not copied.
func (p *Projection) Preview(entries ...Entry) *Projection {
	q := *p
	q.log = p.log.fork()
	q.sees, q.reading = slices.Clip(p.sees), slices.Clip(p.reading)
	q.overlays = slices.Clone(p.overlays)
	q.revocations = slices.Clip(p.revocations)
	for s := range q.slots {
		q.slots[s] = slices.Clone(p.slots[s])
	}
	q.named, q.pinned = p.named.fork(), p.pinned.fork()
	q.owner, q.pieces, q.borrowed = new(owner), slices.Clip(p.pieces), true
	q.waiting = slices.Clone(p.waiting)
	q.stubs = p.stubs.fork(q.log)
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
	f.nodes, f.records, f.blocks, f.sources = l.nodes.fork(), l.records.fork(), l.blocks.fork(), l.sources.fork()
	f.ids, f.messages = l.ids.fork(), l.messages.fork()
	f.index, f.base, f.shared = idIndex{}, l, l.n
	f.branches, f.tools = l.branches.fork(), l.tools.fork()
	f.open = openCalls{base: &l.open}
	f.steppers = slices.Clone(l.steppers)
	for i := range f.steppers {
		f.steppers[i].requests = slices.Clip(f.steppers[i].requests)
	}
	f.marks, f.turns, f.steps = slices.Clip(l.marks), l.turns.fork(), l.steps.fork()
	f.trail = trail{number: l.trail.number}
	return &f
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
		first := int32(at) << chunkBits
		a, b := p.statesOf(int32(at+1)), q.statesOf(int32(at+1))
		for i := range min(chunkLen, last-first) {
			if a[i].fate() != b[i].fate() || a[i].saved != b[i].saved {
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
