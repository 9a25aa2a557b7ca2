package tenfold

import "slices"

// Shared is how many tokens, counted from the start, two projections of one log
// show alike: what a provider that has read p's view need not read again of
// q's. The system prompt and the tool definitions come first; where those differ
// nothing is shared. q is a later state of p: its log holds all that p's does,
// and its overlays begin with p's, as with what [Projection.With] and
// [Projection.Preview] give.
func (p *Projection) Shared(q *Projection) int {
	a, b := p.Config(), q.Config()
	if a.System != b.System || !slices.Equal(a.Tools, b.Tools) {
		return 0
	}
	sum := q.layout.config.After
	if text := q.continuation(); text != "" {
		sum += q.log.counter.Count(text)
	}
	var mine []glance
	for g := range p.glances() {
		mine = append(mine, g)
	}
	i := 0
	for g := range q.glances() {
		if i == len(mine) || !p.alike(q, mine[i], g) {
			break
		}
		sum += g.tokens
		i++
	}
	return sum
}

// glance is an item without what it says, unless the projection says it.
type glance struct {
	seq    int32
	tokens int
	text   Payload
}

// glances gives what the model sees, in order, without making the texts of
// entries that overlays shorten.
func (p *Projection) glances() func(yield func(glance) bool) {
	return func(yield func(glance) bool) {
		if p.layout.opening && !yield(glance{tokens: p.log.counter.Count(openingText)}) {
			return
		}
		see := func(it Item) bool {
			g := glance{seq: int32(it.Seq), tokens: it.Tokens}
			if it.Seq == 0 {
				g.text = it.Payload
			}
			return yield(g)
		}
		w := walker{p: p, yield: see, raw: true}
		w.walk(1, p.version+1, p.layout.hidden)
	}
}

// alike reports whether p's glance and q's are of the same words.
func (p *Projection) alike(q *Projection, a, b glance) bool {
	if a.seq != b.seq || a.tokens != b.tokens {
		return false
	}
	if a.seq == 0 {
		return samePayload(a.text, b.text)
	}
	s, t := p.state(a.seq), q.state(a.seq)
	if s.by() == t.by() {
		return s.fate() == t.fate()
	}
	n := q.log.node(a.seq)
	return samePayload(p.said(a.seq, n, s.by()), q.said(a.seq, n, t.by()))
}

// said is what an entry says under an overlay: a later one may say again what
// an earlier one did.
func (p *Projection) said(seq int32, n *node, by int32) Payload {
	if by == nobody {
		return p.log.payload(seq)
	}
	return p.shorten(seq, n, by)
}

func samePayload(a, b Payload) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, errX := MarshalPayload(a)
	y, errY := MarshalPayload(b)
	return a.Kind() == b.Kind() && errX == nil && errY == nil && string(x) == string(y)
}
