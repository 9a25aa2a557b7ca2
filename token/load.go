package token

import (
	"encoding/binary"
	"sync"
)

// The committed data come from the npm package tiktoken, found in $TIKTOKEN.
//go:generate go run ./gen -tiktoken $TIKTOKEN

// A pack is a packed vocabulary taken apart; gen describes its form. It is
// part of the program and must not be written to.
type pack struct {
	sizes  []byte // by token, in bytes
	merges []byte // by token, five bytes each, and three to spare
	text   []byte // the bytes of all tokens, one after the other
}

func unpack(packed string) pack {
	b := bytesOf(packed)
	n := int(binary.LittleEndian.Uint32(b))
	return pack{b[4 : 4+n], b[4+n : 4+6*n+3], b[4+6*n:]}
}

// size returns the number of bytes of a token.
func (p *pack) size(id uint32) int { return int(p.sizes[id]) }

// merge returns what a token was merged from.
func (p *pack) merge(id uint32) merge {
	return merge(binary.LittleEndian.Uint64(p.merges[5*id:5*id+8]) & (1<<40 - 1))
}

// newVocab builds the tables from a packed vocabulary.
//
// The large ones are filled from beginning to end, as far as possible, from
// entries put in order before: writing all over a table that does not fit
// into the processor's cache is waiting for memory most of the time.
func newVocab(packed string) *vocab {
	v := &vocab{pack: unpack(packed)}
	var all sync.WaitGroup
	all.Go(v.loadPairs)
	all.Go(v.loadMedium)
	v.loadShort()
	v.loadSmall()
	all.Wait()
	return v
}

// In a slot of short and medium the distance from home is above this bit. Who
// is farther from home takes the place of one who is nearer, so that the few
// bits for the distance are enough; a test looks at every token.
const (
	shortDistance  = keyBits - shortBits + idBits
	mediumDistance = keyBits - mediumBits + idBits
)

// buckets divide a table into parts that are filled one after the other. They
// count the entries of each, and are then where its next entry goes.
type buckets [1<<bucketBits + 1]int

const bucketBits = 6

func (b *buckets) sum() {
	for i := range 1 << bucketBits {
		b[i+1] += b[i]
	}
}

// loadShort fills short.
func (v *vocab) loadShort() {
	type entry struct {
		hash uint64
		id   uint32
	}
	var at buckets
	i := 0
	for _, size := range v.sizes {
		end := i + int(size)
		if size < 8 {
			lo, hi := words(v.text, i, end)
			at[shortHash(lo|hi)>>(keyBits-bucketBits)+1]++
		}
		i = end
	}
	at.sum()
	entries := make([]entry, at[1<<bucketBits])
	i = 0
	for id, size := range v.sizes {
		end := i + int(size)
		if size < 8 {
			lo, hi := words(v.text, i, end)
			h := shortHash(lo | hi)
			k := h >> (keyBits - bucketBits)
			entries[at[k]] = entry{h, uint32(id)}
			at[k]++
		}
		i = end
	}
	v.seen = make([]uint64, 1<<seenBits/64)
	v.short = make([]uint64, 1<<shortBits)
	for _, e := range entries {
		bit := e.hash >> (keyBits - seenBits)
		v.seen[bit/64] |= 1 << (bit % 64)
		home := e.hash >> (keyBits - shortBits)
		slot := e.hash&(1<<(keyBits-shortBits)-1)<<idBits | uint64(e.id+1)
		for v.short[home&(1<<shortBits-1)] != 0 {
			if s := &v.short[home&(1<<shortBits-1)]; *s>>shortDistance < slot>>shortDistance {
				*s, slot = slot, *s
			}
			home++
			slot += 1 << shortDistance
		}
		v.short[home&(1<<shortBits-1)] = slot
	}
}

// loadMedium fills medium.
func (v *vocab) loadMedium() {
	type entry struct {
		hash, lo uint64
		id       uint32
	}
	var at buckets
	i := 0
	for _, size := range v.sizes {
		end := i + int(size)
		if size >= 8 && size < 16 {
			at[mediumHash(words(v.text, i, end))>>(keyBits-bucketBits)+1]++
		}
		i = end
	}
	at.sum()
	entries := make([]entry, at[1<<bucketBits])
	i = 0
	for id, size := range v.sizes {
		end := i + int(size)
		if size >= 8 && size < 16 {
			lo, hi := words(v.text, i, end)
			h := mediumHash(lo, hi)
			k := h >> (keyBits - bucketBits)
			entries[at[k]] = entry{h, lo, uint32(id)}
			at[k]++
		}
		i = end
	}
	v.medium = make([][2]uint64, 1<<mediumBits)
	for _, e := range entries {
		home := e.hash >> (keyBits - mediumBits)
		slot := [2]uint64{e.lo, e.hash&(1<<(keyBits-mediumBits)-1)<<idBits | uint64(e.id+1)}
		for v.medium[home&(1<<mediumBits-1)][1] != 0 {
			if s := &v.medium[home&(1<<mediumBits-1)]; s[1]>>mediumDistance < slot[1]>>mediumDistance {
				*s, slot = slot, *s
			}
			home++
			slot[1] += 1 << mediumDistance
		}
		v.medium[home&(1<<mediumBits-1)] = slot
	}
}

// loadPairs fills pairs and filter.
func (v *vocab) loadPairs() {
	key := func(id int) uint64 {
		m := v.merge(uint32(id))
		return uint64(m.left())<<idBits | uint64(m.right())
	}
	n := len(v.sizes)
	var at buckets
	for id := 256; id < n; id++ {
		at[key(id)*mix1>>(64-bucketBits)+1]++
	}
	at.sum()
	entries := make([]uint64, n-256)
	for id := 256; id < n; id++ {
		key := key(id)
		k := key * mix1 >> (64 - bucketBits)
		entries[at[k]] = key<<idBits | uint64(id)
		at[k]++
	}
	v.pairs = make([]uint64, 1<<pairBits)
	v.filter = make([]uint64, 1<<filterBits/64)
	for _, e := range entries {
		h := e >> idBits * mix1
		v.filter[h>>(64-filterBits)/64] |= 1 << (h >> (64 - filterBits) % 64)
		h >>= 64 - pairBits
		for v.pairs[h&(1<<pairBits-1)] != 0 {
			h++
		}
		v.pairs[h&(1<<pairBits-1)] = e
	}
}

// loadSmall fills the tables that are small enough to be filled in any order.
func (v *vocab) loadSmall() {
	v.double = make([]uint32, 1<<16)
	v.long = make([]uint64, 1<<longBits)
	v.lengths = make([]uint16, 1<<lengthsBits)
	v.longer = make([][2]uint64, 1<<longerBits)
	i := 0
	for id, size := range v.sizes {
		if id%indexStep == 0 {
			v.index = append(v.index, uint32(i))
		}
		b := v.text[i : i+int(size)]
		if size >= 4 {
			v.lengths[lengthsOf(binary.LittleEndian.Uint32(b))] |= 1 << (min(size, 16) - 1)
		}
		switch {
		case size == 1:
			v.single[b[0]] = uint32(id)
		case size == 2:
			v.double[int(b[0])<<8|int(b[1])] = uint32(id + 1)
		case size >= 16:
			h := hashLong(b)
			for v.long[h&(1<<longBits-1)] != 0 {
				h++
			}
			v.long[h&(1<<longBits-1)] = uint64(i)<<idBits | uint64(id)
			v.longer[longerOf(b)][(size-1)/64] |= 1 << ((size - 1) % 64)
		}
		i += int(size)
	}
}
