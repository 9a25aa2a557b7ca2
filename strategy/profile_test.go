package strategy_test

import (
	"errors"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// A profile with a summary makes one overlay that holds all its slots (C1),
// extended as its summary is (C4).
func TestProfileWithSummary(t *testing.T) {
	l := script(t, four()...)
	p := tenfold.Project(l)
	s := &scripted{results: []strategy.SummaryResult{{Text: "Two things were done.", Model: "m"}}}
	heavy := strategy.Profile{
		Title: "heavy", Reasoning: &tenfold.Policy{Action: tenfold.Strip},
		ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true},
		Summary:   &strategy.ProfileSummary{Placement: tenfold.PlaceSystem, Instructions: "Its own."},
	}
	if !strategy.NeedsModel(heavy) || strategy.NeedsModel(strategy.Profile{}) {
		t.Error("which profiles need a model is wrong")
	}
	o := strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: s, Instructions: "Another's."}
	made, err := strategy.Pipeline{heavy}.Plan(t.Context(), p, o)
	if err != nil || len(made.Compactions) != 1 {
		t.Fatal(made.Nothing, err)
	}
	c := made.Compactions[0]
	if c.Profile != "heavy" || c.Strategy != "" || c.Reasoning == nil || c.ToolCalls == nil || c.Summary == nil ||
		c.Summary.Placement != tenfold.PlaceSystem || c.Summary.Instructions != "Its own." || s.asked[0].Instructions != "Its own." {
		t.Errorf("the overlay is %+v", c)
	}
	apply(t, l, made)
	o.Range = tenfold.Range{FromTurn: 1, ToTurn: 2}
	made, err = strategy.Pipeline{heavy}.Plan(t.Context(), tenfold.Project(l), o)
	if err != nil || len(made.Compactions) != 1 || made.Compactions[0].FromTurn != 0 || made.Compactions[0].ToTurn != 2 {
		t.Errorf("a second one is %+v, %v", made.Compactions, err)
	}
}

// Where a summary is refused (C6) the other slots go without it; where the
// summarizer fails nothing does.
func TestProfileWithoutItsSummary(t *testing.T) {
	heavy, err := strategy.FindProfile("heavy")
	if err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(script(t, four()...))
	o := strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: &scripted{results: []strategy.SummaryResult{{Declined: true}}}}
	made, err := strategy.Pipeline{heavy}.Plan(t.Context(), p, o)
	if err != nil || len(made.Compactions) != 1 || made.Compactions[0].Summary != nil || made.After.Tokens() >= p.Tokens() {
		t.Errorf("refused: %+v, %v", made.Compactions, err)
	}
	o.Summarizer = &scripted{err: errors.New("no line")}
	if made, err := (strategy.Pipeline{heavy}).Plan(t.Context(), p, o); err == nil {
		t.Errorf("failed: %+v", made.Compactions)
	}
}

func TestProfileThatOmitsTurns(t *testing.T) {
	p := tenfold.Project(script(t, four()...))
	gone := strategy.Profile{Title: "gone", Turns: tenfold.Omit}
	made, err := strategy.Pipeline{gone}.Plan(t.Context(), p, strategy.Options{Range: tenfold.Range{ToTurn: 1}})
	if err != nil || len(made.Compactions) != 1 || made.Compactions[0].Turns != tenfold.Omit {
		t.Fatalf("%+v, %v", made.Compactions, err)
	}
	if f, _, _ := made.After.Fate(2); f != tenfold.Omitted {
		t.Errorf("the first message is %v", f)
	}
}
