package atom_test

import (
	"strings"
	"testing"

	"tenfold/atom"
)

// Data in letters is no name, and what holds much of it is not worth reading in part; long
// paths and sums are names, or at least not data.
func TestDataIsNoName(t *testing.T) {
	const picture = "iVBORw0KGgoAAAANSUhEUg62h5b+gdff5CF4d44AA3B57c9D0hh8EBG6f4EcD/5dch8018Gbf" + "cfa1B+bbdU+hec0a/0dG4h9DcGc6bE24C9Be71e12BebDABG+h385B9013e3E456635CGB54g48FD5FXBf8D4Ad"
	const path = "/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/oven-build/node_modules/.pnpm/bread-slicer@4.17.21/node_modules/bread-slicer/lib/index.js"
	const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for line, want := range map[string]int{`"image/png": "` + picture + `",`: 1, "see " + path: 4, "sha256:" + sum: 1} {
		n := 0
		for range atom.Scan(line) {
			n++
		}
		if n < want || want == 1 && n > 1 {
			t.Errorf("%.30q has %d atoms, want %d", line, n, want)
		}
	}
	for line, want := range map[string]bool{
		`"image/png": "` + strings.Repeat(picture, 2) + `"`: true, picture: false, `{"order_id": "` + strings.Repeat("warm oven ", 40) + `", "signature": "` + strings.Repeat(picture, 2) + `"}`: false, strings.Repeat(path, 3): false, strings.Repeat(sum, 4): false, strings.Repeat("plain words ", 90): false, "": false,
		strings.Repeat("aB3dE5gH7j ", 40): false, strings.Repeat("A1", 150): false, strings.Repeat("aB", 150): false, strings.Repeat("a1", 150): false, strings.Repeat("aB1", 100): true,
	} {
		if got := atom.HoldsData(line); got != want {
			t.Errorf("HoldsData(%.30q) is %v", line, got)
		}
	}
}

// A log says of much that it must be; no person demands that.
func TestLinesOfALogStateNoConstraint(t *testing.T) {
	for line, want := range map[string]bool{
		"2025-11-02 02:31:00.000 [worker-0] ERROR it must not be opened": false, "2025-11-02T02:31:00Z never mind": false, "[2025/11/02 02:31:00] it must stop": false,
		"Nov  2 02:31:00 oven: do not open it": false, "2025-11-02: it must be released": true, "It must be done at 12:31:00.": true, "Do not open it.": true,
	} {
		if got := atom.StatesConstraint(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
