package eval

import (
	"strings"

	"tenfold"
)

// A View is what a policy shows of a prefix, as lines.
type View struct {
	cut   *Cut
	lines []viewLine
	// costs are the tokens shown of each entry, by seq.
	costs map[int64]int
	// Tokens is what the view costs, system prompt and tools aside.
	Tokens int
	// Projection is the view as a model gets it; nil for a policy that is no
	// overlay but a list of lines.
	Projection *tenfold.Projection
	// Notes are what the strategies had to say.
	Notes []string
}

// viewLine is a line of a view, and the seq of the entry that it comes from; 0
// for summaries and marks.
type viewLine struct {
	seq  int64
	line int32
}

// A Line is a line of a view as a policy of one's own gives it.
type Line struct {
	// Seq is the entry of the prefix that the line comes from; 0 for none.
	Seq  int64
	Text string
}

// ViewOf makes the view of a projection of the prefix.
func (c *Cut) ViewOf(p *tenfold.Projection) *View {
	totals := p.Totals()
	v := &View{
		cut: c, costs: map[int64]int{}, Projection: p,
		Tokens: totals.All().After - totals.Config.After,
	}
	for it := range p.Items() {
		if it.Seq > 0 {
			v.costs[it.Seq] += it.Tokens
		}
		if e := c.entry(it.Seq); e != nil && it.Fate == tenfold.Kept {
			for _, l := range e.lines {
				v.lines = append(v.lines, viewLine{it.Seq, l})
			}
			continue
		}
		put := func(text string) { v.lines = append(v.lines, viewLine{it.Seq, c.session.known(text)}) }
		if call, ok := it.Payload.(tenfold.ToolCall); ok {
			e, _ := c.log.Entry(it.Seq)
			raw, _ := e.Payload.(tenfold.ToolCall)
			renderCall(call, bodiesOf(raw), put)
			continue
		}
		render(it.Payload, put)
	}
	// Summaries may stand in the system prompt (P4), whose cost is left out
	// and theirs is not.
	if rest, ok := strings.CutPrefix(p.Config().System, strings.TrimRight(c.projection.Config().System, "\n")); ok {
		eachLine(rest, func(text string) { v.lines = append(v.lines, viewLine{0, c.session.known(text)}) })
	}
	return v
}

// ViewOfLines makes the view that is a list of lines, each of which costs its
// tokens and a line end.
func (c *Cut) ViewOfLines(lines []Line) *View {
	v := &View{cut: c, costs: map[int64]int{}}
	for _, one := range lines {
		eachLine(one.Text, func(text string) {
			v.put(one.Seq, c.session.known(text))
		})
	}
	return v
}

// put adds a line that costs what it costs by itself.
func (v *View) put(seq int64, line int32) {
	cost := v.cut.session.cost(line)
	v.lines = append(v.lines, viewLine{seq, line})
	v.costs[seq] += cost
	v.Tokens += cost
}

// known gives the number of a line, which may be a part of a text that is not
// kept.
func (s *Session) known(text string) int32 {
	if id, ok := s.lineOf[text]; ok {
		return id
	}
	return s.intern(strings.Clone(text))
}
