// Package runes finds where a text may be cut: between characters, never inside one.
package runes

import "unicode/utf8"

// Last is the last place up to at where a character begins; the end of a text that
// is no longer than that.
func Last(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return max(at, 0)
}

// Next is the first place from at on where a character begins, or the end.
func Next(text string, at int) int {
	for at = max(at, 0); at < len(text) && !utf8.RuneStart(text[at]); at++ {
	}
	return min(at, len(text))
}
