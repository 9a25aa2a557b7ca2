package summary

import (
	"tenfold"
	"tenfold/summary/internal/source"
)

// A chunk is a stretch of a rendering that fits one call, with the turns it is
// from.
type chunk struct {
	blocks   []Block
	tokens   int
	from, to int
	// cut counts entries that did not fit whole.
	cut int
}

// chunked packs blocks into chunks of at most budget tokens (C5): at the ends of
// turns where it can, else of steps, else between entries. An entry that is
// larger than the budget is cut, with a mark. The budget must be positive.
func chunked(c tenfold.Counter, blocks []Block, budget int) []chunk {
	s := splitter{counter: c, budget: budget}
	s.pack(blocks, byTurn)
	s.flush()
	return s.chunks
}

// level is what a unit of packing is.
type level int

const (
	byTurn level = iota
	byStep
	byEntry
)

type splitter struct {
	counter tenfold.Counter
	budget  int
	open    chunk
	chunks  []chunk
}

func (s *splitter) flush() {
	if len(s.open.blocks) > 0 {
		s.open.from, s.open.to = s.open.blocks[0].Turn, s.open.blocks[0].Turn
		for _, b := range s.open.blocks {
			s.open.from, s.open.to = min(s.open.from, b.Turn), max(s.open.to, b.Turn)
		}
		s.chunks = append(s.chunks, s.open)
	}
	s.open = chunk{}
}

// pack puts units of one level together while they fit. A unit that is too
// large by itself begins a chunk of its own and is packed by the next level.
func (s *splitter) pack(blocks []Block, by level) {
	for len(blocks) > 0 {
		n := unitSize(blocks, by)
		one, rest := blocks[:n], blocks[n:]
		tokens := 0
		for _, b := range one {
			tokens += s.counter.Count(b.Text())
		}
		cut := 0
		switch {
		case tokens > s.budget && by < byEntry:
			s.flush()
			s.pack(one, by+1)
			s.flush()
			blocks = rest
			continue
		case tokens > s.budget:
			one, tokens, cut = s.shorten(one[0])
		}
		if s.open.tokens+tokens > s.budget {
			s.flush()
		}
		s.open.blocks = append(s.open.blocks, one...)
		s.open.tokens += tokens
		s.open.cut += cut
		blocks = rest
	}
}

// unitSize is how many of the blocks belong together at a level. Late results
// stand with their call's step but come after: a turn is a stretch all the
// same, ended by the first block of another.
func unitSize(blocks []Block, by level) int {
	if by == byEntry {
		return 1
	}
	for i, b := range blocks {
		if b.Turn != blocks[0].Turn || (by == byStep && b.Step != blocks[0].Step) {
			return i
		}
	}
	return len(blocks)
}

// shorten cuts an entry until it fits, by half each time.
func (s *splitter) shorten(b Block) (blocks []Block, tokens, cut int) {
	whole := b.Body
	for longest := min(len(whole)/2, s.budget*4); ; longest /= 2 {
		b.Body = source.CutMiddle(whole, max(longest, 1))
		tokens = s.counter.Count(b.Text())
		if tokens <= s.budget || longest <= 1 {
			return []Block{b}, min(tokens, s.budget), 1
		}
	}
}
