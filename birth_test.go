package tenfold_test

import (
	"strings"
	"testing"

	"tenfold"
)

// V3: an overlay that shortens a result at birth brings no note (P5a), whatever else
// is hidden: the view begins as it did. Nor is it what undo takes back (C7).
func TestV3ShorteningAtBirthLeavesTheBeginning(t *testing.T) {
	l := tenfold.NewLog()
	_, err := l.Append(
		tenfold.Entry{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("Go.")}},
		tenfold.Entry{ID: "r", Payload: tenfold.Reasoning{Text: "Hm."}},
		tenfold.Entry{ID: "c", Payload: tenfold.ToolCall{CallID: "1", Name: "look", Arguments: "{}"}},
		tenfold.Entry{ID: "o", Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.Repeat("a line\n", 500))}},
		tenfold.Entry{ID: "b", Payload: tenfold.Compaction{Source: tenfold.SourceBirth, ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Recall: true, Calls: map[string]tenfold.CallPolicy{"1": {Action: tenfold.Trim, Head: 50, Tail: 50}},
		}}},
		tenfold.Entry{ID: "a", Payload: tenfold.AssistantMessage{Text: "Done."}},
		tenfold.Entry{ID: "s", Payload: tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	if fate, by, _ := p.Fate(4); fate != tenfold.Trimmed || by != "b" || p.Note() != "" {
		t.Errorf("%s by %s, the note is %q", fate, by, p.Note())
	}
	if o, ok := p.Undoable(); !ok || o.ID != "s" {
		t.Errorf("undo takes back %q", o.ID)
	}
}
