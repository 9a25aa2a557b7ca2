package strategy_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// own is a strategy as a caller of the package writes one: it omits the first turn
// of its range. Those below can do something more each.
type own struct{}

func (own) Name() string { return "own" }

func (s own) Propose(_ context.Context, _ *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	if o.Range.FromTurn == o.Range.ToTurn {
		o.Notef("one turn is too few")
		return nil, nil
	}
	first := tenfold.Range{FromTurn: o.Range.FromTurn, ToTurn: o.Range.FromTurn}
	return []tenfold.Compaction{first.On(tenfold.Compaction{Strategy: s.Name(), Source: o.Source, Turns: tenfold.Omit})}, nil
}

type (
	ownWriter struct{ own }
	ownWhole  struct{ own }
	ownEnd    struct{ own }
	ownParts  struct{ own }
)

func (ownWriter) Name() string     { return "own-writer" }
func (ownWriter) NeedsModel() bool { return true }
func (ownWriter) Summarises() bool { return true }

func (s ownWriter) Propose(ctx context.Context, p *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	written, err := o.Summarizer.Summarize(ctx, strategy.SummaryRequest{Range: o.Range, Log: p.Log(), Entries: slices.Collect(p.Log().Entries())})
	if err != nil {
		return nil, err
	}
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source, Summary: &tenfold.Summary{Text: written.Text, Model: written.Model},
	})}, nil
}

func (ownWhole) TakesAll() bool { return true }

func (ownEnd) ChoosesEnd() bool { return true }

func (ownEnd) Propose(_ context.Context, _ *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Reach.On(tenfold.Compaction{Strategy: "own", Source: o.Source, Turns: tenfold.Omit})}, nil
}

func (ownParts) Parts() strategy.Pipeline { return strategy.Pipeline{strategy.StripReasoning{}, own{}} }

// A strategy from outside, with whatever optional ability, works as those here do:
// in a pipeline, and for a session, which asks for its abilities.
func TestAStrategyOfACallersOwn(t *testing.T) {
	l := script(t, "t", "u one *300", "k hm *200", "a 1 *300", "t", "u two *300", "a 2 *300", "t", "u three *300", "a 3 *300", "t", "u four", "a 4")
	p := tenfold.Project(l)
	writer := &scripted{results: []strategy.SummaryResult{{Text: "Three things were asked.", Model: "m"}}}
	four := tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1}}
	const rest = "u two word…304 | a 2 words …302 | u three wo…306 | a 3 words …302 | u four | a 4"
	everything := tenfold.Bounds{Tail: &tenfold.Tail{Turns: 9}}
	for _, test := range []struct {
		name                         string
		s                            strategy.Strategy
		needs, writes, takes, choose bool
		bounds                       tenfold.Bounds
		ranges                       string // of the plan
		steps                        []string
		want                         string
	}{
		{"plain", own{}, false, false, false, false, four, "0..2", []string{"own"}, rest},
		{"plain, with nothing to do", own{}, false, false, false, false, everything, "", nil, ""},
		{"writes summaries", ownWriter{}, true, true, false, false, four, "0..2", []string{"own-writer"}, headed[:len(headed)-len("a SUM | ")] + "a Three things were asked. | u four | a 4"},
		{"takes all", ownWhole{}, false, false, true, false, everything, "0..3", []string{"own"}, rest},
		{"chooses its end", ownEnd{}, false, false, false, true, four, "0..2", []string{"own"}, ""},
		{"chooses its end, though all would be kept", ownEnd{}, false, false, false, true, everything, "0..3", []string{"own"}, ""},
		{"has parts", ownParts{}, false, false, false, false, four, "0..2", []string{"strip-reasoning", "own"}, rest},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := [4]bool{strategy.NeedsModel(test.s), strategy.Summarises(test.s), strategy.TakesAll(test.s), strategy.ChoosesEnd(test.s)}
			if want := [4]bool{test.needs, test.writes, test.takes, test.choose}; got != want {
				t.Errorf("its abilities are %v, want %v", got, want)
			}
			plan, err := session.PlanOver(t.Context(), p, session.Request{
				Strategies: []strategy.Strategy{test.s}, Bounds: test.bounds, OpenEnd: true, Options: strategy.Options{Summarizer: writer},
			}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if test.steps == nil {
				if plan.Nothing == "" || len(plan.Compactions) > 0 {
					t.Errorf("the plan is %+v", plan.Compactions)
				}
				return
			}
			var steps []string
			for _, s := range plan.Steps {
				steps = append(steps, s.Strategy)
			}
			if plan.Range.String() != test.ranges || !slices.Equal(steps, test.steps) || plan.After >= plan.Before {
				t.Errorf("turns %s, steps %v, %d to %d tokens: %s", plan.Range, steps, plan.Before, plan.After, plan.Nothing)
			}
			if got := shown(plan.View()); got != test.want {
				t.Errorf("the view is %q", got)
			}
		})
	}
	plan, err := strategy.Pipeline{own{}}.Plan(t.Context(), p, strategy.Options{})
	if err != nil || plan.Nothing != "one turn is too few" {
		t.Errorf("its note is not the reason of an empty plan: %q, %v", plan.Nothing, err)
	}
}

type ownWord struct{ own }

func (ownWord) Propose(_ context.Context, _ *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{Source: o.Source, ToolCalls: &tenfold.ToolPolicy{Action: "shred"}})}, nil
}

// A word that no slot knows is not taken for nothing to do.
func TestAStrategyOfACallersOwnWithAWrongWord(t *testing.T) {
	p := tenfold.Project(script(t, "t", "u one", "c a t {}", "r a x *300", "t", "u two"))
	plan, err := strategy.Pipeline{ownWord{}}.Plan(t.Context(), p, strategy.Options{Range: tenfold.Range{ToTurn: 1}})
	if err == nil || !strings.Contains(err.Error(), "strategy own") || !strings.Contains(err.Error(), `unknown policy "shred"`) {
		t.Errorf("the plan is %q, %v", plan.Nothing, err)
	}
}

// An empty list of names is written, so that it is read again.
func TestNoNamesAreWritten(t *testing.T) {
	s, err := strategy.Parse("prune-tools:keep=")
	if err != nil || s.Name() != "prune-tools:keep=" {
		t.Errorf("%s, %v", s.Name(), err)
	}
}

// constant proposes the same overlays whenever it is asked.
type constant []tenfold.Compaction

func (constant) Name() string { return "constant" }

func (s constant) Propose(context.Context, *tenfold.Projection, strategy.Options) ([]tenfold.Compaction, error) {
	return s, nil
}

// C6: no strategy, whoever wrote it, hides turns behind a summary that says nothing.
func TestC6AnEmptySummaryOfACallersOwnIsRefused(t *testing.T) {
	p := tenfold.Project(script(t, "t", "u one *300", "k hm *200", "a 1 *300", "t", "u two *300", "a 2 *300", "t", "u three"))
	empty := tenfold.Compaction{ToTurn: 1, Summary: &tenfold.Summary{Text: " \u200b\n"}}
	plan, err := strategy.Pipeline{constant{empty}}.Plan(t.Context(), p, strategy.Options{})
	const why = "the summary of turns 0..1 was refused: it is empty"
	if err != nil || plan.After != plan.Before || plan.Nothing != why || !slices.Equal(plan.Refused, []string{why}) {
		t.Errorf("%d to %d tokens, %q, %q, %v", plan.Before, plan.After, plan.Nothing, plan.Refused, err)
	}
	reasoning := tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}
	plan, err = strategy.Pipeline{constant{empty, reasoning}}.Plan(t.Context(), p, strategy.Options{})
	if err != nil || len(plan.Compactions) != 1 || plan.Compactions[0].Reasoning == nil || !slices.Equal(plan.Refused, []string{why}) {
		t.Errorf("beside an empty summary: %+v, %q, %v", plan.Compactions, plan.Refused, err)
	}
}

// C6: nor behind one that is not smaller than what it hides, be that the turns or what
// stands in their place.
func TestC6ALargeSummaryOfACallersOwnIsRefused(t *testing.T) {
	p := tenfold.Project(script(t, "t", "u one *300", "a 1 *300", "t", "u two *300", "a 2 *300", "t", "u three"))
	summary := func(words int) tenfold.Compaction {
		return tenfold.Compaction{ToTurn: 1, Summary: &tenfold.Summary{Text: strings.Repeat("and on ", words)}}
	}
	large := func(p *tenfold.Projection, c tenfold.Compaction) bool {
		plan, err := strategy.Pipeline{constant{c}}.Plan(t.Context(), p, strategy.Options{})
		refused := len(plan.Compactions) == 0
		if err != nil || refused != (len(plan.Refused) == 1 && strings.Contains(plan.Refused[0], "not smaller than what it hides")) {
			t.Errorf("%+v, %q, %v", plan.Compactions, plan.Refused, err)
		}
		return refused
	}
	if large(p, summary(40)) || !large(p, summary(2000)) {
		t.Error("one of 80 words is refused, or one of 4,000 is not")
	}
	p = p.With(summary(40)) // a longer one may take its place
	if large(p, summary(60)) || !large(p, summary(2000)) {
		t.Error("in the place of one: one of 120 words is refused, or one of 4,000 is not")
	}
}

// A strategy may give the same slice to several plans at once: none writes into it.
func TestAProposedSliceStaysTheStrategys(t *testing.T) {
	p := tenfold.Project(script(t, "t", "u one *300", "a 1 *300", "t", "u two"))
	s := constant{{Turns: tenfold.Omit}}
	plan, err := strategy.Pipeline{s}.Plan(t.Context(), p, strategy.Options{})
	if err != nil || plan.Compactions[0].TokensAfter == 0 || s[0].TokensBefore != 0 || s[0].TokensAfter != 0 {
		t.Errorf("the plan has %+v, the strategy %+v, %v", plan.Compactions, s, err)
	}
}
