package engine

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// FirstLine gives the beginning of a text, fit for a title.
func FirstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(text))
	return string(runes[:min(len(runes), 120)])
}

// ReadFirst reads the first of lines of JSON; it is false for a line that says
// something else.
func ReadFirst(data []byte, into any) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return json.Unmarshal(line, into, walk.ScanOptions...) == nil
}

// ReadTime reads a time as JSON has it; zero when it is none.
func ReadTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Vendor is whose a model is by its name: "anthropic", "openai" or "google"; empty for
// a name that no rule tells.
func Vendor(model string) string {
	for _, known := range [...]struct{ prefix, vendor string }{
		{"claude", "anthropic"},
		{"gemini", "google"},
		{"gpt", "openai"},
		{"chatgpt-", "openai"},
		{"o1", "openai"},
		{"o3", "openai"},
		{"o4", "openai"},
	} {
		if strings.HasPrefix(model, known.prefix) {
			return known.vendor
		}
	}
	return ""
}

// WriteTime writes a time as JavaScript does.
func WriteTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// JpTime reads a time; those without a zone are UTC.
func JpTime(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	for _, layout := range [...]string{"2006-01-02 15:04:05.999999999", time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// ShellCommand writes a command as a POSIX shell takes it.
func ShellCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if quoted[i] = word; !intake.PlainID(strings.TrimLeft(word, "-")) { // an option
			quoted[i] = ShellWord(word)
		}
	}
	return strings.Join(quoted, " ")
}

// ShellWord quotes a text where a shell would read it differently. In the quotes with a
// dollar, which bash and zsh read, it needs no byte that a terminal takes for itself.
func ShellWord(text string) string {
	if intake.PlainID(strings.TrimPrefix(strings.ReplaceAll(text, "/", "_"), "_")) {
		return text
	}
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			fallthrough
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return "$'" + b.String() + "'"
}
