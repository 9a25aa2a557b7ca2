// Command embed is a complete agent loop over Tenfold; a script plays the model.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/trigger"
)

func main() {
	var answers []script.Answer
	for _, file := range []string{"oven.go", "cake.go", "icing.go", "plate.go"} {
		call := tenfold.ToolCall{CallID: file, Name: "read", Arguments: fmt.Sprintf(`{"path":%q}`, file)}
		answers = append(answers, script.Calls(call), script.Text("I have read "+file+"."))
	}
	model := script.New(answers...) // or a model of provider/catalog
	s, err := session.NewService(memory.New()).OpenOrCreate(context.Background(), session.Create{ID: "demo"})
	for i := 0; i < len(answers)/2 && err == nil; i++ {
		err = respond(context.Background(), s, model, "Read the next file.")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// respond appends a request and calls the model until it calls no more tools.
func respond(ctx context.Context, s *session.Session, model provider.Model, request string) error {
	entries := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text(request)}}}
	for {
		if err := s.AppendLatest(ctx, entries...); err != nil {
			return err
		}
		if c, err := s.Compact(ctx, session.Request{Trigger: trigger.Tokens(1500)}); err != nil {
			return err
		} else if c.Outcome == session.Applied {
			fmt.Printf("compacted: %d → %d tokens\n", c.Plan.Before, c.Plan.After)
		}
		response, err := provider.Collect(ctx, model, provider.Request{View: s.Projection()})
		if err != nil {
			return err
		}
		entries = response.Entries()
		for _, call := range response.Calls() {
			result := strings.Repeat("func bake() { /* a line of "+call.CallID+" */ }\n", 40) // run the tool here
			entries = append(entries, tenfold.Entry{Payload: tenfold.ToolResult{CallID: call.CallID, Parts: tenfold.Text(result)}})
		}
		fmt.Printf("%s: %q\n", response.Stop, response.Text())
		if response.Stop != provider.StopTools {
			return s.AppendLatest(ctx, entries...)
		}
	}
}
