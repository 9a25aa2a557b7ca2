package excerpt_test

import (
	"fmt"
	"strings"

	"tenfold"
	"tenfold/excerpt"
)

// Of a long result the line with names in it is worth keeping.
func ExampleIndex_Choose() {
	lines := strings.Repeat("a line that nobody needs again\n", 40)
	entries := []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("Why does the build fail?")},
		tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{"command":"make"}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(lines + "oven/heat.go:42: undefined: setTemperature\n" + lines)},
		tenfold.AssistantMessage{Text: "I see."},
	}
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	for _, p := range entries {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			fmt.Println(err)
			return
		}
	}
	index := excerpt.NewIndex()
	index.Advance(tenfold.Project(l))
	choice := index.Choose(excerpt.Options{From: 1, To: l.Version(), Budget: 40})
	for _, k := range choice.First(choice.Len()) {
		result, ok := l.Entry(k.Result)
		if !ok {
			continue // a message
		}
		text := strings.Split(tenfold.TextLines(result.Payload), "\n")
		for _, r := range k.Lines {
			fmt.Println(k.Result, strings.Join(text[r.First-1:r.Last], "\n"))
		}
	}
	// Output:
	// 4 oven/heat.go:42: undefined: setTemperature
}
