package toolbox

import (
	"context"
	"fmt"
	"strings"

	"tenfold/internal/number"
	"tenfold/toolbox/internal/output"
)

// maxLine is how many bytes of one line are shown.
const maxLine = 2000

var readTool = &builtin{
	name:  "fs_read_file",
	about: "Read a text file of the workspace, or some of its lines. Each line comes after its number and a tab. The first line of the result gives a hash of the whole file, which fs_modify_file takes.",
	parameters: []parameter{
		{name: "path", about: "The file, relative to the workspace.", required: true},
		{name: "start_line", about: "First line, from 1. Default: 1.", number: true},
		{name: "end_line", about: "Last line, inclusive. Default: as many as fit.", number: true},
	},
	intent: onPath(Reads),
	run: func(_ context.Context, w *workspace, a arguments, _ Call) (Result, error) {
		f, err := w.load(a.texts["path"])
		if err != nil {
			return Result{}, err
		}
		if kind := f.kind(); kind != "" {
			return Result{}, fmt.Errorf("%s is a binary file (%s, %s)", show(f.name), kind, number.Count(len(f.data), "byte"))
		}
		text, whole, err := f.excerpt(a.numbers["start_line"], a.numbers["end_line"], w.Limit)
		if err != nil {
			return Result{}, err
		}
		w.see(f, whole)
		return answer("%s", text)
	},
}

// lines are those of the file, without what ends them, and what a model should know
// of their form.
func (f file) lines() (lines []string, form string) {
	text := string(f.data)
	if rest, ok := strings.CutPrefix(text, "\uFEFF"); ok {
		text, form = rest, form+", begins with a byte order mark"
	}
	if valid := strings.ToValidUTF8(text, "\uFFFD"); valid != text {
		text, form = valid, form+", not valid UTF-8: the bytes shown as \uFFFD are others"
	}
	if text == "" {
		return nil, form
	}
	ends := strings.Count(text, "\n")
	if returns := strings.Count(text, "\r\n"); returns > 0 && returns == ends {
		form += ", line ends are CRLF"
	} else if returns > 0 {
		form += ", some line ends are CRLF"
	}
	if strings.HasSuffix(text, "\n") {
		text = text[:len(text)-1]
	} else {
		form += ", no newline at the end"
	}
	lines = strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines, form
}

// excerpt writes lines of a file, both ends counted from 1 and 0 for the file's
// own, as far as they fit into so many bytes, and tells whether that is all of it.
func (f file) excerpt(from, to, limit int) (text string, whole bool, err error) {
	lines, form := f.lines()
	switch {
	case from < 0 || to < 0:
		return "", false, fmt.Errorf("lines count from 1")
	case to > 0 && to < from:
		return "", false, fmt.Errorf("end_line %d is before start_line %d", to, from)
	case from > max(len(lines), 1):
		return "", false, fmt.Errorf("%s has only %s", show(f.name), number.Count(len(lines), "line"))
	}
	from = max(from, 1)
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	var b strings.Builder
	last := from - 1
	whole = from == 1 && to == len(lines)
	for _, line := range lines[from-1 : to] {
		if len(line) > maxLine {
			whole = false
			line = output.Head(line, maxLine) + fmt.Sprintf(" [… %s in all]", number.Count(len(line), "byte"))
		}
		row := fmt.Sprintf("%d\t%s\n", last+1, line)
		if b.Len()+len(row) > limit-1000 { // what stands before and after
			break
		}
		b.WriteString(row)
		last++
	}
	head := fmt.Sprintf("%s: lines %d-%d of %d, hash %s%s\n", show(f.name), from, last, len(lines), f.hash(), form)
	if len(lines) == 0 {
		return fmt.Sprintf("%s is empty, hash %s%s", show(f.name), f.hash(), form), true, nil
	}
	if last < to {
		return head + b.String() + fmt.Sprintf("[cut here; go on with start_line %d]", last+1), false, nil
	}
	return head + b.String(), whole, nil
}
