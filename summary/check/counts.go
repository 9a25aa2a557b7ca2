package check

import (
	"iter"
	"strings"

	"tenfold/atom"
	"tenfold/internal/set"
)

// A number may stand nowhere in the log and be right: the writer counted, or
// the log has other words for it. It contradicts the log where the log itself
// gives the figure for the same thing, and gives another one.

// figure is a number in a text, with the words beside it in lower case; empty
// where something else than blanks, a colon or the like stands between.
type figure struct {
	value  int
	text   string
	before string
	// colon says that a colon stands between, or an equals sign.
	colon bool
	// of is the second number of "39 of 42" and "39/42", -1 without.
	of    int
	after string
	// fill says that words like "tests" stand before the word after.
	fill bool
	at   int
}

// figures goes over the whole numbers of a text.
func figures(text string) iter.Seq[figure] {
	return func(yield func(figure) bool) {
		for i := 0; i < len(text); {
			if !isDigit(text[i]) {
				i++
				continue
			}
			f := figure{at: i, of: -1}
			value, end := integer(text, i)
			if value >= 0 && !partOfWord(text[:i]) {
				f.value, f.text = value, text[i:end]
				f.before, f.colon = wordBefore(text, i)
				next := skipBlanks(text, end)
				if total, after, found := outOf(text, next); found {
					f.of, end, next = total, after, skipBlanks(text, after)
				}
				f.after, f.fill = wordAfter(text, next)
				if !yield(f) {
					return
				}
			}
			i = end
		}
	}
}

func isDigit(c byte) bool { return c-'0' < 10 }

// integer reads a whole number, with or without separators of thousands; -1
// for what is more or less than that.
func integer(text string, at int) (value, end int) {
	digits, group := 0, -1 // group is the digits since the last separator
	valid := true
	for end = at; end < len(text); end++ {
		c := text[end]
		switch {
		case isDigit(c):
			if digits++; digits > 15 {
				valid = false
			} else {
				value = value*10 + int(c-'0')
			}
			if group >= 0 {
				group++
			}
			continue
		case strings.IndexByte(",_'.", c) >= 0 && end+1 < len(text) && isDigit(text[end+1]):
			valid = valid && c != '.' && (group == 3 || (group < 0 && digits < 4))
			group = 0
			continue
		}
		valid = valid && !atom.IsWord(c) && c != '%'
		break
	}
	if !valid || (group >= 0 && group != 3) {
		return -1, end
	}
	return value, end
}

// partOfWord reports whether a number after the text is part of a longer word.
func partOfWord(before string) bool {
	if before == "" {
		return false
	}
	c := before[len(before)-1]
	return atom.IsWord(c) || c >= 0x80 || strings.IndexByte(".-/$#@", c) >= 0
}

// skipBlanks skips what may stand between a number and its word.
func skipBlanks(text string, at int) int {
	for at < len(text) {
		kind, end := atom.Next(text, at)
		if kind != atom.Escape && strings.IndexByte(" \t*`", text[at]) < 0 {
			break
		}
		at = end
	}
	return at
}

// outOf reads "of 42" or "/ 42".
func outOf(text string, at int) (total, end int, ok bool) {
	for _, words := range []string{"/", "of ", "out of "} {
		if strings.HasPrefix(text[at:], words) {
			at = skipBlanks(text, at+len(words))
			if at < len(text) && isDigit(text[at]) {
				total, end = integer(text, at)
				return total, end, total >= 0
			}
			break
		}
	}
	return 0, 0, false
}

// fillWords stand between a count of tests and what became of them.
var fillWords = set.Words(`test tests spec specs check checks case cases unit integration suite suites file files assertions examples of the these them are were is have has all now still`)

func wordAfter(text string, at int) (word string, fill bool) {
	for range 4 {
		end := at
		if at < len(text) && atom.IsWord(text[at]) {
			_, end = atom.Next(text, at)
		}
		word = strings.ToLower(text[at:end])
		if word == "" || !fillWords[word] {
			return word, fill
		}
		fill = true
		next := skipBlanks(text, end)
		if next == end || next >= len(text) || !atom.IsWord(text[next]) || isDigit(text[next]) {
			return word, fill
		}
		at = next
	}
	return word, fill
}

// linkWords stand between a name and its number.
var linkWords = set.Words(`is was are number no nr of equals`)

func wordBefore(text string, at int) (word string, colon bool) {
	for range 3 {
		bare := strings.TrimRight(text[:at], " \t*`:=#\"'")
		colon = colon || strings.ContainsAny(text[len(bare):at], ":=")
		for at = len(bare); at > 0 && atom.IsWord(text[at-1]); at-- {
		}
		if word = strings.ToLower(bare[at:]); !linkWords[word] {
			break
		}
	}
	return word, colon
}

// verdict is the outcome of tests that a word tells of: "pass", "fail", or none.
func verdict(word string) string {
	switch word {
	case "pass", "passed", "passing", "passes":
		return "pass"
	case "fail", "failed", "failing", "fails", "failure", "failures":
		return "fail"
	}
	return ""
}

// count is what a summary says of how many there are of something.
type count struct {
	figure
	// label is what is counted, as both summary and log may write it.
	label string
	// tests says that label is an outcome of tests.
	tests bool
}

var (
	// bareBefore are words after which "39 passed" counts tests: after others the
	// number may name one, as in "phase 2 passed".
	bareBefore = set.Words(`all with and now only got shows showed reports reported result results total tests`)
	// labelsBefore are words that a number names one of.
	labelsBefore = set.Words(`port status code issue pr ticket bug pid`)
	// notCounted are words after a number that say nothing of what is counted.
	notCounted = set.Words(`and the for with from that this was were are has have had not but then than times more less other lines line
		characters chars tokens bytes words percent ms seconds minutes hours days per out total passed failed`)
	// roundedBy are words before a number that is not an exact count.
	roundedBy = set.Words(`about around roughly approximately over under nearly almost some than least most to etwa rund environ`)
)

// countsIn finds the counts in a line of a summary.
func countsIn(line string) (found []count) {
	for f := range figures(line) {
		if approximate(line, f) {
			continue
		}
		switch v := verdict(f.after); {
		case v != "" && (f.fill || f.of >= 0 || f.before == "" || f.colon || bareBefore[f.before]):
			found = append(found, count{f, v, true})
		case v == "" && verdict(f.before) != "" && f.colon:
			found = append(found, count{f, verdict(f.before), true})
		case labelsBefore[f.before] && f.value > 9:
			found = append(found, count{f, f.before, false})
		case f.value > 99 && len(f.after) > 2 && !notCounted[f.after] && !fillWords[f.after]:
			found = append(found, count{f, f.after, false})
		}
	}
	return found
}

// approximate reports whether a number is said to be rounded.
func approximate(line string, f figure) bool {
	before := strings.TrimRight(line[:f.at], " *`")
	return strings.HasSuffix(before, "~") || strings.HasSuffix(before, "≈") || strings.HasPrefix(line[f.at+len(f.text):], "+") || roundedBy[f.before]
}

// words is the count as it is reported.
func (c count) words() string {
	if c.tests || c.after == c.label {
		return c.text + " " + c.label
	}
	return c.label + " " + c.text
}

// counted is what the log says of the things that a summary counts.
type counted struct {
	// values are the figures of each label.
	values map[string]map[int]bool
	// tests are all figures about tests: any sum or difference of two is as
	// good as said.
	tests map[int]bool
}

func newCounted(counts []count) *counted {
	c := &counted{values: map[string]map[int]bool{}, tests: map[int]bool{}}
	for _, one := range counts {
		c.values[one.label] = map[int]bool{}
	}
	return c
}

// mostFigures is how many figures of a label are kept: with more, nothing
// contradicts.
const mostFigures = 64

func (c *counted) scan(text string) {
	if len(c.values) == 0 {
		return
	}
	for f := range figures(text) {
		ofTests := f.fill || fillWords[f.before] || f.after == "total"
		for _, label := range [...]string{f.before, f.after} {
			if v := verdict(label); v != "" {
				label, ofTests = v, true
			}
			if set, ok := c.values[label]; ok {
				note(set, f.value)
			}
		}
		if ofTests {
			note(c.tests, f.value)
			note(c.tests, f.of)
		}
	}
}

func note(set map[int]bool, value int) {
	if value >= 0 && len(set) <= mostFigures {
		set[value] = true
	}
}

// wrong lists the counts that the log contradicts, each once; strange are the
// numbers that stand nowhere in it.
func (c *counted) wrong(counts []count, strange map[string]bool) (wrong []Stranger) {
	told := map[string]bool{}
	for _, one := range counts {
		if words := one.words(); !told[words] && c.contradicts(one, strange[one.text]) {
			told[words] = true
			wrong = append(wrong, Stranger{Number, words, ContradictedNumber})
		}
	}
	return wrong
}

// contradicts reports whether the log gives figures for what is counted, and
// none of them is or makes the one that the summary gives.
func (c *counted) contradicts(one count, stranger bool) bool {
	values := c.values[one.label]
	if len(values) == 0 || values[one.value] {
		return false
	}
	if !one.tests {
		// More than three figures are of different things.
		return stranger && len(values) <= 3 && !rounded(values, one.value)
	}
	return len(values) <= mostFigures && len(c.tests) <= mostFigures && !makes(c.tests, one.value)
}

// makes reports whether a value is the sum or difference of two of a set, or of
// all of it.
func makes(set map[int]bool, value int) bool {
	sum := 0
	for a := range set {
		sum += a
		if a == value || set[value-a] || set[value+a] {
			return true
		}
	}
	return sum == value
}

// rounded reports whether a value with zeros at its end is what one of a set
// comes to when it is rounded.
func rounded(set map[int]bool, value int) bool {
	unit := 1
	for value > 0 && value%(unit*10) == 0 {
		unit *= 10
	}
	for v := range set {
		if unit > 1 && max(v-value, value-v) < unit {
			return true
		}
	}
	return false
}
