// Package sample makes varied texts for tests and fixtures. The same seed
// gives the same texts on every machine and in every version of Go, because
// everything it draws from is in this package; fixtures hold only what a
// reference counted, and the test makes the texts again.
package sample

import "strings"

// A Source is a small pseudo-random generator, splitmix64. Not for concurrent
// use.
type Source struct{ state uint64 }

// New returns a source that begins with seed.
func New(seed uint64) *Source { return &Source{seed} }

func (s *Source) next() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Intn returns a number from 0 to n-1.
func (s *Source) Intn(n int) int { return int(s.next() >> 1 % uint64(n)) }

func pick[T any](s *Source, list []T) T { return list[s.Intn(len(list))] }

// Strings returns n texts of up to a few hundred characters, valid UTF-8:
// prose, code, JSON, many scripts, marks, emoji, white space, numbers,
// contractions, encoded bytes, control characters, unassigned code points,
// and mixtures of all of them.
func Strings(seed uint64, n int) []string {
	s := New(seed)
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		switch kind := i % (len(kinds) + 3); {
		case kind < len(kinds):
			kinds[kind](s, &b, 2+s.Intn(30))
		case kind == len(kinds):
			// Neighbours of all kinds in small bits.
			for range 4 + s.Intn(20) {
				pick(s, kinds)(s, &b, 1+s.Intn(2))
			}
		case kind == len(kinds)+1:
			mixed(s, &b, 1+s.Intn(40))
		default:
			for range 2 + s.Intn(4) {
				pick(s, kinds)(s, &b, 1+s.Intn(12))
			}
			spaces(s, &b, s.Intn(3))
		}
		texts[i] = b.String()
	}
	return texts
}

// Mixed returns text of at least size bytes that resembles what agents write
// and read: prose, code, JSON, paths, identifiers, a little of other scripts.
func Mixed(seed uint64, size int) string {
	s := New(seed)
	var b strings.Builder
	list := []kind{english, english, english, code, code, object, paths, hexes, scripts}
	for b.Len() < size {
		pick(s, list)(s, &b, 10+s.Intn(40))
		b.WriteString("\n")
	}
	return b.String()
}

// Base64 returns size characters of the base64 alphabet.
func Base64(seed uint64, size int) string { return from(seed, size, base64Alphabet) }

// Letters returns size lower-case letters without structure.
func Letters(seed uint64, size int) string { return from(seed, size, base64Alphabet[26:52]) }

func from(seed uint64, size int, alphabet string) string {
	s := New(seed)
	b := make([]byte, size)
	for i := range b {
		b[i] = alphabet[s.Intn(len(alphabet))]
	}
	return string(b)
}
