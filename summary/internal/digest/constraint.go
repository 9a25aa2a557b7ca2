package digest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold/atom"
	"tenfold/internal/runes"
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
	var pasted atom.Diff
	for line := range strings.SplitSeq(text, "\n") {
		if !pasted.Has(line) {
			found = append(found, constraintsOf(strings.TrimSpace(line), longest)...)
		}
	}
	return found
}

// constraintsOf are those of a line: the line, or of a long one the sentences.
func constraintsOf(line string, longest int) []string {
	if atom.ConstraintAt(line) < 0 { // as a whole: what a log says in its second sentence is of a log
		return nil
	}
	if len(line) <= longLine {
		return []string{line}
	}
	var found []string
	for line != "" {
		var s string
		s, line = sentence(line)
		if at := atom.ConstraintAt(s); at >= 0 {
			found = append(found, cutAround(s, at, longest))
		}
	}
	return found
}

// demandsIn gives the lines of a message that state a constraint, those of
// broken paragraphs with the lines that the sentence goes over (P5b).
func demandsIn(text string) []string {
	lines := strings.Split(text, "\n")
	found := make([][]string, len(lines))
	var pasted atom.Diff
	for i, line := range lines {
		if pasted.Has(line) {
			lines[i] = "" // no word of a person's, and nothing goes on with it
			continue
		}
		lines[i] = strings.TrimSpace(line)
		found[i] = constraintsOf(lines[i], longSentence)
	}
	take := func(i int) {
		if found[i] == nil && len(lines[i]) <= longLine {
			found[i] = lines[i : i+1]
		}
	}
	for i := range lines {
		if atom.ConstraintAt(lines[i]) < 0 {
			continue
		}
		for j := i; j > 0 && continues(lines[j-1], lines[j]); j-- {
			take(j - 1)
		}
		for j := i; j+1 < len(lines) && continues(lines[j], lines[j+1]); j++ {
			take(j + 1)
		}
	}
	return slices.Concat(found...)
}

// continues reports whether a line goes on with the sentence of the line before, as
// in a paragraph that was broken at its width.
func continues(before, line string) bool {
	const narrowest = 60
	if len(before) < narrowest || line == "" || strings.ContainsRune(".!?…:;|{}", rune(before[len(before)-1])) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(r)
}

// cutAround cuts a sentence to so many bytes with the place in it, between words.
func cutAround(text string, at, longest int) string {
	if len(text) <= longest {
		return text
	}
	first := runes.Next(text, min(max(at-longest/4, 0), len(text)-longest))
	last := runes.Last(text, first+longest)
	if i := strings.IndexByte(text[first:min(first+60, last, max(at, first))], ' '); first > 0 && i >= 0 {
		first += i + 1
	}
	return wholeWords(text[first:], last-first)
}
