package fulltext

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendWords(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", " "},
		{"...", " "},
		{"One two", " one two "},
		{"call_id=foo.go:12", " call id foo go 12 "},
		{"Ärger ΣΟΦΟΣ σοφος", " ärger σοφοσ σοφοσ "},
		{"日本go語", " 日 本 go 語 "},
		{"a\x00b\xffc", " a b c "},
		{strings.Repeat("x", 100), " " + strings.Repeat("x", maxWord) + " "},
	}
	for _, test := range tests {
		if got := string(AppendWords(nil, test.text)); got != test.want {
			t.Errorf("words of %q are %q, not %q", test.text, got, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{`"`, nil},
		{`=> ""`, nil},
		{"one two one", []string{"one", "two"}},
		{`one "two three" four`, []string{"one", "two three", "four"}},
		{`a"b c`, []string{"a", "b c"}},
		{"main.go NEAR(x, 3) -y*", []string{"main go", "near x", "3", "y"}},
		{"中文", []string{"中 文"}},
	}
	for _, test := range tests {
		if got := Parse(test.text).Phrases(); !slices.Equal(got, test.want) {
			t.Errorf("%q asks for %q, not %q", test.text, got, test.want)
		}
	}
}

func TestMatch(t *testing.T) {
	text := "The quick brown fox\njumps over main_test.go"
	for query, want := range map[string]bool{
		"quick fox": true, `"quick fox"`: false, `"QUICK brown"`: true,
		"main_test.go": true, "test.main": false, "brow": false, "": false,
	} {
		if _, got := Parse(query).Match(AppendWords(nil, text)); got != want {
			t.Errorf("%q matches: %v", query, got)
		}
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("vor ", 100) + "here\r\n\tit is" + strings.Repeat(" nach", 100)
	tests := []struct{ text, query, want string }{
		{"", "x", ""},
		{"short", "x", "short"},
		{"a\nb\u2028c\x00d", "a", "a b c d"},
		{"say a a b now", `"a b"`, "say a a b now"},
		{long, `"it is"`, ""},
		{strings.Repeat("é", 500) + " fin", "fin", ""},
	}
	for _, test := range tests {
		got := Parse(test.query).Snippet(test.text)
		if test.want != "" && got != test.want {
			t.Errorf("snippet of %q is %q", test.text, got)
		}
		if strings.ContainsAny(got, "\r\n\u2028\u2029\x00") || !utf8.ValidString(got) || len(got) > 300 {
			t.Errorf("snippet %q is not a short line", got)
		}
		if test.want == "" && test.text != "" && !strings.Contains(got, strings.Trim(test.query, `"`)) {
			t.Errorf("snippet %q does not show %s", got, test.query)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("some text", `some "text`)
	f.Fuzz(func(t *testing.T, text, query string) {
		q := Parse(query)
		q.Match(AppendWords(nil, text))
		if s := q.Snippet(text); strings.ContainsAny(s, "\r\n\u2028\u2029") || !utf8.ValidString(s) {
			t.Errorf("snippet %q is not a line", s)
		}
	})
}

func TestMarks(t *testing.T) {
	for _, tt := range []struct{ query, text, want string }{
		{"rye", "Rye, and rye-flour; not ryes", "[Rye], and [rye]-flour; not ryes"},
		{`"rye flour" water`, "rye flour, water, flour, RYE\n flour", "[rye] [flour], [water], flour, [RYE]\n [flour]"},
		{"straße", "Die STRASSE, die Straße", "Die STRASSE, die [Straße]"},
		{"日本", "日本語 日", "[日][本]語 日"},
		{"", "nothing", "nothing"},
		{"a a", "a", "[a]"},
	} {
		var got strings.Builder
		at := 0
		for _, m := range Parse(tt.query).Marks(tt.text) {
			got.WriteString(tt.text[at:m[0]] + "[" + tt.text[m[0]:m[1]] + "]")
			at = m[1]
		}
		got.WriteString(tt.text[at:])
		if got.String() != tt.want {
			t.Errorf("%s marks %s, want %s", tt.query, got.String(), tt.want)
		}
	}
}
