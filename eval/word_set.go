package eval

import "slices"

// wordSet is the words of a text, by their hashes, sorted, each once.
type wordSet []uint64

// The parameters of FNV-1a, 64 bits.
const (
	hashOffset = 14695981039346656037
	hashPrime  = 1099511628211
)

func wordsOf(text string) wordSet {
	var set wordSet
	h, in := uint64(hashOffset), false
	for _, r := range text {
		if isWord(r) {
			h, in = (h^uint64(r))*hashPrime, true
			continue
		}
		if in {
			set = append(set, h)
			h, in = hashOffset, false
		}
	}
	if in {
		set = append(set, h)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// common counts the words of both sets, and those of both that are not among
// the words left out.
func common(a, b, out wordSet) (all, others int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			all++
			if _, left := slices.BinarySearch(out, a[0]); !left {
				others++
			}
			a, b = a[1:], b[1:]
		}
	}
	return all, others
}

// without counts the words of a that are not in b.
func without(a, b wordSet) int {
	all, _ := common(a, b, nil)
	return len(a) - all
}
