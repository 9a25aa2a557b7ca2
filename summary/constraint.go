package summary

import (
	"strings"

	"tenfold/atom"
	"tenfold/summary/internal/source"
)

// longLine is how many bytes a line may have to be taken whole; of longer
// ones the sentences count. No quote of a constraint is longer.
const longLine = 400

// Constraints gives the lines of a text that state a constraint, by
// [atom.ConstraintPatterns], verbatim and in order: of a line over 400 bytes the
// sentences that do, each cut to 400 bytes around what was found. They are
// parts of the text, nil when there are none.
func Constraints(text string) []string {
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
				found = append(found, around(s, at))
			}
		}
	}
	return found
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
