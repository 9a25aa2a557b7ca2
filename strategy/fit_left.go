package strategy

import (
	"strings"

	"tenfold"
	"tenfold/atom"
)

// byPlan reports whether an earlier strategy of the plan says what an entry became.
// Against what fits before this plan left, fit chooses from the raw log; but what
// somebody had done first is done to what they see (S-15).
func (f *fitting) byPlan(seq int64) bool {
	if f.o.begun == nil {
		return false
	}
	fate, by, _ := f.p.Fate(seq)
	was, before, _ := f.o.begun.Fate(seq)
	return changed(f.p, seq) && (fate != was || by != before)
}

// changed reports whether a view has less of an entry than the log: words that lost their
// signature are the same words (P10a).
func changed(p *tenfold.Projection, seq int64) bool {
	fate, _, _ := p.Fate(seq)
	return fate != tenfold.Kept && p.Why(seq) != tenfold.ReasonUnsigned
}

// findLeft finds which lines earlier strategies of the plan left of calls and results.
func (f *fitting) findLeft() {
	if f.o.begun == nil || f.o.begun == f.p {
		return
	}
	f.left = map[int64][]bool{}
	for seq := range f.each(f.first, f.last) {
		fate, _, _ := f.p.Fate(seq)
		if fate != tenfold.Stripped && fate != tenfold.Trimmed || !f.byPlan(seq) {
			continue
		}
		e, _ := f.p.Log().Entry(seq)
		switch e.Payload.Kind() {
		case tenfold.KindToolCall, tenfold.KindToolResult, tenfold.KindAssistantMessage:
		default:
			continue // how much of a person's words stays is for findAlways to say
		}
		f.left[seq] = []bool{}
		if it, ok := f.p.Item(seq); ok && fate == tenfold.Trimmed {
			f.left[seq] = linesLeft(tenfold.TextLines(e.Payload), tenfold.TextLines(it.Payload))
		}
	}
}

// linesLeft says which lines of a text stand in what a trim left of it. A line that
// stands there and elsewhere is left wherever it is.
func linesLeft(text, trimmed string) []bool {
	bare := func(line string) string { return strings.Trim(atom.WithoutEscapes(line), "… \t\r\n") }
	shown := map[string]bool{"": true}
	for line := range strings.Lines(trimmed) {
		shown[bare(line)] = true
	}
	var left []bool
	for line := range strings.Lines(text) {
		left = append(left, shown[bare(line)])
	}
	return left
}

// shortened reports whether an earlier strategy of the plan shortened a call, its result
// or a message.
func (f *fitting) shortened(seq int64) bool {
	return f.left[seq] != nil || f.left[f.p.Log().Pair(seq)] != nil
}

// asLeft has one stay whole, or as whole as earlier strategies of the plan left it.
func (f *fitting) asLeft(one one) stance {
	if !f.shortened(one.seq) {
		return stance{call: one.call, whole: true}
	}
	st := f.stands[one.seq]
	st.call = one.call
	if one.call {
		st.part, st.body = ranges(f.left[one.seq]), f.left[one.seq] == nil
		one.seq = f.p.Log().Pair(one.seq)
	}
	st.lines, st.answer = union(st.lines, ranges(f.left[one.seq])), one.call && f.left[one.seq] == nil
	return st
}

// ranges are the lines that a list says yes of.
func ranges(left []bool) (lines []tenfold.LineRange) {
	for i, is := range left {
		if n := len(lines); is && n > 0 && lines[n-1].Last == i {
			lines[n-1].Last++
		} else if is {
			lines = append(lines, tenfold.LineRange{First: i + 1, Last: i + 1})
		}
	}
	return lines
}

// mayChoose tells the lines that may be chosen; nil where all of them may.
func (f *fitting) mayChoose() func(seq int64, line int) bool {
	if len(f.left) == 0 {
		return nil
	}
	return func(seq int64, line int) bool {
		left := f.left[seq]
		return left == nil || line <= len(left) && left[line-1]
	}
}
