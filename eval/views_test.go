package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/eval"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/summary"
)

func TestViewsProbe(t *testing.T) {
	n := map[string]int{}
	shown := map[string]int{}
	for _, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "codex", "opencode", "jp", "pi", "copilot-cli", "gemini-cli")) {
		for _, l := range replayFile(t, f) {
			base := tenfold.Project(l)
			for _, text := range []string{"profile:heavy", "profile:default", "fit:target=10%", "fit:target=20%"} {
				var s strategy.Strategy
				var err error
				if name, ok := strings.CutPrefix(text, "profile:"); ok {
					s, err = strategy.FindProfile(name)
				} else {
					s, err = strategy.Parse(text)
				}
				if err != nil {
					t.Fatal(err)
				}
				plan, err := strategy.Pipeline([]strategy.Strategy{s}).Plan(t.Context(), base, strategy.Options{Range: tenfold.Range{ToTurn: l.Turns() - 1}, Summarizer: summary.Digest{}})
				if err != nil {
					t.Fatal(err)
				}
				n[text+" views"]++
				for _, fault := range eval.Audit(base, plan.View()) {
					key := fmt.Sprintf("%s %s", text, fault.Kind)
					n[key]++
					if shown[key]++; shown[key] < 8 {
						t.Logf("%s %s %d: %.160q", key, f.Name, fault.Seq, fault.Text)
					}
				}
			}
		}
	}
	t.Log(n)
	_ = body.Profiles
}
