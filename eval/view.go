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
		v.add(it.Seq, textOf(it.Payload))
	}
	// Summaries may stand in the system prompt (P4), whose cost is left out
	// and theirs is not.
	if rest, ok := strings.CutPrefix(p.Config().System, strings.TrimRight(c.projection.Config().System, "\n")); ok && rest != "" {
		v.add(0, rest)
	}
	return v
}

// add shows a text.
func (v *View) add(seq int64, text string) {
	for _, l := range v.cut.session.linesOf(text) {
		v.lines = append(v.lines, viewLine{seq, l})
	}
}

// ViewOfLines makes the view that is a list of lines, each of which costs its
// tokens and a line end.
func (c *Cut) ViewOfLines(lines []Line) *View {
	v := &View{cut: c, costs: map[int64]int{}}
	for _, one := range lines {
		for _, l := range c.session.linesOf(one.Text) {
			v.put(one.Seq, l)
		}
	}
	return v
}

// text is all of the view, as edits are compared.
func (v *View) text() string {
	var b strings.Builder
	for _, l := range v.lines {
		b.WriteString(v.cut.session.lines[l.line].text)
		b.WriteByte('\n')
	}
	return plain(b.String())
}

// put adds a line that costs what it costs by itself.
func (v *View) put(seq int64, line int32) {
	cost := v.cut.session.cost(line)
	v.lines = append(v.lines, viewLine{seq, line})
	v.costs[seq] += cost
	v.Tokens += cost
}
