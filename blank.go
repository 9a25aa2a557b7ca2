package tenfold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Blank reports whether a text says nothing: it is empty, or all of it is white
// space, control characters and characters that show nothing (U+200B, U+FEFF and
// their like). Providers refuse such texts, each by the white space of its own
// language, so none is ever sent (P10).
func Blank(text string) bool { return isBlank(text) }

func isBlank(s string) bool {
	for i, r := range s {
		switch {
		case r <= ' ' || r == 0x7f:
		case r < utf8.RuneSelf:
			return false
		default:
			return strings.IndexFunc(s[i:], shows) < 0
		}
	}
	return true
}

func shows(r rune) bool { return !trims(r) && !unicode.Is(unicode.Cf, r) }

// trims reports whether a provider may take a character off the end of a text:
// the white space of Unicode, and what other languages count as such.
func trims(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' }
