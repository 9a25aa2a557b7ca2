package summary_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary"
)

func ExampleDigest() {
	log := tenfold.NewLog()
	if _, err := log.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Make the build green. Never skip a test.")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{"command":"go build ./..."}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("Exit code 1\nparser.go:7: undefined: next"), IsError: true}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "2", Name: "Edit", Arguments: `{"file_path":"parser.go"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "2", Parts: tenfold.Text("ok")}},
	); err != nil {
		fmt.Println(err)
		return
	}
	request := strategy.SummaryRequest{Log: log}
	for e := range log.Entries() {
		request.Entries = append(request.Entries, e)
	}
	digest, err := summary.Digest{}.Summarize(context.Background(), request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(digest.Text)
	// Output:
	// This is history, not a request: a digest, made without a model, of turn 0 of this conversation. What stands behind > or in backticks is quoted; what the user demanded still holds.
	//
	// ## Where the work stands
	// - last request, turn 0:
	//   > Make the build green. Never skip a test.
	// - red: `go build ./...`: failed, exit code 1, turn 0
	//   > parser.go:7: undefined: next
	//
	// ## Changed files
	// - `parser.go`: modified, turn 0
}

func ExampleConstraints() {
	fmt.Println(summary.Constraints("Nice work so far.\nFrom now on, ask me first.\nNimm Leerzeichen statt Tabulatoren."))
	// Output: [From now on, ask me first. Nimm Leerzeichen statt Tabulatoren.]
}
