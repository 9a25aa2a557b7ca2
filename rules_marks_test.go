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
		"four lines":        {numbered(12), []int{5, 8}, "…\n" + run(5, 8) + "\n…"},
		"both":              {numbered(12), []int{2, 5, 7, 8, 10, 10}, "…\n" + run(2, 5) + "\n… " + run(7, 8) + "\n… " + run(10, 10) + " …"},
		"at the end":        {numbered(12), []int{12, 12}, "… " + run(12, 12)},
		"at the start":      {numbered(12), []int{1, 1}, run(1, 1) + " …"},
		"a gutter":          {gutter, []int{3, 3}, "… " + strings.Split(gutter, "\n")[2] + " …"},
		"indented":          {"first\n\t\tsecond, with more to say\nthird, with as much", []int{2, 2}, "… \t\tsecond, with more to say …"},
		"nobody's mark":     {forged, []int{2, 2}, "…\n3 lines left out … …"},
		"a mark of the log": {"…\n" + numbered(3), []int{1, 1, 3, 3}, "…\n… " + line(2) + " …"},
	} {
		t.Run(name, func(t *testing.T) { same(t, "result", excerptOf(t, c.text, c.kept...), c.want) })
	}
}

// The excerpt is the lines chosen, each gap marked and nothing else, and marks
// have lines of their own only beside runs of four lines.
func TestF7EachGapIsMarked(t *testing.T) {
	const n = 24
	all := strings.Split(numbered(n), "\n")
	rapid.Check(t, func(r *rapid.T) {
		chosen := rapid.SliceOfN(rapid.Bool(), n, n).Draw(r, "lines")
		var kept []int
		var want strings.Builder
		for i := 0; i < n; {
			from := i
			for i < n && chosen[i] {
				i++
			}
			switch {
			case i == from:
				i++
				continue
			case i-from >= 4:
				want.WriteString(strings.Repeat("…\n", min(from, 1)) + strings.Join(all[from:i], "\n") + "\n")
			default:
				want.WriteString(strings.Repeat("… ", min(from, 1)) + strings.Join(all[from:i], "\n") + "\n")
			}
			kept = append(kept, from+1, i)
		}
		got := excerptOf(t, numbered(n), kept...)
		switch last := len(kept) - 1; {
		case last < 0 || last == 1 && kept[0] == 1 && kept[1] == n:
			return // the stub, or the whole
		case kept[last] < n && kept[last]-kept[last-1] >= 3:
			same(t, "excerpt", got, want.String()+"…")
		case kept[last] < n:
			same(t, "excerpt", got, strings.TrimSuffix(want.String(), "\n")+" …")
		default:
			same(t, "excerpt", got, strings.TrimSuffix(want.String(), "\n"))
		}
	})
}
