package eval_test

import (
	"slices"
	"testing"
	"time"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/transcript"
)

// replayFile reads the conversations of a file of the corpus.
func replayFile(t testing.TB, f corpustest.File) []*tenfold.Log {
	t.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(t.Context(), file.Source, "", &all); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	var logs []*tenfold.Log
	for _, c := range all.Conversations {
		l := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
		if _, err := l.Append(c.Entries...); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	return logs
}

// Dollars of input over Claude Code's sessions, under each provider's rule. The
// figures are printed, not asserted, but for this: a rule that waits for what is
// worth it must not cost more than no compaction, all sessions taken together.
func TestReplayOverTheCorpus(t *testing.T) {
	corpustest.Unraced(t)
	files := slices.DeleteFunc(corpustest.Sample(corpustest.Files(t, "claude-code")), func(f corpustest.File) bool { return f.Calls < 10 })
	models := []string{"claude-sonnet-4-5", "claude-fable-5-1", "gpt-5", "gpt-6.2-sol", "gemini-2.5-flash"}
	policies := []struct {
		name   string
		texts  []string
		bounds *tenfold.Bounds
		every  bool // a plan for each request is more than a test can wait for
	}{
		{"micro", []string{"micro"}, nil, true},
		{"trim-results, newest 20k kept", []string{"trim-results"}, &tenfold.Bounds{Tail: &tenfold.Tail{Turns: -1, Tokens: 20_000}}, true},
		{"supersede", []string{"supersede"}, nil, true},
		{"fit:target=10%", []string{"fit:target=10%"}, nil, false},
	}
	type sum struct{ none, every, rule replay.Cost }
	add := func(to *replay.Cost, c replay.Cost) {
		to.Dollars += c.Dollars
		to.Firings += c.Firings
		to.RewriteDollars += c.RewriteDollars
	}
	sums := map[string]*sum{}
	var slowest time.Duration
	sessions, worse := 0, map[string]int{}
	for _, f := range files {
		for _, l := range replayFile(t, f) {
			sessions++
			for _, policy := range policies {
				for _, model := range models {
					begun := time.Now()
					r, err := replay.Run(t.Context(), l, replay.Options{Strategies: parsed(t, policy.texts), Bounds: policy.bounds, Model: model, WithoutEvery: !policy.every})
					if err != nil {
						t.Fatalf("%s: %v", f.Name, err)
					}
					slowest = max(slowest, time.Since(begun))
					key := policy.name + " " + model
					if sums[key] == nil {
						sums[key] = &sum{}
					}
					add(&sums[key].none, r.None)
					add(&sums[key].every, r.Every)
					add(&sums[key].rule, r.Rule)
					if r.Saved(r.Rule) < 0 {
						worse[key]++
					}
				}
			}
		}
	}
	for _, policy := range policies {
		for _, model := range models {
			key := policy.name + " " + model
			s := sums[key]
			change := func(c replay.Cost) float64 { return 100 * (c.Dollars - s.none.Dollars) / s.none.Dollars }
			t.Logf("%-48s none $%.2f, default rule %+.1f %% (%.1f firings, %d of %d sessions dearer)", key,
				s.none.Dollars, change(s.rule), float64(s.rule.Firings)/float64(sessions), worse[key], sessions)
			if policy.every {
				t.Logf("%-48s every request %+.1f %% (%.1f firings)", "", change(s.every), float64(s.every.Firings)/float64(sessions))
			}
			if s.rule.Dollars > s.none.Dollars {
				t.Errorf("%s: the default rule costs $%.2f, no compaction $%.2f", key, s.rule.Dollars, s.none.Dollars)
			}
		}
	}
	t.Logf("%d sessions, the slowest replay %v", sessions, slowest.Round(time.Millisecond))
}

func parsed(t testing.TB, texts []string) []strategy.Strategy {
	t.Helper()
	list := make([]strategy.Strategy, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = strategy.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
