package display

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/eval"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// ProseWidth is the maximum width of prose.
const ProseWidth = 100

// PrintTable prints a table of figures. Columns that do not fit go below, with the
// names repeated.
func PrintTable(a *command.App, t eval.Table) {
	a.Line(0, a.Paint(terminal.Bold, terminal.VisibleLine(t.Title)))
	width := a.Width
	prose := ProseWidth
	if width > 0 {
		prose = min(prose, width)
	}
	if t.About != "" {
		for line := range strings.SplitSeq(terminal.Fill(terminal.VisibleLine(t.About), prose), "\n") {
			a.Printf("%s\n", a.Paint(terminal.Faint, line))
		}
	}
	widths := make([]int, len(t.Columns))
	names := 0
	for i, head := range t.Columns {
		widths[i] = ansi.StringWidth(terminal.VisibleLine(head))
	}
	for _, row := range t.Rows {
		names = max(names, ansi.StringWidth(terminal.Visible(row.Name)))
		for i, cell := range row.Cells {
			widths[i] = max(widths[i], ansi.StringWidth(terminal.VisibleLine(cell)))
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
			line += "  " + terminal.PadLeft(terminal.VisibleLine(t.Columns[i]), widths[i])
		}
		a.Printf("%s\n", a.Paint(terminal.Faint, line))
		for _, row := range t.Rows {
			line := terminal.Pad(ansi.Truncate(terminal.Visible(row.Name), names, "…"), names)
			for i := from; i < min(to, len(row.Cells)); i++ {
				line += "  " + terminal.PadLeft(terminal.VisibleLine(row.Cells[i]), widths[i])
			}
			a.Printf("%s\n", strings.TrimRight(line, " "))
		}
		if from = to; from < len(widths) {
			a.Printf("\n")
		}
	}
}
