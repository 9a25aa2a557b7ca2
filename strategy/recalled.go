package strategy

import (
	"slices"

	"tenfold"
)

// recalledPart is the part of the target, as one in so many, that what a model
// asked for again may take.
const recalledPart = 4

// recall is what a model was given of an entry that its view did not show.
type recall struct {
	seq   int64
	lines []tenfold.LineRange // nil for all of it
}

// recalledEntries lists what a model asked for since the last compaction, the newest
// first and each entry once (live §5): it was needed then, so the next
// compaction keeps it, and the one after that only if it was needed again.
func recalledEntries(p *tenfold.Projection) (out []recall) {
	l, last := p.Log(), int64(0)
	for o := range p.Overlays() {
		if o.Live && o.Seq > last && o.Compaction.Source != "micro" {
			last = o.Seq
		}
	}
	byID := map[string]int{}
	for e := range l.After(last) {
		r, ok := e.Payload.(tenfold.Recalled)
		if !ok {
			continue
		}
		for _, id := range r.Entries {
			one := recall{lines: r.Lines}
			was, ok := l.Lookup(id)
			if one.seq = was.Seq; !ok || !p.Reads(one.seq) {
				continue
			}
			if at, again := byID[id]; again {
				if was := out[at]; was.lines == nil || one.lines == nil {
					one.lines = nil
				} else {
					one.lines = union(was.lines, one.lines)
				}
				out[at].seq = 0
			}
			byID[id] = len(out)
			out = append(out, one)
		}
	}
	out = slices.DeleteFunc(out, func(r recall) bool { return r.seq == 0 })
	slices.Reverse(out)
	return out
}

// keepRecalled keeps what a model asked for again, the newest first, for at most
// a quarter of the target.
func (f *fitting) keepRecalled() {
	l, left := f.p.Log(), f.limit/recalledPart
	for _, r := range recalledEntries(f.p) {
		if r.seq < f.first || r.seq > f.last || f.hides(r.seq) {
			continue
		}
		e, _ := l.Entry(r.seq)
		cost := e.Tokens
		if r.lines != nil {
			text := tenfold.TextLines(e.Payload)
			r.lines = linesOf(text, r.lines)
			cost = l.Counter().Count(shownOf(text, r.lines))
		}
		if cost == 0 || cost > left {
			continue
		}
		if f.keepPart(StandsRecalled, e, r.lines) {
			left -= cost
		}
	}
}
