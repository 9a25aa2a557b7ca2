package script_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/script"
)

// A model that calls a tool, and then fails once.
func Example() {
	ctx := context.Background()
	model := script.New(
		script.Calls(tenfold.ToolCall{CallID: "1", Name: "read", Arguments: `{"path":"cake.go"}`}),
		script.Fail(&provider.Error{Kind: provider.Overloaded, Message: "try later"}),
	)
	request := provider.Request{View: tenfold.Project(tenfold.NewLog())}
	response, err := provider.Collect(ctx, model, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range response.Calls() {
		fmt.Println(call.Name, call.Arguments)
	}
	_, err = provider.Collect(ctx, model, request)
	fmt.Println(err)
	// Output:
	// read {"path":"cake.go"}
	// overloaded: try later
}
