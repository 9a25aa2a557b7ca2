package token

import "math/bits"

// newVocab builds the tables from a packed vocabulary: 256 single bytes in
// rank order, then five bytes a token, left<<20 | right.
func newVocab(packed string) *vocab {
	n := 256 + (len(packed)-256)/5
	v := &vocab{
		start:   make([]uint32, n+1),
		merges:  make([]merge, n),
		double:  make([]uint32, 1<<16),
		lengths: make([]lengthSet, 1<<(64-lengthsShift)),
	}
	var size, shorts, mediums, longs int
	for id := range n {
		l, r := unpack(packed, id)
		v.merges[id] = merge{l, r}
		w := 1
		if id >= 256 {
			w = v.size(l) + v.size(r)
		}
		switch {
		case w <= 7:
			shorts++
		case w <= 15:
			mediums++
		default:
			longs++
		}
		size += w
		v.start[id+1] = uint32(size)
	}

	v.shortShift, v.mediumShift, v.longShift, v.pairShift = shift(shorts), shift(mediums), shift(longs), shift(n+n/2)
	v.short = make([]uint64, 1<<(64-v.shortShift))
	v.shortID = make([]uint32, len(v.short))
	v.medium = make([][2]uint64, 1<<(64-v.mediumShift))
	v.mediumID = make([]uint32, len(v.medium))
	v.long = make([]uint32, 1<<(64-v.longShift))
	v.pairs = make([]uint64, 1<<(64-v.pairShift))
	for i := range v.double {
		v.double[i] = none
	}
	for i := range v.long {
		v.long[i] = none
	}
	v.text = make([]byte, 0, size)
	for id := range uint32(n) {
		if id < 256 {
			v.text = append(v.text, packed[id])
		} else {
			m := &v.merges[id]
			l, r := m.left&idMask, m.right&idMask
			v.text = append(append(v.text, v.bytes(l)...), v.bytes(r)...)
			v.addPair(l, r, id)
		}
		v.add(id)
	}
	return v
}

// unpack returns the two tokens that id was merged from.
func unpack(packed string, id int) (left, right uint32) {
	if id < 256 {
		return uint32(id), uint32(id)
	}
	p := packed[256+5*(id-256):][:5]
	w := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 | uint64(p[4])<<32
	return uint32(w >> 20), uint32(w & (1<<20 - 1))
}

// shift returns the hash shift of a table for n keys that is at most three
// quarters full.
func shift(n int) uint { return uint(64 - bits.Len(uint(n+n/3))) }

func (v *vocab) addPair(left, right, id uint32) {
	v.merges[left].left |= isHalf
	v.merges[right].right |= isHalf
	key := uint64(left)<<18 | uint64(right)
	mask := uint64(len(v.pairs) - 1)
	h := hash1(key, v.pairShift)
	for v.pairs[h&mask] != 0 {
		h++
	}
	v.pairs[h&mask] = key<<18 | uint64(id)
}

func (v *vocab) add(id uint32) {
	i, end := int(v.start[id]), int(v.start[id+1])
	b, n := v.text, end-i
	switch {
	case n <= 7:
		key := shortKey(b, i, end)
		mask := uint64(len(v.short) - 1)
		h := hash1(key, v.shortShift)
		for v.short[h&mask] != 0 {
			h++
		}
		v.short[h&mask], v.shortID[h&mask] = key, id
		if n == 1 {
			v.single[b[i]] = id
		} else if n == 2 {
			v.double[int(b[i])<<8|int(b[i+1])] = id
		}
	case n <= 15:
		lo, hi := mediumKey(b, i, end)
		mask := uint64(len(v.medium) - 1)
		h := hash2(lo, hi, v.mediumShift)
		for v.medium[h&mask][1] != 0 {
			h++
		}
		v.medium[h&mask], v.mediumID[h&mask] = [2]uint64{lo, hi}, id
	default:
		mask := uint64(len(v.long) - 1)
		h := hashLong(b[i:end], v.longShift)
		for v.long[h&mask] != none {
			h++
		}
		v.long[h&mask] = id
	}
	if n >= 4 {
		first := uint64(b[i]) | uint64(b[i+1])<<8 | uint64(b[i+2])<<16 | uint64(b[i+3])<<24
		v.lengths[hash1(first, lengthsShift)][(n-1)/64] |= 1 << ((n - 1) % 64)
	}
}
