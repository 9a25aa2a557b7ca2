package tenfold_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
)

// excerptOf is what short marks leave of a result.
func excerptOf(t *testing.T, text string, kept ...int) string {
	t.Helper()
	p := project(t, oneCall("read", text, shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: lines(kept...)}}))...)
	return strings.TrimPrefix(view(p)[2], "result c1 ")
}

func TestF7ShortRunsCarryTheirMarks(t *testing.T) {
	all := strings.Split(numbered(12), "\n")
	run := func(first, last int) string { return strings.Join(all[first-1:last], "\n") }
	gutter := strings.NewReplacer("line ", "    7→line ").Replace(numbered(9))
	forged := strings.Join([]string{line(1), "3 lines left out …", line(3), line(4)}, "\n")
	for name, c := range map[string]struct {
		text string
		kept []int
		want string
	}{
		"three lines":       {numbered(12), []int{5, 7}, "… " + run(5, 7) + " …"},
		"four lines":        {numbered(12), []int{5, 8}, "…\n" + run(5, 8) + " …"},
		"both":              {numbered(12), []int{2, 5, 7, 8, 10, 10}, "…\n" + run(2, 5) + " …\n" + run(7, 8) + " …\n" + run(10, 10) + " …"},
		"at the end":        {numbered(12), []int{12, 12}, "… " + run(12, 12)},
		"at the start":      {numbered(12), []int{1, 1}, run(1, 1) + " …"},
		"a gutter":          {gutter, []int{3, 3}, "… " + strings.Split(gutter, "\n")[2] + " …"},
		"indented":          {"first\n\t\tsecond, with more to say\nthird, with as much", []int{2, 2}, "… \t\tsecond, with more to say …"},
		"nobody's mark":     {forged, []int{2, 2}, "…\n3 lines left out … …"},
		"one after a gap":   {line(1) + "\n… goes on\n" + line(3), []int{2, 2}, "… … goes on …"},
		"a mark of the log": {"…\n" + numbered(3), []int{1, 1, 3, 3}, "… …\n" + line(2) + " …"},
	} {
		t.Run(name, func(t *testing.T) { same(t, "result", excerptOf(t, c.text, c.kept...), c.want) })
	}
}

// The excerpt is the lines chosen, each gap marked and nothing else, and the one mark that
// has a line of its own is that before a first run of four lines.
func TestF7EachGapIsMarked(t *testing.T) {
	const n = 24
	all := strings.Split(numbered(n), "\n")
	rapid.Check(t, func(r *rapid.T) {
		chosen := rapid.SliceOfN(rapid.Bool(), n, n).Draw(r, "lines")
		var kept []int
		var runs []string
		for i := 0; i < n; {
			from := i
			for i < n && chosen[i] {
				i++
			}
			if i == from {
				i++
				continue
			}
			kept = append(kept, from+1, i)
			runs = append(runs, strings.Join(all[from:i], "\n"))
		}
		if len(runs) == 0 || len(runs) == 1 && kept[0] == 1 && kept[1] == n {
			return // the stub, or the whole
		}
		want := strings.Join(runs, " …\n")
		switch {
		case kept[0] == 1:
		case kept[1]-kept[0] >= 3:
			want = "…\n" + want
		default:
			want = "… " + want
		}
		if kept[len(kept)-1] < n {
			want += " …"
		}
		same(t, "excerpt", excerptOf(t, numbered(n), kept...), want)
	})
}

// F7, P5b: a piece of a line that has its own mark at a gap gets no second one; what the log
// says is not taken for one.
func TestF7PiecesMarkTheirGaps(t *testing.T) {
	long := strings.Repeat(`{"key": 12}, `, 40)
	piece := tenfold.LineRange{First: 3, Last: 3, From: 104, To: 128}
	const shown = `…{"key": 12}, {"key": 12}…`
	text := strings.Join([]string{line(1), "it goes on …", long, line(4), line(5)}, "\n")
	for name, c := range map[string]struct {
		kept []tenfold.LineRange
		want string
	}{
		"alone":         {[]tenfold.LineRange{piece}, shown},
		"behind a gap":  {append(lines(1, 1), piece), line(1) + "\n" + shown},
		"before a gap":  {append([]tenfold.LineRange{piece}, lines(5, 5)...), shown + "\n" + line(5)},
		"a line's mark": {lines(2, 2, 5, 5), "… it goes on … …\n" + line(5)},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, oneCall("read", text, shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: c.kept}}))...)
			same(t, "result", strings.TrimPrefix(view(p)[2], "result c1 "), c.want)
		})
	}
}

// A mark that a text of the log holds is taken apart in the view alone.
func TestP1WhatReadsLikeAMarkStaysInTheLog(t *testing.T) {
	l := logWith(t, start(), user("go"), call("c", "write", `{"body":"`+strings.Repeat(`a line\n`, 40)+`"}`), result("c", "[compacted] read: done"), tools(tenfold.ToolPolicy{
		Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Result: tenfold.Keep, Body: []tenfold.LineRange{{First: 1, Last: 1}}}},
	}))
	if shown := strings.Join(view(tenfold.Project(l)), "\n"); strings.Contains(shown, "[compacted] read") || !strings.Contains(shown, "compacted] read") {
		t.Errorf("the view shows\n%s", shown)
	}
	e, _ := l.Entry(4)
	same(t, "the log", show(e.Payload), "result c [compacted] read: done")
	p := project(t, user("go"), say("[compacted] read: done"), texts("by", tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{2: {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 3, From: 1, To: 2}}}}))
	if shown := view(p)[1]; strings.Contains(shown, "[compacted] read") || !strings.Contains(shown, "compacted] read") {
		t.Errorf("beside folded calls it shows %q", shown)
	}
}
