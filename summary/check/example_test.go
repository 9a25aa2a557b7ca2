package check_test

import (
	"fmt"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/check"
)

// A summary that names a file which the conversation never did is found out.
func ExampleSummary() {
	entries := []tenfold.Entry{{Seq: 1, Payload: tenfold.UserMessage{Parts: tenfold.Text("Fix the oven in kitchen/oven.go.")}}}
	found := check.Summary("The oven in kitchen/oven.go and kitchen/stove.go was fixed.", strategy.SummaryRequest{Entries: entries})
	fmt.Println(found.OK())
	for _, s := range found.Strangers {
		fmt.Println(s.Text)
	}
	// Output:
	// false
	// kitchen/stove.go
}
