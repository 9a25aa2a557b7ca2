package output_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/toolbox/internal/output"
)

// Whatever is written, in whatever pieces: what is kept is within the limit, valid,
// without control characters, and the same however it was written.
func TestWhatIsKeptIsBoundedAndClean(t *testing.T) {
	t.Parallel()
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\x1b[31m", "\x1b]0;t\a", "\x1b", "\x00", "é", "日本", "\xff", "\xe2\x82", "\t", strings.Repeat("x", 300), strings.Repeat("line\n", 60)}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces")
		limit := rapid.SampledFrom([]int{0, 1, 50, 300, 1000, 5000}).Draw(t, "limit")
		whole := strings.Join(pieces, "")
		b := output.Buffer{Limit: limit}
		for _, p := range pieces {
			if n, err := b.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		got := b.Text()
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%d bytes of %d: %q", len(got), limit, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Fatalf("a control character in %q", got)
		}
		if once := output.Bound(whole, limit); once != got {
			t.Fatalf("in pieces %q, at once %q", got, once)
		}
		if len(whole) <= limit && len(output.Clean(whole)) <= limit && got != output.Clean(whole) {
			t.Fatalf("short text changed: %q", got)
		}
		if len(output.Clean(whole)) > limit && limit >= 300 && !strings.Contains(got, " left out …]\n") {
			t.Fatalf("nothing says that it was cut: %q", got)
		}
	})
}

func TestBound(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("12345678\n", 100)
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"a\nb", 10, "a\nb"},
		{lines, 400, strings.Repeat("12345678\n", 11) + "[… 67 lines, 900 bytes in all, left out …]\n" + strings.Repeat("12345678\n", 22)},
		{strings.Repeat("é", 500), 300, strings.Repeat("é", 33) + "\n[… the middle of 1,000 bytes left out …]\n" + strings.Repeat("é", 67)},
		{"1%\r2%\r\n\x1b[1mb\x1b[0m", 100, "2%\nb"},
	} {
		if got := output.Bound(c.text, c.limit); got != c.want {
			t.Errorf("%.20q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b": "a b", "a\nb\tc": "a↵ b c", "\x1b[2J": `\x1b[2J`, "\u202eevil": `\u202eevil`, "12345678901": "1234567890…", "日本": "日本", "a\xff": "a\uFFFD", "\u200b": `\u200b`,
	} {
		if got := output.Line(in, 10); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestLinesComeWholeAndClean(t *testing.T) {
	t.Parallel()
	var heard []string
	l := output.Lines{To: func(text string) { heard = append(heard, text) }}
	for _, p := range []string{"a\xc3", "\xa9b", "\nc\x1b[1", "md\n", "e", strings.Repeat("x", 5000), "f"} {
		_, _ = l.Write([]byte(p))
	}
	l.Flush()
	l.Flush()
	want := []string{"aéb\n", "cd\n", "e" + strings.Repeat("x", 5000), "f"}
	if strings.Join(heard, "|") != strings.Join(want, "|") {
		t.Errorf("%.100q", heard)
	}
	silent := output.Lines{}
	_, _ = silent.Write([]byte("a\n"))
	silent.Flush()
}

func TestCapped(t *testing.T) {
	t.Parallel()
	c := output.Capped{Limit: 3}
	for _, p := range []string{"ab", "cd", "e"} {
		if n, err := c.Write([]byte(p)); n != len(p) || err != nil {
			t.Error(n, err)
		}
	}
	if c.String() != "abc" {
		t.Error(c.String())
	}
}
