package strategy

import (
	"tenfold"
	"tenfold/excerpt"
)

// Reaching has fit weigh again so much of what an earlier fit hid.
func (s Fit) Reaching(targets, entries int) Fit {
	s.reach = reach{targets, entries}
	return s
}

// AlwaysStands is the view of what always stays of a range, before any of it
// gives way.
func AlwaysStands(p *tenfold.Projection, o Options) *tenfold.Projection {
	f := fitting{Fit: Fit{Target: Tokens(1 << 40)}, p: p, o: o, limit: 1 << 40}
	if !f.begin() {
		return p
	}
	f.project()
	return f.base
}

// AlwaysStandsWithin is the view of what always stays within a target, of what has not given way.
func AlwaysStandsWithin(p *tenfold.Projection, o Options, tokens int) *tenfold.Projection {
	f := fitting{Fit: Fit{Target: Tokens(tokens)}, p: p, o: o, limit: tokens, report: &Fitted{}}
	if !f.begin() {
		return p
	}
	f.reduceAlways()
	return f.base
}

// NotIn leaves of passages of a call's bodies those that its result, which stays whole, does not show.
func NotIn(l *tenfold.Log, seq int64, body []tenfold.LineRange) []tenfold.LineRange {
	f := fitting{p: tenfold.Project(l)}
	e, _ := l.Entry(seq)
	call, _ := e.Payload.(tenfold.ToolCall)
	return f.notIn(toolCall{call, seq, l.Pair(seq)}, excerpt.Kept{Body: body, Whole: true})
}

// LinesLeft says which lines of a text stand in what a trim left of it.
func LinesLeft(text, trimmed string) []bool { return linesLeft(text, trimmed) }
