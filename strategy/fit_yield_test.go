package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F4: where standing instructions alone take more than half of the target, nothing is
// won by what a person said in a word: what the agent did upon it would seem unasked.
func TestF4AWordOfThePersonDoesNotGiveWayForNothing(t *testing.T) {
	lines := []string{"t"}
	for n := range 5 {
		var rules strings.Builder
		fmt.Fprintf(&rules, "# Rules %d\n\n", n)
		for i := range 60 {
			fmt.Fprintf(&rules, "Never paint the door %d of the house %d without a word of those who live behind it.\n\n", i, n)
		}
		lines = append(lines, "x "+rules.String())
	}
	lines = append(lines, "u tidy the house", "a I can remove the old runs too.", "t", "u remove them", "c 1 Bash {\"command\":\"rm -r runs\"}", "r 1 gone", "a They are removed.")
	for _, line := range work(12, 60) {
		lines = append(lines, strings.Replace(line, "u ask", "u tell me of the room that is to be done next, and who waits for it, number", 1))
	}
	raw := tenfold.Project(script(t, lines...))
	const text = "fit:target=3000"
	made := plan(t, raw, strategy.Options{}, text)
	holdTarget(t, text, raw, made)
	if !made.Fitted.Met() || made.Fitted.GaveWay == 0 {
		t.Fatalf("%+v", made.Fitted)
	}
	for e := range raw.Log().Entries() {
		if m, ok := e.Payload.(tenfold.UserMessage); !ok || !m.IsRequest() {
			continue
		}
		if fate, _, _ := made.View().Fate(e.Seq); fate != tenfold.Kept {
			t.Errorf("%q is %s, with %+v", tenfold.TextLines(e.Payload), fate, made.Fitted)
		}
	}
}
