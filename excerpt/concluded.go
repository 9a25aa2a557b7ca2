package excerpt

import "strings"

// The last words of a turn say what came of it. Names alone do not bring them into a
// view: an answer in plain words has few. So the beginning of each is a block that is
// worth something by itself, the newest the most. What the model says on the way there is
// worth a little: why something fails stands nowhere else, while a log has names without end
// that nobody wants again.

const (
	// concludedShare is what all of them are worth together, as a share of what all
	// names of a log are, in thousandths.
	concludedShare = 160
	// remarksShare is the same of what was said on the way: so little that it outweighs
	// what hardly anything is expected of, and nothing else.
	remarksShare = 5
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
		if line != "" && !announces(line) {
			last = number
		}
	}
	return last, announces(text)
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

// offerSaid lists the beginning of what the model said, whose lines with atoms are given:
// of what concluded a turn, and of what was on the way there and does not only announce something.
func (c *chooser) offerSaid(i int32, lines []candidate) {
	e := &c.ix.entries[i]
	at := int32(len(c.all))
	switch {
	case e.lead == 0 || c.o.without(Conclusions) || !c.mayTake(e, 1, e.lead):
		return
	case c.ix.concludes(i):
		c.concluded = append(c.concluded, at)
	case e.leadsOn:
		return
	default:
		c.remarks = append(c.remarks, at)
	}
	c.all = append(c.all, covering(i, 1, e.lead, &lines))
}

// weighSaid gives them their worth: in order, each later one more; a conclusion as such, a
// remark by its length, for a short one says less.
func (c *chooser) weighSaid() {
	c.weighBy(c.concluded, concludedShare, func(*candidate) int64 { return 1 })
	c.weighBy(c.remarks, remarksShare, func(one *candidate) int64 {
		text := c.ix.entries[one.entry].text
		var bytes int64
		for _, l := range c.ix.text[text.from : text.from+one.last] {
			bytes += int64(l.bytes)
		}
		return bytes
	})
}

func (c *chooser) weighBy(list []int32, share int64, size func(*candidate) int64) {
	var sum int64
	for n, at := range list {
		one := &c.all[at]
		one.edit = micro * size(one) / int64(1+len(list)-n)
		sum += one.edit
	}
	for _, at := range list {
		c.all[at].edit = parts(c.all[at].edit, sum, whole/1000*share)
	}
}
