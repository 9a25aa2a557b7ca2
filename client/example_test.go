package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"tenfold"
	"tenfold/client"
)

// A program keeps a conversation on a server, and calls its model with what the
// conversation comes to.
func Example() {
	address, stop := serve()
	defer stop()
	ctx := context.Background()
	c, err := client.New(address, "")
	if err != nil {
		log.Fatal(err)
	}

	made, err := c.Begin(ctx, nil, client.Fresh{Title: "port the parser", Entries: client.Log(
		tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Port the parser.")},
	)})
	if err != nil {
		log.Fatal(err)
	}
	// What happens is appended as it happens. A request that is sent twice is in the
	// log once; a batch for another version is refused.
	version := made.Entries
	done, err := c.Append(ctx, made.ID, nil, client.Batch{Expected: &version, Entries: client.Log(
		tenfold.ToolCall{CallID: "c1", Name: "read", Arguments: `{"path":"parser.go"}`},
		tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text(strings.Repeat("func parse() {}\n", 500))},
		tenfold.AssistantMessage{Text: "It is ported."},
		tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("And the tests?")},
	)})
	if err != nil {
		log.Fatal(err)
	}

	// The body of the next request to the model; the program adds its options.
	body, err := c.Body(ctx, made.ID, client.ProjectionParams{Provider: "anthropic", Model: "claude-sonnet-4-5"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("version %d: %.1f kB\n", done.Version, float64(len(body.JSON))/1000)

	// A plan writes nothing. It is applied as it is, unless the log moved in a way that
	// matters.
	plan, err := c.Prepare(ctx, made.ID, client.Wish{Strategies: []string{"strip-tools"}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Compact(ctx, made.ID, nil, client.Applying{Plan: &plan}); err != nil {
		log.Fatal(err)
	}
	body, err = c.Body(ctx, made.ID, client.ProjectionParams{Provider: "anthropic", Model: "claude-sonnet-4-5"}, body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("version %d: %.1f kB\n", body.Version, float64(len(body.JSON))/1000)

	// Whoever works with an old version is told both.
	_, err = c.Append(ctx, made.ID, nil, client.Batch{Expected: &version, Entries: client.Log(tenfold.TurnStart{})})
	var p *client.Problem
	if errors.As(err, &p) {
		fmt.Println(p.Code, *p.Expected, *p.Actual)
	}
	// Output:
	// version 7: 9.0 kB
	// version 8: 0.7 kB
	// conflict 2 8
}

// The events of a conversation come until the context ends, also over connections
// that break off.
func ExampleClient_Follow() {
	address, stop := serve()
	defer stop()
	ctx := context.Background()
	c, err := client.New(address, "")
	if err != nil {
		log.Fatal(err)
	}
	made, err := c.Begin(ctx, nil, client.Fresh{Entries: client.Log(tenfold.TurnStart{}, tenfold.AssistantMessage{Text: "hello"})})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range c.Follow(ctx, made.ID, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Entry != nil {
			fmt.Println(event.Entry.Seq, event.Entry.Kind)
		}
		if event.Entry != nil && event.Entry.Seq == made.Entries {
			break
		}
	}
	// Output:
	// 1 turn_start
	// 2 assistant_message
}
