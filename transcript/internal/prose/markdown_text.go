package prose

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/transcript/internal/engine"
)

// This file makes foreign text safe to stand in a Markdown page: it keeps its
// own formatting, but can neither close what is around it nor bring HTML,
// images or control characters along.

// Text writes a text that is Markdown itself.
func (m *Markdown) Text(text string) {
	lines := strings.Split(strings.Trim(visible(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		mark, info, indent := fenceOf(lines[i])
		if mark == "" {
			m.line(safeLine(lines[i]))
			continue
		}
		// A fence is written anew: longer than any inside, and always closed.
		var body []string
		for i++; i < len(lines); i++ {
			if Closes(lines[i], mark) {
				break
			}
			body = append(body, dedent(lines[i], indent))
		}
		inner := strings.Join(body, "\n")
		fence := strings.Repeat("`", max(3, LongestRun(inner, '`')+1))
		m.line(fence, info)
		if len(body) > 0 {
			m.line(inner)
		}
		m.line(fence)
	}
	m.line()
}

// fenceOf tells a line that opens a fence: its mark, the language, and how far
// it is indented.
func fenceOf(line string) (mark, info string, indent int) {
	rest := strings.TrimLeft(line, " \t")
	indent = len(line) - len(rest)
	for _, c := range [...]string{"`", "~"} {
		n := len(rest) - len(strings.TrimLeft(rest, c))
		if n < 3 {
			continue
		}
		info = strings.TrimSpace(rest[n:])
		if strings.Contains(info, "`") {
			return "", "", 0
		}
		word, _, _ := strings.Cut(info, " ")
		for _, r := range word {
			if r >= 0x80 || strings.ContainsRune(" \t<>&\"'()[]{}!*\\", r) {
				word = ""
				break
			}
		}
		return rest[:n], word, indent
	}
	return "", "", 0
}

// Closes reports whether a line closes the fence that mark opened.
func Closes(line, mark string) bool {
	rest := strings.TrimSpace(line)
	return len(rest) >= len(mark) && strings.Trim(rest, mark[:1]) == ""
}

// dedent takes off at most n blanks.
func dedent(line string, n int) string {
	for n > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		line, n = line[1:], n-1
	}
	return line
}

// safeLine escapes what could break the page in a line outside of fences.
func safeLine(line string) string {
	body := strings.TrimLeft(line, " \t")
	for n := containers(body); n > 0; n = containers(body) {
		body = strings.TrimLeft(body[n:], " \t") // a heading may stand in a quote or a list
	}
	lead := line[:len(line)-len(body)]
	switch {
	case strings.HasPrefix(body, "#"):
		// Headings go below those of the turns.
		n := len(body) - len(strings.TrimLeft(body, "#"))
		if rest := body[n:]; n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return lead + strings.Repeat("#", min(6, n+3)) + safeInline(rest)
		}
	case strings.Trim(body, "= \t") == "" && body != "", strings.Trim(body, "- \t") == "" && strings.Contains(body, "-"):
		return lead + `\` + body // would make a heading of the line before
	}
	return lead + safeInline(body)
}

// containers is how long the mark of a quote or of a list's item is at the
// beginning of a line; 0 for none.
func containers(body string) int {
	digits := len(body) - len(strings.TrimLeft(body, "0123456789"))
	switch {
	case strings.HasPrefix(body, ">"):
		return 1
	case len(body) > 1 && strings.IndexByte("-*+", body[0]) >= 0 && (body[1] == ' ' || body[1] == '\t'):
		return 2
	case digits > 0 && digits < 10 && len(body) > digits+1 && strings.IndexByte(".)", body[digits]) >= 0 && (body[digits+1] == ' ' || body[digits+1] == '\t'):
		return digits + 2
	}
	return 0
}

// safeInline escapes HTML and images, but not in code spans, which cannot hold
// either. A run of backticks that nothing on the line closes is escaped too:
// it must not reach into the next line.
func safeInline(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if next := text[i+1]; next == '<' { // an escape of theirs stays one
				b.WriteString("&lt;")
			} else {
				b.WriteString(text[i : i+1])
				if next < 0x80 {
					b.WriteByte(next)
					i++
				}
				i++
				continue
			}
			i += 2
		case c == '`':
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			end := SpanEnd(text[i+n:], n)
			if end < 0 {
				b.WriteString(strings.Repeat("\\`", n))
				i += n
				continue
			}
			b.WriteString(text[i : i+n+end])
			i += n + end
		case c == '<':
			b.WriteString("&lt;")
			i++
		case c == '!' && strings.HasPrefix(text[i:], "!["):
			b.WriteString(`\![`)
			i += 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// SpanEnd finds the run of n backticks that closes a code span, -1 for none.
func SpanEnd(text string, n int) int {
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if at += run; run == n {
			return at
		}
	}
	return -1
}

// LongestRun is the longest run of c in a text.
func LongestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// visible takes the colours off a text, and shows the control characters that
// are left: none of them is to reach a terminal.
func visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	clean := true
	for _, r := range text {
		if IsControl(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case !IsControl(r):
			return r
		case r < 0x20:
			return 0x2400 + r // the picture of the character
		}
		return '\uFFFD'
	}, ansi.Strip(text))
}

// IsControl tells characters that a page is not to hold: controls, and those
// that turn the direction of the text.
func IsControl(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return true
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0x2028, r == 0x2029:
		return true
	}
	return false
}

// markdownCell gives a short text that has no formatting, for a table too.
func markdownCell(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(visible(text)), " ") {
		if r == '<' {
			b.WriteString("&lt;")
			continue
		}
		if strings.ContainsRune("\\`*_[]|>&#!~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// escapeText gives a text for HTML, on one line.
func escapeText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(engine.FirstLine(visible(text)))
}

// htmlNote gives a note that was made for Markdown for a place in HTML.
func htmlNote(note string) string {
	parts := strings.Split(escapeText(note), "`")
	var b strings.Builder
	if strings.HasPrefix(note, " ") {
		b.WriteByte(' ')
	}
	for i, p := range parts {
		switch {
		case i%2 == 1 && i+1 < len(parts):
			b.WriteString("<code>" + p + "</code>")
		default:
			b.WriteString(p)
		}
	}
	return b.String()
}

// codeSpan gives a short text as code.
func codeSpan(text string) string {
	text = strings.ReplaceAll(engine.FirstLine(visible(text)), "`", "'")
	if text == "" {
		return "`-`"
	}
	return "`" + text + "`"
}

// linkTarget gives an address fit to stand between angle brackets.
func linkTarget(uri string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A", "\\", "%5C", "\t", "%09").Replace(visible(uri))
}

// byteSize writes a number of bytes in binary units.
func byteSize(n int) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1<<10:
		return strconv.Itoa(n) + " bytes"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KB"
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MB"
}
