package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/record"
	"tenfold/session"
	"tenfold/strategy"
)

// looking notes which index a plan is given, and how far it had read.
type looking struct {
	strategy.Strategy
	index *excerpt.Index
	read  int64
}

func (s *looking) Propose(ctx context.Context, p *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	if s.index = o.Index; o.Index != nil {
		s.read = o.Index.Version()
	}
	return s.Strategy.Propose(ctx, p, o)
}

// work is turns of an agent that reads files, from one on.
func work(from, turns int, branch string) []tenfold.Entry {
	var entries []tenfold.Entry
	add := func(p tenfold.Payload) {
		entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("w%s%d.%d", branch, from, len(entries)), Branch: branch, Payload: p})
	}
	for i := from; i < from+turns; i++ {
		id := fmt.Sprint(branch, i)
		if branch == "" {
			add(tenfold.TurnStart{})
			add(tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("see to part_%d", i))})
		}
		add(tenfold.Reasoning{Text: "well"})
		add(tenfold.ToolCall{CallID: id, Name: "Read", Arguments: fmt.Sprintf(`{"file_path":"src/part_%d.go"}`, i)})
		text := ""
		for j := range 20 {
			text += fmt.Sprintf("func name_%d_%d() // as long as lines are\n", i, j)
		}
		add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)})
		add(tenfold.AssistantMessage{Text: fmt.Sprintf("part_%d is seen", i)})
	}
	return entries
}

// The index stays with the session: a second plan reads what came since, and
// plans as one that reads all.
func TestS13aTheIndexIsKeptFromPlanToPlan(t *testing.T) {
	ctx := t.Context()
	s, err := newService(t).Create(ctx, session.Create{ID: "c", Entries: work(0, 5, "")})
	if err != nil {
		t.Fatal(err)
	}
	fit := &looking{Strategy: strategy.Fit{Target: strategy.Share(10)}}
	light, err := strategy.Parse("strip-reasoning")
	if err != nil {
		t.Fatal(err)
	}
	// Behind another strategy fit sees a log that holds more than there is.
	r := session.Request{Strategies: []strategy.Strategy{light, fit}, OpenEnd: true}
	var index *excerpt.Index
	for round := range 4 {
		before := s.Log().Version()
		made, err := s.Plan(ctx, r)
		if err != nil || len(made.Compactions) == 0 {
			t.Fatalf("round %d: %v, %s", round, err, made.Nothing)
		}
		if fit.index == nil || round > 0 && fit.index != index {
			t.Fatalf("round %d: the index is another", round)
		}
		if index = fit.index; index.Version() != before {
			t.Errorf("round %d: the index has read %d entries of %d", round, index.Version(), before)
		}
		fresh, err := session.PlanOver(ctx, tenfold.Project(s.Log()), r, time.Time{})
		if err != nil || len(fresh.Compactions) != len(made.Compactions) {
			t.Fatalf("round %d: %v, %d compactions, fresh %d", round, err, len(made.Compactions), len(fresh.Compactions))
		}
		for i, c := range made.Compactions {
			if !record.Same(c, fresh.Compactions[i]) {
				t.Errorf("round %d: compaction %d is another than a fresh one", round, i)
			}
		}
		if round%2 == 1 {
			if _, err := s.Apply(ctx, made); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Append(ctx, work(5+3*round, 3, "")...); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Plan(ctx, r); err != nil || fit.read != before {
			t.Errorf("round %d: %v; the index had read %d entries, want %d", round, err, fit.read, before)
		}
	}
}

// A target is used, whichever way fit is asked for: one without a target of its own, and a
// profile that fits, would else stop at a tenth.
func TestF3TheTargetOfARequestIsThatOfItsFit(t *testing.T) {
	l := tenfold.NewLog()
	for _, e := range work(0, 40, "") {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	p := tenfold.Project(l)
	tenth, err := strategy.FindProfile("tenfold")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string][]strategy.Strategy{
		"none": nil, "fit": {strategy.Fit{}}, "fit with an option": {strategy.Fit{Edits: 45}}, "behind another": {strategy.StripReasoning{}, strategy.Fit{}},
		"before another": {strategy.Fit{}, strategy.StripReasoning{}}, "profile": {tenth}, "profile before another": {tenth, strategy.StripReasoning{}},
	} {
		plan, err := session.PlanOver(t.Context(), p, session.Request{Strategies: s, Target: strategy.Share(40), OpenEnd: true}, time.Time{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if share := float64(plan.After) / float64(plan.Before); share < .92*.4 || share > .4 {
			t.Errorf("%s: the view is %.3f of what it was, want .4", name, share)
		}
	}
}

// A branch has a log of its own, and so no index of the root's.
func TestS13aTheIndexIsNotForBranches(t *testing.T) {
	ctx := t.Context()
	s, err := newService(t).Create(ctx, session.Create{ID: "c", Entries: append(work(0, 3, ""), work(10, 3, "scout")...)})
	if err != nil {
		t.Fatal(err)
	}
	fit := &looking{Strategy: strategy.Fit{Target: strategy.Share(10)}}
	r := session.Request{Strategies: []strategy.Strategy{fit}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}
	if _, err := s.Plan(ctx, r); err != nil || fit.index == nil {
		t.Fatalf("on the root: %v, index %v", err, fit.index)
	}
	r.Branch = "scout"
	if _, err := s.Plan(ctx, r); err != nil || fit.index != nil {
		t.Fatalf("on the branch: %v, index %v", err, fit.index)
	}
}
