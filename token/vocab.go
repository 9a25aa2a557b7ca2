package token

import (
	"encoding/binary"
	"math/bits"
)

// none is the answer of a table that does not know the key.
const none = ^uint32(0)

// A vocab holds the tokens of one encoding in tables made for counting. It is
// immutable once built. Keys are stored in the tables themselves, so that a
// look-up touches one cache line; tokens are told apart by length, because
// nearly all of them fit into one or two machine words.
type vocab struct {
	text  []byte   // the bytes of all tokens, one after the other
	start []uint32 // start[id] … start[id+1] are the bytes of id in text

	single [256]uint32 // token of a byte
	double []uint32    // token of two bytes, first byte high, or none

	short    []uint64 // open addressing; up to 7 bytes and the length on top
	shortID  []uint32
	medium   [][2]uint64 // the same for 8 to 15 bytes
	mediumID []uint32
	long     []uint32 // 16 bytes and more: token, or none

	lengths []lengthSet // by hash of the first four bytes
	merges  []merge     // by token
	pairs   []uint64    // open addressing; left<<36 | right<<18 | merged token

	shortShift, mediumShift, longShift, pairShift uint
}

// A merge says how a token came to be: from two older ones. A single byte has
// itself on both sides. The high bit of left tells whether the token is the
// left half of any merge, that of right the same for the right half: most
// tokens are not, and then no pair needs looking up.
type merge struct{ left, right uint32 }

const (
	isHalf = 1 << 31
	idMask = 1<<18 - 1
)

// A lengthSet has bit l-1 set if a token of l bytes may begin with the four
// bytes in question.
type lengthSet [2]uint64

const lengthsShift = 64 - 16

const (
	mix1 = 0x9E3779B97F4A7C15
	mix2 = 0xD6E8FEB86659FD93
)

func hash1(k uint64, shift uint) uint64    { return k * mix1 >> (shift & 63) }
func hash2(a, b uint64, shift uint) uint64 { return ((a*mix1 ^ b) * mix2) >> (shift & 63) }

func hashLong(b []byte, shift uint) uint64 {
	h := uint64(len(b))
	for len(b) > 8 {
		h = bits.RotateLeft64(h*mix1^binary.LittleEndian.Uint64(b), 29)
		b = b[8:]
	}
	var last uint64
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	return hash2(h, last, shift)
}

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

// shortKey is the key of 1 to 7 bytes.
func shortKey(b []byte, i, end int) uint64 {
	return tail(b, i, end) | uint64(end-i)<<56
}

// mediumKey is the key of 8 to 15 bytes.
func mediumKey(b []byte, i, end int) (lo, hi uint64) {
	lo = binary.LittleEndian.Uint64(b[i : i+8])
	hi = binary.LittleEndian.Uint64(b[end-8:end]) >> ((16 - uint(end-i)) * 8)
	return lo, hi | uint64(end-i)<<56
}

// has reports whether b[i:end], which is not empty, is a token.
func (v *vocab) has(b []byte, i, end int) bool {
	switch n := end - i; {
	case n <= 7:
		key := shortKey(b, i, end)
		mask := uint64(len(v.short) - 1)
		for h := hash1(key, v.shortShift); ; h++ {
			k := v.short[h&mask]
			if k == key {
				return true
			}
			if k == 0 {
				return false
			}
		}
	case n <= 15:
		lo, hi := mediumKey(b, i, end)
		mask := uint64(len(v.medium) - 1)
		for h := hash2(lo, hi, v.mediumShift); ; h++ {
			k := &v.medium[h&mask]
			if k[0] == lo && k[1] == hi {
				return true
			}
			if k[1] == 0 {
				return false
			}
		}
	default:
		return v.findLong(b[i:end]) != none
	}
}

// find returns the token b[i:end], which is not empty, or none.
func (v *vocab) find(b []byte, i, end int) uint32 {
	switch n := end - i; {
	case n == 1:
		return v.single[b[i]]
	case n == 2:
		return v.double[int(b[i])<<8|int(b[i+1])]
	case n <= 7:
		key := shortKey(b, i, end)
		mask := uint64(len(v.short) - 1)
		for h := hash1(key, v.shortShift); ; h++ {
			k := v.short[h&mask]
			if k == key {
				return v.shortID[h&mask]
			}
			if k == 0 {
				return none
			}
		}
	case n <= 15:
		lo, hi := mediumKey(b, i, end)
		mask := uint64(len(v.medium) - 1)
		for h := hash2(lo, hi, v.mediumShift); ; h++ {
			k := &v.medium[h&mask]
			if k[0] == lo && k[1] == hi {
				return v.mediumID[h&mask]
			}
			if k[1] == 0 {
				return none
			}
		}
	default:
		return v.findLong(b[i:end])
	}
}

func (v *vocab) findLong(b []byte) uint32 {
	mask := uint64(len(v.long) - 1)
	for h := hashLong(b, v.longShift); ; h++ {
		id := v.long[h&mask]
		if id == none || string(v.bytes(id)) == string(b) {
			return id
		}
	}
}

// bytes returns the bytes of a token; they must not be changed.
func (v *vocab) bytes(id uint32) []byte { return v.text[v.start[id]:v.start[id+1]] }

// size returns the number of bytes of a token.
func (v *vocab) size(id uint32) int { return int(v.start[id+1] - v.start[id]) }

// prefix returns the longest token that b[i:end], which is not empty, begins
// with. The lengths worth trying come from one table, so that no trie is
// walked byte by byte.
func (v *vocab) prefix(b []byte, i, end int) uint32 {
	n := end - i
	if n >= 4 {
		set := &v.lengths[hash1(uint64(binary.LittleEndian.Uint32(b[i:i+4])), lengthsShift)]
		if n > 64 {
			for s := set[1] << (128 - uint(min(n, 128))) >> (128 - uint(min(n, 128))); s != 0; {
				l := bits.Len64(s)
				if id := v.find(b, i, i+64+l); id != none {
					return id
				}
				s &^= 1 << (l - 1)
			}
			n = 64
		}
		for s := set[0] << (64 - uint(n)) >> (64 - uint(n)); s != 0; {
			l := bits.Len64(s)
			if id := v.find(b, i, i+l); id != none {
				return id
			}
			s &^= 1 << (l - 1)
		}
	}
	if n >= 3 {
		if id := v.find(b, i, i+3); id != none {
			return id
		}
	}
	if n >= 2 {
		if id := v.double[int(b[i])<<8|int(b[i+1])]; id != none {
			return id
		}
	}
	return v.single[b[i]]
}

// pair returns the token that the two tokens merge into, or none.
func (v *vocab) pair(left, right uint32) uint32 {
	key := uint64(left)<<18 | uint64(right)
	mask := uint64(len(v.pairs) - 1)
	for h := hash1(key, v.pairShift); ; h++ {
		p := v.pairs[h&mask]
		if p>>18 == key {
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
	l, r := v.merges[left], v.merges[right]
	for {
		if l.left&isHalf != 0 && r.right&isHalf != 0 {
			if v.pair(left, right) < limit {
				return false
			}
		}
		if left > right {
			if left < 256 {
				return true
			}
			limit, left = left, l.right&idMask
			l = v.merges[left]
		} else {
			if right < 256 {
				return true
			}
			// Of two equal merges the left one comes first, so one that
			// crosses the border wins a tie with the right token's own.
			limit, right = right+1, r.left&idMask
			r = v.merges[right]
		}
	}
}
