package eval

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The frame of the plot, in pixels.
const (
	plotWidth, plotHeight   = 860, 520
	plotLeft, plotRight     = 64, 232
	plotTop, plotBottom     = 64, 72
	plotInnerWidth          = plotWidth - plotLeft - plotRight
	plotInnerHeight         = plotHeight - plotTop - plotBottom
	legendX, legendStep     = plotWidth - plotRight + 28, 24
	markerSize, focusMarker = 4.2, 5.2
)

// plotSeries is one line of the plot, or one point.
type plotSeries struct {
	family string
	rows   []Row
	shape  int
	class  string
}

// Plot draws what is kept, on a logarithmic axis, against CUR: a line for each
// family of policies through its targets, a point for each that has no target.
// It is an SVG of its own, readable on light and dark ground. Policies that lack
// an ingredient are left to their table.
func (r *Result) Plot(s Summary) string {
	p := plot{series: r.series(s.Groups[0]), horizon: r.Options.Main()}
	p.least = 0.05
	for _, line := range p.series {
		for _, row := range line.rows {
			p.least = min(p.least, row.Kept.Mean)
		}
	}
	p.least = floorTick(p.least)
	p.open(s)
	p.axes()
	for _, line := range p.series {
		p.line(line)
	}
	p.legend()
	p.out.WriteString("</svg>\n")
	return p.out.String()
}

// series joins the rows of the main horizon to lines; the family that matters
// most comes last, so that it lies on top.
func (r *Result) series(g Group) []plotSeries {
	var list []plotSeries
	focus := familyOfPolicy(r.Options.Focus())
	for _, row := range g.Rows {
		if row.Horizon != r.Options.Main() || !row.CUR.OK() || row.Kept.Mean <= 0 || strings.Contains(row.Policy, withoutKey) {
			continue
		}
		i := slices.IndexFunc(list, func(p plotSeries) bool { return p.family == row.Family })
		if i < 0 {
			i = len(list)
			list = append(list, plotSeries{family: row.Family})
		}
		list[i].rows = append(list[i].rows, row)
	}
	for i := range list {
		list[i].shape = i
		list[i].class = fmt.Sprintf("c%d", i%plotColours)
		switch {
		case list[i].family == focus:
			list[i].class, list[i].shape = "focus", 0
		case strings.HasPrefix(list[i].family, "clairvoyant"), list[i].family == "none":
			list[i].class += " bound"
		}
		slices.SortStableFunc(list[i].rows, func(a, b Row) int { return cmp.Compare(a.Kept.Mean, b.Kept.Mean) })
	}
	slices.SortStableFunc(list, func(a, b plotSeries) int {
		return cmp.Compare(boolInt(a.family == focus), boolInt(b.family == focus))
	})
	return list
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func familyOfPolicy(text string) string {
	name, parameters, _ := strings.Cut(text, ":")
	return familyOf(name, parameters)
}

// plot is an SVG under way.
type plot struct {
	out     strings.Builder
	series  []plotSeries
	horizon int
	least   float64 // the left end of the axis
}

// ticks are where the axis of what is kept has its marks.
func ticks() []float64 {
	return []float64{.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1}
}

// floorTick is the last mark below a share.
func floorTick(share float64) float64 {
	at := ticks()[0]
	for _, t := range ticks() {
		if t < share {
			at = t
		}
	}
	return at
}

func (p *plot) x(kept float64) float64 {
	span := math.Log(1) - math.Log(p.least)
	return plotLeft + plotInnerWidth*(math.Log(min(max(kept, p.least), 1))-math.Log(p.least))/span
}

func (p *plot) y(cur float64) float64 { return plotTop + plotInnerHeight*(1-cur) }

func (p *plot) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// plotColours is how many colours there are for what is not the focus.
const plotColours = 7

// The colours are told apart by people who see few of them, and shapes differ as
// well.
const plotStyle = `<style>
.frontier{--paper:#ffffff;--ink:#1f2328;--soft:#59636e;--rule:#e4e7eb;--focus:#0b6e4f;--c0:#8a6d00;--c1:#b3541e;--c2:#3b6fb6;--c3:#8b3fa0;--c4:#a33a55;--c5:#4f5b66;--c6:#1b7f8c;
font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px}
@media (prefers-color-scheme:dark){.frontier{--paper:#14181d;--ink:#e6e9ec;--soft:#9aa4ae;--rule:#2b323a;--focus:#4fd1a5;--c0:#d9b64a;--c1:#f0955c;--c2:#82b1f0;--c3:#cf95e0;--c4:#f08ba3;--c5:#aeb8c2;--c6:#6fcfdb}}
.frontier .paper{fill:var(--paper)}.frontier text{fill:var(--ink)}.frontier .soft{fill:var(--soft)}.frontier .head{font-size:16px;font-weight:600}
.frontier .rule{stroke:var(--rule);stroke-width:1}.frontier .axis{stroke:var(--soft);stroke-width:1}
.frontier .line{fill:none;stroke:var(--own);stroke-width:1.6;stroke-linejoin:round}.frontier .bound .line{stroke-dasharray:5 4}
.frontier .mark{fill:var(--own);stroke:var(--paper);stroke-width:1}
.frontier .focus{--own:var(--focus)}.frontier .focus .line{stroke-width:2.8}.frontier .focus .band{fill:var(--own);opacity:.14}.frontier .focus text.name{font-weight:600}
.frontier .c0{--own:var(--c0)}.frontier .c1{--own:var(--c1)}.frontier .c2{--own:var(--c2)}.frontier .c3{--own:var(--c3)}.frontier .c4{--own:var(--c4)}.frontier .c5{--own:var(--c5)}.frontier .c6{--own:var(--c6)}
.frontier .value{font-size:11.5px;font-weight:600;fill:var(--own);paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
</style>
`

func (p *plot) open(s Summary) {
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="frontier" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="frontier-title frontier-desc">`+"\n",
		plotWidth, plotHeight, plotWidth, plotHeight)
	p.printf("<title id=\"frontier-title\">Tokens kept against recall</title>\n")
	p.printf("<desc id=\"frontier-desc\">")
	for i, line := range p.series {
		if i > 0 {
			p.printf("; ")
		}
		p.printf("%s:", escaped(line.family))
		for _, row := range line.rows {
			p.printf(" %s %.3f", percent(row.Kept.Mean), row.CUR.Mean)
		}
	}
	p.printf("</desc>\n%s", plotStyle)
	p.printf(`<rect class="paper" width="%d" height="%d"/>`+"\n", plotWidth, plotHeight)
	p.printf(`<text class="head" x="%d" y="28">What is kept, and what of it was needed</text>`+"\n", plotLeft)
	p.printf(`<text class="soft" x="%d" y="48">CUR over %s; %s of %s</text>`+"\n", plotLeft,
		horizonWords(p.horizon), counted(s.Sessions, "session"), counted(s.Sources, "source"))
}

func (p *plot) axes() {
	bottom := p.y(0)
	for i := 0; i <= 10; i += 2 {
		y := p.y(float64(i) / 10)
		p.printf(`<line class="rule" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, plotLeft, plotLeft+plotInnerWidth, y, y)
		p.printf(`<text class="soft" x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", plotLeft-10, y+4.5, float64(i)/10)
	}
	for _, t := range ticks() {
		if t < p.least {
			continue
		}
		x := p.x(t)
		p.printf(`<line class="rule" x1="%.1f" x2="%.1f" y1="%d" y2="%.1f"/>`, x, x, plotTop, bottom)
		p.printf(`<text class="soft" x="%.1f" y="%.1f" text-anchor="middle">%g %%</text>`+"\n", x, bottom+20, t*100)
	}
	p.printf(`<line class="axis" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+"\n", plotLeft, plotLeft+plotInnerWidth, bottom, bottom)
	p.printf(`<text x="%.1f" y="%.1f" text-anchor="middle">tokens kept, share of the conversation</text>`+"\n", plotLeft+plotInnerWidth/2.0, bottom+46)
	middle := plotTop + plotInnerHeight/2.0
	p.printf(`<text x="20" y="%.1f" text-anchor="middle" transform="rotate(-90 20 %.1f)">CUR</text>`+"\n", middle, middle)
}

func (p *plot) line(s plotSeries) {
	p.printf(`<g class="%s">`, s.class)
	focus := s.class == "focus"
	size := markerSize
	if focus {
		size = focusMarker
	}
	if focus && len(s.rows) > 1 {
		p.printf(`<polygon class="band" points="`)
		for _, row := range s.rows {
			p.printf("%.1f,%.1f ", p.x(row.Kept.Mean), p.y(row.CUR.High))
		}
		for _, row := range slices.Backward(s.rows) {
			p.printf("%.1f,%.1f ", p.x(row.Kept.Mean), p.y(row.CUR.Low))
		}
		p.printf(`"/>`)
	}
	if len(s.rows) > 1 {
		p.printf(`<polyline class="line" points="`)
		for _, row := range s.rows {
			p.printf("%.1f,%.1f ", p.x(row.Kept.Mean), p.y(row.CUR.Mean))
		}
		p.printf(`"/>`)
	}
	for _, row := range s.rows {
		x, y := p.x(row.Kept.Mean), p.y(row.CUR.Mean)
		p.printf(`<path class="mark" d="%s"><title>%s: kept %s, CUR %.3f</title></path>`, marker(s.shape, x, y, size), escaped(row.Policy), percent(row.Kept.Mean), row.CUR.Mean)
	}
	if focus {
		p.values(s.rows)
	}
	p.printf("</g>\n")
}

// box is a piece of the plot that is taken.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

// How large a recall is as it is written.
const valueWide, valueHigh = 27, 13

// values writes the recalls of a line beside its points, where there is room.
func (p *plot) values(rows []Row) {
	var taken []box
	for _, row := range rows {
		x, y := p.x(row.Kept.Mean), p.y(row.CUR.Mean)
		taken = append(taken, box{x - focusMarker, y - focusMarker, x + focusMarker, y + focusMarker})
	}
	for _, row := range rows {
		x, y := p.x(row.Kept.Mean), p.y(row.CUR.Mean)
		for _, at := range []box{ // left and bottom say where the text begins
			{left: x - 9 - valueWide, bottom: y - 5},
			{left: x + 9, bottom: y + 15},
			{left: x + 10, bottom: y + 5},
			{left: x - valueWide/2.0, bottom: y - 9},
			{left: x - valueWide/2.0, bottom: y + 21},
		} {
			at.right, at.top = at.left+valueWide, at.bottom-valueHigh
			if !slices.ContainsFunc(taken, at.meets) {
				taken = append(taken, at)
				p.printf(`<text class="value" x="%.1f" y="%.1f">%s</text>`, at.left, at.bottom-2, strings.TrimPrefix(fmt.Sprintf("%.2f", row.CUR.Mean), "0"))
				break
			}
		}
	}
}

// legend names the lines, the best first.
func (p *plot) legend() {
	list := slices.Clone(p.series)
	best := func(s plotSeries) float64 { return s.rows[len(s.rows)-1].CUR.Mean }
	slices.SortStableFunc(list, func(a, b plotSeries) int {
		return cmp.Or(cmp.Compare(boolInt(b.class == "focus"), boolInt(a.class == "focus")), cmp.Compare(best(b), best(a)), cmp.Compare(a.family, b.family))
	})
	for i, s := range list {
		y := float64(plotTop + 8 + i*legendStep)
		p.printf(`<g class="%s">`, s.class)
		if len(s.rows) > 1 {
			p.printf(`<line class="line" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, legendX-12, legendX+12, y, y)
		}
		p.printf(`<path class="mark" d="%s"/>`, marker(s.shape, legendX, y, markerSize))
		p.printf(`<text class="name" x="%d" y="%.1f">%s</text></g>`+"\n", legendX+20, y+4.5, escaped(short(s.family, 26)))
	}
}

// marker draws one of the shapes that tell lines apart without colour.
func marker(shape int, x, y, r float64) string {
	at := func(dx, dy float64) string { return fmt.Sprintf("%.1f %.1f", x+dx*r, y+dy*r) }
	switch shape % 6 {
	case 1:
		return "M" + at(-.9, -.9) + "L" + at(.9, -.9) + "L" + at(.9, .9) + "L" + at(-.9, .9) + "Z"
	case 2:
		return "M" + at(0, -1.25) + "L" + at(1.15, .85) + "L" + at(-1.15, .85) + "Z"
	case 3:
		return "M" + at(0, -1.3) + "L" + at(1.3, 0) + "L" + at(0, 1.3) + "L" + at(-1.3, 0) + "Z"
	case 4:
		return "M" + at(0, 1.25) + "L" + at(1.15, -.85) + "L" + at(-1.15, -.85) + "Z"
	case 5:
		return "M" + at(-1.2, -.45) + "L" + at(-.45, -.45) + "L" + at(-.45, -1.2) + "L" + at(.45, -1.2) + "L" + at(.45, -.45) + "L" + at(1.2, -.45) +
			"L" + at(1.2, .45) + "L" + at(.45, .45) + "L" + at(.45, 1.2) + "L" + at(-.45, 1.2) + "L" + at(-.45, .45) + "L" + at(-1.2, .45) + "Z"
	}
	return fmt.Sprintf("M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 -%.1f 0Z", x-r, y, r, r, 2*r, r, r, 2*r)
}

// escaped makes a text fit for XML, and shows what could not be seen.
func escaped(s string) string { return html.EscapeString(printable(s)) }

// short cuts a text to so many characters.
func short(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
