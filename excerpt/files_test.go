package excerpt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold"
)

// BenchmarkPatchOfManyFiles reads a patch of thousands of files, and prints what that takes beside
// as many patches of one file each.
func BenchmarkPatchOfManyFiles(b *testing.B) {
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
	reads := func(payloads []tenfold.Payload) func() time.Duration {
		l, _ := logOf(b, payloads...)
		return func() time.Duration {
			begun := time.Now()
			NewIndex().Advance(tenfold.Project(l))
			return time.Since(begun)
		}
	}
	whole, parts := reads(patch(0, strings.Join(one, ""))), reads(apart)
	var together, alone time.Duration
	for b.Loop() {
		together += whole()
		alone += parts()
	}
	b.ReportMetric(float64(together)/float64(alone), "×apart")
}
