package check

import (
	"hash/maphash"
	"strings"

	"tenfold/atom"
)

// A quotation that a summary attributes to the user is compared with what the
// user said, and with nothing else: that a tool printed it makes it worse.
// Summaries correct typing and leave words out; what may not differ is whether
// something is demanded or forbidden, and figures.

const (
	// quotedRun is how many words in a row count as the user's.
	quotedRun = 3
	// quotedPercent is how much of a quotation must be the user's words.
	quotedPercent = 80
)

// quotes looks quotations up in what the user said: every run of their words.
type quotes struct {
	seed maphash.Seed
	runs map[uint64]bool // wanted → said
}

// runsOf gives the words of a text in lower case, and the hash of each run of
// them by the index of its first word.
func (q *quotes) runsOf(text string) (words []string, runs []uint64) {
	text = strings.ToLower(text)
	a, b := uint64(0), uint64(0)
	for span := range atom.Words(text) {
		words = append(words, span.Of(text))
		h := maphash.String(q.seed, span.Of(text))
		if len(words) >= quotedRun {
			runs = append(runs, (a*factor+b)*factor+h)
		}
		a, b = b, h
	}
	return words, runs
}

// want has a quotation looked for.
func (q *quotes) want(text string) {
	_, runs := q.runsOf(text)
	for _, r := range runs {
		q.runs[r] = false
	}
}

// scan takes in what the user said.
func (q *quotes) scan(text string) {
	if len(q.runs) == 0 {
		return
	}
	_, runs := q.runsOf(text)
	for _, r := range runs {
		if _, wanted := q.runs[r]; wanted {
			q.runs[r] = true
		}
	}
}

// invented reports whether a quotation is not what the user said: too few of
// its words stand there in a row, or one that does not turns its meaning. Fewer
// words than make a run prove nothing.
func (q *quotes) invented(text string) bool {
	words, runs := q.runsOf(text)
	if len(runs) == 0 {
		return false
	}
	said := make([]bool, len(words))
	for i, r := range runs {
		if q.runs[r] {
			for j := range quotedRun {
				said[i+j] = true
			}
		}
	}
	n := 0
	for i, ok := range said {
		if ok {
			n++
		} else if polarWords[words[i]] || words[i][0]-'0' < 10 {
			return true
		}
	}
	return n*100 < len(words)*quotedPercent
}
