package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// figures are what a hook reads off a plan, when it is told.
type figures struct {
	outcome       session.Outcome
	before, after int
	tokens        [][2]int // of each compaction
	steps         [][2]int
	version       int64
	sessions      int // tokens of the session at that time
}

func figuresOf(s *session.Session, c session.Result) figures {
	f := figures{outcome: c.Outcome, version: c.Plan.Version, sessions: s.Projection().Tokens()}
	f.before, f.after = c.Plan.Before, c.Plan.After
	for _, one := range c.Plan.Compactions {
		f.tokens = append(f.tokens, [2]int{one.TokensBefore, one.TokensAfter})
	}
	for _, step := range c.Plan.Steps {
		f.steps = append(f.steps, [2]int{step.Before, step.After})
	}
	return f
}

// M6, A7: what hooks are told of a plan are its figures: those of the view before
// it and of the view it leaves, whoever made it and however it ended.
func TestM6HooksAreToldTheFiguresOfThePlan(t *testing.T) {
	omit := tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit}
	strip := tenfold.Compaction{ToTurn: 2, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}
	by, err := strategy.Parse("strip-tools")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		before  func(strategy.Plan) (strategy.Plan, error)
		outcome session.Outcome
		steps   int
	}{
		"as it is": {func(p strategy.Plan) (strategy.Plan, error) { return p, nil }, session.Applied, 1},
		"replaced": {func(strategy.Plan) (strategy.Plan, error) {
			return strategy.Plan{Compactions: []tenfold.Compaction{omit, strip}}, nil
		}, session.Applied, 2},
		"changed in place": {func(p strategy.Plan) (strategy.Plan, error) {
			p.Compactions[0].ToTurn = 0
			p.Before, p.After, p.Version, p.Steps = 0, 0, 99, nil
			return p, nil
		}, session.Applied, 1},
		"changed inside": {func(p strategy.Plan) (strategy.Plan, error) {
			p.Compactions[0].ToolCalls.Request = false
			return p, nil
		}, session.Applied, 1},
		"emptied": {func(p strategy.Plan) (strategy.Plan, error) {
			p.Compactions = nil
			return p, nil
		}, session.Nothing, 0},
		"vetoed": {func(p strategy.Plan) (strategy.Plan, error) { return strategy.Plan{}, session.ErrVetoed }, session.Vetoed, 1},
		"broken": {func(p strategy.Plan) (strategy.Plan, error) { return p, errors.New("no") }, "", 1},
	} {
		for how, do := range map[string]func(context.Context, *session.Session, session.Request) error{
			"compact": func(ctx context.Context, s *session.Session, r session.Request) error {
				_, err := s.Compact(ctx, r)
				return err
			},
			"apply": func(ctx context.Context, s *session.Session, r session.Request) error {
				plan, err := s.Plan(ctx, r)
				if err != nil {
					return err
				}
				_, err = s.Apply(ctx, plan)
				return err
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				var told []figures
				svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}), session.WithHooks(session.Hooks{
					Before: func(_ context.Context, s *session.Session, plan strategy.Plan) (strategy.Plan, error) {
						if got := figuresOf(s, session.Result{Plan: plan}); got.before != got.sessions || got.after >= got.before {
							t.Errorf("before: %+v", got)
						}
						return test.before(plan)
					},
					After: func(_ context.Context, s *session.Session, c session.Result, _ error) {
						told = append(told, figuresOf(s, c))
					},
				}))
				entries := talk(4)
				for i, e := range entries { // a result is worth more than the note that stripping it brings
					if r, ok := e.Payload.(tenfold.ToolResult); ok {
						r.Parts = tenfold.Text(strings.Repeat("a line of output\n", 40))
						entries[i].Payload = r
					}
				}
				s, err := svc.Create(t.Context(), session.Create{ID: "c1", Entries: entries})
				if err != nil {
					t.Fatal(err)
				}
				before := s.Projection().Tokens()
				version := s.Log().Version()
				r := all()
				r.Strategies = []strategy.Strategy{by}
				failed := do(t.Context(), s, r)
				if (failed != nil) != (test.outcome == "" || (how == "apply" && test.outcome == session.Vetoed)) {
					t.Fatal(failed)
				}
				if len(told) != 1 {
					t.Fatalf("told %d times", len(told))
				}
				got := told[0]
				if got.outcome != test.outcome || got.before != before || got.version != version || len(got.steps) != test.steps {
					t.Errorf("%+v, want %s of %d tokens", got, test.outcome, before)
				}
				if applied := test.outcome == session.Applied; applied != (got.after == got.sessions && got.after < before) {
					t.Errorf("%+v", got)
				}
				if test.outcome == session.Nothing && got.after != before {
					t.Errorf("%+v", got)
				}
				last := before
				for i, one := range got.tokens {
					if one[0] != last || (len(got.steps) == len(got.tokens) && got.steps[i] != one) {
						t.Errorf("compaction %d: %v, steps %v; before it are %d tokens", i, one, got.steps, last)
					}
					last = one[1]
				}
				if last != got.after {
					t.Errorf("the compactions end at %d tokens, the plan at %d", last, got.after)
				}
				// The overlays in the log say the same.
				for o := range s.Projection().Overlays() {
					if c := o.Compaction; c.TokensBefore <= 0 || c.TokensAfter <= 0 || c.TokensAfter >= c.TokensBefore {
						t.Errorf("an overlay says %d and %d tokens", c.TokensBefore, c.TokensAfter)
					}
				}
			})
		}
	}
}

// D3, A7: what is carried over to a newer log has the figures of that.
func TestM6FiguresOfARebasedPlan(t *testing.T) {
	var seen []figures
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}), session.WithHooks(session.Hooks{
		After: func(_ context.Context, s *session.Session, c session.Result, _ error) {
			seen = append(seen, figuresOf(s, c))
		},
	}))
	s := mustCreate(t, svc, 3)
	m := &meddled{Strategy: told{summaryOf(0, 1, nil)}, meddle: func(int) {
		rival(t, svc, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("and one more thing that costs a few tokens")})
	}}
	r := all()
	r.Strategies = []strategy.Strategy{m}
	c, err := s.Compact(t.Context(), r)
	if err != nil || !c.Rebased {
		t.Fatalf("%+v, %v", c, err)
	}
	got := seen[0]
	full := tenfold.Project(s.Log()).Totals().All().Before
	if got.after != got.sessions || got.before != full || got.tokens[0] != [2]int{full, got.after} || got.version != s.Log().Version()-1 {
		t.Errorf("%+v; raw it is %d tokens", got, full)
	}
	if o := c.Overlays[0].Compaction; o.TokensBefore != full || o.TokensAfter != got.after {
		t.Errorf("the overlay says %d and %d tokens", o.TokensBefore, o.TokensAfter)
	}
}

// A plan made by hand is applied with figures, and one that another writer
// overtook is not told as applied.
func TestM6FiguresOfAPlanMadeByHand(t *testing.T) {
	var ended []session.Result
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}), session.WithHooks(session.Hooks{
		After: func(_ context.Context, _ *session.Session, c session.Result, _ error) { ended = append(ended, c) },
	}))
	s := mustCreate(t, svc, 3)
	before := s.Projection().Tokens()
	hand := strategy.Plan{Version: s.Log().Version(), Compactions: []tenfold.Compaction{{Turns: tenfold.Omit}}}
	made, err := s.Apply(t.Context(), hand)
	if err != nil || len(made.Overlays) != 1 || made.Overlays[0].Compaction.TokensBefore != before || made.Overlays[0].Compaction.TokensAfter != s.Projection().Tokens() {
		t.Errorf("%+v, %v", made, err)
	}
	if hand.Compactions[0].TokensBefore != 0 {
		t.Error("the caller's plan was changed")
	}
	var conflict *store.ConflictError
	if _, err := s.Apply(t.Context(), hand); !errors.As(err, &conflict) {
		t.Fatal(err)
	}
	if ended[0].Outcome != session.Applied || ended[1].Outcome == session.Applied || len(ended[1].Overlays) != 0 {
		t.Errorf("told %+v", ended)
	}
}
