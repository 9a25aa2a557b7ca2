package eval_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/eval"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/summary"
)

// compacting is a strategy, and whether its view must hold what the person
// demanded: the others hide no message, or a whole stretch with all it says.
type compacting struct {
	name     string
	strategy strategy.Strategy
	target   float64
}

// compactings are all profiles, and fit at 10 and 20 %.
func compactings(t testing.TB) []compacting {
	t.Helper()
	var all []compacting
	profiles := strategy.Profiles()
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		all = append(all, compacting{name, profiles[name], profiles[name].Fit.Share})
	}
	for text, share := range map[string]float64{"fit:target=10%": .1, "fit:target=20%": .2} {
		s, err := strategy.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, compacting{text, s, share})
	}
	return all
}

// honest holds what a strategy makes of a log to what is promised of all views:
// nothing in it is untrue, it is valid for every provider, and a target is met,
// or reported as missed. In a real log people demand things, and most of a target
// is used: half of a random one may be a single item that cannot be shortened.
func honest(t testing.TB, failf func(format string, args ...any), about string, l *tenfold.Log, genuine bool) {
	before, index := tenfold.Project(l), excerpt.NewIndex()
	for _, c := range compactings(t) {
		plan, err := strategy.Pipeline{c.strategy}.Plan(t.Context(), before, strategy.Options{
			Range: tenfold.Range{ToTurn: l.Turns() - 1}, Summarizer: summary.Digest{}, Index: index,
		})
		if err != nil {
			failf("%s, %s: %v", about, c.name, err)
		}
		missing := 0
		for _, fault := range eval.Audit(before, plan.View()) {
			if fault.Kind == eval.FaultConstraint && !genuine {
				continue // words drawn at random demand nothing
			}
			if fault.Kind == eval.FaultConstraint && summarises(c.strategy) {
				// A digest leaves out what was taken back (M4a), by its own lights.
				if missing++; missing == 1 {
					t.Logf("%s, %s: leaves out %.200q", about, c.name, fault.Text)
					continue
				}
			}
			failf("%s, %s: %s at %d: %.200q", about, c.name, fault.Kind, fault.Seq, fault.Text)
		}
		for _, profile := range body.Profiles() {
			data, err := profile.Write(plan.View())
			if err != nil {
				failf("%s, %s: %v", about, c.name, err)
			}
			if wrong := profile.Check(data); len(wrong) > 0 {
				failf("%s, %s, %s: %s", about, c.name, profile.Name, wrong[0])
			}
		}
		held(failf, about+", "+c.name, c.target, plan, genuine)
	}
}

func summarises(s strategy.Strategy) bool {
	w, ok := s.(strategy.SummaryWriter)
	return ok && w.Summarises()
}

// held holds a view to its target (F1–F4).
func held(failf func(format string, args ...any), about string, share float64, plan strategy.Plan, genuine bool) {
	if share == 0 {
		return
	}
	// A percentage is of what a model saw before the command, rounded either way.
	target := int(share * float64(plan.Before))
	switch {
	case plan.Before <= target || len(plan.Compactions) == 0:
		if plan.Nothing == "" {
			failf("%s: it does nothing and does not say why", about)
		}
	case plan.Fitted == nil:
		failf("%s: it does not report its target", about)
	case plan.Fitted.Met() != (plan.After <= plan.Fitted.Target):
		failf("%s: met is %v of %d tokens in %d", about, plan.Fitted.Met(), plan.After, plan.Fitted.Target)
	case plan.Fitted.Target > target+1:
		failf("%s: the target is %d, not %d", about, plan.Fitted.Target, target)
	case genuine && plan.After*100 < plan.Fitted.Target*92 && plan.Fitted.Target >= 1000 && plan.After < plan.Before:
		failf("%s: of %d tokens %d are used", about, plan.Fitted.Target, plan.After)
	}
}

// Views of real conversations keep their promises (issue 15).
func TestViewsOfTheCorpusAreHonest(t *testing.T) {
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		t.Run(f.Name, func(t *testing.T) {
			if f.Format == "" {
				t.Skip("this file holds no conversation")
			}
			for _, l := range replayFile(t, f) {
				if l.Turns() > 0 {
					honest(t, t.Errorf, f.Name, l, true)
				}
			}
		})
	}
}

// So do views of logs that hold everything a log can hold.
func TestViewsOfAnyLogAreHonest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(60).Draw(rt, "log")...); err != nil {
			rt.Fatal(err)
		}
		if l.Turns() > 0 {
			honest(t, rt.Fatalf, "a log", l, false)
		}
	})
}
