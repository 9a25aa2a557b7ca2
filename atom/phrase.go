package atom

import (
	"strings"
	"unicode"
)

// gap stands for an ellipsis in a phrase, and is as many words as it may skip.
const (
	gap     = "…"
	gapSize = 12
)

// Phrases are lists of words, by the first of each; those that are parts of words are
// under "".
type Phrases map[string][][]string

// NewPhrases makes phrases of words in lower case with single spaces between
// them; an ellipsis stands for up to twelve words, ":" for itself.
func NewPhrases(all ...string) Phrases {
	p := Phrases{}
	for _, phrase := range all {
		words := strings.Fields(phrase)
		if strings.ContainsFunc(phrase, joined) {
			p[""] = append(p[""], words)
			continue
		}
		p[words[0]] = append(p[words[0]], words[1:])
	}
	return p
}

// At gives where in a line the first of the phrases begins, -1 when none does.
func (p Phrases) At(line string) int {
	if line == "" {
		return -1
	}
	words := Prose(line)
	for i, w := range words {
		for _, rest := range p[w.Text] {
			if follows(rest, words[i+1:]) {
				return w.At
			}
		}
		if p[""] == nil || !strings.ContainsFunc(w.Text, joined) {
			continue
		}
		first := -1
		for _, phrase := range p[""] {
			at := strings.Index(w.Text, phrase[0])
			if len(phrase) > 1 { // an ending, and how the next word begins
				at = strings.LastIndex(w.Text, phrase[0])
				if at+len(phrase[0]) != len(w.Text) || i+1 == len(words) || !strings.HasPrefix(words[i+1].Text, phrase[1]) {
					continue
				}
			}
			if at >= 0 && (first < 0 || at < first) {
				first = at
			}
		}
		if first >= 0 {
			return w.At + min(first, len(line)-w.At)
		}
	}
	return -1
}

// unspaced reports whether a letter belongs to a writing that puts no spaces between words.
func unspaced(r rune) bool {
	return r >= '\u2e80' && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// joined reports whether a letter belongs to a writing in which phrases are parts of words.
func joined(r rune) bool { return unspaced(r) || r >= '\u1100' && unicode.Is(unicode.Hangul, r) }

// follows reports whether words begin as a phrase goes on.
func follows(phrase []string, words []Spoken) bool {
	skip := 0
	for len(phrase) > 0 {
		if phrase[0] == gap {
			skip, phrase = gapSize, phrase[1:]
			continue
		}
		for len(words) > 0 && words[0].Text != phrase[0] && skip > 0 {
			words, skip = words[1:], skip-1
		}
		if len(words) == 0 || words[0].Text != phrase[0] {
			return false
		}
		words, phrase, skip = words[1:], phrase[1:], 0
	}
	return true
}
