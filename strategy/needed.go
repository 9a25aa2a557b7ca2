package strategy

import (
	"slices"

	"tenfold"
)

// Needed is what steps that are not in the range used of an entry in it (live V4).
type Needed struct {
	Seq int64
	// Lines are the lines that were used, as [tenfold.TextLines] numbers them;
	// nil for all of the entry. Of a short entry all is kept where there is room.
	Lines []tenfold.LineRange
}

// neededPart is the part of the target, as one in so many, that what was needed
// may take.
const neededPart = 4

// needs reports whether an entry is needed.
func (o Options) needs(seq int64) bool {
	return slices.ContainsFunc(o.Needed, func(n Needed) bool { return n.Seq == seq })
}

// keepNeeded keeps what steps after the range used of it, the first named first,
// for at most a quarter of the target.
func (f *fitting) keepNeeded() {
	l, left := f.p.Log(), f.limit/neededPart
	for _, n := range f.o.Needed {
		if n.Seq < f.first || n.Seq > f.last || f.hides(n.Seq) {
			continue
		}
		e, _ := l.Entry(n.Seq)
		cost, lines := e.Tokens, n.Lines
		if lines != nil && cost > min(shortMessage, left) && e.Payload.Kind() != tenfold.KindToolCall {
			text := tenfold.TextLines(e.Payload)
			lines = linesOf(text, lines)
			cost = l.Counter().Count(shownOf(text, lines))
		} else {
			lines = nil
		}
		if cost > 0 && cost <= left && f.keepPart(StandsNeeded, e, lines) {
			left -= cost
		}
	}
}

// keepPart has lines of an entry stand, all of it where there are none; false where
// nothing of it can.
func (f *fitting) keepPart(what string, e tenfold.Entry, lines []tenfold.LineRange) bool {
	head := pairHead(f.p.Log(), e.Seq)
	st, there := f.stands[head]
	if there && st.whole {
		return false
	}
	if !there {
		st = stance{what: what}
	}
	switch e.Payload.(type) {
	case tenfold.ToolCall:
		st.call, st.body = true, true
	case tenfold.ToolResult:
		st.call, st.answer = true, st.answer || lines == nil
		st.lines = union(st.lines, lines)
	case tenfold.UserMessage, tenfold.AssistantMessage:
		st.whole = lines == nil
		st.lines = union(st.lines, lines)
	default:
		return false
	}
	f.stands[head] = st
	return true
}
