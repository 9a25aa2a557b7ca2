package session_test

import (
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// D3: what lands in the last step that a plan covers is of its range, whether the
// plan ends with that step or with its turn.
func TestD3AResultInTheLastStepIsOfTheRange(t *testing.T) {
	step := 0
	for _, test := range []struct {
		name    string
		c       tenfold.Compaction
		outcome session.Outcome
	}{
		{"the turn is covered", summaryOf(0, 3, nil), session.Superseded},
		{"the step is covered", summaryOf(0, 3, &step), session.Superseded},
		{"the turn before is covered", summaryOf(0, 2, nil), session.Applied},
	} {
		t.Run(test.name, func(t *testing.T) {
			svc := newService(t)
			s := mustCreate(t, svc, 3)
			err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}},
				tenfold.Entry{Payload: tenfold.ToolCall{CallID: "open", Name: "shell", Arguments: "{}"}})
			if err != nil {
				t.Fatal(err)
			}
			result := tenfold.ToolResult{CallID: "open", Parts: tenfold.Text("late")}
			r := all()
			r.Strategies = []strategy.Strategy{&meddled{Strategy: told{test.c}, meddle: func(int) { rival(t, svc, result) }}}
			c, err := s.Compact(t.Context(), r)
			if err != nil || c.Outcome != test.outcome {
				t.Fatalf("%s: %s, %v", c.Outcome, c.Reason, err)
			}
			if c.Outcome == session.Superseded && !strings.Contains(c.Reason, "turn 3 of the range has grown") {
				t.Errorf("superseded since %s", c.Reason)
			}
		})
	}
}

// An open end is not an open beginning: what chooses its own end still begins where
// the request says, whether a tail is kept of the range or all of it would be.
func TestOpenEndBeginsWhereTheRequestSays(t *testing.T) {
	s, err := newService(t).Create(t.Context(), session.Create{ID: "c", Entries: work(0, 12, "")})
	if err != nil {
		t.Fatal(err)
	}
	from, err := tenfold.ParseBound("5")
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range []int{3, 50} {
		plan, err := session.PlanOver(t.Context(), s.Projection(), session.Request{
			Strategies: []strategy.Strategy{strategy.Fit{Target: strategy.Share(10)}},
			Bounds:     tenfold.Bounds{From: &from, Tail: &tenfold.Tail{Turns: keep}},
			OpenEnd:    true,
		}, time.Time{})
		if err != nil || len(plan.Compactions) != 1 {
			t.Fatalf("keep %d: %v, %s", keep, err, plan.Nothing)
		}
		if c := plan.Compactions[0]; c.FromTurn != 5 || c.ToTurn < 10 {
			t.Errorf("keep %d: turns %d to %d, want 5 to the end", keep, c.FromTurn, c.ToTurn)
		}
	}
}
