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
	q.bindings.changes = slices.Clip(p.bindings.changes)
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
	f.index, f.base = idIndex{}, &beneath{l.index, f.ids, l.n, l.base}
	f.branches, f.tools, f.endings, f.subjects = l.branches.fork(), l.tools.fork(), l.endings.fork(), l.subjects.fork()
	f.contexts, f.stubs = slices.Clip(l.contexts), slices.Clip(l.stubs)
	f.opaque, f.late = slices.Clip(l.opaque), slices.Clip(l.late)
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

// Snapshot gives the projection as it is now: what is appended to its log, and
// what it advances to, no longer reaches it. The log and the projection stay as
// they are; what they share with the snapshot they copy when they next change it. So
// a snapshot may be read by one goroutine while another appends to the log.
func (p *Projection) Snapshot() *Projection {
	q := p.Preview()
	q.stubs.remembered = newRemembered()
	q.log.standFrom(p.log)
	p.log.freeze()
	p.named.freeze()
	p.pinned.freeze()
	p.owner, p.borrowed = new(owner), true
	if !p.layout.stale {
		q.layout = p.layout
	}
	return q
}

// standFrom has a fork keep for itself what the log that it was made of changes in place.
func (l *Log) standFrom(live *Log) {
	l.index, l.base = live.index.freeze(), live.base.freeze()
	l.branches, l.tools, l.endings, l.subjects = l.branches.alone(), l.tools.alone(), l.endings.alone(), l.subjects.alone()
	l.open = l.open.alone()
}

// freeze has the log copy what forks of it share before it writes there.
func (l *Log) freeze() {
	l.nodes.freeze()
	l.records.freeze()
	l.blocks.freeze()
	l.sources.freeze()
	l.ids.packs.freeze()
	l.messages.packs.freeze()
	l.turns.freeze()
	l.steps.freeze()
}

// AppendIf appends entries to the projection's log and takes them in, if accept
// agrees: accept is shown the projection as it is with them, and where it gives
// an error, or panics, log and projection are as they were before. Writers use
// it to keep a log in step with a store. accept is not to change or to keep what
// it is shown. Ordinary entries cost the same in a short and in a long log; a
// compaction, a revocation, a pin or a configuration costs a [Projection.Preview],
// which then becomes the projection.
func (p *Projection) AppendIf(accept func(with *Projection) error, entries ...Entry) error {
	l := p.log
	entries, err := l.check(entries)
	if err != nil {
		return err
	}
	p.Advance()
	if p.changesEarlier(entries) {
		next := p.Preview(entries...)
		if err := accept(next); err != nil {
			return err
		}
		l.addAll(entries)
		stubs := p.stubs
		*p = *next // what was worked out for it holds
		p.log, p.stubs = l, stubs
		return nil
	}
	before, was := *p, *l
	accepted := false
	defer func() {
		if !accepted {
			p.rollBack(&before)
			l.rollBack(&was)
		}
		l.trail.stop()
	}()
	l.trail.begin(l)
	l.addAll(entries)
	p.Advance()
	err = accept(p)
	accepted = err == nil
	return err
}

// changesEarlier reports whether entries change how earlier ones are seen, beyond
// what a result does to its call.
func (p *Projection) changesEarlier(entries []Entry) bool {
	for i := range entries {
		switch entries[i].Payload.Kind() {
		case KindConfigDelta, KindCompaction, KindCompactionRevoked, KindPin, KindUnpin:
			return true
		case KindUserMessage, KindTurnStart:
			if len(p.waiting) > 0 { // the loop closes, and reasoning goes with it
				return true
			}
		}
	}
	return false
}

// rollBack makes the projection what it was before it took in ordinary
// entries: they have changed nothing in place but states of their own, and how
// many calls of a block have no result.
func (p *Projection) rollBack(before *Projection) {
	for seq := before.version + 1; seq <= p.version; seq++ {
		n := p.log.node(seq)
		p.mark(seq, n, state{})
		if n.kind == codeResult && !n.is(flagVoid) && n.pair <= before.version && p.reads(n) && !p.shows(n.pair, p.log.node(n.pair)) {
			p.countHidden(n.pair, 1)
		}
	}
	run := p.bindings.from
	p.bindings.from = before.bindings.from
	p.settleReasoning(run, p.bindings.from)
	*p = *before
}
