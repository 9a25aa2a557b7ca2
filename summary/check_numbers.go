package summary

import "strings"

// isNumber reports whether a word is a figure, with its sign or unit.
func isNumber(word string) bool {
	digits := 0
	for _, r := range strings.Trim(word, "$€£~≈+-%×x") {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case strings.ContainsRune(".,'’_-–:\u202f\u00a0", r):
		default:
			return false
		}
	}
	return digits > 0
}

// number is a figure of two digits or more: a single one is the writer's
// counting. Separators of thousands may be there or not.
func number(word string) (mention, bool) {
	whole := word // "10x" is one word
	word = strings.Trim(word, "$€£~≈+-%×x.,:")
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(",'’_\u202f\u00a0", r) {
			return -1
		}
		return r
	}, word)
	if strings.Count(plain, "")-1 < 2 {
		return mention{}, false
	}
	a := mention{kind: AtomNumber, text: word, ways: [][]string{{whole}, {word}, {plain}}}
	integer, rest, fraction := strings.Cut(plain, ".")
	if len(integer) > 3 && !strings.ContainsFunc(integer, func(r rune) bool { return r < '0' || r > '9' }) {
		for _, sep := range []string{",", "_", "'", ".", " "} {
			grouped := thousands(integer, sep)
			if fraction {
				grouped += "." + rest
			}
			a.ways = append(a.ways, []string{grouped})
		}
	}
	if from, to, ok := strings.Cut(strings.ReplaceAll(word, "–", "-"), "-"); ok && from != "" && to != "" {
		a.ways = append(a.ways, []string{from, to}) // a range of figures
	}
	return a, true
}

func thousands(digits, sep string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(sep)
		}
		b.WriteRune(d)
	}
	return b.String()
}
