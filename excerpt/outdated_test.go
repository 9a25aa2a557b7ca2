package excerpt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// F6: a line that a later change took out of a file is shown of no text of it, however much
// else of that text is, and fills no gap.
func TestF6WhatAChangeTookOutIsNotShown(t *testing.T) {
	const (
		before = "first_line of it\nsecond_line of it\nthird_line of it\nfourth_line of it\n"
		read   = `{"file_path":"a.tf"}`
		edit   = `{"file_path":"a.tf","old_string":"second_line of it","new_string":"other_line of it"}`
	)
	fails := func(id int, name, arguments string) []tenfold.Payload {
		calls := ranCall(id, name, arguments, "no such text")
		r := calls[1].(tenfold.ToolResult)
		r.IsError = true
		return []tenfold.Payload{calls[0], r}
	}
	edited, checkout := ranCall(2, "Edit", edit, "done"), ranCall(3, "Bash", `{"command":"git checkout -- a.tf"}`, "done")
	for name, tt := range map[string]struct {
		first  []tenfold.Payload
		second []tenfold.Payload
		want   string
	}{
		"an edit":                    {ranCall(1, "Read", read, before), ranCall(2, "Edit", edit, "done"), "[1 1][3 4]"},
		"one that failed":            {ranCall(1, "Read", read, before), fails(2, "Edit", edit), "whole"},
		"of another file":            {ranCall(1, "Read", `{"file_path":"b.tf"}`, before), ranCall(2, "Edit", edit, "done"), "whole"},
		"a line there twice":         {ranCall(1, "Read", read, before+"second_line of it\n"), ranCall(2, "Edit", edit, "done"), "whole"},
		"put back":                   {append(ranCall(1, "Read", read, before), ranCall(2, "Edit", edit, "done")...), ranCall(3, "Edit", `{"file_path":"a.tf","old_string":"other_line of it","new_string":"second_line of it"}`, "done"), "whole"},
		"brought back":               {append(ranCall(1, "Read", read, before), ranCall(2, "Edit", edit, "done")...), ranCall(3, "Bash", `{"command":"git -C . checkout -- a.tf && make"}`, "done"), "whole"},
		"brought back within a step": {ranCall(1, "Read", read, before), []tenfold.Payload{edited[0], checkout[0], edited[1], checkout[1]}, "whole"},
		"edit undone":                {append(ranCall(1, "Read", read, before), edited...), ranCall(3, "str_replace_editor", `{"command":"undo_edit","path":"a.tf"}`, "done"), "whole"},
		"another edit undone":        {append(ranCall(1, "Read", read, before), edited...), ranCall(3, "str_replace_editor", `{"command":"undo_edit","path":"b.tf"}`, "done"), "[1 1][3 4]"},
		"downloaded":                 {ranCall(1, "Read", read, before), ranCall(2, "download", `{"file_path":"a.tf","url":"https://oven.example/a.tf"}`, "done"), "whole"},
		"only looked at":             {append(ranCall(1, "Read", read, before), ranCall(2, "Edit", edit, "done")...), ranCall(3, "Bash", `{"command":"git status; echo restore"}`, "done"), "[1 1][3 4]"},
		"changed after that":         {append(ranCall(1, "Read", read, before), ranCall(2, "Bash", `{"command":"git stash"}`, "done")...), ranCall(3, "Edit", edit, "done"), "[1 1][3 4]"},
		"written anew":               {ranCall(1, "Read", read, before), ranCall(2, "Write", `{"file_path":"a.tf","content":"new_line of it\nthird_line of it\n"}`, "done"), "nothing"},
		"with the same lines":        {ranCall(1, "Read", read, "first_line of it\nsecond_line of it\nthird_line of it"), ranCall(2, "Write", `{"file_path":"a.tf","content":"first_line of it\nsecond_line of it\nthird_line of it"}`, "done"), "nothing of it"},
		"a patch":                    {ranCall(1, "Read", read, before), ranCall(2, "apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.tf\n@@\n first_line of it\n-second_line of it\n+other_line of it\n*** End Patch"}`, "done"), "[3 4]"},
		"one of several":             {ranCall(1, "Read", read, before), ranCall(2, "Edit", `{"file_path":"a.tf","old_string":"first_line of it\nsecond_line of it\nthird_line of it","new_string":"first_line of it\nthird_line of it"}`, "done"), "[3 4]"},
		"one like it":                {ranCall(1, "Read", read, before), ranCall(2, "Edit", `{"file_path":"a.tf","old_string":"sixth_line of it\nsecond_line of it\nthird_line of it","new_string":"other_line of it"}`, "done"), "[1 2][4 4]"},
		"a part inserted":            {ranCall(1, "Read", read, before), ranCall(2, "str_replace_editor", `{"command":"insert","path":"a.tf","insert_line":1,"new_str":"new_line of it"}`, "done"), "whole"},
	} {
		l, ix := logOf(t, slices.Concat(tt.first, tt.second)...)
		got := "nothing"
		if outdated := ix.IsOutdated(3); outdated != (tt.want != "whole" && tt.want != "nothing of it") {
			t.Errorf("%s: outdated %v", name, outdated)
		}
		for _, k := range everythingOf(l, ix) {
			if k.Seq != 2 {
				continue
			}
			got = ""
			for _, r := range k.Lines {
				got += fmt.Sprintf("[%d %d]", r.First, r.Last)
			}
			if k.Whole {
				got = "whole"
			}
		}
		if got != strings.TrimSuffix(tt.want, " of it") {
			t.Errorf("%s: of the read %s is shown, want %s", name, got, tt.want)
		}
	}
}

// F6: so it is with a cell of a notebook that was written anew or deleted.
func TestF6OfACellTheNewestTextIsShown(t *testing.T) {
	cell := func(id int, mode, name, text, result string) []tenfold.Payload {
		return ranCall(id, "NotebookEdit", fmt.Sprintf(`{"notebook_path":"/n.ipynb","cell_id":%q,"edit_mode":%q,"new_source":%q}`, name, mode, text), result+text)
	}
	const text = "old_frame = read_table('x')\nold_frame.describe_it()\nold_frame.plot_it()\nold_frame.save_it()"
	for name, tt := range map[string]struct {
		later []tenfold.Payload
		want  bool
	}{
		"written anew":      {cell(2, "replace", "c1", "new_frame = read_it()", "Updated cell c1 with "), true},
		"deleted":           {cell(2, "delete", "c1", "", "Deleted cell c1"), true},
		"another":           {cell(2, "replace", "c2", "new_frame = read_it()", "Updated cell c2 with "), false},
		"one put behind it": {cell(2, "insert", "c1", "new_frame = read_it()", "Inserted cell c9 with "), false},
	} {
		_, ix := logOf(t, append(cell(1, "insert", "c0", text, "Inserted cell c1 with "), tt.later...)...)
		if got := ix.IsOutdated(2) && ix.IsOutdated(3); got != tt.want {
			t.Errorf("%s: the older cell is outdated: %v, want %v", name, got, tt.want)
		}
	}
}

func everythingOf(l *tenfold.Log, ix *Index) []Kept {
	c := ix.Choose(Options{From: 1, To: l.Version(), Budget: 10_000})
	return c.First(c.Len())
}
