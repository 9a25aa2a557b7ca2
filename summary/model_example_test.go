package summary_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary"
)

// A model that makes things up is asked once more, and then the next rung of
// the ladder writes the summary.
func ExampleLadder() {
	l := tenfold.NewLog()
	_, err := l.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Which port does the server use?")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "1", Name: "Read", Arguments: `{"path":"etc/server.toml"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("# The whole configuration of the server, with every default.\nport = 7433\ntimeout = 30\n")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "The server uses port 7433, as etc/server.toml says."}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := summary.Model{Provider: plays(says("The port is 8080, as etc/ports.toml says."))}
	fallback := digest{"The port is 7433, says etc/server.toml."}
	made, err := strategy.Pipeline{mustParse("hard-reset")}.Plan(context.Background(), tenfold.Project(l), strategy.Options{
		Summarizer: summary.Ladder{model, fallback},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, note := range made.Steps[0].Notes {
		fmt.Println(note)
	}
	for _, c := range made.Compactions {
		fmt.Printf("%s: %s\n", c.Summary.Model, c.Summary.Text)
	}
	// Output:
	// test/model gave no summary: what it says does not follow from the log: path "etc/ports.toml" occurs nowhere, number "port 8080" contradicts the log
	// digest: The port is 7433, says etc/server.toml.
}

func mustParse(name string) strategy.Strategy {
	s, err := strategy.Parse(name)
	if err != nil {
		panic(err)
	}
	return s
}
