// Package number writes numbers for people.
package number

import "strconv"

// Thousands writes a number with separators: 112,295.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count writes a number with what it counts, whose plural ends in s: "1 line",
// "12,345 lines".
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf is Count with another plural: "1 entry", "12,345 entries".
func CountOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}
