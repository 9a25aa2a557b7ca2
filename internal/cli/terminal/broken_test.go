package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// Lines are broken between words: numbers, names with hyphens, paths and flags
// stay whole.
func TestBroken(t *testing.T) {
	for _, tt := range []struct {
		line          string
		width, indent int
		want          string
	}{
		{"fits", 10, 2, "fits"},
		{"as openai-chat", 11, 0, "as\nopenai-chat"},
		{"Total  214,052 → 25,739 tokens", 16, 7, "Total  214,052 →\n       25,739\n       tokens"},
		{"Model         claude-sonnet-4-5", 26, 14, "Model\n         claude-sonnet-4-5"},
		{"    indented text goes on", 16, 4, "    indented\n    text goes on"},
		{"--keep-last=3 --from=-2", 14, 2, "--keep-last=3\n  --from=-2"},
		{"a 0123456789 b", 6, 1, "a\n012345\n6789 b"},
		{"\x1b[1mone two\x1b[m three", 7, 0, "\x1b[1mone two\x1b[m\nthree"},
		{"日本語の文 と 文", 10, 0, "日本語の文\nと 文"},
	} {
		if got := WrapLine(tt.line, tt.width, tt.indent); got != tt.want {
			t.Errorf("%q at %d is %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}

// Whatever the text: no line is too wide, no word is lost or cut that fits, and
// what fits is left as it was.
func TestBrokenLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOf(rapid.StringMatching(`[a-z0-9,.日é-]{0,24}`)).Draw(t, "words"), " ")
		width := rapid.IntRange(2, 40).Draw(t, "width")
		got := WrapLine(line, width, rapid.IntRange(0, 20).Draw(t, "indent"))
		if ansi.StringWidth(line) <= width && got != line {
			t.Fatalf("%q fits %d and is %q", line, width, got)
		}
		for piece := range strings.SplitSeq(got, "\n") {
			if w := ansi.StringWidth(strings.TrimRight(piece, " ")); w > width {
				t.Fatalf("%q at %d has a line of %d: %q", line, width, w, piece)
			}
		}
		if strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(line), "") {
			t.Fatalf("%q became %q", line, got)
		}
		for word := range strings.FieldsSeq(line) {
			if ansi.StringWidth(word) <= width && !strings.Contains(got, word) {
				t.Fatalf("%q at %d is cut: %q", word, width, got)
			}
		}
	})
}

// A table has its columns aligned; one that is too wide keeps its bars.
func TestTables(t *testing.T) {
	source := "| package | lines |\n|---|--:|\n| `a` | 1,200 |\n| 日本 | 7 |\n| short |\n"
	plain := &Terminal{}
	for width, want := range map[int]string{
		20: "package  lines\n──────────────\na        1,200\n日本         7\nshort",
		10: "| package | lines |\n| a | 1,200 |\n| 日本 | 7 |\n| short |  |",
	} {
		if got := strings.Join(plain.MarkdownLines(source, width), "\n"); got != want {
			t.Errorf("at %d:\n%s", width, got)
		}
	}
	coloured := (&Terminal{OutColour: true}).MarkdownLines(source, 20)
	if got, want := coloured[2], "\x1b[36ma\x1b[m        1,200"; got != want {
		t.Errorf("%q", got)
	}
}
