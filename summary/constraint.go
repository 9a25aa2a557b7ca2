package summary

import (
	"strings"

	"tenfold/atom"
	"tenfold/summary/internal/source"
)

// longLine is how many bytes a line may have to be taken whole; of longer
// ones the sentences count. No quote of a constraint is longer, but in a ledger:
// there a sentence of up to longSentence bytes is whole, since what is cut off
// could turn it round (P5b).
const (
	longLine     = 400
	longSentence = 1200
)

// Constraints gives the lines of a text that state a constraint, by
// [atom.ConstraintPatterns], verbatim and in order: of a line over 400 bytes the
// sentences that do, each cut to 400 bytes around what was found. They are
// parts of the text, nil when there are none.
func Constraints(text string) []string { return constraintsIn(text, longLine) }

func constraintsIn(text string, longest int) []string {
	var found []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if len(line) <= longLine {
			if atom.ConstraintAt(line) >= 0 {
				found = append(found, line)
			}
			continue
		}
		for line != "" {
			var s string
			s, line = sentence(line)
			if at := atom.ConstraintAt(s); at >= 0 {
				found = append(found, around(s, at, longest))
			}
		}
	}
	return found
}

// around cuts a sentence to so many bytes with the place in it, between words.
func around(text string, at, longest int) string {
	if len(text) <= longest {
		return text
	}
	first := source.NextRune(text, min(max(at-longest/4, 0), len(text)-longest))
	last := source.RuneStart(text, first+longest)
	if i := strings.IndexByte(text[first:min(first+60, last, max(at, first))], ' '); first > 0 && i >= 0 {
		first += i + 1
	}
	return wordsOf(text[first:], last-first)
}
