package strategy

import (
	"iter"
	"slices"
	"strings"

	"tenfold"
)

// Lines that matter in a result of which the middle is cut: those that tell
// what went wrong, and those that hold a name somebody used afterwards.

// maxLine is the longest line kept for its own sake, in bytes.
const maxLine = 300

// maxRepeats is how many lines of a result may hold a name before it tells
// nothing about any of them.
const maxRepeats = 8

// isTrouble reports whether a line tells of something that went wrong.
func isTrouble(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range [...]string{
		"error", "fail", "panic", "fatal", "exception", "traceback", "undefined", "denied", "not found", "cannot ",
	} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// names gives the names in a text: paths, and words with an inner "_", digit
// or capital, which are rarely words of a language people speak.
func names(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, notInName) {
			if word = strings.Trim(word, ".-/"); isName(word) && !yield(word) {
				return
			}
		}
	}
}

func notInName(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("_/.-", r)
}

func isName(word string) bool {
	if len(word) < 6 || len(word) > 80 {
		return false
	}
	letters, marks := 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case c >= 'A' && c <= 'Z':
			letters++
			if i > 0 && word[i-1] >= 'a' && word[i-1] <= 'z' {
				marks++
			}
		case c >= 'a' && c <= 'z':
			letters++
		case i > 0:
			marks++
		}
	}
	return letters >= 3 && marks > 0
}

// importantLines picks at most so many lines of a text: trouble first, then lines
// with names used later, each kind in order.
func importantLines(text string, used map[string]bool, most int) []tenfold.LineRange {
	var trouble, named []int
	lines := strings.Split(text, "\n")
	repeats := map[string]int{}
	for _, line := range lines {
		for name := range names(line) {
			if used[name] {
				repeats[name]++
			}
		}
	}
	for i, line := range lines {
		switch {
		case len(line) > maxLine || strings.TrimSpace(line) == "":
		case isTrouble(line):
			trouble = append(trouble, i+1)
		default:
			for name := range names(line) {
				if n := repeats[name]; n > 0 && n <= maxRepeats {
					named = append(named, i+1)
					break
				}
			}
		}
	}
	picked := slices.Concat(trouble, named)
	picked = picked[:min(len(picked), most)]
	slices.Sort(picked)
	var ranges []tenfold.LineRange
	for _, n := range picked {
		if last := len(ranges) - 1; last >= 0 && ranges[last].Last == n-1 {
			ranges[last].Last = n
			continue
		}
		ranges = append(ranges, tenfold.LineRange{First: n, Last: n})
	}
	return ranges
}
