package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// What the tool's own compaction saved stays what it was when ours hides the same, and
// when that is undone; it is nothing once the tool's own is.
func TestSavedByToolIsNotChangedByOurs(t *testing.T) {
	l := tenfold.NewLog()
	add := func(id string, p tenfold.Payload) {
		t.Helper()
		if _, err := l.Append(tenfold.Entry{ID: id, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c"} {
		add(id, tenfold.TurnStart{})
		add(id+"1", tenfold.UserMessage{Parts: []tenfold.Part{{Text: "ask " + id}}})
		add(id+"2", tenfold.AssistantMessage{Text: strings.Repeat("say "+id+" ", 100)})
	}
	add("theirs", tenfold.Compaction{ToTurn: 1, Source: "import", Summary: &tenfold.Summary{Text: "They spoke."}})
	want := strategy.SavedByTool(tenfold.Project(l))
	if want.Compactions != 1 || want.Tokens <= 0 {
		t.Fatalf("the tool saved %+v", want)
	}
	add("ours", tenfold.Compaction{ToTurn: 2, Source: "user", Turns: tenfold.Omit})
	if got := strategy.SavedByTool(tenfold.Project(l)); got != want {
		t.Errorf("with ours on top it saved %+v, want %+v", got, want)
	}
	add("undo", tenfold.CompactionRevoked{Target: "ours"})
	if got := strategy.SavedByTool(tenfold.Project(l)); got != want {
		t.Errorf("with ours undone it saved %+v, want %+v", got, want)
	}
	add("undo theirs", tenfold.CompactionRevoked{Target: "theirs"})
	if got := strategy.SavedByTool(tenfold.Project(l)); got != (strategy.Saved{}) {
		t.Errorf("undone, it saved %+v", got)
	}
}
