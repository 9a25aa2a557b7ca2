package atom

import "strings"

// gap stands for an ellipsis in a phrase, and is as many words as it may skip.
const (
	gap     = "…"
	gapSize = 12
)

// Phrases are lists of words, by the first of each.
type Phrases map[string][][]string

// NewPhrases makes phrases of words in lower case with single spaces between
// them; an ellipsis stands for up to twelve words, ":" for itself.
func NewPhrases(all ...string) Phrases {
	p := Phrases{}
	for _, phrase := range all {
		words := strings.Fields(phrase)
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
	}
	return -1
}

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
