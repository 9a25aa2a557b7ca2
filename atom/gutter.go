package atom

import "strings"

// maxGutter is how many bytes a line's number may take, spaces included.
const maxGutter = 12

// Gutter is the length of the line number that a file read or a search printed
// in front of a line, with what parts it from the text: spaces, digits, and an
// arrow, a bar or a tab, or, at the very beginning, a colon or a hyphen: "L12: " of Gemini CLI
// and "  Line 12: " of opencode among them. 0 when there is none.
func Gutter(line string) int {
	for _, word := range []string{"L", "  Line "} {
		if rest, ok := strings.CutPrefix(line, word); ok {
			bare := strings.TrimLeft(rest, "0123456789")
			if len(bare) < len(rest) && (strings.HasPrefix(bare, ": ") || strings.HasPrefix(bare, "- ")) {
				return len(line) - len(bare) + len(": ")
			}
		}
	}
	i := 0
	for i < len(line) && i < maxGutter && line[i] == ' ' {
		i++
	}
	first := i
	for i < len(line) && i < maxGutter && classes[line[i]] == digit {
		i++
	}
	if i == first {
		return 0
	}
	rest := line[i:]
	switch {
	case strings.HasPrefix(rest, "→"):
		return i + len("→")
	case strings.HasPrefix(rest, "\t"), strings.HasPrefix(rest, "|"):
		return i + 1
	case strings.HasPrefix(rest, " | "):
		return i + len(" | ")
	case strings.HasPrefix(rest, " │"):
		return i + len(" │")
	case first == 0 && rest != "" && (rest[0] == ':' || rest[0] == '-') && (len(rest) == 1 || classes[rest[1]] != digit):
		return i + 1 // as grep -n prints them; a date or a time is none
	}
	return 0
}

// escape is the length of the terminal escape sequence at the beginning of s;
// at least 1.
func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: parameters, then one final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return i
			}
		}
		return len(s)
	case ']': // OSC: to BEL or ST
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\x1b' {
				return min(i+2, len(s))
			}
		}
		return len(s)
	}
	return 2
}

// Clean gives the line as a reader sees it: without terminal escapes and the
// gutter, and without blanks at either end.
func Clean(line string) string {
	return strings.TrimSpace(WithoutEscapes(line[Gutter(line):]))
}

// WithoutEscapes is a line without the codes by which a terminal colours it and moves its
// cursor.
func WithoutEscapes(line string) string {
	if strings.IndexByte(line, '\x1b') < 0 {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '\x1b' {
			i += escape(line[i:])
			continue
		}
		b.WriteByte(line[i])
		i++
	}
	return b.String()
}
