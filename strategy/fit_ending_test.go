package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// M4a: of a command's output of which anything is kept, its cause and what its tests
// came to are kept too: a stack says nothing without them. What no command printed and did
// not fail has no cause; where a tool of the agent failed, it says so first.
func TestM4aKeptOutputSaysHowItEnded(t *testing.T) {
	plain := strings.Repeat("words of no use to anybody at all, and many more of them\n", 200)
	output := plain + "● bakes bread\nerror: the oven is cold\n" + plain + "    at heatOven (lib/bakery_oven.js:31)\n" + plain + "Tests: 1 failed, 7 passed\n" + plain[:2000]
	for name, c := range map[string]struct {
		tool    string
		ended   tenfold.Outcome
		want    []string
		without []string
	}{
		"failed":        {"Bash", tenfold.Failed, []string{"heatOven", "● bakes bread", "error: the oven is cold", "1 failed, 7 passed"}, nil},
		"nobody says":   {"Bash", "", []string{"heatOven", "error: the oven is cold", "1 failed, 7 passed"}, nil},
		"succeeded":     {"Bash", tenfold.Success, []string{"heatOven", "1 failed, 7 passed"}, []string{"the oven is cold"}},
		"a read":        {"Read", tenfold.Success, []string{"heatOven"}, []string{"no such loaf", "the oven is cold", "1 failed"}},
		"a failed read": {"Read", tenfold.Failed, []string{"no such loaf", "heatOven"}, []string{"the oven is cold", "1 failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			output := output
			if name == "a failed read" {
				output = strings.Repeat("----------------------------------------\n", 200) + "<error>no such loaf\n" + output
			}
			l := tenfold.NewLog()
			for _, p := range []tenfold.Payload{
				tenfold.TurnStart{},
				tenfold.UserMessage{Parts: tenfold.Text("test it")},
				tenfold.ToolCall{CallID: "t", Name: c.tool, Arguments: `{"command":"npm test","file_path":"out.log"}`},
				tenfold.ToolResult{CallID: "t", Parts: tenfold.Text(output), Outcome: c.ended, IsError: c.ended == tenfold.Failed},
				tenfold.ToolCall{CallID: "u", Name: c.tool, Arguments: `{"command":"npm test","file_path":"out.log"}`},
				tenfold.ToolResult{CallID: "u", Parts: tenfold.Text("fine"), Outcome: tenfold.Success},
				tenfold.TurnStart{},
				tenfold.UserMessage{Parts: tenfold.Text("look at the oven")},
				tenfold.ToolCall{CallID: "v", Name: "Read", Arguments: `{"file_path":"x"}`},
				tenfold.ToolResult{CallID: "v", Parts: tenfold.Text("x")},
				tenfold.AssistantMessage{Text: "I see."},
			} {
				if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
					t.Fatal(err)
				}
			}
			view := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=300,without=blocks").View()
			got := result(t, view, 4)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in %q", want, got)
				}
			}
			for _, not := range c.without {
				if strings.Contains(got, not) {
					t.Errorf("%q is in %q", not, got)
				}
			}
		})
	}
}
