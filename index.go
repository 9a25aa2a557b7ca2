package tenfold

import "hash/maphash"

// idIndex finds entries by id in eight bytes a place: the ids themselves stand
// in the records. It grows shard by shard, so that no append waits for the
// whole to be laid anew. The hash is seeded, since ids come from strangers;
// nothing that can be seen depends on it.
type idIndex struct {
	seed   maphash.Seed
	shards []idShard
}

type idShard struct {
	slots []idSlot // a power of two of them, at most three quarters used
	used  int
}

type idSlot struct {
	hash uint32
	seq  int32 // 0 for a free slot
}

const idShards = 64

// find gives the seq of an id; 0 for none.
func (x *idIndex) find(records *chunks[record], id string) int32 {
	if x.shards == nil {
		return 0
	}
	h := maphash.String(x.seed, id)
	s := &x.shards[h%idShards]
	if len(s.slots) == 0 {
		return 0
	}
	return s.slots[s.probe(records, id, uint32(h>>32))].seq
}

// insert takes the id of the entry that is to be seq; false when it is there
// already.
func (x *idIndex) insert(records *chunks[record], id string, seq int32) bool {
	if x.shards == nil {
		x.seed, x.shards = maphash.MakeSeed(), make([]idShard, idShards)
	}
	h := maphash.String(x.seed, id)
	s := &x.shards[h%idShards]
	if 4*(s.used+1) > 3*len(s.slots) {
		s.grow()
	}
	hash := uint32(h >> 32)
	i := s.probe(records, id, hash)
	if s.slots[i].seq != 0 {
		return false
	}
	s.slots[i] = idSlot{hash, seq}
	s.used++
	return true
}

// probe gives the slot of an id, or the free one where it would stand.
func (s *idShard) probe(records *chunks[record], id string, hash uint32) uint32 {
	mask := uint32(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := s.slots[i]
		if slot.seq == 0 || (slot.hash == hash && records.at(slot.seq).id == id) {
			return i
		}
	}
}

func (s *idShard) grow() {
	old := s.slots
	s.slots = make([]idSlot, max(8, 2*len(old)))
	mask := uint32(len(s.slots) - 1)
	for _, slot := range old {
		if slot.seq == 0 {
			continue
		}
		i := slot.hash & mask
		for s.slots[i].seq != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = slot
	}
}
