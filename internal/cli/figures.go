package cli

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/eval"
)

// proseWidth is the maximum width of prose.
const proseWidth = 100

// figures prints a table of figures. Columns that do not fit go below, with the
// names repeated.
func (a *app) figures(t eval.Table) {
	a.line(0, a.paint(bold, visibleLine(t.Title)))
	width := a.width
	prose := proseWidth
	if width > 0 {
		prose = min(prose, width)
	}
	if t.About != "" {
		for line := range strings.SplitSeq(fill(visibleLine(t.About), prose), "\n") {
			a.printf("%s\n", a.paint(faint, line))
		}
	}
	widths := make([]int, len(t.Columns))
	names := 0
	for i, head := range t.Columns {
		widths[i] = ansi.StringWidth(visibleLine(head))
	}
	for _, row := range t.Rows {
		names = max(names, ansi.StringWidth(visible(row.Name)))
		for i, cell := range row.Cells {
			widths[i] = max(widths[i], ansi.StringWidth(visibleLine(cell)))
		}
	}
	if width > 0 {
		names = min(names, max(width/2, 20))
	}
	for from := 0; from < len(widths); {
		to, at := from, names
		for to < len(widths) && (to == from || width == 0 || at+2+widths[to] <= width) {
			at += 2 + widths[to]
			to++
		}
		line := strings.Repeat(" ", names)
		for i := from; i < to; i++ {
			line += "  " + padLeft(visibleLine(t.Columns[i]), widths[i])
		}
		a.printf("%s\n", a.paint(faint, line))
		for _, row := range t.Rows {
			line := pad(ansi.Truncate(visible(row.Name), names, "…"), names)
			for i := from; i < min(to, len(row.Cells)); i++ {
				line += "  " + padLeft(visibleLine(row.Cells[i]), widths[i])
			}
			a.printf("%s\n", strings.TrimRight(line, " "))
		}
		if from = to; from < len(widths) {
			a.printf("\n")
		}
	}
}
