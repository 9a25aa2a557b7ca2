package strategy

import (
	"slices"
	"strings"
	"unicode"

	"tenfold"
	"tenfold/atom"
	"tenfold/cause"
	"tenfold/tool"
)

const (
	// endingLines is how many lines that sum up a run stand, the last ones of it.
	endingLines = 4
	// sumsWithin is how many bytes of the end of an output are looked at for them.
	sumsWithin = 4 << 10
)

// endingLines gives the lines of a result that say how the call ended: why it failed, and
// what a command's tests came to. Whatever else is kept of it says little without them:
// a stack has a cause (M4a).
func (f *fitting) endingLines(c toolCall) []tenfold.LineRange {
	if lines, known := f.endings[c.seq]; known {
		return lines
	}
	if f.endings == nil {
		f.endings = map[int64][]tenfold.LineRange{}
	}
	lines := endingOf(c.call, payloadOf[tenfold.ToolResult](f.p.Log(), c.result))
	f.endings[c.seq] = lines
	return lines
}

// endsUntold reports whether the stub of a result would say nothing of how the call ended:
// the host did not, and no later plan took its place.
func (f *fitting) endsUntold(c toolCall) bool {
	if f.pastPlans[c.result] || f.left[c.result] != nil {
		return false
	}
	e, _ := f.p.Log().Entry(c.result)
	r, ok := e.Payload.(tenfold.ToolResult)
	return ok && r.Ended() == ""
}

func endingOf(call tenfold.ToolCall, result tenfold.ToolResult) (lines []tenfold.LineRange) {
	all := tenfold.TextLines(result)
	if _, refused := tenfold.Refusal(all); refused {
		return nil // nothing ran
	}
	text := strings.Split(all, "\n")
	take := func(number int) {
		lines = union(lines, []tenfold.LineRange{shortRange(number, text[number-1])})
	}
	failed := tool.Failed(call.Name, call.Arguments, result)
	if t, known := tool.Lookup(call.Name); t.Kind != tool.Shell && t.Kind != tool.Checks && (known || result.Ended() != "") {
		// A tool of the agent says first why it failed, and then what it was asked.
		if failed {
			take(1 + max(0, slices.IndexFunc(text, func(l string) bool { return strings.ContainsFunc(l, unicode.IsLetter) })))
		}
		return lines
	}
	// What a command printed that went well is no failure of its own.
	if failed || result.Ended() == "" {
		why := cause.Of(all)
		if failed || slices.ContainsFunc(why, func(l cause.Line) bool { return cause.Proves(l.Text) == cause.Error }) {
			for _, line := range why {
				take(line.Number)
			}
			if at := cause.PlaceOf(text, why); at > 0 {
				take(at)
			}
		}
	}
	sums := 0
	for number, bytes := len(text), 0; number > 0 && bytes < sumsWithin && sums < endingLines; number-- {
		line := text[number-1]
		bytes += len(line) + 1
		if cause.SumsUp(atom.Clean(line)) {
			sums++
			take(number)
		}
	}
	return lines
}
