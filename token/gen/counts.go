package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tenfold/token/internal/sample"
)

// Changing the numbers needs a change in fixture_test.go too.
const (
	countSeed = 1
	countSize = 20_000
)

// writeCounts lets the reference count the sample strings. A line of the
// fixture is "o200k cl100k"; the strings are made again by the test.
func writeCounts(dir string) error {
	counts, err := referenceCounts(dir, sample.Strings(countSeed, countSize))
	if err != nil {
		return err
	}
	var b strings.Builder
	for i, c := range counts {
		if c[0] < 0 || c[1] < 0 {
			return fmt.Errorf("the reference fails on string %d", i)
		}
		fmt.Fprintf(&b, "%d %d\n", c[0], c[1])
	}
	return os.WriteFile(filepath.Join("testdata", "counts.txt"), []byte(b.String()), 0o644)
}

// referenceCounts returns [o200k, cl100k] for each text.
func referenceCounts(dir string, texts []string) ([][2]int, error) {
	var counts [][2]int
	if err := node(dir, countScript, texts, &counts); err != nil {
		return nil, err
	}
	if len(counts) != len(texts) {
		return nil, fmt.Errorf("%d counts for %d texts", len(counts), len(texts))
	}
	return counts, nil
}
