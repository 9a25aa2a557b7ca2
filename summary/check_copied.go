package summary

// shingle is how many words in a row make a sequence that nobody writes twice
// by chance.
const shingle = 6

// shingles tells how much of a text a tool printed so, and nobody else said.
type shingles struct {
	*hasher
	size        int
	all         int
	tools, said map[uint64]bool
	wanted      map[uint64]bool
	heads       map[uint64]bool
}

func newShingles(h *hasher, text string) *shingles {
	s := &shingles{
		hasher: h,
		tools:  map[uint64]bool{}, said: map[uint64]bool{}, wanted: map[uint64]bool{}, heads: map[uint64]bool{},
	}
	var u units
	s.read(&u, text)
	s.size = min(shingle, len(u.words))
	if s.size < 3 {
		return s // a word or two say nothing
	}
	for i := 0; i+s.size <= len(u.words); i++ {
		s.heads[u.words[i]] = true
		s.wanted[s.hash(&u, i, i+s.size)] = true
	}
	s.all = len(s.wanted)
	return s
}

// scan marks the sequences that a source holds.
func (s *shingles) scan(u *units, tool bool) {
	if s.all == 0 {
		return
	}
	for i := 0; i+s.size <= len(u.words); i++ {
		if !s.heads[u.words[i]] {
			continue
		}
		if key := s.hash(u, i, i+s.size); s.wanted[key] {
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
