package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// reading is a conversation of so many reads, each of a file whose name and whose
// function stand nowhere else.
func reading(t *testing.T, reads int) (*session.Service, *session.Session) {
	t.Helper()
	svc := session.NewService(memory.New())
	s, err := svc.Create(t.Context(), session.Create{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	var all []tenfold.Payload
	for i := range reads {
		text := strings.Repeat("nothing of note stands in this line\n", 30) + fmt.Sprintf("func handle%dOrder(ctx) error\n", i) + strings.Repeat("nor in this one, nor below\n", 30)
		all = append(all, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Look further.")},
			tenfold.ToolCall{CallID: fmt.Sprint("r", i), Name: "Read", Arguments: fmt.Sprintf(`{"file_path":"/w/part_%d/store.go"}`, i)},
			tenfold.ToolResult{CallID: fmt.Sprint("r", i), Parts: tenfold.Text(text)}, tenfold.AssistantMessage{Text: "I see."})
	}
	say(t, s, all...)
	return svc, s
}

func say(t *testing.T, s *session.Session, payloads ...tenfold.Payload) {
	t.Helper()
	for _, p := range payloads {
		if err := s.Append(t.Context(), tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
}

// grep is a later step that uses names.
func grep(names ...string) []tenfold.Payload {
	return []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("Now rename it.")},
		tenfold.ToolCall{CallID: "later", Name: "Grep", Arguments: fmt.Sprintf(`{"pattern":%q}`, strings.Join(names, "|"))},
		tenfold.ToolResult{CallID: "later", Parts: tenfold.Text("no match")},
	}
}

// shownBefore is the text that a view shows of the entries up to a seq.
func shownBefore(p *tenfold.Projection, seq int64) string {
	var b strings.Builder
	for it := range p.Items() {
		if it.Seq > seq {
			continue
		}
		b.WriteString(tenfold.SearchText(it.Payload) + "\n")
	}
	return b.String()
}

func fitting(tokens int) session.Request {
	return session.Request{Target: strategy.Tokens(tokens), OpenEnd: true, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}
}

// V4: what steps made meanwhile used of the prefix is kept, and the plan made
// again: the same each time, and without a model.
func TestV4WhatWasUsedMeanwhileIsKept(t *testing.T) {
	var first []tenfold.Item
	for round := range 2 {
		_, s := reading(t, 40)
		r, prefix := fitting(1360), s.Log().Version()
		plan, err := s.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range 40 { // three that the plan hides, and one that it does not
			name := fmt.Sprintf("handle%dOrder", i)
			if strings.Contains(shownBefore(plan.View(), prefix), name) == (len(names) == 3) && len(names) < 4 {
				names = append(names, name)
			}
		}
		if len(names) != 4 {
			t.Fatalf("the plan shows or hides all: %v", names)
		}
		say(t, s, grep(append(names, "neverSeenBefore")...)...)
		c, held, err := s.Commit(t.Context(), r, plan)
		if err != nil || c.Outcome != session.Applied {
			t.Fatalf("%v, %+v", err, c)
		}
		if held.Used != 4 || len(held.Lost) != 3 || len(held.Left) != 0 || held.Lost[0].Atom != names[0] || held.Lost[0].Lines[0].First != 31 {
			t.Fatalf("%+v", held)
		}
		view := s.Projection()
		for _, name := range names {
			if !strings.Contains(shownBefore(view, prefix), name) {
				t.Errorf("%s was used and is not shown", name)
			}
		}
		if view.Tokens() > 1360+200 || c.Plan.Range.ToTurn != 39 {
			t.Errorf("%d tokens, over %s", view.Tokens(), c.Plan.Range)
		}
		items := slices.Collect(view.Items())
		if round == 0 {
			first = items
		} else if d := cmp.Diff(len(first), len(items)); d != "" {
			t.Error("it is another view each time:", d)
		}
	}
}

// V4: without steps in between, and where they used nothing that is hidden, the
// plan is applied as it was prepared.
func TestV4APlanThatHoldsIsAppliedAsItIs(t *testing.T) {
	for name, later := range map[string][]tenfold.Payload{
		"no steps":         nil,
		"nothing used":     grep("neverSeenBefore"),
		"shown again":      slices.Concat([]tenfold.Payload{tenfold.UserMessage{Parts: tenfold.Text("Mind handle3Order and /w/part_3/store.go.")}}, grep("handle3Order")),
		"numbers are none": grep("12345"),
	} {
		_, s := reading(t, 40)
		r := fitting(1360)
		r.ID = "safe to repeat"
		plan, err := s.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		say(t, s, later...)
		c, held, err := s.Commit(t.Context(), r, plan)
		if err != nil || c.Outcome != session.Applied || len(held.Lost) != 0 {
			t.Fatalf("%s: %v, %+v, %+v", name, err, c.Outcome, held)
		}
		if d := cmp.Diff(plan.Compactions[0].ToolCalls, c.Plan.Compactions[0].ToolCalls); d != "" {
			t.Errorf("%s: another plan was applied: %s", name, d)
		}
		version := s.Log().Version()
		if again, _, err := s.Commit(t.Context(), r, plan); err != nil || again.Outcome != session.Repeated ||
			again.Overlays[0].ID != c.Overlays[0].ID || s.Log().Version() != version {
			t.Errorf("%s: repeated: %v, %+v", name, err, again.Outcome)
		}
	}
}

// V4: what a prepared plan is about may be changed by others; then it is none.
func TestV4AChangedPrefixSupersedesThePlan(t *testing.T) {
	_, s := reading(t, 10)
	r := fitting(1000)
	plan, err := s.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Pin(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	c, _, err := s.Commit(t.Context(), r, plan)
	if err != nil || c.Outcome != session.Superseded || c.Reason == "" {
		t.Fatalf("%v, %+v", err, c)
	}
}

// paidSummary is a summarizer whose text a model wrote; meanwhile somebody works on.
type paidSummary struct{ meanwhile func() }

func (p paidSummary) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	if p.meanwhile != nil {
		p.meanwhile()
	}
	return strategy.SummaryResult{Text: "The parts were read.", Model: "m"}, nil
}

// V4: a model's summary is not paid twice: what it lacks is pinned along with it,
// whether the plan was prepared or the steps came while the model wrote.
func TestV4WhatASummaryLacksIsPinned(t *testing.T) {
	for _, prepared := range []bool{true, false} {
		svc, s := reading(t, 10)
		asked := 0
		r := session.Request{Strategies: []strategy.Strategy{strategy.Summarize{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}
		work := func() {
			asked++
			other, err := svc.Open(t.Context(), "c")
			if err != nil {
				t.Fatal(err)
			}
			say(t, other, grep("handle3Order")...)
		}
		r.Options.Summarizer = paidSummary{work}
		prefix := s.Log().Version()
		var c session.Result
		var err error
		if prepared {
			var plan strategy.Plan
			if plan, err = s.Plan(t.Context(), r); err == nil {
				c, _, err = s.Commit(t.Context(), r, plan)
			}
		} else {
			c, err = s.Compact(t.Context(), r)
		}
		if err != nil || c.Outcome != session.Applied || asked != 1 {
			t.Fatalf("prepared %v: %v, %s, asked %d times", prepared, err, c.Outcome, asked)
		}
		if got := shownBefore(s.Projection(), prefix); !strings.Contains(got, "handle3Order") || strings.Contains(got, "handle4Order") {
			t.Errorf("prepared %v: the view is %s", prepared, got)
		}
		if pins := payloads[tenfold.Pin](s.Log()); len(pins) != 1 || c.Plan.After != s.Projection().Tokens() {
			t.Errorf("prepared %v: pins %v; %d tokens, planned %d", prepared, pins, s.Projection().Tokens(), c.Plan.After)
		}
	}
}

// V4: strategies that shorten single results leave what is needed.
func TestV4MicroLeavesWhatIsNeeded(t *testing.T) {
	_, s := reading(t, 20)
	r := session.Request{Strategies: []strategy.Strategy{strategy.Micro{KeepRecent: 2}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}
	plan, err := s.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, grep("handle3Order")...)
	if _, held, err := s.Commit(t.Context(), r, plan); err != nil || len(held.Lost) != 1 || len(held.Left) != 0 {
		t.Fatalf("%v, %+v", err, held)
	}
	if got := shownBefore(s.Projection(), 100); !strings.Contains(got, "handle3Order") || strings.Contains(got, "handle4Order") {
		t.Error("what was needed was cleared, or what was not stayed")
	}
}
