package excerpt

// focusShare is what all lines that a focus is about are worth together, as a
// share of what all names of a log are, in percent.
const focusShare = 150

// ofFile is what a line counts that stands in a file whose path the focus is
// about, and ofLine what it counts by itself for each word of the focus in it.
const (
	ofFile = 1
	ofLine = 8
)

// valueFocus works out what each line is worth to the focus: a text counts where it stood
// last, once. Lines that stand in the view anyway are worth nothing more.
func (c *chooser) valueFocus() {
	if c.o.Focus.Empty() {
		return
	}
	about := make([]int64, len(c.ix.lines))
	for text, id := range c.ix.byLine {
		about[id] = ofLine * int64(c.o.Focus.Matches(text))
	}
	files := make([]bool, len(c.ix.files))
	for path, id := range c.ix.byFile {
		files[id] = c.o.Focus.Matches(path) > 0
	}
	c.focus = make([]int64, len(c.ix.text))
	met := make([]bool, len(c.ix.lines))
	var sum int64
	for i := len(c.ix.entries) - 1; i >= 0; i-- {
		e := &c.ix.entries[i]
		stays, hidden := c.fixed(e)
		if hidden {
			continue
		}
		var extra int64
		for _, f := range e.files {
			if files[f] {
				extra = ofFile
			}
		}
		for n := e.text.from; n < e.text.to; n++ {
			id := c.ix.text[n].line
			worth := about[id]
			if c.ix.lines[id].long {
				worth += extra
			}
			if worth > 0 && !met[id] {
				met[id] = true
				if !stays {
					c.focus[n] = worth
					sum += worth
				}
			}
		}
	}
	for n, worth := range c.focus {
		c.focus[n] = parts(worth, sum, whole/100*focusShare)
	}
}

// fixed says whether an entry stands in the view whatever is chosen, and whether
// it cannot.
func (c *chooser) fixed(e *entry) (stays, hidden bool) {
	head := &c.ix.entries[c.ix.groups[e.group].entry]
	if c.o.Hidden != nil && c.o.Hidden(head.seq) {
		return false, true
	}
	return head.seq < c.o.From || head.seq > c.o.To || c.o.Whole != nil && c.o.Whole(head.seq), false
}

// focused is what a candidate is worth to the focus: of its lines that are not
// taken.
func (c *chooser) focused(one *candidate, e *entry) int64 {
	if c.focus == nil || one.line == 0 {
		return 0
	}
	first, last := one.extent()
	if one.line < 0 {
		first, last = 1, e.last
	}
	var sum int64
	for n := first; n <= last; n++ {
		if !c.held[e.text.from+n-1] {
			sum += c.focus[e.text.from+n-1]
		}
	}
	return sum
}

// offerFocused lists the lines from one up to another that no name makes
// candidates, and the focus does.
func (c *chooser) offerFocused(i, from, to int32) {
	if c.focus == nil {
		return
	}
	e := &c.ix.entries[i]
	at := int32(len(c.pool))
	for n := from; n < to; n++ {
		if c.focus[e.text.from+n-1] > 0 {
			c.all = append(c.all, candidate{entry: i, line: n, atoms: span{at, at}, cost: e.share(int64(c.ix.text[e.text.from+n-1].bytes))})
		}
	}
}
