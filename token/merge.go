package token

import "sync"

// A merger encodes pieces that are not a token themselves. Instead of merging
// pairs it walks from left to right, takes the longest token that may follow
// the one before, and steps back when there is none: a text has exactly one
// encoding in which every two neighbours are adjacent, and that is the one
// merging produces. A position that was stepped back from is never visited
// again, which makes the walk linear in the length of the piece.
type merger struct {
	tokens []uint32
	dead   []uint64 // one bit a position: no encoding ends there
	steps  int      // tokens tried, for the tests of linearity
}

// mergers are kept between calls. The space a piece needs is one bit and at
// most one token for each byte; a garbage collection gives it back.
var mergers = sync.Pool{New: func() any { return &merger{tokens: make([]uint32, 0, 256), dead: make([]uint64, 0, 16)} }}

// encode leaves the tokens of b[i:end] in m.tokens.
func (m *merger) encode(v *vocab, b []byte, i, end int) {
	m.tokens = m.tokens[:0]
	words := (end-i)/64 + 1
	if cap(m.dead) < words {
		m.dead = make([]uint64, words)
	} else {
		m.dead = m.dead[:words]
		clear(m.dead)
	}
	pos := i
	next := v.prefix(b, pos, end)
	for pos < end {
		m.steps++
		to := pos + v.size(next)
		if m.dead[(to-i)/64]>>((to-i)%64)&1 == 0 &&
			(len(m.tokens) == 0 || v.adjacent(m.tokens[len(m.tokens)-1], next)) {
			m.tokens = append(m.tokens, next)
			pos = to
			if pos < end {
				next = v.prefix(b, pos, end)
			}
			continue
		}
		if to-pos > 1 {
			next = v.prefix(b, pos, to-1)
			continue
		}
		m.dead[(pos-i)/64] |= 1 << ((pos - i) % 64)
		next = m.tokens[len(m.tokens)-1]
		m.tokens = m.tokens[:len(m.tokens)-1]
		pos -= v.size(next)
	}
}

// countShort returns the number of tokens of a piece of up to 63 bytes. It is
// encode with its space on the stack.
func (v *vocab) countShort(b []byte, i, end int) int {
	var tokens [64]uint32
	var dead uint64
	n, pos := 0, i
	next := v.prefix(b, pos, end)
	for {
		to := pos + v.size(next)
		if dead>>((to-i)&63)&1 == 0 && (n == 0 || v.adjacent(tokens[(n-1)&63], next)) {
			tokens[n&63] = next
			n++
			if to == end {
				return n
			}
			pos = to
			next = v.prefix(b, pos, end)
			continue
		}
		if to-pos > 1 {
			next = v.prefix(b, pos, to-1)
			continue
		}
		dead |= 1 << ((pos - i) & 63)
		n--
		next = tokens[n&63]
		pos -= v.size(next)
	}
}

// count returns the number of tokens of the piece b[i:end].
func (v *vocab) count(b []byte, i, end int) int {
	if end-i == 1 || v.has(b, i, end) {
		return 1
	}
	if end-i < 64 {
		return v.countShort(b, i, end)
	}
	m := mergers.Get().(*merger)
	m.encode(v, b, i, end)
	n := len(m.tokens)
	mergers.Put(m)
	return n
}
