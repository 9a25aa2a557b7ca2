package tenfold

import (
	"hash/maphash"
	"slices"
)

// idIndex finds entries by id in some eleven bytes an entry: the ids stand in
// a list of their own. It grows shard by shard, so that no append waits for the
// whole to be laid anew. The hash is seeded, since ids come from strangers;
// nothing that can be seen depends on it.
type idIndex struct {
	seed   maphash.Seed
	shards []idShard
}

type idShard struct {
	slots  []idSlot // at most four in five used
	used   int
	shared bool // with a snapshot: the slots are copied before they change
}

type idSlot struct {
	hash uint32
	seq  int32 // 0 for a free slot
}

// A short list has one shard, a long one 256: so that what is copied for an append
// after a snapshot, and what is for the snapshot, stay small.
const (
	idShards  = 256
	idShorter = 1024 // entries
)

// find gives the seq of an id; 0 for none.
func (x *idIndex) find(ids *packed, id string) int32 {
	if x.shards == nil {
		return 0
	}
	s, hash := x.shard(id)
	if len(s.slots) == 0 {
		return 0
	}
	return s.slots[s.probe(ids, id, hash)].seq
}

// insert takes the id of the entry that is to be seq; false when it is there
// already.
func (x *idIndex) insert(ids *packed, id string, seq int32) bool {
	switch {
	case x.shards == nil:
		x.seed, x.shards = maphash.MakeSeed(), make([]idShard, 1)
	case len(x.shards) == 1 && x.shards[0].used == idShorter:
		x.split(ids)
	}
	s, hash := x.shard(id)
	s.grow()
	i := s.probe(ids, id, hash)
	if s.slots[i].seq != 0 {
		return false
	}
	s.own()
	s.slots[i] = idSlot{hash, seq}
	s.used++
	return true
}

// freeze gives the index as it is: each copies a shard before it changes it.
func (x *idIndex) freeze() idIndex {
	for i := range x.shards {
		x.shards[i].shared = true
	}
	return idIndex{x.seed, slices.Clone(x.shards)}
}

func (s *idShard) own() {
	if s.shared {
		s.slots, s.shared = slices.Clone(s.slots), false
	}
}

// beneath knows the ids of the log that a fork was made of, up to where that ended.
type beneath struct {
	index idIndex
	ids   packed
	last  int32
	base  *beneath
}

func (b *beneath) freeze() *beneath {
	if b == nil {
		return nil
	}
	return &beneath{b.index.freeze(), b.ids, b.last, b.base.freeze()}
}

// remove takes an id out that is there.
func (x *idIndex) remove(ids *packed, id string) {
	s, hash := x.shard(id)
	s.own()
	hole := s.probe(ids, id, hash)
	// Close the gap: what stands behind it, up to the next free slot, moves up
	// unless that would put it before its place.
	for i := s.next(hole); s.slots[i].seq != 0; i = s.next(i) {
		home := s.place(s.slots[i].hash)
		if behind := hole < home && home <= i; behind || (i < hole && (hole < home || home <= i)) {
			continue
		}
		s.slots[hole], hole = s.slots[i], i
	}
	s.slots[hole] = idSlot{}
	s.used--
}

func (x *idIndex) shard(id string) (*idShard, uint32) {
	h := maphash.String(x.seed, id)
	return &x.shards[h&uint64(len(x.shards)-1)], uint32(h >> 32)
}

// place is the slot where a hash stands if nothing is in its way.
func (s *idShard) place(hash uint32) int { return int(uint64(hash) * uint64(len(s.slots)) >> 32) }

func (s *idShard) next(i int) int {
	if i++; i == len(s.slots) {
		return 0
	}
	return i
}

// probe gives the slot of an id, or the free one where it would stand.
func (s *idShard) probe(ids *packed, id string, hash uint32) int {
	for i := s.place(hash); ; i = s.next(i) {
		slot := s.slots[i]
		if slot.seq == 0 || (slot.hash == hash && ids.at(slot.seq) == id) {
			return i
		}
	}
}

// grow makes room for one more.
func (s *idShard) grow() {
	if 5*(s.used+1) <= 4*len(s.slots) {
		return
	}
	old := s.slots
	s.slots, s.shared = make([]idSlot, max(8, len(old)+len(old)/4)), false
	for _, slot := range old {
		if slot.seq != 0 {
			s.put(slot)
		}
	}
}

// put takes a slot that is not there.
func (s *idShard) put(slot idSlot) {
	i := s.place(slot.hash)
	for s.slots[i].seq != 0 {
		i = s.next(i)
	}
	s.slots[i] = slot
}

// split lays one shard anew as many.
func (x *idIndex) split(ids *packed) {
	one := x.shards[0]
	x.shards = make([]idShard, idShards)
	for _, slot := range one.slots {
		if slot.seq != 0 {
			s, _ := x.shard(ids.at(slot.seq))
			s.grow()
			s.put(slot)
			s.used++
		}
	}
}
