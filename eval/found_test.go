package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/eval"
)

// Live §5: what a search finds of what a view hides is counted by the name, by what
// stands beside it, and for edits by their file and a name; what the view shows is
// not asked for, nor what lies beyond the horizon.
func TestFoundCountsWhatIsHidden(t *testing.T) {
	k := newTalk(t).user("go").call("Read", "file_path", "src/oven/heat_table.go").gives("package oven\n\nconst preheat_degrees = 220\nconst cooling_rate = 3")
	for i := range 12 { // where the common words stand
		k.runs(fmt.Sprintf("ls part_%d", i), "heat_table oven.go part_one "+strings.Repeat("x ", 40))
	}
	k.says("I see").user("go on")
	k.runs("grep preheat_degrees cooling_rate", "no output")
	k.call("Edit", "file_path", "src/oven/heat_table.go", "old_string", "const preheat_degrees = 220", "new_string", "const preheat_degrees = 180").gives("ok")
	for range 60 {
		k.says("well").user("and")
	}
	c := k.cut(18)
	found := func(lines []eval.Line, horizon int) eval.Found {
		f, err := c.Found(t.Context(), c.ViewOfLines(lines), horizon)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	got := found(nil, eval.All)
	want := eval.Found{
		// Both constants, the path, the name in it, and the number.
		Name: eval.Share{Part: 5, Whole: 5},
		// What stands beside the name in the path leads to the read, and the newest
		// that hold the name are listings.
		Around: eval.Share{Part: 4, Whole: 5},
		Edit:   eval.Share{Part: 1, Whole: 1},
		Read:   eval.Share{Part: 1, Whole: 1},
	}
	if got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
	seen := found([]eval.Line{{Seq: 4, Text: "const preheat_degrees = 220"}}, eval.All)
	if seen.Name.Whole != 3 || seen.Edit.Whole != 0 || seen.Read.Whole != 0 {
		t.Errorf("what the view shows is asked for: %+v", seen)
	}
	p, err := eval.ParsePolicy("suffix:target=1%")
	if err != nil {
		t.Fatal(err)
	}
	o := eval.Options{Policies: []eval.Policy{p}, Cuts: []int{18}, Horizons: []int{30}, Recall: true, Unchecked: true}
	cells, err := eval.Open(k.log()).Measure(t.Context(), o)
	if err != nil || len(cells) != 1 || cells[0].Found == nil {
		t.Fatal(cells, err)
	}
	r := &eval.Result{Options: o, Sessions: []eval.SessionResult{{File: eval.File{Source: "s"}, Cells: cells}}}
	text := ""
	for _, table := range r.Tables(r.Summarise()) {
		if table.Title == "Found again by a search" {
			text = strings.Join(table.Rows[0].Cells, ", ")
		}
	}
	if text != "1.000 (5/5), 0.800 (4/5), 1.000 (1/1), 1.000 (1/1)" {
		t.Errorf("the table says %q", text)
	}
	if soon := found(nil, 1); soon.Name.Whole != 2 || soon.Edit.Whole != 0 {
		t.Errorf("the next request uses two names, and %+v is asked for", soon)
	}
}
