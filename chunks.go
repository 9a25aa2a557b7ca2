package tenfold

import "slices"

const (
	chunkBits = 9
	chunkLen  = 1 << chunkBits
)

// chunks is a list in pieces of one length, numbered from 1: growing it moves
// nothing, and a copy shares the pieces until one of the two writes to them.
type chunks[T any] struct {
	chunks [][]T
	// shared marks the pieces that belong to another list too; nil for a list
	// that is no copy.
	shared []bool
}

// newShared gives a list that shares its pieces with another.
func newShared[T any](pieces [][]T) chunks[T] {
	shared := make([]bool, len(pieces))
	for i := range shared {
		shared[i] = true
	}
	return chunks[T]{chunks: slices.Clone(pieces), shared: shared}
}

// freeze has the list copy each piece it has before it writes to it: others may
// share them.
func (c *chunks[T]) freeze() {
	c.shared = make([]bool, len(c.chunks))
	for i := range c.shared {
		c.shared[i] = true
	}
}

// at gives the place of element seq, for reading.
func (c *chunks[T]) at(seq int32) *T {
	i := seq - 1
	return &c.chunks[i>>chunkBits][i&(chunkLen-1)]
}

// edit gives the place of element seq, for writing.
func (c *chunks[T]) edit(seq int32) *T {
	if c.shared != nil {
		if piece := int(seq-1) >> chunkBits; piece < len(c.shared) && c.shared[piece] {
			c.chunks[piece] = slices.Clone(c.chunks[piece])
			c.shared[piece] = false
		}
	}
	return c.at(seq)
}

// sparse is a list of which most elements are zero: pieces nobody wrote to
// take no room.
type sparse[T any] struct{ chunks[T] }

// grow makes the list n elements long.
func (s *sparse[T]) grow(n int32) {
	for len(s.chunks.chunks) < (int(n)+chunkLen-1)>>chunkBits {
		s.chunks.chunks = append(s.chunks.chunks, nil)
	}
}

// get gives element seq; zero beyond the end.
func (s *sparse[T]) get(seq int32) (value T) {
	i := seq - 1
	if at := int(i >> chunkBits); at < len(s.chunks.chunks) && s.chunks.chunks[at] != nil {
		value = s.chunks.chunks[at][i&(chunkLen-1)]
	}
	return value
}

// none reports whether the elements from lo to hi are zero, as far as pieces
// tell that nobody wrote to.
func (s *sparse[T]) none(lo, hi int32) bool {
	for at := int(lo-1) >> chunkBits; at <= int(hi-1)>>chunkBits && at < len(s.chunks.chunks); at++ {
		if s.chunks.chunks[at] != nil {
			return false
		}
	}
	return true
}

// set writes element seq.
func (s *sparse[T]) set(seq int32, value T) {
	if piece := &s.chunks.chunks[(seq-1)>>chunkBits]; *piece == nil {
		*piece = make([]T, chunkLen)
	}
	*s.edit(seq) = value
}

// push makes room for element seq, the one after the last, and gives its
// place.
func (c *chunks[T]) push(seq int32) *T {
	if int(seq-1)&(chunkLen-1) == 0 {
		c.chunks = append(c.chunks, make([]T, chunkLen))
	}
	return c.edit(seq)
}
