package excerpt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold"
)

// A patch of thousands of files is read about as fast as so many patches of one file each: each
// of its names looked at each of its files.
func TestAPatchOfManyFilesIsReadInTime(t *testing.T) {
	const files = 2000
	var one []string
	for n := range files {
		one = append(one, fmt.Sprintf("*** Update File: dir/file_%d.go\n@@\n-old_line %d\n+new_line %d\n line_of_it %d\n", n, n, n, n))
	}
	patch := func(id int, text string) []tenfold.Payload {
		return ranCall(id, "apply_patch", fmt.Sprintf(`{"input":%q}`, "*** Begin Patch\n"+text+"*** End Patch\n"), "done")
	}
	var apart []tenfold.Payload
	for n, text := range one {
		apart = append(apart, patch(n, text)...)
	}
	fastest := func(payloads []tenfold.Payload) time.Duration {
		l, _ := logOf(t, payloads...)
		best := time.Hour
		for range 3 {
			begun := time.Now()
			NewIndex().Advance(tenfold.Project(l))
			best = min(best, time.Since(begun))
		}
		return best
	}
	if together, apart := fastest(patch(0, strings.Join(one, ""))), fastest(apart); together > 4*apart {
		t.Errorf("one patch took %v, many %v", together, apart)
	}
}
