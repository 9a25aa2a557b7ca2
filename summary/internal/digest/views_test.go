package digest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
	"tenfold/token"
)

// The same of views of drawn logs, and of long ones: strange arguments, calls without
// results, results without calls.
func TestNoViewOfADrawnLogMisleads(t *testing.T) {
	all, ctx := ways(t), t.Context()
	try := func(t rapid.TB, entries []tenfold.Entry) {
		entries = slices.DeleteFunc(slices.Clone(entries), func(e tenfold.Entry) bool {
			_, laid := value(e).(tenfold.Compaction) // what others did to a view is not looked at here
			return laid
		})
		for i, e := range entries {
			entries[i].Tokens = 0 // nor what their host counted
			if r, ok := value(e).(tenfold.ToolResult); ok {
				r.Outcome = "" // drawn beside the flag, as no host does
				entries[i].Payload = r
			}
		}
		l := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		if l.Turns() == 0 || l.Tokens() == 0 {
			return
		}
		now := tenfold.Project(l)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			plan, err := all[name].Plan(ctx, now, strategy.Options{Range: tenfold.Range{ToTurn: l.Turns() - 1}, Summarizer: digest.Digest{}, Window: 200_000})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			w := holdView(now, plan.View(), name == "heavy")
			percent := 0
			if _, err := fmt.Sscanf(name, "fit:target=%d%%", &percent); err == nil && len(plan.Compactions) > 0 {
				holdSize(w, now, plan, percent)
			}
			for rule, list := range w {
				t.Errorf("%s: %s: %s", name, rule, strings.Join(list, "; "))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { try(t, logtest.Entries(60).Draw(t, "log")) })
	for _, n := range []int{100, 2000} {
		try(t, logtest.Long(n))
	}
}
