package token

import (
	"encoding/binary"
	"math/bits"
)

// none is the answer of a table that does not know the key.
const none = ^uint32(0)

// A vocab holds the tokens of one encoding in tables made for counting. It is
// immutable once built. What counting costs is waiting for memory, so the
// tables are small: the bytes of nearly all tokens fit into one or two words,
// and such a token is one or two words of a table, its number included.
type vocab struct {
	pack // the packed vocabulary stays in use

	index  []uint32    // where in the text every indexStep-th token begins
	single [256]uint32 // token of a byte
	double []uint32    // token of two bytes, first byte high, plus one
	seen   []uint64    // one bit a hash: clear where short has no such token
	short  []uint64    // tokens of up to 7 bytes, see findShort
	medium [][2]uint64 // tokens of 8 to 15 bytes, see findMedium
	long   []uint64    // longer ones by hash of their bytes, see findLong

	lengths []uint16    // by hash of the first 4 bytes, see prefix
	longer  [][2]uint64 // by hash of the first 16 bytes, see prefix
	pairs   []uint64    // left<<36 | right<<18 | merged token
	filter  []uint64    // one bit a hash: clear where no pair has it

	cache cache
}

const indexStep = 64

// A merge says how a token came to be, from two older ones: left<<20 | right.
// A single byte has itself on both sides. isLeft is set if the token is the
// left half of any merge, isRight if it is the right half of any.
type merge uint64

func (m merge) left() uint32  { return uint32(m>>20) & idMask }
func (m merge) right() uint32 { return uint32(m) & idMask }

const (
	idBits  = 18
	idMask  = 1<<idBits - 1
	isLeft  = 1 << 38
	isRight = 1 << 18
)

// Sizes of the tables, as powers of two. They are those that o200k_base, the
// larger vocabulary, needs.
const (
	shortBits   = 18
	mediumBits  = 17
	longBits    = 14
	lengthsBits = 16
	longerBits  = 12
	pairBits    = 18
	filterBits  = 21
	seenBits    = 20
)

// A key of 59 bits is stored as what is left of its hash when the bits that
// say where it would be at home are taken away, beside how far it is from
// there: the hash can be undone, so nothing is lost.
const (
	keyBits = 59
	keyMask = 1<<keyBits - 1
)

const (
	mix1 = 0x9E3779B97F4A7C15
	mix2 = 0xD6E8FEB86659FD93
)

// tail returns the up to 8 bytes b[i:end] as a little-endian word.
func tail(b []byte, i, end int) uint64 {
	if end >= 8 {
		return binary.LittleEndian.Uint64(b[end-8:end]) >> ((8 - uint(end-i)) * 8)
	}
	var w uint64
	for k := end - 1; k >= i; k-- {
		w = w<<8 | uint64(b[k])
	}
	return w
}

// words returns b[i:end], 1 to 15 bytes, as two words: the first 8 bytes, and
// the others below the length.
func words(b []byte, i, end int) (lo, hi uint64) {
	n := uint(end - i)
	if n < 8 {
		return tail(b, i, end), uint64(n) << 56
	}
	lo = binary.LittleEndian.Uint64(b[i : i+8])
	hi = binary.LittleEndian.Uint64(b[end-8:end]) >> ((16 - n) * 8)
	return lo, hi | uint64(n)<<56
}

// find returns the token b[i:end], which is not empty, or none.
func (v *vocab) find(b []byte, i, end int) uint32 {
	n := end - i
	if n > 15 {
		return v.findLong(b[i:end])
	}
	lo, hi := words(b, i, end)
	if n < 8 {
		return v.findShort(lo | hi)
	}
	return v.findMedium(lo, hi)
}

// findShort returns the token with the key, up to 7 bytes below the length,
// or none. A slot is, from the top, 5 bits for the distance from home, 41 for
// the rest of the hash, and the token plus one.
func (v *vocab) findShort(key uint64) uint32 {
	p := shortHash(key)
	if bit := p >> (keyBits - seenBits); v.seen[bit/64]>>(bit%64)&1 == 0 {
		return none
	}
	home := p >> (keyBits - shortBits)
	rest := p & (1<<(keyBits-shortBits) - 1)
	for {
		s := v.short[home&(1<<shortBits-1)]
		if s>>idBits == rest {
			return uint32(s&idMask) - 1
		}
		if s == 0 {
			return none
		}
		home++
		rest += 1 << (keyBits - shortBits)
	}
}

// shortHash can be undone.
func shortHash(key uint64) uint64 { return key * mix1 & keyMask }

// findMedium returns the token of 8 to 15 bytes with these words, or none. A
// slot is lo and then 4 bits for the distance from home, 42 for the rest of
// the hash, and the token plus one.
func (v *vocab) findMedium(lo, hi uint64) uint32 {
	p := mediumHash(lo, hi)
	home := p >> (keyBits - mediumBits)
	rest := p & (1<<(keyBits-mediumBits) - 1)
	for {
		s := &v.medium[home&(1<<mediumBits-1)]
		if s[1]>>idBits == rest && s[0] == lo {
			return uint32(s[1]&idMask) - 1
		}
		if s[1] == 0 {
			return none
		}
		home++
		rest += 1 << (keyBits - mediumBits)
	}
}

// mediumHash can be undone given lo.
func mediumHash(lo, hi uint64) uint64 { return (hi&keyMask*mix1 + lo*mix2>>5) & keyMask }

// findLong returns the token of 16 bytes or more, or none. A slot is where the
// bytes are in the text, and below that the token.
func (v *vocab) findLong(b []byte) uint32 {
	for h := hashLong(b); ; h++ {
		s := v.long[h&(1<<longBits-1)]
		if s == 0 {
			return none
		}
		id, at := uint32(s&idMask), int(s>>idBits)
		if v.size(id) == len(b) && string(v.text[at:at+len(b)]) == string(b) {
			return id
		}
	}
}

func hashLong(b []byte) uint64 {
	h := uint64(len(b))
	for len(b) > 8 {
		h = bits.RotateLeft64(h*mix1^binary.LittleEndian.Uint64(b), 29)
		b = b[8:]
	}
	return (h*mix1 ^ tail(b, 0, len(b))) * mix2 >> (64 - longBits)
}

// bytes returns the bytes of a token.
func (v *vocab) bytes(id uint32) string {
	at, first := int(v.index[id/indexStep]), id/indexStep*indexStep
	for _, size := range v.sizes[first:id] {
		at += int(size)
	}
	return textOf(v.text[at : at+v.size(id)])
}

// lengthsOf returns the place of the lengths of the tokens that may begin
// with the 4 bytes.
func lengthsOf(four uint32) uint64 { return uint64(four) * mix1 >> (64 - lengthsBits) }

// longerOf does the same for the first 16 bytes.
func longerOf(b []byte) uint64 {
	lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return (lo*mix1 ^ hi) * mix2 >> (64 - longerBits)
}

// prefix returns the longest token that b[i:end], which is not empty, begins
// with, and its length. The lengths worth trying come from tables, so that no
// trie is walked byte by byte: bit l-1 is set if there may be a token of l
// bytes, and in lengths the top bit if there may be one of 16 and more.
func (v *vocab) prefix(b []byte, i, end int) (id uint32, size int) {
	n := end - i
	if n >= 4 {
		set := uint32(v.lengths[lengthsOf(binary.LittleEndian.Uint32(b[i:i+4]))])
		if set>>15 != 0 && n >= 16 {
			if id, size := v.prefixLonger(b, i, end); id != none {
				return id, size
			}
		}
		set &= 1<<min(n, 15) - 1
		for set != 0 {
			l := bits.Len32(set)
			if id := v.find(b, i, i+l); id != none {
				return id, l
			}
			set &^= 1 << (l - 1)
		}
	}
	if n >= 3 {
		if id := v.findShort(uint64(b[i]) | uint64(b[i+1])<<8 | uint64(b[i+2])<<16 | 3<<56); id != none {
			return id, 3
		}
	}
	if n >= 2 {
		if id := v.double[int(b[i])<<8|int(b[i+1])]; id != 0 {
			return id - 1, 2
		}
	}
	return v.single[b[i]], 1
}

// prefixLonger is prefix for tokens of 16 bytes and more, or none.
func (v *vocab) prefixLonger(b []byte, i, end int) (id uint32, size int) {
	set := &v.longer[longerOf(b[i:i+16])]
	for half := 1; half >= 0; half-- {
		n := min(end-i-64*half, 64)
		if n <= 0 {
			continue
		}
		for s := set[half] << (64 - uint(n)) >> (64 - uint(n)); s != 0; {
			l := bits.Len64(s)
			if id := v.findLong(b[i : i+64*half+l]); id != none {
				return id, 64*half + l
			}
			s &^= 1 << (l - 1)
		}
	}
	return none, 0
}

// pair returns the token that the two tokens merge into, or none.
func (v *vocab) pair(left, right uint32) uint32 {
	key := uint64(left)<<idBits | uint64(right)
	h := key * mix1
	if v.filter[h>>(64-filterBits)/64]>>(h>>(64-filterBits)%64)&1 == 0 {
		return none
	}
	for h >>= 64 - pairBits; ; h++ {
		p := v.pairs[h&(1<<pairBits-1)]
		if p>>idBits == key {
			return uint32(p & idMask)
		}
		if p == 0 {
			return none
		}
	}
}

// adjacent reports whether the two tokens can stand next to each other in an
// encoding, that is, whether the text they make together is encoded as just
// the two. It undoes their merges, latest first, and looks at each moment
// whether a merge across the border would have come earlier.
func (v *vocab) adjacent(left, right uint32) bool {
	limit := none
	l, r := v.merge(left), v.merge(right)
	for {
		if l&isLeft != 0 && r&isRight != 0 && v.pair(left, right) < limit {
			return false
		}
		if left > right {
			if left < 256 {
				return true
			}
			limit, left = left, l.right()
			l = v.merge(left)
		} else {
			if right < 256 {
				return true
			}
			// Of two equal merges the left one comes first, so one that
			// crosses the border wins a tie with the right token's own.
			limit, right = right+1, r.left()
			r = v.merge(right)
		}
	}
}
