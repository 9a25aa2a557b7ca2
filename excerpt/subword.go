package excerpt

import (
	"iter"
	"strings"
)

// minSubword is the shortest piece of a name that tells anything.
const minSubword = 3

// subwords gives the pieces of an atom, in lower case: what capitals,
// underscores, digits and other marks part.
func subwords(atom string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		put := func(end int) bool {
			return end-start < minSubword || yield(strings.ToLower(atom[start:end]))
		}
		last := byte(0)
		for i := range len(atom) {
			b := atom[i]
			kind := sort(b)
			switch {
			case kind == 0:
				if !put(i) {
					return
				}
				start = i + 1
			case last != 0 && last != kind && (last != 'A' || kind != 'a'):
				if !put(i) {
					return
				}
				start = i
			case last == 'A' && kind == 'a' && i-start > 1: // HTTPServer: http, server
				if !put(i - 1) {
					return
				}
				start = i - 1
			}
			last = kind
		}
		put(len(atom))
	}
}

// sort is 'a', 'A' or '0' for a letter, a capital or a digit, else 0.
func sort(b byte) byte {
	switch {
	case b >= 'a' && b <= 'z':
		return 'a'
	case b >= 'A' && b <= 'Z':
		return 'A'
	case b >= '0' && b <= '9':
		return '0'
	}
	return 0
}
