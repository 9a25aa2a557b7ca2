package digest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// visible makes characters seen that would act on whoever reads a text in
// place of standing in it: controls as their pictures, marks that turn the
// direction of writing and other unseen ones by number. Line ends stay.
func visible(text string) string {
	if !needsSight(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for i, r := range text {
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteByte('\t')
		case r == '\r':
			if !strings.HasPrefix(text[i+1:], "\n") {
				b.WriteRune('␍')
			}
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func needsSight(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f {
			return true
		}
	}
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 && hidden(r) })
}

// hidden reports characters beyond ASCII that are not seen and are no part of
// any script or emoji: C1 controls, marks of direction, separators, tags.
func hidden(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x200b, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0x2060, r == 0xfeff:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f
}

// code quotes a text in one line, as code: at most so many characters, line
// ends as their picture, in as many backticks as it takes.
func code(text string, characters int) string {
	text = visible(clip(strings.TrimSpace(text), characters))
	text = strings.ReplaceAll(text, "\n", "␊")
	if text == "" {
		return "(empty)"
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// quote quotes a text line by line, each behind a mark, so that no line of it
// can stand as a line of the ledger. White space at line ends is left out.
func quote(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(visible(text), "\n") {
		b.WriteString("  > ")
		b.WriteString(strings.TrimRight(line, " \t"))
		b.WriteByte('\n')
	}
	return b.String()
}
