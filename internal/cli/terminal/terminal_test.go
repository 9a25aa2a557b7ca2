package terminal

import (
	"bufio"
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// A terminal that takes no escape sequences gets none: no progress, no pager,
// no colour.
func TestPlainTerminal(t *testing.T) {
	for kind, want := range map[string]bool{
		"xterm-256color": true, "screen": true, "linux": true, "vt100": true, "dumb": false, "unknown": false,
	} {
		if got := escapes(kind); got != want {
			t.Errorf("TERM=%s takes escape sequences: %v", kind, got)
		}
	}
	t.Setenv("TENFOLD_PAGER", "exit 1")
	var out bytes.Buffer
	plain := &Terminal{Out: bufio.NewWriter(&out), Err: &out, OutTTY: true, ErrTTY: true, Width: 80, ErrWidth: 80, plain: true}
	if p := plain.StartProgress("read", 10); p != nil {
		p.End()
		t.Error("it draws progress")
	}
	err := plain.Page(t.Context(), func() error {
		plain.Line(0, plain.Paint(Bold, "text"))
		return nil
	})
	if err := errors.Join(err, plain.Flush()); err != nil || out.String() != "text\n" {
		t.Errorf("it shows %q, %v", out.String(), err)
	}
}

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ in, want, line string }{
		{"plain text, é 日本 👩‍👩‍👧", "plain text, é 日本 👩‍👩‍👧", "plain text, é 日本 👩‍👩‍👧"},
		{"two\n\tlines\r\nhere", "two\n\tlines\r\nhere", "two lines here"},
		{"\x1b[31mred\x1b]0;title\x07", `\x1b[31mred\x1b]0;title\x07`, `\x1b[31mred\x1b]0;title\x07`},
		{"back\x08 over\rwrite\x7f", `back\x08 over\x0dwrite\x7f`, `back\x08 over write\x7f`},
		{"\u009b31m c1 \u0085", `\u009b31m c1 \u0085`, `\u009b31m c1`},
		{"\u202eturned\u2069 \u200f\ufeff", `\u202eturned\u2069 \u200f\ufeff`, `\u202eturned\u2069 \u200f\ufeff`},
		{"bad \xff\xc3 bytes", `bad \xff\xc3 bytes`, `bad \xff\xc3 bytes`},
		{"", "", ""},
	} {
		if got := Visible(tt.in); got != tt.want {
			t.Errorf("visible(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := VisibleLine(tt.in); got != tt.line {
			t.Errorf("visibleLine(%q) = %q, want %q", tt.in, got, tt.line)
		}
	}
	if got, want := string(VisibleJSON([]byte("{\"a\":\"\u009b\u202e é\x7f\"}"))), `{"a":"\u009b\u202e é\u007f"}`; got != want {
		t.Errorf("visibleJSON gives %s, want %s", got, want)
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly 10", 10, "exactly 10"},
		{"one more than ten", 10, "one more …"},
		{"日本語日本語", 7, "日本語…"},
		{strings.Repeat("é", 1<<20), 4, "ééé…"},
		{"a\n\n b\x1bc", 10, `a b\x1bc`},
	} {
		if got := Excerpt(tt.text, tt.width); got != tt.want {
			t.Errorf("excerpt of %d columns = %q, want %q", tt.width, got, tt.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	p := &Progress{width: 60}
	p.Stage("read a.jsonl", 200)
	p.At(84)
	if got, want := p.line(), "read a.jsonl  ████████░░░░░░░░░░░░   42 %"; got != want {
		t.Errorf("the bar is %q, want %q", got, want)
	}
	p.Stage("store x", 0)
	if got, want := p.line(), "store x …"; got != want {
		t.Errorf("without a size it is %q, want %q", got, want)
	}
}

// A pager is the user's choice.
func TestPagerCommand(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"PAGER": "most"}, "most"},
		{map[string]string{"PAGER": "cat"}, ""},
		{map[string]string{"PAGER": ""}, ""},
		{map[string]string{"PAGER": "most", "TENFOLD_PAGER": "less -S"}, "less -S"},
		{map[string]string{"PAGER": "most", "TENFOLD_PAGER": ""}, ""},
	} {
		got := pagerCommand(func(name string) (string, bool) {
			v, ok := tt.env[name]
			return v, ok
		})
		if got != tt.want {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.want)
		}
	}
}

// A word is what bash reads back byte for byte, and nothing of it steers a terminal.
func TestAWordIsReadBackByAShell(t *testing.T) {
	for text, want := range map[string]string{
		"": "''", "0192f000-aaaa": "0192f000-aaaa", "a/b": "a/b", "日本語": "日本語", "two  blanks ": "'two  blanks '", "it's": `'it'\''s'`,
		"$(x)": "'$(x)'", "a\nb": `$'a\012b'`, "\x1b[31m'\\": `$'\033[31m\'\\'`, "\u202ex": `$'\342\200\256x'`, "\xff": `$'\377'`, "a\u00a0b": `$'a\302\240b'`,
	} {
		got := Word(text)
		if got != want || Visible(got) != got {
			t.Errorf("Word(%q) is %s, want %s", text, got, want)
		}
		bash, err := exec.LookPath("bash")
		if err != nil {
			continue
		}
		if out, err := exec.CommandContext(t.Context(), bash, "-c", "printf %s "+got).Output(); err != nil || string(out) != text {
			t.Errorf("bash reads %s as %q, %v", got, out, err)
		}
	}
}
