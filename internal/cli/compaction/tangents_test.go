package compaction

import (
	"fmt"
	"testing"

	"tenfold/strategy"
)

func TestSomeOf(t *testing.T) {
	named := []strategy.Tangent{{Turn: 1}, {Turn: 4}, {Turn: 12}}
	for answer, want := range map[string]string{
		"1": "[1]", "12, 4": "[12 4]", "1 4 12": "[1 4 12]", "": "no", "2": "no", "1 2": "no", "one": "no", ",": "no",
	} {
		chosen, ok := someOf(named, answer)
		got := "no"
		if ok {
			turns := []int{}
			for _, c := range chosen {
				turns = append(turns, c.Turn)
			}
			got = fmt.Sprint(turns)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", answer, got, want)
		}
	}
}
