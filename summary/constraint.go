package summary

import (
	"strings"
	"sync"

	"tenfold/atom"
	"tenfold/summary/internal/source"
)

// longLine is how many bytes a line may have to be taken whole; of longer
// ones the sentences count. No quote of a constraint is longer.
const longLine = 400

// Constraints gives the lines of a text that state a constraint, by
// [ConstraintPatterns], verbatim and in order: of a line over 400 bytes the
// sentences that do, each cut to 400 bytes around what was found. They are
// parts of the text, nil when there are none.
func Constraints(text string) []string {
	var found []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if len(line) <= longLine {
			if states(line) >= 0 {
				found = append(found, line)
			}
			continue
		}
		for line != "" {
			var s string
			s, line = sentence(line)
			if at := states(s); at >= 0 {
				found = append(found, around(s, at))
			}
		}
	}
	return found
}

// StatesConstraint reports whether a text states a constraint anywhere, by
// [ConstraintPatterns]. Patterns do not reach over the ends of lines.
func StatesConstraint(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if states(line) >= 0 {
			return true
		}
	}
	return false
}

// sentence cuts the first sentence off a line: it ends after a full stop, a
// question or exclamation mark that white space follows.
func sentence(line string) (first, rest string) {
	for i := 0; i < len(line)-1; i++ {
		switch line[i] {
		case '.', '!', '?':
			if line[i+1] == ' ' || line[i+1] == '\t' {
				return line[:i+1], strings.TrimSpace(line[i+1:])
			}
		}
	}
	return line, ""
}

// around cuts a text to longLine bytes with the place in it, at runes.
func around(text string, at int) string {
	if len(text) <= longLine {
		return text
	}
	first := source.NextRune(text, min(at-longLine/4, len(text)-longLine))
	return strings.TrimSpace(text[first:source.RuneStart(text, first+longLine)])
}

// gap stands for an ellipsis in a pattern, and is as many words as it may skip.
const (
	gap     = "…"
	gapSize = 12
)

// phrases are lists of words, by the first of each.
type phrases map[string][][]string

func (p phrases) add(phrase string) {
	words := strings.Fields(phrase)
	p[words[0]] = append(p[words[0]], words[1:])
}

// in gives where in a line the first of the phrases begins, -1 when none does.
func (p phrases) in(line string) int {
	if line == "" {
		return -1
	}
	words := atom.Prose(line)
	for i, w := range words {
		for _, rest := range p[w.Text] {
			if follows(rest, words[i+1:]) {
				return w.At
			}
		}
	}
	return -1
}

var constraintPhrases = sync.OnceValue(func() phrases {
	all := phrases{}
	for _, p := range constraintPatterns {
		all.add(p.Phrase)
	}
	return all
})

// states gives where in a line the first pattern begins, -1 when none does.
func states(line string) int { return constraintPhrases().in(line) }

// follows reports whether words begin as a pattern goes on.
func follows(pattern []string, words []atom.Spoken) bool {
	skip := 0
	for len(pattern) > 0 {
		if pattern[0] == gap {
			skip, pattern = gapSize, pattern[1:]
			continue
		}
		for len(words) > 0 && words[0].Text != pattern[0] && skip > 0 {
			words, skip = words[1:], skip-1
		}
		if len(words) == 0 || words[0].Text != pattern[0] {
			return false
		}
		words, pattern, skip = words[1:], pattern[1:], 0
	}
	return true
}
