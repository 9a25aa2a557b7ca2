package strategy_test

import (
	"fmt"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/token"
)

func mustParse(t testing.TB, text string) strategy.Strategy {
	t.Helper()
	s, err := strategy.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// whole is the range of all turns.
func whole(l *tenfold.Log) tenfold.Range { return tenfold.Range{ToTurn: max(l.Turns()-1, 0)} }

// What the strategies gain on the ten largest Claude Code sessions, with
// nothing kept at the end.
func TestDedupAndSupersedeOnTheLargest(t *testing.T) {
	corpustest.Unraced(t)
	pipelines := []string{"dedup-tools", "dedup-tools:shell=true", "supersede", "both"}
	sums := make([][2]int, len(pipelines))
	for _, f := range corpustest.Files(t, "claude-code")[:10] {
		for _, l := range importFile(t, f, token.O200k()) {
			p := tenfold.Project(l)
			line := ""
			for i, name := range pipelines {
				pipeline := strategy.Pipeline{}
				if name == "both" {
					pipeline = append(pipeline, mustParse(t, "dedup-tools"), mustParse(t, "supersede"))
				} else {
					pipeline = append(pipeline, mustParse(t, name))
				}
				plan, err := pipeline.Plan(t.Context(), p, strategy.Options{Range: whole(l)})
				if err != nil {
					t.Fatal(err)
				}
				before, after := p.Tokens(), plan.After
				if after > before {
					t.Errorf("%s, %s: %d → %d tokens", f.Name, name, before, after)
				}
				sums[i][0] += before
				sums[i][1] += after
				calls := 0
				for _, c := range plan.Compactions {
					calls += named(c)
				}
				line += fmt.Sprintf("  %s −%.1f %% (%d calls)", name, 100-float64(after)*100/float64(max(before, 1)), calls)
			}
			t.Logf("%s: %d tokens%s", f.Name, p.Tokens(), line)
		}
	}
	for i, name := range pipelines {
		t.Logf("%s together: %d → %d tokens: −%.1f %%", name, sums[i][0], sums[i][1], 100-float64(sums[i][1])*100/float64(sums[i][0]))
	}
}
