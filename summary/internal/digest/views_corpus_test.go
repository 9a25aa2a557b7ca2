package digest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// ways are the profiles and the targets whose views are looked at.
func ways(t *testing.T) map[string]strategy.Pipeline {
	t.Helper()
	all := map[string]strategy.Pipeline{}
	for name, profile := range strategy.Profiles() {
		all[name] = strategy.Pipeline{profile}
	}
	for _, name := range []string{"fit:target=10%", "fit:target=20%"} {
		s, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = strategy.Pipeline{s}
	}
	return all
}

// smallTarget is below what one more call or paragraph can be over the target where 92 %
// of it are used.
const smallTarget = 600

// Over the whole corpus, by every profile and to 10 and 20 %: no stub that the record
// contradicts, no mark in arguments, no sentence cut, no demand and no context lost,
// every target met or told as missed, and 92 % of it used.
func TestNoViewOfTheCorpusMisleads(t *testing.T) {
	corpustest.Unraced(t)
	all := ways(t)
	views, met := 0, 0
	count := map[string]int{}
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		for n, c := range sessions(t, f) {
			l := logOf(t, c.Entries)
			if l.Turns() == 0 || l.Tokens() == 0 {
				continue
			}
			now := tenfold.Project(l)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				plan, err := all[name].Plan(t.Context(), now, strategy.Options{
					Range: tenfold.Range{ToTurn: l.Turns() - 1}, Summarizer: digest.Digest{}, Window: 200_000,
				})
				if err != nil {
					t.Fatalf("%s#%d, %s: %v", f.Name, n, name, err)
				}
				views++
				w := holdView(now, plan.View(), name == "heavy")
				percent := 0
				if _, err := fmt.Sscanf(name, "fit:target=%d%%", &percent); err == nil && len(plan.Compactions) > 0 {
					switch used := holdSize(w, now, plan, percent); {
					case used >= 1:
					case used >= 0.92, plan.Fitted.Target < smallTarget:
						met++
					default:
						w.sayf("used", 0, "%.2f of %d", used, plan.Fitted.Target)
					}
				}
				for rule, list := range w {
					count[rule] += len(list)
					t.Errorf("%s#%d, %s: %s: %d, %s", f.Name, n, name, rule, len(list), strings.Join(list[:min(2, len(list))], "; "))
				}
			}
		}
	}
	t.Logf("%d views; %d targets met and used; wrong: %v", views, met, count)
}
