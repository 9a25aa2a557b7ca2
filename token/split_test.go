package token

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tenfold/token/internal/sample"
)

func splitAll(e *Encoding, text string) []string {
	var list []string
	for i := 0; i < len(text); {
		end := e.split([]byte(text), i)
		list = append(list, text[i:end])
		i = end
	}
	return list
}

func TestT1Splits(t *testing.T) {
	tests := []struct{ text, o200k, cl100k string }{
		{"Hello world", "Hello| world", "Hello| world"},
		{"camelCaseID x", "camel|Case|ID| x", "camelCaseID| x"},
		{"HTTPServer", "HTTPServer", "HTTPServer"},
		{"don't DON'T", "don't| DON'T", "don|'t| DON|'T"},
		{"'sure", "'sure", "'s|ure"},
		{"x'ſ y", "x'ſ| y", "x|'ſ| y"},
		{"a  b", "a| | b", "a| | b"},
		{"a \n \n  b", "a| \n \n| | b", "a| \n \n| | b"},
		{"a   ", "a|   ", "a|   "},
		{"\tx\t\tx", "\tx|\t|\tx", "\tx|\t|\tx"},
		{"1234567", "123|456|7", "123|456|7"},
		{" 12", " |12", " |12"},
		{"a/b//\n/c", "a|/b|//\n/|c", "a|/b|//\n|/c"},
		{" !?\r\n\r\nx", " !?\r\n\r\n|x", " !?\r\n\r\n|x"},
		{"日AB", "日|AB", "日AB"},
		{"\u0301ABC", "\u0301|ABC", "\u0301ABC"},
		{"\u0301abc", "\u0301abc", "\u0301abc"},
		{"e\u0301x", "e\u0301x", "e|\u0301x"},
		{"!\u0301x", "!\u0301x", "!\u0301|x"},
		{"ǅabc ABCǅ", "ǅabc| ABCǅ", "ǅabc| ABCǅ"},
		{"\u00a0x\u3000\u3000x", "\u00a0x|\u3000|\u3000x", "\u00a0x|\u3000|\u3000x"},
	}
	for _, test := range tests {
		if got := strings.Join(splitAll(O200k(), test.text), "|"); got != test.o200k {
			t.Errorf("o200k splits %q into %q, want %q", test.text, got, test.o200k)
		}
		if got := strings.Join(splitAll(Cl100k(), test.text), "|"); got != test.cl100k {
			t.Errorf("cl100k splits %q into %q, want %q", test.text, got, test.cl100k)
		}
	}
}

// The classes come from the reference, which follows Unicode 16. A code point
// that Go knows too is of the same class in both.
func TestClassesAgreeWithGo(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		want := uint8(classOther)
		switch {
		case r == '\r' || r == '\n':
			want = classBreak
		case unicode.IsSpace(r):
			want = classSpace
		case unicode.IsNumber(r):
			want = classNumber
		case unicode.In(r, unicode.Lu, unicode.Lt):
			want = classUpper
		case unicode.Is(unicode.Ll, r):
			want = classLower
		case unicode.In(r, unicode.Lm, unicode.Lo):
			want = classLetter
		case unicode.IsMark(r):
			want = classMark
		}
		got := classOf(r)
		if unicode.Version > "16" && got == classOther {
			continue // a later edition than the reference's
		}
		if got != want && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z) {
			t.Errorf("U+%04X is of class %d, in Go %d", r, got, want)
		}
		if utf8.ValidRune(r) {
			b := []byte(string(r))
			if class, width := classAt(b, 0); class != classOf(r) || width != len(b) {
				t.Errorf("U+%04X is read as class %d, %d bytes", r, class, width)
			}
		}
	}
}

// checkSplit holds the laws of splitting against a text: pieces are not empty,
// make up the text, begin at characters, and do not depend on what came before.
func checkSplit(t *testing.T, e *Encoding, text string) {
	t.Helper()
	list := splitAll(e, text)
	if strings.Join(list, "") != text {
		t.Errorf("%s: the pieces %q are not the text %q", e.Name(), list, text)
	}
	at := 0
	for k, piece := range list {
		if piece == "" || !utf8.ValidString(piece) {
			t.Errorf("%s: bad piece %q in %q", e.Name(), piece, text)
		}
		if k < 3 && !slices.Equal(splitAll(e, text[at:]), list[k:]) {
			t.Errorf("%s: what follows byte %d of %q is split another way", e.Name(), at, text)
		}
		at += len(piece)
	}
}

func TestT1SplitLaws(t *testing.T) {
	for _, text := range sample.Strings(8, 2000) {
		checkSplit(t, O200k(), text)
		checkSplit(t, Cl100k(), text)
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range sample.Strings(10, 60) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			checkSplit(t, O200k(), text)
			checkSplit(t, Cl100k(), text)
		}
	})
}

func TestRunsOfLetters(t *testing.T) {
	for n := range 30 {
		for c := range 256 {
			b := []byte(strings.Repeat("q", n) + string([]byte{byte(c)}) + "qqqqqqqqqq")
			want := n
			if byte(c)-'a' < 26 {
				want = len(b)
			}
			if got := lowerRun(b, 0); got != want {
				t.Fatalf("lower-case run of %q is %d, want %d", b, got, want)
			}
			if byte(c)-'A' < 26 {
				want = len(b)
			}
			if got := letterRun(b, 0); got != want {
				t.Fatalf("run of letters of %q is %d, want %d", b, got, want)
			}
		}
	}
}
