package token

import "sync/atomic"

// A cache remembers the counts of pieces of up to 15 bytes. Tables of the size
// of a vocabulary do not fit into the processor's caches, but the few thousand
// pieces that most of a text is made of do. It is bounded, never allocates,
// holds the whole piece beside the count, so that an answer is exact, and is
// shared by all who count. A collision overwrites.
type cache [1 << cacheBits]cacheSlot

const cacheBits = 14

// A cacheSlot holds a piece as words gives it, with the count in the top four
// bits. The version is odd while somebody writes: whoever sees that, or sees
// it change, takes what he read for a miss.
type cacheSlot struct {
	version, lo, hi atomic.Uint64
	_               uint64 // a slot does not straddle two cache lines
}

const countShift = 60

func (c *cache) slot(lo, hi uint64) *cacheSlot {
	return &c[(lo*mix1^hi)*mix2>>(64-cacheBits)]
}

// get returns the count of the piece, or 0.
func (s *cacheSlot) get(lo, hi uint64) int {
	version := s.version.Load()
	gotLo, gotHi := s.lo.Load(), s.hi.Load()
	if gotLo != lo || gotHi&(1<<countShift-1) != hi || version&1 != 0 || s.version.Load() != version {
		return 0
	}
	return int(gotHi >> countShift)
}

// put stores a count from 1 to 15, unless somebody else is at it.
func (s *cacheSlot) put(lo, hi uint64, count int) {
	version := s.version.Load()
	if version&1 != 0 || !s.version.CompareAndSwap(version, version+1) {
		return
	}
	s.lo.Store(lo)
	s.hi.Store(hi | uint64(count)<<countShift)
	s.version.Store(version + 2)
}
