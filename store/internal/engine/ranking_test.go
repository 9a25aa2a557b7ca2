package engine

import (
	"fmt"
	"math"
	"testing"

	"tenfold"
)

// However many matches are wanted, they are sorted when there are too many of them, and
// not with each.
func TestRankingKeepsManyMatches(t *testing.T) {
	const n = 5000
	for limit, kept := range map[int]int{10: 1020, n: n, math.MaxInt: n, math.MaxInt / 2: n} {
		r := Ranking{Limit: limit}
		sorted := 0
		for i := range n {
			r.Add("a", tenfold.Entry{Seq: int64(i)}, float64(i))
			if i > 0 && r.best[0].score != 0 {
				sorted++
				r.best[0].score = 0 // till it is sorted again
			}
			if len(r.best) > kept {
				t.Fatalf("of %d wanted it keeps %d", limit, len(r.best))
			}
		}
		if sorted > n/500 {
			t.Errorf("of %d wanted, %d matches were sorted %d times", limit, n, sorted)
		}
		if hits := len(r.best); hits < min(limit, n) {
			t.Error(fmt.Sprint("of ", limit, " wanted it found ", hits))
		}
	}
}
