package excerpt

import "strings"

// The last words of a turn say what came of it. Names alone do not bring them into a
// view: an answer in plain words has few. So the beginning of each is a block that is
// worth something by itself, the newest the most.

const (
	// concludedShare is what all of them are worth together, as a share of what all
	// names of a log are, in percent.
	concludedShare = 16
	// Such a beginning ends with the first paragraph after which it is leadBytes long, in
	// one that is longer after mostLead of them, or after longestLead for the sake of a
	// first sentence. A line shorter than leastLead says nothing.
	leadBytes, mostLead, longestLead, leastLead = 80, 400, 1200, 40
)

// leadLength is how many lines of a text its beginning is, before any code unless it begins with
// that ("Committed:" and the commit); 0 where it says next to nothing. The text leads on
// where it ends with what announces something.
func leadLength(text string) (length int32, leadsOn bool) {
	text = strings.TrimRight(text, " \t\r\n")
	if len(text) < leastLead {
		return 0, false
	}
	number, last, size, says := int32(0), int32(0), 0, false
	for line := range lines(text) {
		number++
		line = strings.TrimSpace(line)
		size += len(line)
		if size > longestLead || says && (size > mostLead || line == "" && size >= leadBytes || strings.HasPrefix(line, "```")) {
			break
		}
		says = says || len(line) >= leastLead && line[0] != '#'
		if line != "" && !strings.HasSuffix(line, ":") {
			last = number
		}
	}
	return last, strings.HasSuffix(text, ":")
}

// concludes reports whether an entry is the last that the model said before a person
// spoke or was asked, or before the log ends. What leads on concludes only where it leads
// to a question.
func (ix *Index) concludes(i int32) bool {
	e := &ix.entries[i]
	if e.lead == 0 {
		return false
	}
	for _, next := range ix.entries[i+1:] {
		if next.role != roleSynthetic {
			return next.asks || next.role == roleTyped && !e.leadsOn
		}
	}
	return !e.leadsOn
}

// offerConclusion lists the beginning of what concluded a turn, whose lines with atoms
// are given.
func (c *chooser) offerConclusion(i int32, lines []candidate) {
	if c.o.without(Conclusions) || !c.ix.concludes(i) {
		return
	}
	c.concluded = append(c.concluded, int32(len(c.all)))
	c.all = append(c.all, covering(i, 1, c.ix.entries[i].lead, &lines))
}

// weighConclusions gives them their worth: in order, each later one more.
func (c *chooser) weighConclusions() {
	var sum int64
	worth := func(n int) int64 { return micro / int64(1+len(c.concluded)-n) }
	for n := range c.concluded {
		sum += worth(n)
	}
	for n, at := range c.concluded {
		c.all[at].edit = parts(worth(n), sum, whole/100*concludedShare)
	}
}
