package eval

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"text/template"
)

// Where the plane of the plot lies in plot.svg, in pixels, and its legend.
const (
	plotLeft, plotTop       = 64, 64
	plotWidth, plotHeight   = 420, 384
	panelShift              = 470
	legendX, legendStep     = 986, 24
	markerSize, focusMarker = 4.2, 5.2
)

// plotColours is how many colours there are for what is not the focus.
const plotColours = 7

//go:embed plot.svg
var plotSVG string

// plotSeries is one line of the plot, or one point, as plot.svg draws it.
type plotSeries struct {
	Family, Class string
	Points        []plotPoint
	// Band and Line are the points of their outlines; empty for a single point.
	Band, Line string
	Values     []plotValue

	rows  []Row
	shape int
}

// plotPanel is one of the two planes, of a measure each.
type plotPanel struct {
	Name       string
	Shift      float64
	Series     []plotSeries
	Across, Up []plotTick
}

type plotPoint struct{ Policy, Kept, Value, Mark string }

// plotValue is a recall as it is written beside its point.
type plotValue struct {
	X, Y float64
	Text string
}

// plotLegend is the line of the legend that names a series.
type plotLegend struct {
	plotSeries
	Y, TextY    float64
	Mark, Short string
}

// plotTick is a mark of an axis.
type plotTick struct {
	At, Text float64
	Name     string
}

// Plot draws what is kept, on a logarithmic axis, against CUR and, beside it,
// against EDR: a line for each family of policies through its targets, a point
// for each that has no target. It is an SVG of its own, readable on light and
// dark ground: colours are told apart by people who see few of them, and shapes
// differ as well. Single policies that lack an ingredient are left to their
// table.
func (r *Result) Plot(s Summary) (string, error) {
	page, err := template.New("plot").Funcs(template.FuncMap{
		"escape": func(s string) string { return html.EscapeString(printable(s)) },
		"px":     func(f float64) string { return fmt.Sprintf("%.1f", f) },
	}).Parse(plotSVG)
	if err != nil {
		return "", fmt.Errorf("read the plot's template: %w", err)
	}
	least := 0.05
	for _, one := range r.series(s.Groups[0]) {
		for _, row := range one.rows {
			least = min(least, row.Figures[Kept].Mean)
		}
	}
	ticks := ticksFrom(least)
	var panels []plotPanel
	for i, m := range recalls() {
		p := plane{ticks[0], m}
		panel := plotPanel{Name: m.info().column, Shift: float64(i * panelShift), Series: r.series(s.Groups[0])}
		for j := range panel.Series {
			p.draw(&panel.Series[j])
		}
		for j := 0; j <= 10; j += 2 {
			y := p.y(float64(j) / 10)
			panel.Across = append(panel.Across, plotTick{y, y + 4.5, fmt.Sprintf("%.1f", float64(j)/10)})
		}
		for _, t := range ticks {
			panel.Up = append(panel.Up, plotTick{At: p.x(t), Name: fmt.Sprintf("%g %%", t*100)})
		}
		panels = append(panels, panel)
	}
	var out strings.Builder
	err = page.Execute(&out, map[string]any{
		"Panels": panels, "Legend": legend(panels[0].Series),
		"Over": fmt.Sprintf("%s; %s of %s", horizonWords(r.Options.Main()), counted(s.Sessions, "session"), counted(s.Sources, "source")),
	})
	return out.String(), err
}

// series joins the rows of the main horizon to lines; the family that matters
// most comes last, so that it lies on top.
func (r *Result) series(g Group) []plotSeries {
	var list []plotSeries
	focus := familyOfPolicy(r.Options.Focus())
	for _, row := range g.Rows {
		if row.Horizon != r.Options.Main() || !row.Figures[CUR].OK() || row.Figures[Kept].Mean <= 0 || r.single(row) {
			continue
		}
		i := slices.IndexFunc(list, func(p plotSeries) bool { return p.Family == row.Family })
		if i < 0 {
			i = len(list)
			list = append(list, plotSeries{Family: row.Family})
		}
		list[i].rows = append(list[i].rows, row)
	}
	for i := range list {
		list[i].shape = i
		list[i].Class = fmt.Sprintf("c%d", i%plotColours)
		switch {
		case list[i].Family == focus:
			list[i].Class, list[i].shape = "focus", 0
		case strings.HasPrefix(list[i].Family, "clairvoyant"), list[i].Family == "none":
			list[i].Class += " bound"
		}
		slices.SortStableFunc(list[i].rows, func(a, b Row) int { return cmp.Compare(a.Figures[Kept].Mean, b.Figures[Kept].Mean) })
	}
	slices.SortStableFunc(list, func(a, b plotSeries) int {
		return cmp.Compare(boolInt(a.Family == focus), boolInt(b.Family == focus))
	})
	return list
}

// single reports whether a row is one of a policy that lacks an ingredient, with
// no other target to make a line of.
func (r *Result) single(row Row) bool {
	others := func(p Policy) bool { return p.family == row.Family && p.text != row.Policy }
	return strings.Contains(row.Policy, withoutKey) && !slices.ContainsFunc(r.Options.Policies, others)
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

// ticksFrom gives the marks of the axis, from the last one below a share on.
func ticksFrom(share float64) []float64 {
	ticks := []float64{.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1}
	for len(ticks) > 1 && ticks[1] < share {
		ticks = ticks[1:]
	}
	return ticks
}

// plane places figures in the plot.
type plane struct {
	least float64 // the left end of the axis
	of    Measure
}

func (p plane) x(kept float64) float64 {
	return plotLeft + plotWidth*(1-math.Log(min(max(kept, p.least), 1))/math.Log(p.least))
}

func (p plane) y(recall float64) float64 { return plotTop + plotHeight*(1-recall) }

func (p plane) at(kept, recall float64) string {
	return fmt.Sprintf("%.1f,%.1f ", p.x(kept), p.y(recall))
}

// draw works out what plot.svg writes of a series.
func (p plane) draw(s *plotSeries) {
	focus, size := s.Class == "focus", markerSize
	if focus {
		size = focusMarker
		s.Values = p.values(s.rows)
	}
	var back string
	for _, row := range s.rows {
		e := row.Figures[p.of]
		if !e.OK() {
			continue
		}
		kept, cur := row.Figures[Kept].Mean, e.Mean
		s.Points = append(s.Points, plotPoint{row.Policy, percent(kept), fmt.Sprintf("%.3f", cur), marker(s.shape, p.x(kept), p.y(cur), size)})
		if len(s.rows) > 1 {
			s.Line += p.at(kept, cur)
			if focus {
				s.Band, back = s.Band+p.at(kept, e.High), p.at(kept, e.Low)+back
			}
		}
	}
	s.Band += back
}

// box is a piece of the plot that is taken.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

// How large a recall is as it is written.
const valueWide, valueHigh = 27, 13

// values writes the recalls of a line beside its points, where there is room.
func (p plane) values(rows []Row) []plotValue {
	var taken []box
	var out []plotValue
	rows = slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return !row.Figures[p.of].OK() })
	for _, row := range rows {
		x, y := p.x(row.Figures[Kept].Mean), p.y(row.Figures[p.of].Mean)
		taken = append(taken, box{x - focusMarker, y - focusMarker, x + focusMarker, y + focusMarker})
	}
	for _, row := range rows {
		x, y := p.x(row.Figures[Kept].Mean), p.y(row.Figures[p.of].Mean)
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
				out = append(out, plotValue{at.left, at.bottom - 2, strings.TrimPrefix(fmt.Sprintf("%.2f", row.Figures[p.of].Mean), "0")})
				break
			}
		}
	}
	return out
}

// legend names the series, the focus first and then the best.
func legend(series []plotSeries) []plotLegend {
	list := slices.Clone(series)
	best := func(s plotSeries) float64 { return s.rows[len(s.rows)-1].Figures[CUR].Mean }
	slices.SortStableFunc(list, func(a, b plotSeries) int {
		return cmp.Or(cmp.Compare(boolInt(b.Class == "focus"), boolInt(a.Class == "focus")), cmp.Compare(best(b), best(a)), cmp.Compare(a.Family, b.Family))
	})
	var out []plotLegend
	for i, s := range list {
		y := float64(plotTop + 8 + i*legendStep)
		out = append(out, plotLegend{s, y, y + 4.5, marker(s.shape, legendX, y, markerSize), short(s.Family, 26)})
	}
	return out
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

// short cuts a text to so many characters.
func short(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
