package atom_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold/atom"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// Tokens cover a text without gaps, and words are those of its tokens.
func TestTokensCoverTheText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "B_9", "é", "e\u0301", "走る", "⚠\ufe0f", " ", "\n", "\u00a0", "\x1b[31m", "\x1b", "'", "’", ":", "…", "\xff", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), "")
		joined, last := "", atom.Sign
		for i := 0; i < len(text); {
			kind, end := atom.Next(text, i)
			if end <= i || end > len(text) {
				t.Fatalf("the token at %d of %q ends at %d", i, text, end)
			}
			if kind <= atom.Script {
				joined += text[i:end]
			} else if last <= atom.Script {
				joined += "|"
			}
			i, last = end, kind
		}
		words := ""
		for span := range atom.Words(text) {
			words += span.Of(text) + "|"
		}
		if strings.TrimSuffix(joined, "|") != strings.TrimSuffix(words, "|") {
			t.Errorf("the words of %q are %q, its tokens %q", text, words, joined)
		}
	})
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"Don’t rename it, please: NEVER!":   "don't rename it please : never",
		"n'ajoute pas, qu'il dise":          "n ajoute pas qu il dise",
		"⚠\ufe0fMust never\ufe0f \x1b[1mdo": "must never do",
		"naïve 走る_1 users' x\x00y":          "naïve 走る_1 users x y",
		"":                                  "",
	} {
		var got []string
		for _, w := range atom.Prose(text) {
			got = append(got, w.Text)
			if w.At < 0 || w.At >= len(text) {
				t.Errorf("%q stands at %d of %q", w.Text, w.At, text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
