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

	// In a run the token before fits more often than the longest one, so it
	// is tried first. The order of trying has no effect on the result.
	pos, repeated := i, false
	next, size := v.prefix(b, pos, end)
	for pos < end {
		m.steps++
		to := pos + size
		n := len(m.tokens)
		if m.dead[(to-i)/64]>>((to-i)%64)&1 == 0 && (n == 0 || v.adjacent(m.tokens[n-1], next)) {
			m.tokens = append(m.tokens, next)
			pos = to
			repeated = string(b[to-size:to]) == string(b[to:min(to+size, end)])
			if !repeated && pos < end {
				next, size = v.prefix(b, pos, end)
			}
			continue
		}
		for !repeated && size == 1 {
			m.dead[(pos-i)/64] |= 1 << ((pos - i) % 64)
			n--
			next, size = m.tokens[n], v.size(m.tokens[n])
			pos -= size
			repeated = n > 0 && m.tokens[n-1] == next
		}
		m.tokens = m.tokens[:n]
		if repeated {
			repeated = false
			next, size = v.prefix(b, pos, end)
		} else {
			next, size = v.prefix(b, pos, pos+size-1)
		}
	}
}

// countShort returns the number of tokens of a piece of 2 to 63 bytes that is
// not a token. It is encode with its space on the stack.
func (v *vocab) countShort(b []byte, i, end int) int {
	var tokens [64]uint32
	var dead uint64
	n, pos := 0, i
	next, size := v.prefix(b, pos, end-1)
	for {
		to := pos + size
		if dead>>((to-i)&63)&1 == 0 && (n == 0 || v.adjacent(tokens[(n-1)&63], next)) {
			if to == end {
				return n + 1
			}
			tokens[n&63] = next
			n++
			pos = to
			next, size = v.prefix(b, pos, end)
			continue
		}
		for size == 1 {
			dead |= 1 << ((pos - i) & 63)
			n--
			next = tokens[n&63]
			size = v.size(next)
			pos -= size
		}
		next, size = v.prefix(b, pos, pos+size-1)
	}
}

// count returns the number of tokens of the piece b[i:end].
func (v *vocab) count(b []byte, i, end int) int {
	switch n := end - i; {
	case n == 1:
		return 1
	case n < 16:
		lo, hi := words(b, i, end)
		slot := v.cache.slot(lo, hi)
		count := slot.get(lo, hi)
		if count == 0 {
			count = 1
			if v.find(b, i, end) == none {
				count = v.countShort(b, i, end)
			}
			slot.put(lo, hi, count)
		}
		return count
	case v.findLong(b[i:end]) != none:
		return 1
	case n < 64:
		return v.countShort(b, i, end)
	}
	m, _ := mergers.Get().(*merger)
	m.encode(v, b, i, end)
	n := len(m.tokens)
	mergers.Put(m)
	return n
}
