package excerpt

import "math/bits"

// ranked is a candidate in the queue, as it was ranked when it was put in.
type ranked struct {
	at         int32
	gain, cost int64
	by         int64 // what the gain is divided by
}

// before compares gain per cost, cross-multiplied; ties go by log order.
func (r ranked) before(s ranked) bool {
	rHi, rLo := bits.Mul64(uint64(r.gain), uint64(s.by))
	sHi, sLo := bits.Mul64(uint64(s.gain), uint64(r.by))
	switch {
	case rHi != sHi:
		return rHi > sHi
	case rLo != sLo:
		return rLo > sLo
	}
	return r.at < s.at
}

// queue is a binary heap: most gain per cost first.
type queue []ranked

// order makes a heap of what is in no order.
func (q queue) order() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

func (q *queue) push(r ranked) {
	*q = append(*q, r)
	list := *q
	for i := len(list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !list[i].before(list[parent]) {
			return
		}
		list[i], list[parent] = list[parent], list[i]
		i = parent
	}
}

// pop takes the first; there must be one.
func (q *queue) pop() ranked {
	list := *q
	first, last := list[0], len(list)-1
	list[0] = list[last]
	*q = list[:last]
	q.down(0)
	return first
}

func (q queue) down(i int) {
	for {
		best := 2*i + 1
		if best >= len(q) {
			return
		}
		if other := best + 1; other < len(q) && q[other].before(q[best]) {
			best = other
		}
		if !q[best].before(q[i]) {
			return
		}
		q[i], q[best] = q[best], q[i]
		i = best
	}
}
