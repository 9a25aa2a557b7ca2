package look

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""},
		{"  a \n\t b  ", 5, "a b"},
		{"abcdef", 5, "abcde"},
		{"abcd efg", 5, "abcd"},
		{"äöüß 日本", 6, "äöüß 日"},
		{"a\x1b[31mb\u202ec\u0085d", 20, "a[31mbc d"},
		{"👩\u200d🚀", 3, "👩\u200d🚀"},
		{strings.Repeat(" ", 1000) + "x", 3, "x"},
	} {
		if got := Line(c.text, c.n); got != c.want {
			t.Errorf("Line(%q, %d) is %q, not %q", c.text, c.n, got, c.want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	text := "aé日👩\xffz"
	for _, c := range []struct {
		offset, limit int
		want          string
	}{{0, 100, text}, {0, 2, "aé"}, {1, 1, "é"}, {3, 2, "👩\xff"}, {5, 9, "z"}, {6, 1, ""}, {99, 1, ""}, {2, 0, ""}} {
		if got, n := Window(text, c.offset, c.limit); got != c.want || n != 6 {
			t.Errorf("Window(%d, %d) is %q of %d, not %q", c.offset, c.limit, got, n, c.want)
		}
	}
}

// Windows put together are the text, wherever they are cut.
func FuzzWindow(f *testing.F) {
	f.Add("aé日👩\xffz", 2)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 1 {
			return
		}
		var all strings.Builder
		for offset := 0; offset < utf8.RuneCountInString(text); offset += limit {
			cut, _ := Window(text, offset, limit)
			if utf8.RuneCountInString(cut) > limit {
				t.Fatalf("%q is longer than %d", cut, limit)
			}
			all.WriteString(cut)
			if limit > len(text) {
				break
			}
		}
		if all.String() != text {
			t.Fatalf("%q is not %q", all.String(), text)
		}
		if got := Line(text, max(limit, 0)); utf8.RuneCountInString(got) > limit || strings.ContainsAny(got, "\n\r\t\x1b") {
			t.Fatalf("line %q", got)
		}
	})
}
