package excerpt

import (
	"cmp"
	"slices"

	"tenfold"
)

// wholeFrom is the share of an entry's text, in percent, from which on all of
// it is kept (fit.md).
const wholeFrom = 80

// Choice is what was chosen, best first. It is valid until the index it came
// from is advanced.
type Choice struct {
	ix    *Index
	picks []pick
}

// Len is how many things were taken.
func (c Choice) Len() int { return len(c.picks) }

// Within is how many things, from the best on, are estimated to cost at most
// so many tokens together.
func (c Choice) Within(tokens int) int {
	n, _ := slices.BinarySearchFunc(c.picks, int64(tokens)*token+1, func(p pick, most int64) int { return cmp.Compare(p.spent, most) })
	return n
}

// Estimate is what the first n things are estimated to cost, in tokens.
func (c Choice) Estimate(n int) int {
	if n < 1 {
		return 0
	}
	return int((c.picks[n-1].spent + token - 1) / token)
}

// A Kept is what is left of a call with its result, or of a message.
type Kept struct {
	// Seq is the call's or the message's, Result the result's; 0 for none.
	Seq, Result int64
	// Body are the lines of the bodies in a call's arguments, Lines those of
	// its result or of the message, in order.
	Body, Lines []tenfold.LineRange
	// WholeBody and Whole are set where the arguments, and the result or
	// message, stand as they are: so much of them was taken that the rest is
	// not worth its marks.
	WholeBody, Whole bool
}

// First gives what the first n picks keep, in log order.
func (c Choice) First(n int) []Kept {
	picks := slices.Clone(c.picks[:min(n, len(c.picks))])
	slices.SortFunc(picks, func(a, b pick) int {
		return cmp.Or(
			cmp.Compare(c.ix.entries[a.entry].group, c.ix.entries[b.entry].group),
			cmp.Compare(a.entry, b.entry), cmp.Compare(a.line, b.line), cmp.Compare(a.from, b.from),
		)
	})
	var all []Kept
	for len(picks) > 0 {
		entry := picks[0].entry
		end := 1
		for end < len(picks) && picks[end].entry == entry {
			end++
		}
		all = c.keep(all, entry, picks[:end])
		picks = picks[end:]
	}
	return all
}

// keep adds what is kept of one entry.
func (c Choice) keep(all []Kept, i int32, picks []pick) []Kept {
	e := &c.ix.entries[i]
	g := &c.ix.groups[e.group]
	head := c.ix.entries[g.entry].seq
	if len(all) == 0 || all[len(all)-1].Seq != head {
		k := Kept{Seq: head}
		if g.result >= 0 {
			k.Result = c.ix.entries[g.result].seq
		}
		all = append(all, k)
	}
	k := &all[len(all)-1]
	ranges, whole := c.ranges(i, picks)
	if e.role == roleCall {
		k.Body, k.WholeBody = ranges, whole
	} else {
		k.Lines, k.Whole = ranges, whole
	}
	return all
}

// ranges joins lines that overlap or follow one another.
func (c Choice) ranges(i int32, picks []pick) (ranges []tenfold.LineRange, whole bool) {
	e := &c.ix.entries[i]
	for _, p := range picks {
		switch {
		case p.line < 0:
			return nil, true
		case p.line == 0:
			continue
		}
		r := tenfold.LineRange{First: int(p.line), Last: int(p.last), From: int(p.from), To: int(p.to)}
		n := len(ranges)
		for r.To == 0 && n > 0 && ranges[n-1].To > 0 && ranges[n-1].First == r.First {
			n-- // pieces of a line that stands as a whole
		}
		ranges = ranges[:n]
		switch {
		case n == 0 || ranges[n-1].To > 0:
		case r.First <= ranges[n-1].Last:
			ranges[n-1].Last = max(ranges[n-1].Last, r.Last)
			continue
		case r.To == 0 && r.First == ranges[n-1].Last+1:
			ranges[n-1].Last = r.Last
			continue
		}
		ranges = append(ranges, r)
	}
	var taken int64
	for _, r := range ranges {
		if r.To > 0 {
			taken += int64(r.To - r.From)
			continue
		}
		for _, l := range c.ix.text[e.text.from+int32(r.First)-1 : e.text.from+int32(r.Last)] {
			taken += int64(l.bytes)
		}
	}
	if taken == 0 {
		return ranges, false
	}
	left, old := int64(e.bytes), c.ix.outdated(i)
	for _, n := range old {
		left -= int64(c.ix.text[e.text.from+n-1].bytes)
	}
	if taken*100 < left*wholeFrom {
		return ranges, false
	}
	if len(old) == 0 {
		return ranges, true
	}
	ranges = ranges[:0]
	for first, k := 1, 0; k <= len(old); k++ {
		last := int(e.last)
		if k < len(old) {
			last = int(old[k]) - 1
		}
		if first <= last {
			ranges = append(ranges, tenfold.LineRange{First: first, Last: last})
		}
		first = last + 2
	}
	return ranges, false
}
