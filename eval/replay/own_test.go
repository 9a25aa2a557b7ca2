package replay

import (
	"testing"

	"tenfold"
)

// What stood in for history after a compaction is not a response of the model:
// there are as many requests with it as without.
func TestReplayCountsNoStandIns(t *testing.T) {
	l := tenfold.NewLog()
	for _, e := range []tenfold.Entry{
		{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
		{ID: "a", Payload: tenfold.AssistantMessage{Text: "first"}},
		{ID: "v", Payload: tenfold.UserMessage{Parts: tenfold.Text("on")}},
		{ID: "b", Payload: tenfold.AssistantMessage{Text: "second"}},
		{ID: "c", Payload: tenfold.Compaction{Source: "import", Turns: tenfold.Omit}},
		{ID: "c/turn", Payload: tenfold.TurnStart{}},
		{ID: "c/item-0", Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
		{ID: "c/item-1", Payload: tenfold.AssistantMessage{Text: "what was done"}},
		{ID: "w", Payload: tenfold.UserMessage{Parts: tenfold.Text("and on")}},
		{ID: "d", Payload: tenfold.AssistantMessage{Text: "third"}},
	} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(t.Context(), l, Options{Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests != 3 || len(r.Own.total) != 3 {
		t.Errorf("%d requests without, %d with", r.Requests, len(r.Own.total))
	}
}
