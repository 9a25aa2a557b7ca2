package agent_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

// An agent with one tool; a script plays the model.
func Example() {
	ctx := context.Background()
	s, err := session.NewService(memory.New()).Create(ctx, session.Create{ID: "demo"})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := script.New( // or a model of provider/catalog
		script.Calls(tenfold.ToolCall{CallID: "1", Name: "look", Arguments: `{"path":"oven.go"}`}),
		script.Text("The oven is hot."),
	)
	a, err := agent.New(s, agent.Options{Model: model, Tools: []toolbox.Tool{stub{name: "look", effect: toolbox.Reads}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range a.Run(ctx, tenfold.TextPart("Is the oven hot?")) {
		switch {
		case err != nil:
			fmt.Println("error:", err)
		case e.Running != nil:
			fmt.Println("runs:", e.Running.Call.Name, e.Running.Intent.Subject)
		case e.Text != "":
			fmt.Println("says:", e.Text)
		case e.Stop != nil:
			fmt.Println("stops:", e.Stop.Reason, "after", e.Stop.Steps, "steps")
		}
	}
	// Output:
	// runs: look {"path":"oven.go"}
	// says: The oven is hot.
	// stops: answered after 2 steps
}
