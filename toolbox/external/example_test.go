package external_test

import (
	"context"
	"fmt"

	"tenfold/toolbox"
	"tenfold/toolbox/external"
)

// Any program can be a tool: this one answers with a text.
func ExampleNew() {
	oven, err := external.New(external.Spec{
		Name: "oven", Description: "Says how hot the oven is.", Command: []string{"echo", "180 °C"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := oven.Run(context.Background(), toolbox.Call{ID: "1", Arguments: "{}"})
	fmt.Println(result.Parts[0].Text, err)
	// Output:
	// 180 °C <nil>
}
