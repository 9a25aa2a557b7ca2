package strategy_test

import (
	"fmt"
	"slices"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F5: the calls after one that failed are read for what they put right, and not the thousands
// that follow on them.
func TestF5WhatFailedLongAgoCostsNoMore(t *testing.T) {
	cost := func(result string) float64 {
		lines := []string{"t", "u the task", `c 0 book {"row":"a","seat":1,"meal":"b"}`, result}
		for i := range 1000 {
			lines = append(lines, fmt.Sprintf(`c n%d book {"row":"c","seat":%d,"meal":%d}`, i, i, i), fmt.Sprintf("r n%d *20", i))
		}
		p := tenfold.Project(script(t, append(lines, "a end")...))
		return testing.AllocsPerRun(1, func() { plan(t, p, strategy.Options{}, "fit:target=60%") })
	}
	if with, without := cost("e 0 no seat"), cost("r 0 a seat"); with > without+10_000 {
		t.Errorf("with a failure it takes %.0f allocations, %.0f without one", with, without)
	}
}

// F5: what failed by a mistyped id is no open error once the id is right.
func TestF5AMistypedIDIsNoOpenError(t *testing.T) {
	for said, open := range map[string]bool{"user not found": false, "user may not be seen": true} {
		lines := []string{"t", "u the task", `c 0 get_user {"user_id":"ann_lee_12"}`, "e 0 " + said, `c 1 get_user {"user_id":"ann_lee_123"}`, "r 1 *400"}
		for i := range 6 {
			lines = append(lines, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *400", i))
		}
		p := tenfold.Project(script(t, append(lines, "a end")...))
		made := plan(t, p, strategy.Options{}, "fit:target=40%")
		if got := slices.ContainsFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError }); got != open {
			t.Errorf("%q is open: %v\n%s", said, got, shown(made.View()))
		}
	}
}
