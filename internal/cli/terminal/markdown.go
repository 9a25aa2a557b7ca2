package terminal

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// markdown renders what a model said for a terminal with colours. It keeps line
// breaks, and the bars of tables that are too wide. The text must be made visible before,
// so that nothing in it controls the terminal.
type markdown struct {
	*Terminal
	source []byte
	out    strings.Builder
}

// MarkdownLimit is the longest text that is rendered, in bytes.
const MarkdownLimit = 256 << 10

var parser = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// MarkdownLines renders a Markdown text as lines of at most so many columns.
func (t *Terminal) MarkdownLines(source string, width int) []string {
	m := &markdown{Terminal: t, source: []byte(source)}
	m.blocks(parser.Parse(text.NewReader(m.source)), "", width)
	return strings.Split(strings.Trim(m.out.String(), "\n"), "\n")
}

// blocks writes the blocks in a node, with a prefix in front of each line.
func (m *markdown) blocks(parent ast.Node, prefix string, width int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		_, table := n.(*tables.Table) // which forgets the line before it
		if n.PreviousSibling() != nil && (n.HasBlankPreviousLines() || table) {
			m.line(prefix, "")
		}
		m.block(n, prefix, width)
	}
}

func (m *markdown) block(n ast.Node, prefix string, width int) {
	switch n := n.(type) {
	case *ast.Heading:
		m.wrapped(prefix, m.styled(m.inlines(n), Bold), width)
	case *ast.Blockquote:
		m.blocks(n, prefix+m.Paint(Faint, "│ "), width-2)
	case *ast.List:
		m.list(n, prefix, width)
	case *ast.FencedCodeBlock:
		m.code(n, prefix)
	case *ast.CodeBlock:
		m.code(n, prefix)
	case *ast.HTMLBlock:
		m.raw(n, prefix)
	case *tables.Table:
		m.table(n, prefix, width)
	case *ast.ThematicBreak:
		m.line(prefix, m.Paint(Faint, strings.Repeat("─", max(min(width, 40), 3))))
	default:
		if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			m.blocks(n, prefix, width)
			return
		}
		m.wrapped(prefix, m.inlines(n), width)
	}
}

func (m *markdown) line(prefix, line string) {
	m.out.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
}

// wrapped writes a text that may have line breaks of its own.
func (m *markdown) wrapped(prefix, text string, width int) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for piece := range strings.SplitSeq(WrapLine(line, max(width, 20), 0), "\n") {
			m.line(prefix, piece)
		}
	}
}

// list writes the items with their marks hanging.
func (m *markdown) list(l *ast.List, prefix string, width int) {
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && item.HasBlankPreviousLines() {
			m.line(prefix, "")
		}
		mark := "• "
		if l.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		hang := strings.Repeat(" ", ansi.StringWidth(mark))
		inner := markdown{Terminal: m.Terminal, source: m.source}
		inner.blocks(item, prefix+hang, width-len(hang))
		written := strings.TrimPrefix(inner.out.String(), prefix+hang)
		m.out.WriteString(prefix + m.Paint(Cyan, mark) + strings.TrimLeft(written, " "))
		if written == "" {
			m.out.WriteString("\n")
		}
	}
}

// table writes a table with its columns aligned.
func (m *markdown) table(table *tables.Table, prefix string, width int) {
	var rows [][]string
	columns := make([]int, len(table.Alignments))
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make([]string, len(columns))
		for i, cell := 0, row.FirstChild(); cell != nil && i < len(cells); i, cell = i+1, cell.NextSibling() {
			cells[i] = m.inlines(cell)
			columns[i] = max(columns[i], ansi.StringWidth(cells[i]))
		}
		rows = append(rows, cells)
	}
	total := 0
	for _, column := range columns {
		total += column + len(between)
	}
	for i, cells := range rows {
		if total-len(between) > width {
			m.wrapped(prefix, "| "+strings.Join(cells, " | ")+" |", width)
			continue
		}
		var line strings.Builder
		for c, cell := range cells {
			if table.Alignments[c] == tables.AlignRight {
				cell = PadLeft(cell, columns[c])
			}
			if i == 0 {
				cell = m.styled(cell, Bold)
			}
			line.WriteString(Pad(cell, columns[c]) + between)
		}
		m.line(prefix, line.String())
		if i == 0 {
			m.line(prefix, m.Paint(Faint, strings.Repeat("─", max(total-len(between), 1))))
		}
	}
}

// between parts the columns of a table.
const between = "  "

// code writes a block of code, not wrapped, so that it can be copied.
func (m *markdown) code(n ast.Node, prefix string) {
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		for line := range strings.SplitSeq(strings.TrimSuffix(string(segment.Value(m.source)), "\n"), "\n") {
			m.line(prefix, m.Paint(Faint, "▏ ")+m.Paint(Green, line))
		}
	}
}

// raw writes the lines of a block as they are.
func (m *markdown) raw(n ast.Node, prefix string) {
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		m.line(prefix, strings.TrimSuffix(string(segment.Value(m.source)), "\n"))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		m.line(prefix, strings.TrimSuffix(string(h.ClosureLine.Value(m.source)), "\n"))
	}
}

// styled paints each line of a text.
func (m *markdown) styled(text string, c Colour) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = m.Paint(c, line)
	}
	return strings.Join(lines, "\n")
}

// inlines gives the text in a block, painted.
func (m *markdown) inlines(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(m.inline(n))
	}
	return b.String()
}

func (m *markdown) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		words := string(n.Value(m.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			words += "\n"
		}
		return words
	case *ast.String:
		return string(n.Value)
	case *ast.CodeSpan:
		return m.styled(m.inlines(n), Cyan)
	case *ast.Emphasis:
		if n.Level == 1 {
			return m.styled(m.inlines(n), italic)
		}
		return m.styled(m.inlines(n), Bold)
	case *ast.Link:
		words, to := m.inlines(n), string(n.Destination)
		if words == to || to == "" {
			return words
		}
		return words + m.Paint(Faint, " ("+to+")")
	case *ast.Image:
		return "[image: " + m.inlines(n) + "]" + m.Paint(Faint, " ("+string(n.Destination)+")")
	case *ast.AutoLink:
		return string(n.Label(m.source))
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			b.Write(segment.Value(m.source))
		}
		return b.String()
	}
	return m.inlines(n)
}
