// Package picture draws what a compaction did to a conversation: a strip of its
// tokens as they were, and one of those that a model still sees, to the same
// scale.
package picture

import (
	"fmt"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/token"
)

// The classes of tokens, in the order of the legend.
const (
	system = iota
	person
	agent
	reasoning
	calls
	results
	added
	classes
)

var legend = [classes]struct{ name, colour string }{
	{"system prompt and tools", "#64748b"},
	{"messages of the person", "#2563eb"},
	{"answers of the agent", "#059669"},
	{"reasoning", "#a855f7"},
	{"tool calls", "#ea580c"},
	{"tool results", "#eab308"},
	{"summaries and notes", "#db2777"},
}

// The picture's measures, in pixels. A strip is drawn in columns, each in the
// colour of what most of its tokens are, so that no conversation is too long.
const (
	width     = 960
	margin    = 24
	inner     = width - 2*margin
	strip     = 44
	topStrip  = 62
	lowStrip  = 178
	legendRow = 276
	rowHeight = 24
	columns   = 2 * inner
)

// piece is a run of tokens of one class; gone if no model sees them any more.
type piece struct {
	class, tokens int
	gone          bool
}

// SVG draws a conversation and its projection. Both sums are those of
// [tenfold.Totals.All]; figures are those of the scale (T3).
func SVG(p *tenfold.Projection, scale token.Scale) string {
	before, after := pieces(p)
	return draw(before, after, p.Totals().All(), scale)
}

// pieces gives what the strips show, in order.
func pieces(p *tenfold.Projection) (before, after []piece) {
	totals := p.Totals()
	before = append(before, piece{class: system, tokens: totals.Config.Before})
	after = append(after, piece{class: system, tokens: totals.Config.After})
	for e := range p.Log().Entries() {
		if !p.Reads(e.Seq) || !e.Payload.Kind().Visible() {
			continue
		}
		_, _, left := p.Fate(e.Seq)
		class := classOf(e.Payload)
		before = append(before, piece{class, e.Tokens - min(left, e.Tokens), true}, piece{class, min(left, e.Tokens), false})
	}
	inPrompt := totals.Added.After // what summaries put into the system prompt, and the note, are not items
	after = append(after, piece{class: added})
	for item := range p.Items() {
		class, tokens := classOf(item.Payload), item.Tokens
		switch {
		case item.Seq == 0:
			class = added
			inPrompt -= tokens
		case item.Noted: // the note stands with what else is added
			tokens -= p.Log().Counter().Count(p.Note())
		}
		after = append(after, piece{class: class, tokens: tokens})
	}
	after[1].tokens = inPrompt
	return before, after
}

func classOf(p tenfold.Payload) int {
	switch p := p.(type) {
	case tenfold.UserMessage:
		if !p.IsRequest() {
			return added
		}
		return person
	case tenfold.Reasoning:
		return reasoning
	case tenfold.ToolCall:
		return calls
	case tenfold.ToolResult:
		return results
	}
	return agent
}

func draw(before, after []piece, sum tenfold.Count, scale token.Scale) string {
	sum = scale.Counts(sum)[0]
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	saved := number.Smaller(sum.Before, sum.After)
	if saved != "" {
		saved = ", " + saved
	}
	height := legendRow + (classes+1)/2*rowHeight + margin - rowHeight/2
	short := 0.0
	if sum.Before > 0 {
		short = float64(inner) * min(1, float64(sum.After)/float64(sum.Before))
	}
	line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="15" role="img">`, width, height)
	line(`<title>%s tokens before compaction, %s after</title>`, number.Thousands(sum.Before), number.Thousands(sum.After))
	line(`<rect width="%d" height="%d" rx="12" fill="#ffffff"/>`, width, height)
	line(`<text x="%d" y="%d" fill="#0f172a"><tspan font-weight="600">Before</tspan>  %s tokens</text>`, margin, topStrip-16, number.Thousands(sum.Before))
	bars(&b, before, topStrip, inner)
	line(`<path d="M%d %dH%dL%s %dH%dz" fill="#e2e8f0"/>`, margin, topStrip+strip, margin+inner, decimal(margin+short), lowStrip, margin)
	bars(&b, after, lowStrip, short)
	line(`<text x="%d" y="%d" fill="#0f172a"><tspan font-weight="600">After</tspan>  %s tokens%s</text>`,
		margin, lowStrip+strip+24, number.Thousands(sum.After), saved)
	shares := scale.Counts(sums(before, after)...)
	shown := 0
	for class, l := range legend {
		c := shares[class]
		if c.Before == 0 && c.After == 0 {
			continue
		}
		x, y := margin+shown%2*(inner/2), legendRow+shown/2*rowHeight
		line(`<rect x="%d" y="%d" width="12" height="12" rx="3" fill="%s"/>`, x, y-11, l.colour)
		line(`<text x="%d" y="%d" fill="#334155">%s: %s → %s</text>`, x+20, y, l.name, number.Thousands(c.Before), number.Thousands(c.After))
		shown++
	}
	line(`</svg>`)
	return b.String()
}

// bars draws a strip of the given length. What is gone is paler.
func bars(b *strings.Builder, pieces []piece, y int, length float64) {
	sum := 0
	for _, p := range pieces {
		sum += p.tokens
	}
	if sum == 0 {
		return
	}
	n := max(1, int(length*columns/inner))
	step := length / float64(n)
	run, from := -1, 0
	flush := func(to int) {
		if run < 0 {
			return
		}
		faint := ""
		if run >= classes {
			faint = ` opacity=".28"`
		}
		fmt.Fprintf(b, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"%s/>\n",
			decimal(margin+float64(from)*step), y, decimal(float64(to-from)*step), strip, legend[run%classes].colour, faint)
	}
	var tokens [2 * classes]int
	column, at := 0, 0
	next := func() {
		best := 0
		for c, t := range tokens {
			if t > tokens[best] {
				best = c
			}
		}
		tokens = [2 * classes]int{}
		if best != run {
			flush(column)
			run, from = best, column
		}
		column++
	}
	for _, p := range pieces {
		class := p.class
		if p.gone {
			class += classes
		}
		for left := p.tokens; left > 0; {
			end := int(int64(sum) * int64(column+1) / int64(n))
			part := min(left, max(end-at, 0))
			tokens[class] += part
			at, left = at+part, left-part
			if at >= end {
				next()
			}
		}
	}
	flush(n)
}

// sums adds up the tokens of each class.
func sums(before, after []piece) []tenfold.Count {
	counts := make([]tenfold.Count, classes)
	for _, p := range before {
		counts[p.class].Before += p.tokens
	}
	for _, p := range after {
		counts[p.class].After += p.tokens
	}
	return counts
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
