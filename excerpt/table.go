package excerpt

import (
	"strings"

	"tenfold/atom"
)

// A table that a command printed, or a person pasted, says in its first row what the
// others are: a row without it is numbers of nobody knows what (fit.md F6).

// tables finds the rows of a text's tables as it is read.
type tables struct {
	textLines []textLine
	printed   bool // by a tool, not typed or in a file
	head      int32
	// before is the line before this one, and where that begins a paragraph its cells may
	// name those below.
	before string
	begins bool
	// between says that after it came the name of the column on the left alone, as pandas
	// prints it.
	between int32
}

// headPrinted gives the rows of a text's tables, the lines of its stack traces and of settings
// their heads.
// The first line has a number in its entry.
func (ix *Index) headPrinted(at *entry, text string, first int32) {
	all := ix.text[at.text.from:]
	rows := tables{textLines: all, printed: at.role == roleResult && at.source != fileText, begins: true}
	places, settings, sections := traces{textLines: all}, outline{textLines: all}, chapters{textLines: all}
	number := first
	for line := range lines(text) {
		line = line[atom.Gutter(line):]
		rows.row(line, number)
		places.line(line, number)
		bare := strings.TrimSpace(line)
		settings.line(line, bare, number)
		sections.line(line, bare, number)
		number++
	}
}

func (h *tables) row(line string, number int32) {
	bare := strings.TrimSpace(line)
	switch {
	case bare == "":
		h.open()
		return
	case h.head == 0 && h.printed && (bare[len(bare)-1] == ':' || isNumber(bare)): // "Output:", how many rows there are
		h.open()
		return
	case h.head == 0 && h.printed && h.begins && h.between == 0 && len(line) == len(h.before) && gaps(strings.TrimSpace(h.before)) > 0 && len(strings.Fields(line)) == 1:
		h.between = 1
		return
	case h.head == 0 && h.before != "" && h.titles(line, bare):
		h.head = number - 1 - h.between
	}
	under(h.textLines, number, h.head)
	h.begins = h.before == "" && h.begins
	h.before, h.between = "", 0
	if len(line) <= maxHead {
		h.before = line
	}
}

// open begins a paragraph with the next line.
func (h *tables) open() { h.head, h.before, h.begins, h.between = 0, "", true, 0 }

// isNumber reports whether a line is a number alone.
func isNumber(bare string) bool { return strings.Trim(bare, "0123456789") == "" }

// titles reports whether the line before one is the first row of a table that this one
// goes on with.
func (h *tables) titles(line, bare string) bool {
	if isRule(bare) {
		return !isRule(strings.TrimSpace(h.before))
	}
	if !h.begins {
		return false
	}
	if names := strings.TrimSpace(h.before); gaps(names) >= 2 && gaps(bare) >= 2 {
		const digits = "0123456789"
		if isCapital(names) || h.printed && (!strings.ContainsAny(names, digits) && strings.ContainsAny(bare, digits) || h.before[0] == ' ' && strings.HasPrefix(line, "0 ")) {
			return true
		}
	}
	for _, by := range []string{"\t", ";", ","} {
		if n := strings.Count(h.before, by); n >= 2 && n == strings.Count(line, by) {
			return areNames(h.before, by)
		}
	}
	return false
}

// isRule reports whether a line parts the first row of a table from the others: "---+---",
// "|---|:-:|", "---  ---".
func isRule(bare string) bool {
	if len(bare) < 5 || strings.IndexByte("-+|=\xe2", bare[0]) < 0 || strings.Trim(bare, "-+|=: ─━═│┃┼├┤┬┴╪╇╞╡┡┩") != "" {
		return false
	}
	return strings.ContainsAny(bare, "-=─━═") && (strings.ContainsAny(bare, "+|┼╪╇") || strings.Contains(bare, "- ") || strings.Contains(bare, "= "))
}

// gaps is how many cells of a line are parted from the next by more than one blank.
func gaps(bare string) (n int) {
	for i := 1; i < len(bare); i++ {
		if bare[i] != ' ' && (bare[i-1] == '\t' || bare[i-1] == ' ' && i > 1 && bare[i-2] == ' ') {
			n++
		}
	}
	return n
}

// isCapital reports whether a line has words without small letters, as commands print the
// names of columns.
func isCapital(bare string) bool {
	return bare == strings.ToUpper(bare) && bare != strings.ToLower(bare)
}

// longestName is how many bytes the name of a column has at most.
const longestName = 40

// areNames reports whether the cells of a line may be the names of columns: words, and no
// blank before them as in prose and code.
func areNames(line, by string) bool {
	for name := range strings.SplitSeq(line, by) {
		name = strings.Trim(name, "\"\r\ufeff")
		if name == "" || len(name) > longestName || name[0] <= ' ' || name[0] >= '0' && name[0] <= '9' || strings.ContainsAny(name, "(){}[]<>=:/\\'") {
			return false
		}
	}
	return true
}
