package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold/tool"
)

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments string
		want                  []tool.Piece
	}{
		{"an edit", "Edit", `{"file_path":"/a.go","old_string":"x := 1","new_string":"x := 2"}`, []tool.Piece{{Path: "/a.go", Old: "x := 1", New: "x := 2"}}},
		{"several", "MultiEdit", `{"file_path":"/a.go","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}`, []tool.Piece{{Path: "/a.go", Old: "a", New: "b"}, {Path: "/a.go", Old: "c", New: "d"}}},
		{"pi", "edit", `{"path":"a.ts","oldText":"a","newText":"b"}`, []tool.Piece{{Path: "a.ts", Old: "a", New: "b"}}},
		{"opencode", "edit", `{"filePath":"a.ts","oldString":"a","newString":"b"}`, []tool.Piece{{Path: "a.ts", Old: "a", New: "b"}}},
		{"a whole file", "Write", `{"file_path":"/a.go","content":"package a"}`, []tool.Piece{{Path: "/a.go", New: "package a"}}},
		{"an editor", "str_replace_editor", `{"command":"str_replace","path":"/a.py","old_str":"a","new_str":"b"}`, []tool.Piece{{Path: "/a.py", Old: "a", New: "b"}}},
		{"an editor that looks", "str_replace_editor", `{"command":"view","path":"/a.py"}`, nil},
		{"a read", "Read", `{"file_path":"/a.go"}`, nil},
		{"a patch", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n@@ func f()\n one\n-two\n+three\n@@\n-x\n*** Add File: b.go\n+package b\n*** Delete File: c.go\n*** End Patch"}`, []tool.Piece{
			{Path: "a.go", Head: "func f()", Old: "one\ntwo\n", New: "one\nthree\n"}, {Path: "a.go", Old: "x\n"}, {Path: "b.go", New: "package b\n"},
		}},
		{"search and replace", "replace_in_file", `{"path":"a.ts","diff":"------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n"}`, []tool.Piece{{Path: "a.ts", Old: "a\n", New: "b\n"}}},
		{"conflict marks", "apply_diff", `{"path":"a.ts","diff":"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"}`, []tool.Piece{{Path: "a.ts", Old: "a\n", New: "b\n"}}},
		{"broken", "Edit", `{"file_path":"/a.go","old_str`, nil},
	} {
		known, ok := tool.Lookup(c.tool)
		if !ok {
			t.Fatalf("%s is not known", c.tool)
		}
		if d := cmp.Diff(c.want, known.Pieces(c.arguments)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
