package strategy_test

import (
	"math"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// A program may ask of any range of any log, an empty one too: what there is of it is
// meant (P13).
func TestP13StrategiesTakeAnyRange(t *testing.T) {
	far := math.MaxInt
	for name, l := range map[string]*tenfold.Log{
		"empty": script(t), "no turn": script(t, "u x"), "one turn": script(t, "t", "u x", "c 1 Bash {}", "r 1 x"),
	} {
		for _, r := range []tenfold.Range{
			{}, {FromTurn: -5, ToTurn: far}, {FromTurn: far - 1, ToTurn: far}, {FromTurn: -9, ToTurn: -3}, {FromTurn: 5, ToTurn: -5}, {ToStep: &far},
		} {
			for _, s := range strategy.All() {
				if _, err := (strategy.Pipeline{s}).Plan(t.Context(), tenfold.Project(l), strategy.Options{Range: r}); err != nil {
					t.Errorf("%s, turns %s, %s: %v", name, r, s.Name(), err)
				}
			}
		}
	}
	if _, err := (strategy.Pipeline{strategy.Fit{}}).Plan(t.Context(), nil, strategy.Options{}); err == nil {
		t.Error("a plan of nothing is made")
	}
}
