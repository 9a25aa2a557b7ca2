package tenfold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The index does what a map would, short and long, also when ids are taken out
// again.
func TestIDIndexIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x idIndex
		var ids packed
		want := map[string]int32{}
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			from := int32(len(want))
			for range rapid.IntRange(0, 120).Draw(t, "insert") {
				seq := int32(len(want)) + 1
				id := fmt.Sprint("id-", seq)
				ids.push(id)
				if !x.insert(&ids, id, seq) || x.insert(&ids, id, seq+1) {
					t.Fatalf("inserting %s once and again", id)
				}
				want[id] = seq
			}
			if rapid.Bool().Draw(t, "take back") {
				for seq, last := from+1, int32(len(want)); seq <= last; seq++ {
					x.remove(&ids, ids.at(seq))
					delete(want, ids.at(seq))
				}
				all := ids
				ids = packed{}
				for i := range from {
					ids.push(all.at(i + 1))
				}
			}
			for id, seq := range want {
				if got := x.find(&ids, id); got != seq {
					t.Fatalf("%s is %d, found at %d", id, seq, got)
				}
			}
			if got := x.find(&ids, fmt.Sprint("id-", len(want)+1)); got != 0 {
				t.Fatalf("an id that is not there is found at %d", got)
			}
		}
	})
}

// Strings come back as they were, of whatever lengths; a fork goes its own way.
func TestPackedKeepsStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SampledFrom([][]int{{36}, {0}, {0, 36}, {1, 5000}, {36, 100_000}}).Draw(t, "lengths")
		var want, other []string
		text := func(i int) string {
			return strings.Repeat(fmt.Sprint(i%10), rapid.SampledFrom(lengths).Draw(t, "length"))
		}
		var l packed
		for i := range rapid.IntRange(0, 200).Draw(t, "strings") {
			want = append(want, text(i))
			l.push(want[i])
		}
		f := l.fork()
		other = slices.Clone(want)
		for i := range rapid.IntRange(0, 150).Draw(t, "more") {
			want, other = append(want, text(i)), append(other, text(i+1))
			l.push(want[len(want)-1])
			f.push(other[len(other)-1])
		}
		for i := range want {
			if l.at(int32(i+1)) != want[i] || f.at(int32(i+1)) != other[i] {
				t.Fatalf("string %d is not what it was", i+1)
			}
		}
	})
}

// A fork of a list shares what it does not write.
func TestChunksFork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c chunks[int]
		var s sparse[int]
		n := int32(rapid.IntRange(0, 3*chunkLen).Draw(t, "length"))
		for i := int32(1); i <= n; i++ {
			*c.push(i) = int(i)
			if i%700 == 3 {
				s.set(i, int(i))
			}
		}
		lists, sets := []chunks[int]{c}, []sparse[int]{s}
		for i := range 3 {
			f, g := lists[i].fork(), sets[i].fork()
			for range rapid.IntRange(0, 20).Draw(t, "edits") {
				if n > 0 {
					at := int32(rapid.IntRange(1, int(n)).Draw(t, "at"))
					*f.edit(at) = -i - 1
					g.set(at, -i-1)
				}
			}
			for range rapid.IntRange(0, 600).Draw(t, "pushes") {
				n++
				*f.push(n) = -i - 1
			}
			lists, sets = append(lists, f), append(sets, g)
		}
		for i, list := range lists[:3] {
			for seq := range int32(len(list.pieces)) {
				for at, v := range list.pieces[seq] {
					if v < -i {
						t.Fatalf("list %d holds at %d what fork %d wrote", i, int(seq)*chunkLen+at+1, -v)
					}
				}
			}
			for seq, v := range sets[i].written(1, n) {
				if v < -i || v != sets[i].get(seq) {
					t.Fatalf("set %d holds at %d what fork %d wrote", i, seq, -v)
				}
			}
		}
	})
}
