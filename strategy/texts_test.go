package strategy_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// saying proposes one overlay.
type saying struct{ overlay tenfold.Compaction }

func (saying) Name() string { return "saying" }

func (s saying) Propose(_ context.Context, _ *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(s.overlay)}, nil
}

// An overlay with a policy for texts is reported slot by slot: the steps and
// the spans add up to the whole.
func TestS17TextsAreAPartOfTheReport(t *testing.T) {
	long := strings.Repeat("a line that says something\n", 20)
	l := tenfold.NewLog()
	_, err := l.Append(
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: long}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c", Name: "read"}}, tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(long)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	some := []tenfold.LineRange{{First: 2, Last: 3}}
	plan, err := strategy.Pipeline{saying{tenfold.Compaction{
		ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Marks: tenfold.MarksShort, Calls: map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Lines: some}}},
		Texts:     &tenfold.TextPolicy{Action: tenfold.Selective, Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{2: {Action: tenfold.Trim, Lines: some}}},
	}}}.Plan(t.Context(), tenfold.Project(l), strategy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := plan.Before
	for _, s := range plan.Steps {
		if s.Entries != 1 || s.Before != before || s.After >= s.Before {
			t.Errorf("step %+v, after one that ends at %d", s, before)
		}
		before = s.After
	}
	if len(plan.Steps) != 2 || before != plan.After {
		t.Errorf("%d steps end at %d tokens, the plan at %d", len(plan.Steps), before, plan.After)
	}
	sum := 0
	var slots []string
	for _, s := range strategy.Spans(plan.View()) {
		sum += s.After
		slots = append(slots, s.Slots...)
	}
	if want := []string{"texts", "tool_calls"}; sum != plan.After || !slices.Equal(slots, want) {
		t.Errorf("the spans hold %d of %d tokens, of slots %v", sum, plan.After, slots)
	}
}
