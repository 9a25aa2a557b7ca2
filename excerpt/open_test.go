package excerpt_test

import (
	"fmt"
	"testing"

	"tenfold"
	"tenfold/excerpt"
)

// Openings that are asked for come before anything worth more, for an eighth
// of the budget at most; where the name and short arguments do not name the
// path, the line that does comes along.
func TestOpenings(t *testing.T) {
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	add(t, l, tenfold.UserMessage{Parts: tenfold.Text("go")})
	call := func(id, name, arguments string) int64 {
		add(t, l, tenfold.ToolCall{CallID: id, Name: name, Arguments: arguments})
		add(t, l, tenfold.ToolResult{CallID: id, Parts: tenfold.Text("done")})
		return l.Version() - 1
	}
	edit := call("1", "Edit", `{"file_path":"src/first_file.go","old_string":"a","new_string":"b"}`)
	patch := call("2", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/second_file.go\n@@\n-old\n+new\n*** End Patch"}`)
	for i := range 30 {
		call(fmt.Sprint("x", i), "Read", fmt.Sprintf(`{"file_path":"lib/other_%d.go"}`, i))
	}
	o := excerpt.Options{Budget: 60, Without: without(excerpt.Blocks), Open: []excerpt.Opening{{Seq: patch, Path: "src/second_file.go"}, {Seq: edit, Path: "src/first_file.go"}}}
	has := func(kept []excerpt.Kept, seq int64) *excerpt.Kept {
		for i := range kept {
			if kept[i].Seq == seq {
				return &kept[i]
			}
		}
		return nil
	}
	if k := has(choose(l, o), patch); k != nil {
		t.Errorf("an opening that takes more than an eighth of the budget is taken: %+v", *k)
	}
	o.Budget = 600
	kept := choose(l, o)
	if has(kept, edit) == nil {
		t.Errorf("the call is not opened: %s", shown(kept))
	}
	if k := has(kept, patch); k == nil || fmt.Sprint(k.Body) != "[{2 2 0 0}]" && !k.WholeBody {
		t.Errorf("the line with the path is not there: %s", shown(kept))
	}
	o.Without = without(excerpt.Blocks, excerpt.Changes)
	same(t, "without", shown(choose(l, o)), shown(choose(l, linesOnly(600))))
	o.Without, o.Open = without(excerpt.Blocks), append(o.Open, excerpt.Opening{Seq: 1, Path: "src"}, excerpt.Opening{Seq: 999})
	same(t, "messages and what is not there", shown(choose(l, o)), shown(kept))
}
