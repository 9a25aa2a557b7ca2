package summary

import (
	"strings"
	"unicode/utf8"
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
func figures(text string, yield func(figure) bool) {
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		f := figure{at: i, of: -1}
		var ok bool
		value, end := integer(text, i)
		if ok = value >= 0 && (i == 0 || !joins(text[:i])); ok {
			f.value, f.text = value, text[i:end]
			f.before, f.colon = wordBefore(text, i)
			next := blanks(text, end)
			if total, after, found := outOf(text, next); found {
				f.of, end, next = total, after, blanks(text, after)
			}
			f.after, f.fill = wordAfter(text, next)
			if !yield(f) {
				return
			}
		}
		i = end
	}
}

// integer reads a whole number, with or without separators of thousands; -1
// for what is more or less than that.
func integer(text string, at int) (value, end int) {
	digits, group := 0, -1 // group is the digits since the last separator
	valid := true
	for end = at; end < len(text); end++ {
		c := text[end]
		switch {
		case c-'0' < 10:
			if digits++; digits > 15 {
				valid = false
			} else {
				value = value*10 + int(c-'0')
			}
			if group >= 0 {
				group++
			}
			continue
		case strings.IndexByte(",_'.", c) >= 0 && end+1 < len(text) && text[end+1]-'0' < 10:
			valid = valid && c != '.' && (group == 3 || (group < 0 && digits < 4))
			group = 0
			continue
		case isWordByte(c), c == '%':
			valid = false
		}
		break
	}
	if !valid || (group >= 0 && group != 3) {
		return -1, end
	}
	return value, end
}

// joins reports whether a number after the text is part of a longer word.
func joins(before string) bool {
	c := before[len(before)-1]
	return isWordByte(c) || c >= utf8.RuneSelf || strings.IndexByte(".-/$#@", c) >= 0
}

// blanks skips what may stand between a number and its word.
func blanks(text string, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '*', '`':
			at++
		case 0x1b:
			at = escapeEnd(text, at)
		default:
			return at
		}
	}
	return at
}

// outOf reads "of 42" or "/ 42".
func outOf(text string, at int) (total, end int, ok bool) {
	rest := text[at:]
	switch {
	case strings.HasPrefix(rest, "/"):
		at++
	case strings.HasPrefix(rest, "of "):
		at += len("of ")
	case strings.HasPrefix(rest, "out of "):
		at += len("out of ")
	default:
		return 0, 0, false
	}
	at = blanks(text, at)
	if at >= len(text) || text[at]-'0' > 9 {
		return 0, 0, false
	}
	total, end = integer(text, at)
	return total, end, total >= 0
}

// fillWords stand between a count of tests and what became of them.
var fillWords = wordSet(`test tests spec specs check checks case cases unit integration suite suites file files assertions examples of the these them are were is have has all now still`)

func wordAfter(text string, at int) (word string, fill bool) {
	for range 4 {
		end := at
		for end < len(text) && isWordByte(text[end]) {
			end++
		}
		word = strings.ToLower(text[at:end])
		if word == "" || !fillWords[word] {
			return word, fill
		}
		fill = true
		next := blanks(text, end)
		if next == end || next >= len(text) || !isWordByte(text[next]) || text[next]-'0' < 10 {
			return word, fill
		}
		at = next
	}
	return word, fill
}

// linkWords stand between a name and its number.
var linkWords = wordSet(`is was are number no nr of equals`)

func wordBefore(text string, at int) (word string, colon bool) {
	for range 3 {
		end := at
		for end > 0 && strings.IndexByte(" \t*`:=#\"'", text[end-1]) >= 0 {
			colon = colon || text[end-1] == ':' || text[end-1] == '='
			end--
		}
		at = end
		for at > 0 && isWordByte(text[at-1]) {
			at--
		}
		if word = strings.ToLower(text[at:end]); !linkWords[word] {
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

// bareBefore are words after which "39 passed" counts tests: after others the
// number may name one, as in "phase 2 passed".
var bareBefore = wordSet(`all with and now only got shows showed reports reported result results total tests`)

// labelsBefore are words that a number names one of.
var labelsBefore = wordSet(`port status code issue pr ticket bug pid`)

// notCounted are words after a number that say nothing of what is counted.
var notCounted = wordSet(`and the for with from that this was were are has have had not but then than times more less other lines line
	characters chars tokens bytes words percent ms seconds minutes hours days per out total passed failed`)

// countsIn finds the counts in a line of a summary.
func countsIn(line string) []count {
	var found []count
	figures(line, func(f figure) bool {
		if approximate(line, f.at, f.text) {
			return true
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
		return true
	})
	return found
}

// approximate reports whether a number is said to be rounded.
func approximate(line string, at int, text string) bool {
	before := strings.TrimRight(line[:at], " *`")
	if strings.HasSuffix(before, "~") || strings.HasSuffix(before, "≈") || strings.HasPrefix(line[at+len(text):], "+") {
		return true
	}
	word, _ := wordBefore(line, at)
	switch word {
	case "about", "around", "roughly", "approximately", "over", "under", "nearly", "almost", "some", "than", "least", "most", "to", "etwa", "rund", "environ":
		return true
	}
	return false
}

// text is the count as it is reported.
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
	if len(counts) == 0 {
		return nil
	}
	c := &counted{values: map[string]map[int]bool{}, tests: map[int]bool{}}
	for _, one := range counts {
		c.values[one.label] = map[int]bool{}
	}
	return c
}

// most figures of a label that are kept: with more, nothing contradicts.
const mostFigures = 64

func (c *counted) scan(text string) {
	figures(text, func(f figure) bool {
		for _, word := range [...]string{f.before, f.after} {
			label := word
			if v := verdict(word); v != "" {
				label = v
				c.note(c.tests, f.value)
				c.note(c.tests, f.of)
			}
			if set, ok := c.values[label]; ok {
				c.note(set, f.value)
			}
		}
		if f.fill || fillWords[f.before] || f.after == "total" {
			c.note(c.tests, f.value)
			c.note(c.tests, f.of)
		}
		return true
	})
}

func (c *counted) note(set map[int]bool, value int) {
	if value >= 0 && len(set) <= mostFigures {
		set[value] = true
	}
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
