package strategy_test

import (
	"errors"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
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

// H1: what tools ask for is stored with a profile's overlay.
func TestH1ProfilesHeedHints(t *testing.T) {
	l := script(t, "t", "u do", "c 1 Read {}", "r 1 *900", "c 2 Write {}", "r 2 *900", "a done")
	strip := strategy.Profile{Title: "strip", ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}}
	o := strategy.Options{Range: everything(l), Hints: tool.Hints{"Read": {Response: tenfold.Keep}}}
	made, err := strategy.Pipeline{strip}.Plan(t.Context(), tenfold.Project(l), o)
	if err != nil {
		t.Fatal(err)
	}
	for seq, want := range map[int64]tenfold.Fate{4: tenfold.Kept, 6: tenfold.Stripped} {
		if f, _, _ := made.View().Fate(seq); f != want {
			t.Errorf("result %d is %s, want %s", seq, f, want)
		}
	}
}

// A profile is applied whole or not at all: where its summary is refused (C6)
// nothing is, unless the summary is optional; where the summarizer fails nothing
// is in any case. The plan says what was refused.
func TestProfileWithoutItsSummary(t *testing.T) {
	p := tenfold.Project(script(t, four()...))
	dropped := &strategy.SummaryResult{Text: "S", Dropped: true}
	for name, test := range map[string]struct {
		by       strategy.Summarizer
		optional bool
		applied  bool
		refused  int
		fails    bool
	}{
		"refused":           {&scripted{results: []strategy.SummaryResult{{Declined: true}}}, false, false, 1, false},
		"refused, optional": {&scripted{results: []strategy.SummaryResult{{Declined: true}}}, true, true, 1, false},
		"judged by itself":  {&scripted{err: &strategy.RefusedError{Reason: "made up"}}, false, false, 1, false},
		"dropped":           {&scripted{results: []strategy.SummaryResult{*dropped}}, false, false, 0, false},
		"dropped, optional": {&scripted{results: []strategy.SummaryResult{*dropped}}, true, true, 0, false},
		"no summarizer":     {nil, false, true, 0, false},
		"failed":            {&scripted{err: errors.New("no line")}, false, false, 0, true},
		"failed, optional":  {&scripted{err: errors.New("no line")}, true, false, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			heavy := strategy.Profiles()["heavy"]
			heavy.Summary.Optional = test.optional
			for _, dry := range []bool{false, true} {
				o := strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: test.by, DryRun: dry}
				made, err := strategy.Pipeline{heavy}.Plan(t.Context(), p, o)
				if (err != nil) != test.fails {
					t.Fatal(err)
				}
				if test.fails {
					continue
				}
				if got := len(made.Compactions) == 1; got != test.applied || len(made.Refused) != test.refused {
					t.Errorf("dry %v: %d compactions, refused %q", dry, len(made.Compactions), made.Refused)
				}
				if !test.applied && (made.Nothing == "" || made.After != p.Tokens()) {
					t.Errorf("dry %v: %d tokens of %d are left: %q", dry, made.After, p.Tokens(), made.Nothing)
				}
				if test.applied && (made.Compactions[0].Summary != nil || made.After >= p.Tokens()) {
					t.Errorf("dry %v: %+v", dry, made.Compactions)
				}
				for _, why := range made.Refused {
					if !strings.HasPrefix(why, "the summary of turns 0..1 was refused: ") || !strings.Contains(notesOf(made), why) {
						t.Errorf("dry %v: %q", dry, why)
					}
				}
			}
		})
	}
	// A dry run that only asks for a quote shows what else there is.
	o := strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: &dear{}, DryRun: true}
	made, err := strategy.Pipeline{strategy.Profiles()["heavy"]}.Plan(t.Context(), p, o)
	if err != nil || len(made.Compactions) != 1 || len(made.Refused) != 0 {
		t.Errorf("%+v, %v", made, err)
	}
	// Strategies that are not profiles are run one by one.
	o = strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: &scripted{results: []strategy.SummaryResult{{Declined: true}}}}
	made = plan(t, p, o, "strip-tools", "summarize")
	if len(made.Compactions) != 1 || len(made.Refused) != 1 {
		t.Errorf("%d compactions, refused %q", len(made.Compactions), made.Refused)
	}
}

func TestProfileThatOmitsTurns(t *testing.T) {
	p := tenfold.Project(script(t, four()...))
	gone := strategy.Profile{Title: "gone", Turns: tenfold.Omit}
	made, err := strategy.Pipeline{gone}.Plan(t.Context(), p, strategy.Options{Range: tenfold.Range{ToTurn: 1}})
	if err != nil || len(made.Compactions) != 1 || made.Compactions[0].Turns != tenfold.Omit {
		t.Fatalf("%+v, %v", made.Compactions, err)
	}
	if f, _, _ := made.View().Fate(2); f != tenfold.Omitted {
		t.Errorf("the first message is %v", f)
	}
}
