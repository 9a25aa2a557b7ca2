package terminal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold/internal/runes"
	"tenfold/transcript"

	"github.com/charmbracelet/x/ansi"
)

// Visible makes text safe for a terminal: it escapes characters that control it
// or change the direction of text. Line breaks and tabs stay.
func Visible(text string) string {
	i := steering(text, 0)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	from := 0
	for i >= 0 {
		b.WriteString(text[from:i])
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		from = i + size
		i = steering(text, from)
	}
	b.WriteString(text[from:])
	return b.String()
}

// steering finds the next character that visible escapes.
func steering(text string, from int) int {
	for i := from; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f {
				// Line ends of Windows are line ends.
				if c != '\r' || i+1 >= len(text) || text[i+1] != '\n' {
					return i
				}
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if (r == utf8.RuneError && size == 1) || steers(r) {
			return i
		}
		i += size
	}
	return -1
}

// steers reports the characters beyond ASCII that control a terminal: the C1
// controls, and those that change the direction of text.
func steers(r rune) bool {
	return r >= 0x80 && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		slices.Contains([]rune{0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff}, r)
}

// VisibleLine is visible for one line: white space becomes single spaces.
func VisibleLine(text string) string {
	return Visible(strings.Join(strings.Fields(text), " "))
}

// CallLine is the call of a tool in one line: the sub-agent that makes it, the tool, and what
// it is about.
func CallLine(branch, tool, subject string) string {
	line := VisibleLine(tool + " " + subject)
	if branch != "" {
		line = VisibleLine(branch) + ": " + line
	}
	return line
}

// Word is text as one word of a command line, such as an id that is printed to be
// given to a command: quoted where a shell would read it differently, so that bash
// and zsh read it as it is, byte for byte.
func Word(text string) string {
	if text != "" && Visible(text) == text && !strings.ContainsFunc(text, needsQuotes) {
		return text
	}
	return transcript.ShellCommand([]string{text})
}

// needsQuotes reports the characters that end a word or mean something to a shell.
func needsQuotes(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`$\\;|&<>()*?[]#~!{}", r)
}

// VisibleJSON escapes characters that control a terminal. In valid JSON they only
// occur inside strings.
func VisibleJSON(line []byte) []byte {
	clean := true
	for _, c := range line {
		if c >= utf8.RuneSelf || c == 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return line
	}
	out := make([]byte, 0, len(line)+16)
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == 0x7f || steers(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, line[i:i+size]...)
		}
		i += size
	}
	return out
}

// Excerpt is the beginning of a text, on one line of at most so many columns.
func Excerpt(text string, width int) string {
	// The rest cannot show; a character has up to 4 bytes.
	text = text[:runes.Last(text, 8*width+64)]
	return ansi.Truncate(VisibleLine(text), max(width, 1), "…")
}

// WrapLine wraps a line at spaces and indents the continuation, less where a word
// would not fit. A word is only broken if it is wider than the line. Colour
// sequences have no width.
func WrapLine(line string, width, indent int) string {
	if ansi.StringWidth(line) <= width {
		return line
	}
	var b strings.Builder
	at, words := 0, 0 // of the line that is being written
	for line != "" {
		word := strings.TrimLeft(line, " ")
		gap := len(line) - len(word)
		word, _, _ = strings.Cut(word, " ")
		line = line[gap+len(word):]
		wide := ansi.StringWidth(word)
		if words > 0 && at+gap+wide > width {
			b.WriteByte('\n')
			at, words, gap = 0, 0, indent
		}
		if words == 0 {
			gap = min(gap, max(width-wide, 0))
		}
		b.WriteString(strings.Repeat(" ", gap))
		if at += gap; wide > width {
			word = ansi.Hardwrap(word, width, true)
			wide = ansi.StringWidth(word[strings.LastIndexByte(word, '\n')+1:])
		}
		b.WriteString(word)
		at += wide
		words++
	}
	return b.String()
}

// Pad fills a text with spaces up to a width.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

// PadLeft puts the spaces before the text.
func PadLeft(text string, width int) string {
	return strings.Repeat(" ", max(width-ansi.StringWidth(text), 0)) + text
}

// Wrap breaks a text into lines of at most width columns, where it can.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case ansi.StringWidth(line)+1+ansi.StringWidth(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Fill rewraps a text.
func Fill(text string, width int) string { return strings.Join(Wrap(text, width), "\n") }
