package summary

import "hash/maphash"

// shingle is how many words in a row make a sequence that nobody writes twice
// by chance.
const shingle = 6

// shingles tells how much of a text a tool printed so, and nobody else said.
type shingles struct {
	hasher
	powers      [longestRun + 1]uint64
	units       units
	size        int
	all         int
	tools, said map[uint64]bool
	wanted      map[uint64]bool
	heads       map[uint64]bool
}

func newShingles(text string) *shingles {
	s := &shingles{
		hasher: hasher{maphash.MakeSeed()}, powers: newPowers(),
		tools: map[uint64]bool{}, said: map[uint64]bool{}, wanted: map[uint64]bool{}, heads: map[uint64]bool{},
	}
	s.split(&s.units, text)
	s.size = min(shingle, len(s.units.words))
	if s.size < 3 {
		return s // a word or two say nothing
	}
	for i := 0; i+s.size <= len(s.units.words); i++ {
		s.heads[s.units.words[i]] = true
		s.wanted[s.key(i)] = true
	}
	s.all = len(s.wanted)
	return s
}

func (s *shingles) key(i int) uint64 { return s.units.hash(i, i+s.size, &s.powers) }

func (s *shingles) scan(text string, tool bool) {
	if s.all == 0 {
		return
	}
	s.split(&s.units, text)
	for i := 0; i+s.size <= len(s.units.words); i++ {
		if !s.heads[s.units.words[i]] {
			continue
		}
		if key := s.key(i); s.wanted[key] {
			if tool {
				s.tools[key] = true
			} else {
				s.said[key] = true
			}
		}
	}
}

func (s *shingles) percent() int {
	if s.all == 0 {
		return 0
	}
	n := 0
	for key := range s.tools {
		if !s.said[key] {
			n++
		}
	}
	return n * 100 / s.all
}
