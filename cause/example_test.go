package cause_test

import (
	"fmt"

	"tenfold/cause"
)

func Example() {
	output := "--- FAIL: TestBread\n    oven_test.go:7: 4 loaves, want 5\ngoroutine 12 [running]:\n"
	for _, line := range cause.Of(output) {
		fmt.Println(line.Number, line.Text)
	}
	// Output:
	// 1 --- FAIL: TestBread
	// 2 oven_test.go:7: 4 loaves, want 5
}
