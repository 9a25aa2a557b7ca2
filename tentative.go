package tenfold

import "slices"

// AppendIf appends entries to the projection's log and takes them in, if accept
// agrees: accept is shown the projection as it is with them, and where it gives
// an error, or panics, log and projection are as they were before. Writers use
// it to keep a log in step with a store. accept is not to change or to keep what
// it is shown. Ordinary entries cost the same in a short and in a long log; a
// compaction, a revocation, a pin or a configuration costs a [Projection.Preview]
// as well.
func (p *Projection) AppendIf(accept func(with *Projection) error, entries ...Entry) error {
	l := p.log
	entries, err := l.check(entries)
	if err != nil {
		return err
	}
	p.Advance()
	if p.remakes(entries) {
		if err := accept(p.Preview(entries...)); err != nil {
			return err
		}
		l.addAll(entries)
		p.Advance()
		return nil
	}
	before, was := *p, *l
	accepted := false
	defer func() {
		if !accepted {
			p.takeBack(&before)
			l.takeBack(&was)
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

// remakes reports whether entries change how earlier ones are seen, beyond
// what a result does to its call.
func (p *Projection) remakes(entries []Entry) bool {
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

// takeBack makes the projection what it was before it took in ordinary
// entries: they have changed nothing in place but states of their own, and how
// many calls of a block have no result.
func (p *Projection) takeBack(before *Projection) {
	for seq := before.version + 1; seq <= p.version; seq++ {
		n := p.log.node(seq)
		p.mark(seq, n, state{})
		if n.kind == codeResult && !n.is(flagVoid) && n.pair <= before.version && p.reads(n) && !p.shows(n.pair, p.log.node(n.pair)) {
			p.muted(n.pair, 1)
		}
	}
	*p = *before
}

// trail is what a log changed in place since it had a length, so that it can
// be taken back.
type trail struct {
	on       bool
	n        int32
	number   int // of the trail, so that each stepper is kept once
	steppers []numbered[stepper]
	pairs    []numbered[int32]
	rows     []keptRow
	block    block // the last
}

// numbered is an element as it was.
type numbered[T any] struct {
	at  int32
	was T
}

type keptRow struct {
	key rowKey
	was row
}

func (t *trail) begin(l *Log) {
	t.on, t.n, t.number = true, l.n, t.number+1
	if l.n > 0 {
		t.block = *l.blocks.at(blockOf(l.n))
	}
}

func (t *trail) stepper(branch int32, s *stepper) {
	if t.on && s.trail != t.number {
		t.steppers = append(t.steppers, numbered[stepper]{branch, *s})
		s.trail = t.number
	}
}

func (t *trail) pair(seq, was int32) {
	if t.on && seq <= t.n {
		t.pairs = append(t.pairs, numbered[int32]{seq, was})
	}
}

func (t *trail) row(key rowKey, was row) {
	if t.on {
		t.rows = append(t.rows, keptRow{key, was})
	}
}

// stop ends the trail. The room of a short one is kept for the next.
func (t *trail) stop() {
	if len(t.rows) > 100 || len(t.steppers) > 100 {
		*t = trail{number: t.number}
		return
	}
	clear(t.steppers)
	clear(t.rows)
	t.on, t.steppers, t.pairs, t.rows = false, t.steppers[:0], t.pairs[:0], t.rows[:0]
}

// takeBack makes the log what it was before the entries that its trail follows.
// What was only appended to needs no more than its old length.
func (l *Log) takeBack(was *Log) {
	for seq := was.n + 1; seq <= l.n; seq++ {
		l.index.remove(&l.ids, l.ids.at(seq))
	}
	l.branches.cut(len(was.branches.list))
	l.tools.cut(len(was.tools.list))
	last, index, t := l.n, l.index, l.trail
	for _, p := range slices.Backward(t.pairs) {
		n := l.nodes.edit(p.at)
		if n.pair > 0 && n.branch == 0 {
			l.blocks.edit(blockOf(p.at)).open++
		}
		n.pair = p.was
	}
	if was.n > 0 {
		*l.blocks.edit(blockOf(was.n)) = t.block
	}
	*l = *was
	l.index, l.trail = index, t
	for _, r := range slices.Backward(t.rows) {
		l.open.set(r.key, r.was)
	}
	for _, s := range t.steppers {
		if int(s.at) < len(l.steppers) {
			l.steppers[s.at] = s.was
		}
	}
	for seq := l.n + 1; seq <= last; seq++ {
		if l.sources.get(seq) != "" {
			l.sources.set(seq, "")
		}
	}
}
