package atom

import (
	"strconv"
	"strings"
)

// A Diff tells which lines of a text are of a unified diff that was pasted there. Its zero
// value stands before the first line, and is given each line in turn.
type Diff struct {
	old, new int  // lines of the hunk that are left
	blank    bool // the last line was
}

// Has reports whether the next line of the text is of a diff's hunk, by the numbers of lines
// that the head of the hunk says. What code and its comments say of what must be is no word of
// who pasted it.
func (d *Diff) Has(line string) bool {
	if d.old <= 0 && d.new <= 0 {
		d.blank = false
		if d.old, d.new = hunk(line); d.old > 0 || d.new > 0 {
			return true
		}
		return strings.HasPrefix(line, `\ No newline`)
	}
	line = strings.TrimRight(line, "\r\n")
	blank := d.blank
	d.blank = line == ""
	switch {
	case d.blank || line[0] == ' ' || line[0] == '\t':
		d.old, d.new = d.old-1, d.new-1
	case blank && len(line) > 2 && line[:2] == "- " && line[2] != ' ': // a list, behind a hunk that was cut off
		*d = Diff{}
		return false
	case line[0] == '-':
		d.old--
	case line[0] == '+':
		d.new--
	case line[0] != '\\':
		*d = Diff{} // it was cut off
		return d.Has(line)
	}
	return true
}

// hunk reads how many lines of before and after the head of a hunk says follow: "@@ -3,7
// +3,9 @@".
func hunk(line string) (before, after int) {
	numbers, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return 0, 0
	}
	numbers, _, ok = strings.Cut(numbers, " @@")
	from, to, both := strings.Cut(numbers, " +")
	if !ok || !both {
		return 0, 0
	}
	return count(from), count(to)
}

func count(numbers string) int {
	_, n, ok := strings.Cut(numbers, ",")
	if !ok {
		return 1
	}
	lines, _ := strconv.Atoi(n)
	return lines
}
