package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/cause"
	"tenfold/tool"
)

// endingLines is how many lines that sum up a run stand, the last ones of it.
const endingLines = 4

// ending gives the lines of what a command printed that say how it ended: why it
// failed, and what its tests came to. Whatever else is kept of it says little without
// them: a stack has a cause (M4a).
func (f *fitting) ending(c toolCall) []tenfold.LineRange {
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

func endingOf(call tenfold.ToolCall, result tenfold.ToolResult) (lines []tenfold.LineRange) {
	all := tenfold.TextLines(result)
	if t, _ := tool.Lookup(call.Name); t.Kind != tool.Shell && t.Kind != tool.Checks {
		return nil
	}
	if _, refused := tenfold.Refusal(all); refused {
		return nil // nothing ran
	}
	text := strings.Split(all, "\n")
	take := func(number int) {
		lines = union(lines, []tenfold.LineRange{shortRange(number, text[number-1])})
	}
	why := cause.Of(all)
	if !tool.Failed(call.Name, call.Arguments, result) && (result.Ended() != "" || !slices.ContainsFunc(why, func(l cause.Line) bool { return cause.Proves(l.Text) == cause.Error })) {
		why = nil // what it printed is no failure of its own
	}
	for _, line := range why {
		take(line.Number)
	}
	sums := 0
	for i, line := range slices.Backward(text) {
		if sums < endingLines && cause.SumsUp(atom.Clean(line)) {
			sums++
			take(i + 1)
		}
	}
	return lines
}
