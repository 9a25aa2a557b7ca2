package purpose_test

import (
	"fmt"

	"tenfold"
	"tenfold/purpose"
)

// Agents send much under the user's role that no person typed.
func ExampleOf() {
	for _, text := range []string{
		"<system-reminder>\nThe task list is empty.\n</system-reminder>",
		"Make the oven warm up faster.",
	} {
		m := tenfold.UserMessage{Parts: tenfold.Text(text)}
		fmt.Printf("%q %q\n", purpose.Of(m), purpose.Title(m))
	}
	// Output:
	// "context" ""
	// "" "Make the oven warm up faster."
}
