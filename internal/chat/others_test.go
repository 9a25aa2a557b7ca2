package chat

import (
	"context"
	"strings"
	"testing"

	"tenfold"
	"tenfold/agent"
)

// What another program says meanwhile is shown as such; the answer under way is written
// once, and a call that this one runs ends as it did here.
func TestWhatAnotherProgramSaysIsShown(t *testing.T) {
	b := newBench(t, Options{})
	theirs := func(p tenfold.Payload) agent.Event {
		return agent.Event{Appended: &tenfold.Entry{Payload: p}, Others: true}
	}
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Text: "Ours begins, "})
		emit(theirs(tenfold.UserMessage{Parts: tenfold.Text("rules"), Purpose: tenfold.Context, Synthetic: true}))
		emit(theirs(tenfold.UserMessage{Parts: tenfold.Text("Is it \x1b[2Jthere?")}))
		emit(theirs(tenfold.ToolCall{CallID: "1", Name: "fs_read_file", Arguments: `{"path":"a.go"}`}))
		emit(theirs(tenfold.ToolResult{CallID: "1", Outcome: tenfold.Success}))
		ours := tenfold.ToolCall{CallID: "2", Name: "shell", Arguments: `{"command":"make"}`}
		emit(appended(ours))
		emit(agent.Event{Running: &agent.Running{Call: ours}})
		emit(theirs(tenfold.ToolResult{CallID: "2", Outcome: tenfold.Failed, Parts: tenfold.Text("told as interrupted")}))
		emit(appended(tenfold.ToolResult{CallID: "2", Outcome: tenfold.Success}))
		emit(theirs(tenfold.AssistantMessage{Text: "It is."}))
		emit(agent.Event{Text: "and ends."})
		emit(appended(tenfold.AssistantMessage{Text: "Ours begins, and ends."}))
		emit(answered())
		return nil
	}
	b.enter("go")
	b.settle()
	text := b.written()
	b.wants(text, "Said in another program:", "> Is it", "there?", "✓ fs_read_file", "✓ shell", "Answered in another program:", "It is.", "Ours begins, and ends.")
	b.lacks(text, "rules", "told as interrupted", "\x1b")
	for _, once := range []string{"Ours begins", "and ends.", "It is."} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is there %d times:\n%s", once, n, text)
		}
	}
}
