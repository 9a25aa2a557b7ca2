package tenfold_test

import (
	"fmt"
	"time"

	"tenfold"
)

// A conversation is a log. An overlay says how a stretch of it is to be seen;
// the projection is what the model sees. Taking the overlay back gives exactly
// what was seen before.
func Example() {
	log := tenfold.NewLog()
	log.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Why does the build fail?")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c1", Name: "shell", Arguments: `{"command":"make"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("main.c:7: missing semicolon")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Line 7 lacks a semicolon."}},
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Fix it.")}},
	)
	projection := tenfold.Project(log)
	show := func(title string) {
		projection.Advance()
		fmt.Println(title)
		for item := range projection.Items() {
			switch p := item.Payload.(type) {
			case tenfold.UserMessage:
				fmt.Println("  user:", p.Parts[0].Text)
			case tenfold.AssistantMessage:
				fmt.Println("  assistant:", p.Text)
			case tenfold.ToolCall:
				fmt.Println("  call:", p.Name, p.Arguments)
			case tenfold.ToolResult:
				fmt.Println("  result:", p.Parts[0].Text)
			}
		}
	}
	show("raw")

	log.Append(tenfold.Entry{ID: "cmp_1", Payload: tenfold.Compaction{
		FromTurn: 0, ToTurn: 0,
		Summary: &tenfold.Summary{Text: "The build fails: main.c line 7 lacks a semicolon."},
	}})
	show("compacted")

	log.Append(tenfold.Entry{Payload: tenfold.CompactionRevoked{Target: "cmp_1"}})
	show("undone")
	fmt.Println("entries in the log:", log.Version())
	// Output:
	// raw
	//   user: Why does the build fail?
	//   call: shell {"command":"make"}
	//   result: main.c:7: missing semicolon
	//   assistant: Line 7 lacks a semicolon.
	//   user: Fix it.
	// compacted
	//   user: [Summary of previous conversation]
	//   assistant: The build fails: main.c line 7 lacks a semicolon.
	//   user: Fix it.
	// undone
	//   user: Why does the build fail?
	//   call: shell {"command":"make"}
	//   result: main.c:7: missing semicolon
	//   assistant: Line 7 lacks a semicolon.
	//   user: Fix it.
	// entries in the log: 9
}

func ExampleProject() {
	log := tenfold.NewLog()
	log.Append(
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("What does main.go do?")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c1", Name: "read", Arguments: `{"path":"main.go"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("package main\n\n// main does nothing at all, as of now.\nfunc main() {}\n")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Nothing."}},
		tenfold.Entry{ID: "cmp_1", Payload: tenfold.Compaction{
			ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true},
		}},
	)
	projection := tenfold.Project(log)
	for entry := range log.Entries() {
		if !entry.Payload.Kind().Visible() {
			continue
		}
		fate, by, tokens := projection.Fate(entry.Seq)
		fmt.Printf("%d %s: %s %s, %d tokens of %d\n", entry.Seq, entry.Payload.Kind(), fate, by, tokens, entry.Tokens)
	}
	// Output:
	// 1 user_message: kept , 6 tokens of 6
	// 2 tool_call: kept , 6 tokens of 6
	// 3 tool_result: stripped cmp_1, 8 tokens of 18
	// 4 assistant_message: kept , 2 tokens of 2
}

func ExampleParseBound() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	log := tenfold.NewLog()
	for hour := range 6 { // turns that began at 6, 7, 8, 9, 10 and 11 o'clock
		log.Append(
			tenfold.Entry{Time: noon.Add(time.Duration(hour-6) * time.Hour), Payload: tenfold.TurnStart{}},
			tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("…")}},
		)
	}
	projection := tenfold.Project(log)
	for _, words := range [][2]string{{"1", "3"}, {"-4", "-1"}, {"210m", "2h"}, {"last", "9"}, {"0", "-6"}} {
		from, _ := tenfold.ParseBound(words[0])
		to, _ := tenfold.ParseBound(words[1])
		r, ok, why, err := projection.Resolve(tenfold.Bounds{From: &from, To: &to, Now: noon})
		switch {
		case err != nil:
			fmt.Println(err)
		case !ok:
			fmt.Println(why)
		default:
			fmt.Println(words[0], "to", words[1], "is", r)
		}
	}
	_, err := tenfold.ParseBound("yesterday")
	fmt.Println(err)
	// Output:
	// 1 to 3 is 1..3
	// -4 to -1 is 1..4
	// 210m to 2h is 3..4
	// last to 9 is 0..5
	// the range ends before turn 0
	// invalid bound "yesterday"
}
