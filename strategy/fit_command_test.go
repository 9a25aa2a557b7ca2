package strategy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// P5, F7: a command that is too long for its call is told by its first line: output says
// nothing where nobody knows of what.
func TestF7LongCommandsAreToldByTheirFirstLine(t *testing.T) {
	command := "git commit --all -F - <<'EOF'\n" + strings.Repeat("words of a message that nobody needs to read again\n", 20) + "EOF"
	for name, arguments := range map[string]any{
		"Bash":  map[string]any{"timeout": 120, "command": command},
		"shell": map[string]any{"command": []string{"bash", "-lc", command}},
	} {
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		l := tenfold.NewLog()
		for _, p := range []tenfold.Payload{
			tenfold.TurnStart{},
			tenfold.UserMessage{Parts: tenfold.Text("commit it")},
			tenfold.ToolCall{CallID: "c", Name: name, Arguments: string(text)},
			tenfold.ToolResult{CallID: "c", Parts: tenfold.Text("[main 81f6c2d] created lib/bakery_oven.go\n" + strings.Repeat("and more words\n", 300)), Outcome: tenfold.Success},
			tenfold.TurnStart{},
			tenfold.UserMessage{Parts: tenfold.Text("go on")},
			tenfold.ToolCall{CallID: "d", Name: "Read", Arguments: "{}"},
			tenfold.ToolResult{CallID: "d", Parts: tenfold.Text("x")},
			tenfold.AssistantMessage{Text: "done"},
		} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		got := result(t, plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=250,without=blocks").View(), 4)
		if !strings.Contains(got, "81f6c2d") || !strings.Contains(got, "[argument command] git commit --all -F - <<'EOF' …") || strings.Contains(got, "nobody needs") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
