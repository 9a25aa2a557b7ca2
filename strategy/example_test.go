package strategy_test

import (
	"context"
	"fmt"
	"strings"

	"tenfold"
	"tenfold/strategy"
)

// A plan says what two strategies would do, and why a third has nothing to do.
func ExamplePipeline_Plan() {
	l := tenfold.NewLog()
	for i := range 4 {
		id := fmt.Sprint(i)
		if _, err := l.Append(
			tenfold.Entry{Payload: tenfold.TurnStart{}},
			tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("read file " + id)}},
			tenfold.Entry{Payload: tenfold.ToolCall{CallID: id, Name: "read", Arguments: "{}"}},
			tenfold.Entry{Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("line\n", 400))}},
		); err != nil {
			fmt.Println(err)
			return
		}
	}
	var pipeline strategy.Pipeline
	for _, text := range []string{"turn-window:n=3", "micro:keep_recent=1", "strip-attachments"} {
		s, err := strategy.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		pipeline = append(pipeline, s)
	}
	plan, err := pipeline.Plan(context.Background(), tenfold.Project(l), strategy.Options{
		Range: tenfold.Range{ToTurn: 3}, Source: "user",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range plan.Steps {
		fmt.Printf("%s: %d entries, %d → %d tokens\n", s.Strategy, s.Entries, s.Before, s.After)
	}
	// Output:
	// turn-window:n=3: 3 entries, 2020 → 1515 tokens
	// micro:keep_recent=1,over=800: 2 entries, 1515 → 567 tokens
	// strip-attachments: 0 entries, 567 → 567 tokens
}
