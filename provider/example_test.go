package provider_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/script"
)

// A response becomes entries of the log; the next request sends them along.
func ExampleCollect() {
	log := tenfold.NewLog()
	_, err := log.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("What is in the oven?")}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := script.New(script.Text("A cake."))
	response, err := provider.Collect(context.Background(), model, provider.Request{View: tenfold.Project(log)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := log.Append(response.Entries()...); err != nil {
		fmt.Println(err)
		return
	}
	for e := range log.Entries() {
		fmt.Println(e.Seq, e.Payload.Kind())
	}
	fmt.Println(response.Text())
	// Output:
	// 1 turn_start
	// 2 user_message
	// 3 assistant_message
	// 4 usage
	// A cake.
}
