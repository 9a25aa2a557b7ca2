package tenfold

import (
	"iter"
	"slices"
)

const (
	chunkBits = 9
	chunkLen  = 1 << chunkBits
)

// chunks is a list in pieces of one length, numbered from 1. Appending moves
// nothing, beyond the first piece, which grows so that a short list is small. A
// fork shares the pieces, and the table of them, until it writes.
type chunks[T any] struct {
	pieces [][]T
	room   []T // for pieces to come
	// The first borrowed pieces belong to the list this one is a fork of,
	// except those copied; the table does too while copied is nil.
	borrowed int
	copied   []bool
}

// fork gives a list with the same elements. What is written to it does not
// reach c; c must not change while the fork is used.
func (c *chunks[T]) fork() chunks[T] {
	return chunks[T]{pieces: slices.Clip(c.pieces), borrowed: len(c.pieces)}
}

// freeze has the list copy each piece before it writes to it: forks of it may
// last longer than it stays as it is.
func (c *chunks[T]) freeze() { c.borrowed, c.copied = len(c.pieces), nil }

// at gives the place of element seq, for reading.
func (c *chunks[T]) at(seq int32) *T {
	i := seq - 1
	return &c.pieces[i>>chunkBits][i&(chunkLen-1)]
}

// from gives the elements of a piece from element seq on, for reading.
func (c *chunks[T]) from(seq int32) []T {
	i := seq - 1
	return c.pieces[i>>chunkBits][i&(chunkLen-1):]
}

// edit gives the place of element seq, for writing.
func (c *chunks[T]) edit(seq int32) *T {
	c.own(int(seq-1) >> chunkBits)
	return c.at(seq)
}

// own copies a piece that is borrowed.
func (c *chunks[T]) own(piece int) {
	if piece >= c.borrowed || (c.copied != nil && c.copied[piece]) {
		return
	}
	if c.copied == nil {
		c.pieces = slices.Clone(c.pieces)
		c.copied = make([]bool, c.borrowed)
	}
	if from := c.pieces[piece]; from != nil {
		c.pieces[piece] = append(make([]T, 0, cap(from)), from...)
	}
	c.copied[piece] = true
}

// push makes room for element seq, the one after the last, and gives its
// place.
func (c *chunks[T]) push(seq int32) *T {
	i := int(seq-1) >> chunkBits
	if i == len(c.pieces) {
		c.pieces = append(c.pieces, c.piece(i))
	}
	c.own(i)
	piece := &c.pieces[i]
	if at := int(seq-1) & (chunkLen - 1); at < cap(*piece) {
		*piece = (*piece)[:at+1]
	} else {
		larger := make([]T, at+1, min(2*at, chunkLen))
		copy(larger, *piece)
		*piece = larger
	}
	return c.at(seq)
}

// piece makes an empty piece. Those of a long list are cut from larger ones,
// which the allocator hands out without a remainder.
func (c *chunks[T]) piece(i int) []T {
	if i == 0 {
		return make([]T, 0, 8)
	}
	if len(c.room) == 0 {
		c.room = make([]T, min(i, 8)*chunkLen)
	}
	piece := c.room[:0:chunkLen]
	c.room = c.room[chunkLen:]
	return piece
}

// list is a list that knows its length.
type list[T any] struct {
	chunks[T]
	n int32
}

func (l *list[T]) append(value T) {
	l.n++
	*l.push(l.n) = value
}

// get gives the element after i others.
func (l *list[T]) get(i int) T { return *l.at(int32(i) + 1) }

func (l *list[T]) fork() list[T] { return list[T]{l.chunks.fork(), l.n} }

// sparse is a list of which most elements are zero: pieces nobody wrote to
// take no room.
type sparse[T any] struct{ chunks[T] }

func (s *sparse[T]) fork() sparse[T] { return sparse[T]{s.chunks.fork()} }

// grow makes the list at least n elements long.
func (s *sparse[T]) grow(n int32) {
	for len(s.pieces) < (int(n)+chunkLen-1)>>chunkBits {
		s.pieces = append(s.pieces, nil)
	}
}

// get gives element seq; zero beyond the end.
func (s *sparse[T]) get(seq int32) (value T) {
	i := seq - 1
	if piece := int(i >> chunkBits); piece < len(s.pieces) && s.pieces[piece] != nil {
		value = s.pieces[piece][i&(chunkLen-1)]
	}
	return value
}

// none reports whether the elements from lo to hi are zero, as far as pieces
// tell that nobody wrote to.
func (s *sparse[T]) none(lo, hi int32) bool {
	for at := int(lo-1) >> chunkBits; at <= int(hi-1)>>chunkBits && at < len(s.pieces); at++ {
		if s.pieces[at] != nil {
			return false
		}
	}
	return true
}

// set writes element seq.
func (s *sparse[T]) set(seq int32, value T) {
	s.grow(seq)
	piece := int(seq-1) >> chunkBits
	if s.own(piece); s.pieces[piece] == nil {
		s.pieces[piece] = make([]T, chunkLen)
	}
	*s.at(seq) = value
}

// written gives the elements lo to hi of the pieces that somebody wrote to.
func (s *sparse[T]) written(lo, hi int32) iter.Seq2[int32, T] {
	return func(yield func(int32, T) bool) {
		for seq := int(lo); seq <= int(hi) && seq <= len(s.pieces)<<chunkBits; seq++ {
			if piece := (seq - 1) >> chunkBits; s.pieces[piece] == nil {
				seq = (piece + 1) << chunkBits // its last
			} else if !yield(int32(seq), s.get(int32(seq))) {
				return
			}
		}
	}
}
