package strategy

import (
	"cmp"
	"iter"
	"slices"

	"tenfold"
)

// How far back fit weighs again what an earlier fit hid: so many targets before where
// that one ended, and no more entries than that. What was hidden farther back stays so, so that a compaction takes time with what the model sees and what came since,
// and not with the log (live V6). Recorded sessions that are as long as that are few.
const (
	reachTargets = 16
	reachEntries = 2000
)

// reach is how far that is; the zero value is the usual one.
type reach struct{ targets, entries int }

// boundPast finds the part of the span that lies out of reach. Of that only what the
// view shows is looked at, and what of it does not stay goes by one overlay over all
// of the part, which need not name it.
func (f *fitting) boundPast() {
	l := f.p.Log()
	end := int64(0) // of the newest fit
	for o := range f.p.Overlays() {
		if c := o.Compaction; o.Live && c.ToolCalls != nil && c.ToolCalls.Rest == tenfold.Omit && c.Texts != nil && c.Texts.Rest == tenfold.Omit {
			_, end = l.Extent(rangeOf(c))
		}
	}
	end = min(end, f.tail-1)
	least, most := end-int64(cmp.Or(f.reach.entries, reachEntries)), cmp.Or(f.reach.targets, reachTargets)*f.limit
	for tokens := 0; end >= f.first && end > least && tokens <= most; end-- {
		if e, _ := l.Entry(end); !f.hides(end) {
			tokens += e.Tokens
		}
	}
	if end < f.first || f.p.Branch() != "" {
		return
	}
	turn, step, _ := l.Where(end + 1)
	past := tenfold.Range{FromTurn: f.span.FromTurn, ToTurn: turn - 1}
	if turn == f.span.ToTurn && f.span.ToStep != nil && step > 0 {
		// What people wrote in that turn stays in any case (P9).
		past.ToTurn, past.ToStep = turn, new(step-1)
	}
	if past.ToTurn < past.FromTurn {
		return
	}
	if _, end = l.Extent(past); end < f.first {
		return
	}
	f.past, f.open = &past, end+1
	for it := range f.p.Items() { // a late result stands behind its call, before older ones
		if it.Seq > 0 && it.Seq < f.open {
			f.old = append(f.old, it.Seq)
		}
	}
	slices.Sort(f.old)
}

// each gives the entries of a stretch that may matter, in order.
func (f *fitting) each(first, last int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, seq := range f.old {
			if first <= seq && seq <= last && !yield(seq) {
				return
			}
		}
		for seq := max(first, f.open); seq <= last; seq++ {
			if !yield(seq) {
				return
			}
		}
	}
}

// backward gives the same as each, the newest first.
func (f *fitting) backward(first, last int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for seq := last; seq >= max(first, f.open); seq-- {
			if !yield(seq) {
				return
			}
		}
		for _, seq := range slices.Backward(f.old) {
			if first <= seq && seq <= last && !yield(seq) {
				return
			}
		}
	}
}

// callsIn gives the calls among the entries of a stretch that may matter.
func (f *fitting) callsIn(first, last int64) []toolCall {
	var calls []toolCall
	for _, seq := range f.old {
		if first <= seq && seq <= last {
			calls = append(calls, toolCalls(f.p, seq, seq)...)
		}
	}
	return append(calls, toolCalls(f.p, max(first, f.open), last)...)
}

// isPast reports whether an entry is hidden and stays so.
func (f *fitting) isPast(seq int64) bool {
	if seq >= f.open {
		return false
	}
	_, shown := slices.BinarySearch(f.old, seq)
	return !shown
}

// proposal is what is proposed with an overlay: that, and behind it what hides the part
// out of reach but for what the overlay leaves of it. So the first of the two has the
// figures of both.
func (f *fitting) proposal(c tenfold.Compaction) []tenfold.Compaction {
	if f.past == nil {
		return []tenfold.Compaction{c}
	}
	keeps := make([]int64, 0, len(f.old))
	for _, seq := range f.old {
		_, stays := c.Texts.Entries[seq]
		if e, _ := f.p.Log().Entry(seq); e.Payload.Kind() == tenfold.KindToolCall {
			_, stays = c.ToolCalls.Calls[(toolCall{call: e.Payload.(tenfold.ToolCall), seq: seq}).key()]
		}
		if stays {
			keeps = append(keeps, seq)
		}
	}
	past := f.o.overlay(f.Fit, *f.past, tenfold.Compaction{Turns: tenfold.Omit})
	past.Keeps = &tenfold.Keeps{Entries: keeps}
	return []tenfold.Compaction{c, past}
}

// viewWith gives the view that an overlay would leave.
func (f *fitting) viewWith(c tenfold.Compaction) *tenfold.Projection {
	return f.p.With(f.proposal(c)...)
}
