package token

import (
	"strings"
	"testing"

	"tenfold/token/internal/sample"
)

// mergePairs is byte-pair encoding as it is defined: merge the two neighbours
// that make the oldest token, the first of several, until none make one.
func mergePairs(v *vocab, text string) []uint32 {
	var ids []uint32
	for i := range len(text) {
		ids = append(ids, v.single[text[i]])
	}
	for {
		best, at := none, -1
		for i := 0; i+1 < len(ids); i++ {
			both := v.bytes(ids[i]) + v.bytes(ids[i+1])
			if id := v.find([]byte(both), 0, len(both)); id < best {
				best, at = id, i
			}
		}
		if at < 0 {
			return ids
		}
		ids[at] = best
		ids = append(ids[:at+1], ids[at+2:]...)
	}
}

func pieces() []string {
	list := []string{
		"internationalizationX", "aaaaaaaaaaaab", "=-=-=-=-=-==", "\xff\xfe\x00\xff", "日本語中文汉字漢字",
		strings.Repeat("=", 300), strings.Repeat(" ", 200), strings.Repeat("ab", 90) + "a", sample.Base64(1, 500), sample.Letters(2, 300),
		strings.Repeat("-", 77), strings.Repeat("*", 131), strings.Repeat("ha", 64), strings.Repeat("日", 70),
	}
	for i := range uint64(200) {
		list = append(list, sample.Letters(i, 2+int(i%70)))
	}
	for _, text := range sample.Strings(9, 400) {
		if text != "" {
			list = append(list, text[:min(len(text), 100)]) // cut anywhere
		}
	}
	return list
}

// Merging pairs and stepping from token to token give the same tokens, also
// for pieces no split would produce.
func TestT1EncodeIsPairMerging(t *testing.T) {
	for _, v := range []*vocab{O200k().vocab(), Cl100k().vocab()} {
		var m merger
		for _, piece := range pieces() {
			want := mergePairs(v, piece)
			m.encode(v, []byte(piece), 0, len(piece))
			if len(m.tokens) != len(want) {
				t.Fatalf("%q: %d, want %d", piece, m.tokens, want)
			}
			for i := range want {
				if m.tokens[i] != want[i] {
					t.Fatalf("%q: %d, want %d", piece, m.tokens, want)
				}
			}
			for range 2 { // the second time from the cache
				if n := v.count([]byte(piece), 0, len(piece)); n != len(want) {
					t.Fatalf("%q: counts %d, want %d", piece, n, len(want))
				}
			}
		}
	}
}

// Target T6: the work for a piece is linear in its length. It is counted in
// tokens tried, because time is not a thing to assert.
func TestT6StepsAreLinear(t *testing.T) {
	runs := map[string]func(n int) string{
		"base64":  func(n int) string { return sample.Base64(1, n) },
		"letters": func(n int) string { return sample.Letters(1, n) },
	}
	for _, unit := range []string{"a", "A", " ", "=", "-", "0", "日", "é", "ab", "=-", "xyz", "😀", "\x00", "the", "aaab", "e\u0301"} {
		runs[unit] = func(n int) string { return strings.Repeat(unit, n/len(unit)) }
	}
	for _, v := range []*vocab{O200k().vocab(), Cl100k().vocab()} {
		var m merger
		steps := func(text string) float64 {
			m.steps = 0
			m.encode(v, []byte(text), 0, len(text))
			return float64(m.steps)
		}
		for name, run := range runs {
			small, large := steps(run(10_000)), steps(run(100_000))
			if large > 4*100_000 || large > 13*small {
				t.Errorf("%q: %.0f steps for 10 kB, %.0f for 100 kB", name, small, large)
			}
		}
	}
}

// Two tokens are adjacent if together they are encoded as themselves.
func TestT1Adjacent(t *testing.T) {
	s := sample.New(6)
	for _, v := range []*vocab{O200k().vocab(), Cl100k().vocab()} {
		for range 3000 {
			l, r := uint32(s.Intn(3000)), uint32(s.Intn(len(v.sizes)))
			if s.Intn(2) == 0 {
				l, r = r, l
			}
			ids := mergePairs(v, v.bytes(l)+v.bytes(r))
			if want := len(ids) == 2 && ids[0] == l; v.adjacent(l, r) != want {
				t.Errorf("%q %q: adjacent is not %v", v.bytes(l), v.bytes(r), want)
			}
		}
	}
}

// Every token is found by its bytes, and merges from the two it is made of.
func TestVocabularyTables(t *testing.T) {
	for _, v := range []*vocab{O200k().vocab(), Cl100k().vocab()} {
		for id := range uint32(len(v.sizes)) {
			text := v.bytes(id)
			if got := v.find([]byte(text), 0, len(text)); got != id {
				t.Fatalf("token %d %q is found as %d", id, text, got)
			}
			if got, size := v.prefix([]byte(text+"\xff"), 0, len(text)+1); size < len(text) {
				t.Fatalf("token %d %q: longest prefix is %d", id, text, got)
			}
			if m := v.merge(id); id >= 256 && v.pair(m.left(), m.right()) != id {
				t.Fatalf("token %d %q is not the pair it is made of", id, text)
			}
		}
	}
}

func TestCacheKeepsWholePieces(t *testing.T) {
	c := new(cache)
	lo, hi := words([]byte("internationalx"), 0, 14)
	s := c.slot(lo, hi)
	if n := s.get(lo, hi); n != 0 {
		t.Errorf("an empty slot says %d", n)
	}
	s.put(lo, hi, 3)
	if n := s.get(lo, hi); n != 3 {
		t.Errorf("got %d, want 3", n)
	}
	if n := s.get(lo, hi^1); n != 0 {
		t.Errorf("another piece got %d", n)
	}
	s.version.Add(1) // somebody writes
	if n := s.get(lo, hi); n != 0 {
		t.Errorf("got %d from a slot being written", n)
	}
	s.put(lo, hi, 5)
	s.version.Add(1)
	if n := s.get(lo, hi); n != 3 {
		t.Errorf("got %d, want what was there", n)
	}
}
