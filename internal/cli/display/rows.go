package display

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
)

// PrintLabelled prints a line of the report. On a narrow terminal its text continues
// below itself.
func PrintLabelled(a *command.App, label, text string) {
	const indent = 11
	head := a.Paint(terminal.Bold, label) + terminal.Pad("", indent-len(label))
	lines := []string{text}
	if a.Width > indent+20 {
		lines = terminal.Wrap(text, a.Width-indent)
	}
	for _, line := range lines {
		a.Printf("%s%s\n", head, line)
		head = terminal.Pad("", indent)
	}
}

// Row is a line of the report.
type Row struct {
	Label, Where  string
	Before, After int
	Changed       bool
	Words         []string
}

// TotalRow is the row for a sum, with how much smaller it became.
func TotalRow(label, where string, all report.Tokens) Row {
	w := Row{Label: label, Where: where, Before: all.Before, After: all.After, Changed: all.Before != all.After}
	if words := number.Smaller(all.Before, all.After); words != "" {
		w.Words = []string{"(" + words + ")"}
	}
	return w
}

// PrintRows prints rows in aligned columns. Where they are wider than the terminal,
// the last column moves to lines of its own, then the numbers.
func PrintRows(a *command.App, rows []Row) {
	var label, where, before, after int
	for _, w := range rows {
		label = max(label, len(w.Label))
		where = max(where, ansi.StringWidth(w.Where))
		before = max(before, len(number.Thousands(w.Before)))
		after = max(after, ansi.StringWidth(w.afterWords()))
	}
	gap := 5
	if a.Width > 0 && label+2+where+gap+before+after+2+18 > a.Width {
		gap = 2
	}
	indent := label + 2
	below := a.Width > 0 && indent+where+gap+before+after > a.Width
	for _, w := range rows {
		c := terminal.Bold
		switch w.Label {
		case "Compacted":
			c = terminal.Green
		case "Kept", "System":
			c = terminal.Faint
		}
		head := a.Paint(c, terminal.Pad(w.Label, label)) + "  "
		numbers, words, tail := terminal.Pad(w.Where, where)+strings.Repeat(" ", gap)+terminal.PadLeft(number.Thousands(w.Before), before), w.afterWords(), strings.Join(w.Words, "   ")
		if below {
			numbers = number.Thousands(w.Before)
			if w.Where != "" {
				a.Line(indent, head+w.Where)
				head = terminal.Pad("", indent)
			}
		}
		if tail != "" && (a.Width == 0 || indent+ansi.StringWidth(numbers)+after+2+ansi.StringWidth(tail) <= a.Width) {
			a.Printf("%s%s%s  %s\n", head, numbers, terminal.Pad(words, after), tail)
			continue
		}
		a.Line(indent, head+numbers+words)
		for _, part := range w.Words {
			a.Line(indent+1, terminal.Pad("", indent)+a.Paint(terminal.Faint, part))
		}
	}
}

// afterWords is what follows the first number.
func (w Row) afterWords() string {
	switch {
	case w.Changed:
		return " → " + number.Thousands(w.After) + " tokens"
	case w.Before == 1:
		return " token"
	}
	return " tokens"
}
