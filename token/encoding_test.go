package token_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/token"
	"tenfold/token/internal/sample"
)

func encodings() []*token.Encoding { return []*token.Encoding{token.O200k(), token.Cl100k()} }

// Semantics T1, target T5: exact. The fixture is what the reference counts for
// the strings of the generator; gen writes it.
func TestT1CountsLikeTheReference(t *testing.T) {
	data, err := os.ReadFile("testdata/counts.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < 10_000 {
		t.Fatalf("the fixture has %d strings", len(lines))
	}
	if corpustest.UnderRace {
		lines = lines[:1000]
	}
	for i, text := range sample.Strings(1, len(lines)) {
		got := fmt.Sprintf("%d %d", token.O200k().Count(text), token.Cl100k().Count(text))
		if got != lines[i] {
			t.Errorf("string %d counts %s, reference %s: %q", i, got, lines[i], text)
		}
	}
}

// Semantics T1, on texts made by hand, with what the reference counts.
func TestT1Tokens(t *testing.T) {
	tests := []struct {
		text          string
		o200k, cl100k int
	}{
		{"", 0, 0},
		{"a", 1, 1},
		{"hello world", 2, 2},
		{"<|endoftext|>", 7, 7},
		{"it's IT'S", 3, 4},
		{"   \n\n  x", 3, 3},
		{"1234567", 3, 3},
		{"日本語", 2, 4},
		{"👩‍👩‍👧‍👦", 11, 18},
		{"\u0301ABC", 2, 2},
	}
	for _, test := range tests {
		if n := token.O200k().Count(test.text); n != test.o200k {
			t.Errorf("o200k of %q is %d, want %d", test.text, n, test.o200k)
		}
		if n := token.Cl100k().Count(test.text); n != test.cl100k {
			t.Errorf("cl100k of %q is %d, want %d", test.text, n, test.cl100k)
		}
	}
}

func TestT1InvalidBytesCountAsReplacement(t *testing.T) {
	for _, e := range encodings() {
		for _, text := range []string{"\xff", "a\xffb", "\xc3", "日\xe6\x97", "\xed\xa0\x80", strings.Repeat("\xff ", 100)} {
			valid := string([]rune(text))
			if got, want := e.Count(text), e.Count(valid); got != want {
				t.Errorf("%s of %q is %d, of %q %d", e.Name(), text, got, valid, want)
			}
			checkText(t, e, text)
		}
	}
}

// Every token of the vocabulary that is valid UTF-8 by itself and one piece is
// one token.
func TestT1VocabularyEncodesToItself(t *testing.T) {
	for _, e := range encodings() {
		for id := uint32(0); e.Decode([]uint32{id}) != ""; id++ {
			text := e.Decode([]uint32{id})
			if got := e.Encode(text); len(got) == 1 && got[0] != id && string([]rune(text)) == text {
				t.Errorf("%s: token %d %q encodes to %d", e.Name(), id, text, got)
			}
		}
	}
}

func TestConcurrentCounts(t *testing.T) {
	texts := sample.Strings(2, 500)
	want := make([]int, len(texts))
	for i, text := range texts {
		want[i] = len(token.O200k().Encode(text))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i, text := range texts {
				if got := token.O200k().Count(text); got != want[i] {
					t.Errorf("%d tokens, want %d: %q", got, want[i], text)
				}
			}
		})
	}
	all.Wait()
}

// Target T5: counting does not allocate.
func TestT5CountDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector")
	}
	text := sample.Mixed(3, 1<<16) + strings.Repeat("=", 10_000)
	bytes := []byte(text)
	for _, c := range []token.Counter{token.O200k(), token.Cl100k(), token.Heuristic{}} {
		c.Count(text)
		// A collection in the middle may empty a pool; the average rounds
		// that away.
		if n := testing.AllocsPerRun(100, func() { c.Count(text); c.CountBytes(bytes) }); n >= 1 {
			t.Errorf("%s: %v allocations for a count", c.Name(), n)
		}
	}
}

// checkText holds the laws of every text against one.
func checkText(t *testing.T, e *token.Encoding, text string) {
	t.Helper()
	n := e.Count(text)
	ids := e.Encode(text)
	valid := string([]rune(text))
	switch {
	case n != e.CountBytes([]byte(text)):
		t.Errorf("%s: CountBytes differs: %.200q", e.Name(), text)
	case n != len(ids):
		t.Errorf("%s: %d counted, %d encoded: %.200q", e.Name(), n, len(ids), text)
	case n > len(valid) || n == 0 && text != "":
		t.Errorf("%s: %d tokens for %d bytes: %.200q", e.Name(), n, len(text), text)
	case e.Decode(ids) != valid:
		t.Errorf("%s: decodes to something else: %.200q", e.Name(), text)
	}
}

func TestT1LawsOnSamples(t *testing.T) {
	for _, text := range sample.Strings(4, 2000) {
		for _, e := range encodings() {
			checkText(t, e, text)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, text := range sample.Strings(5, 60) {
		f.Add(text)
	}
	f.Add("a\xff\xc3'\xc5\xbf'S")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range encodings() {
			checkText(t, e, text)
		}
	})
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"": "o200k_base", "o200k": "o200k_base", " CL100K ": "cl100k_base", "cl100k_base": "cl100k_base", "chars/4": "chars/4",
	} {
		c, err := token.Named(name)
		if err != nil || c.Name() != want {
			t.Errorf("%q is %v, %v, want %s", name, c, err, want)
		}
	}
	if c, err := token.Named("words"); err == nil {
		t.Errorf("words is %v", c)
	}
}

func TestT3Heuristic(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語日本": 2, "\xff\xff\xff\xff\xff": 2} {
		if n := (token.Heuristic{}).Count(text); n != want {
			t.Errorf("%q is %d, want %d", text, n, want)
		}
		if n := (token.Heuristic{}).CountBytes([]byte(text)); n != want {
			t.Errorf("%q as bytes is %d, want %d", text, n, want)
		}
	}
}
