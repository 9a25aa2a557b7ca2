package session_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// M4: strategies that need a summarizer have the digest where none is given,
// and it is undone like any other summary.
func TestM4DigestIsTheDefault(t *testing.T) {
	svc := newService(t)
	long := strings.Repeat("an output line of many words\n", 400)
	s, err := svc.Create(t.Context(), session.Create{ID: "c1", Entries: []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("Read it. Never print it.")}},
		{Payload: tenfold.ToolCall{CallID: "1", Name: "Read", Arguments: `{"file_path":"/w/a"}`}},
		{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(long)}},
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("And now?")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	raw := items(s)
	for _, name := range []string{"summarize", "hard-reset", "recursive-summary:keep=1,overlap=0"} {
		by, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		r := session.Request{Bounds: tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1}}, Strategies: []strategy.Strategy{by}}
		c, err := s.Compact(t.Context(), r)
		if err != nil || c.Outcome != session.Applied {
			t.Fatalf("%s: %+v, %v", name, c, err)
		}
		made := c.Overlays[0].Compaction.Summary
		if made.Model != "digest" || !strings.Contains(made.Text, "  > Read it. Never print it.\n") || !strings.Contains(made.Text, "only read, of late: `/w/a`") {
			t.Errorf("%s: %+v", name, made)
		}
		if _, err := s.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(items(s)) != len(raw) {
			t.Errorf("%s: after undo there are %d items, want %d", name, len(items(s)), len(raw))
		}
	}
}
