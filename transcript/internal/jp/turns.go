package jp

import (
	"slices"
)

// Turns tells JP's turns from ours. JP opens a turn where a turn_start stands
// behind an event of the turn before: what stands before the first turn_start
// is one turn of JP's, in which each request opens one of ours.
type Turns struct {
	starts []int // the turns of ours with which JP's begin, from JP's second on
	Holds  bool  // JP's turn under way holds an event
}

// Start takes a turn_start that stands in the given turn of ours.
func (t *Turns) Start(turn int) {
	if t.Holds {
		t.starts = append(t.starts, turn)
	}
	t.Holds = true
}

// first is the turn of ours with which a turn of JP's begins; turns that are
// still to come are ours one by one.
func (t *Turns) first(jp, now int) int {
	switch last := len(t.starts); {
	case jp <= 0:
		return 0
	case jp <= last:
		return t.starts[jp-1]
	default:
		return now + jp - last
	}
}

// Ours gives the range of ours that a range of JP's covers, where the
// conversation stands in turn now; to < from when it covers none.
func (t *Turns) Ours(from, to, now int) (int, int) {
	return t.first(from, now), t.first(to+1, now) - 1
}

// Theirs gives the range of JP's that covers exactly a range of ours, in a
// conversation whose last turn is given; false when there is none.
func (t *Turns) Theirs(from, to, last int) (int, int, bool) {
	// begins gives the last turn of JP's that begins in a turn of ours.
	begins := func(turn int) (int, bool) {
		jp, _ := slices.BinarySearch(t.starts, turn+1)
		return jp, t.first(jp, last) == turn
	}
	first, ok := begins(from)
	if to >= last {
		return first, len(t.starts), ok
	}
	next, whole := begins(to + 1)
	return first, next - 1, ok && whole && first < next
}
