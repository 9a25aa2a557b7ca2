package tool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/tool"
)

// What a call of each agent's tools reads and changes.
func TestCallsOfTheAgents(t *testing.T) {
	all := func(path string) []tool.Access { return []tool.Access{{Path: path}} }
	lines := func(path string, from, to int) []tool.Access { return []tool.Access{{Path: path, From: from, To: to}} }
	part := func(path string) []tool.Access { return []tool.Access{{Path: path, Part: true}} }
	unknown := tool.Call{Unknown: true}
	for _, c := range []struct {
		agent, name, arguments string
		want                   tool.Call
	}{
		{"tenfold", "fs_read_file", `{"path":"./a//b.go"}`, tool.Call{Reads: all("a/b.go")}},
		{"tenfold", "fs_read_file", `{"path":"a","start_line":3,"end_line":9}`, tool.Call{Reads: lines("a", 3, 9)}},
		{"tenfold", "fs_read_file", `{"path":"a","start_line":1}`, tool.Call{Reads: all("a")}},
		{"tenfold", "fs_read_file", `{"path":"a","end_line":"9"}`, tool.Call{Reads: lines("a", 0, 9)}},
		{"tenfold", "fs_read_file", `{"path":"a","start_line":null}`, tool.Call{Reads: all("a")}},
		{"tenfold", "fs_read_file", `{"path":"a","start_line":9,"end_line":3}`, tool.Call{Reads: part("a")}},
		{"tenfold", "fs_read_file", `{}`, tool.Call{}},
		{"tenfold", "fs_create_file", `{"path":"/r/../a","content":"x"}`, tool.Call{Changes: []string{"/a"}}},
		{"tenfold", "fs_modify_file", `{"content":"x"}`, unknown},
		{"tenfold", "fs_modify_file", `{"path":"a","patterns":[`, unknown},
		{"tenfold", "git_diff", `{}`, tool.Call{}},
		{"tenfold", "git_commit", `{"message":"m"}`, unknown},
		{"jp", "cargo_check", `{}`, tool.Call{}},
		{"jp", "cargo_format", `{}`, unknown},
		{"claude-code", "Read", `{"file_path":"/a"}`, tool.Call{Reads: lines("/a", 0, 2000)}},
		{"claude-code", "Read", `{"file_path":"/a","offset":11,"limit":10}`, tool.Call{Reads: lines("/a", 11, 20)}},
		{"claude-code", "Read", `{"file_path":"/a.pdf","pages":"1-5"}`, tool.Call{Reads: part("/a.pdf")}},
		{"claude-code", "Read", `{"file_path":"C:\\x\\y.go","offset":2}`, tool.Call{Reads: lines("c:/x/y.go", 2, 2001)}},
		{"claude-code", "MultiEdit", `{"file_path":"/a","edits":[]}`, tool.Call{Changes: []string{"/a"}}},
		{"claude-code", "NotebookEdit", `{"notebook_path":"/a.ipynb"}`, tool.Call{Changes: []string{"/a.ipynb"}}},
		{"amp", "edit_file", `{"path":"/a","old_str":"x","new_str":"y"}`, tool.Call{Changes: []string{"/a"}}},
		{"amp", "create_file", `{"path":"/a","content":"x"}`, tool.Call{Changes: []string{"/a"}}},
		{"claude-code", "Task", `{"prompt":"x"}`, unknown},
		{"claude-code", "TodoWrite", `{"todos":[]}`, tool.Call{}},
		{"claude-code", "Bash", `{"command":"go test ./..."}`, unknown},
		{"codex", "apply_patch", `"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n*** Add File: d/c.go\n+x\n*** Delete File: e\n*** End Patch"`, tool.Call{Changes: []string{"a.go", "b.go", "d/c.go", "e"}}},
		{"codex", "apply_patch", "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", tool.Call{Changes: []string{"a"}}},
		{"codex", "apply_patch", `{"input":"--- a\n+++ b"}`, unknown},
		{"codex", "exec_command", `{"cmd":"sed -n '5,9p' a.go","workdir":"/r"}`, tool.Call{Reads: lines("/r/a.go", 5, 9)}},
		{"codex", "shell", `{"command":["bash","-lc","cat a.go"],"workdir":"/r"}`, tool.Call{Reads: all("/r/a.go")}},
		{"codex", "shell", `{"command":["cat","my file"]}`, tool.Call{Reads: all("my file")}},
		{"codex", "write_stdin", `{"session_id":1,"chars":"x"}`, unknown},
		{"opencode", "read", `{"filePath":"/a","offset":3,"limit":2}`, tool.Call{Reads: lines("/a", 3, 4)}},
		{"opencode", "apply_patch", `{"patchText":"*** Begin Patch\n*** Update File: a\n"}`, tool.Call{Changes: []string{"a"}}},
		{"pi", "edit", `{"path":"a","edits":[]}`, tool.Call{Changes: []string{"a"}}},
		{"gemini-cli", "read_file", `{"absolute_path":"/a","offset":0,"limit":5}`, tool.Call{Reads: lines("/a", 0, 5)}},
		{"gemini-cli", "read_file", `{"file_path":"/a","start_line":2,"end_line":5}`, tool.Call{Reads: lines("/a", 2, 5)}},
		{"gemini-cli", "replace", `{"file_path":"/a"}`, tool.Call{Changes: []string{"/a"}}},
		{"copilot-cli", "view", `{"path":"/a","view_range":[5,-1]}`, tool.Call{Reads: lines("/a", 5, 0)}},
		{"copilot-cli", "view", `{"path":"/a","view_range":[5]}`, tool.Call{Reads: part("/a")}},
		{"copilot-cli", "sql", `{"query":"select 1"}`, unknown},
		{"crush", "view", `{"file_path":"a","offset":10,"limit":5}`, tool.Call{Reads: lines("a", 11, 15)}},
		{"swe-agent", "str_replace_editor", `{"command":"view","path":"/a","view_range":[1,20]}`, tool.Call{Kind: tool.Reads, Reads: lines("/a", 0, 20)}},
		{"swe-agent", "str_replace_editor", `{"command":"create","path":"/a"}`, tool.Call{Kind: tool.Writes, Changes: []string{"/a"}}},
		{"swe-agent", "edit", `{"search":"x","replace":"y"}`, unknown},
		{"swe-agent", "create", `{"filename":"a"}`, tool.Call{Changes: []string{"a"}}},
		{"openhands", "str_replace_editor", `{"command":"undo_edit","path":"/a"}`, tool.Call{Kind: tool.Edits, Changes: []string{"/a"}}},
		{"openhands", "str_replace_editor", `{"command":"other","path":"/a"}`, tool.Call{Kind: tool.Acts, Unknown: true}},
		{"openhands", "execute_bash", `{"command":"rm x"}`, unknown},
		{"roo", "read_file", `{"files":[{"path":"a"},{"path":"b","line_range":"1-5"}]}`, tool.Call{Reads: []tool.Access{{Path: "a"}, {Path: "b", Part: true}}}},
		{"roo", "write_to_file", `{"path":"a"}`, tool.Call{Changes: []string{"a"}}},
	} {
		known, ok := tool.Lookup(c.name)
		if !ok || !slices.Contains(strings.Fields(known.Agents), c.agent) {
			t.Errorf("%s: %s is not in its table", c.agent, c.name)
			continue
		}
		if c.want.Kind == "" {
			c.want.Kind = known.Kind
		}
		if d := cmp.Diff(c.want, known.Call(c.arguments)); d != "" {
			t.Errorf("%s: %s %s: %s", c.agent, c.name, c.arguments, d)
		}
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"Read": "Read", "read": "read", "READ": "Read", "TODOWRITE": "TodoWrite", "todowrite": "todowrite", "Execute_Bash": "execute_bash",
	} {
		if got, ok := tool.Lookup(name); !ok || got.Name != want {
			t.Errorf("%s is found as %q", name, got.Name)
		}
	}
	for _, name := range []string{"mcp__github__read_file", "", "reads"} {
		if got, ok := tool.Lookup(name); ok {
			t.Errorf("%q is found as %q", name, got.Name)
		}
	}
	if does := (tool.Settings{}).Tool("mcp__x").Call(`{"path":"a"}`); !does.Unknown || does.Changes != nil {
		t.Errorf("a tool nobody knows does %+v", does)
	}
}

// The table holds each name once, whatever the case of two of one agent, and
// says who has it.
func TestTableIsSound(t *testing.T) {
	agents := map[string]int{}
	seen := map[string]bool{}
	for _, row := range tool.All() {
		if seen[row.Name] || row.Name == "" || row.Kind == "" || row.Agents == "" {
			t.Errorf("row %+v is not one of its own", row)
		}
		seen[row.Name] = true
		for _, agent := range strings.Fields(row.Agents) {
			agents[agent]++
		}
		switch row.Kind {
		case tool.Reads, tool.Edits, tool.Writes, tool.Editor:
			if row.Path == "" {
				t.Errorf("%s has no path", row.Name)
			}
		case tool.Plans, tool.Asks, tool.Skills:
			if !row.Exempt {
				t.Errorf("%s is not exempt", row.Name)
			}
		}
	}
	for _, agent := range []string{"tenfold", "jp", "claude-code", "codex", "opencode", "pi", "gemini-cli", "copilot-cli", "swe-agent", "openhands", "cline", "roo", "crush"} {
		if agents[agent] < 5 {
			t.Errorf("%s has %d tools", agent, agents[agent])
		}
	}
	t.Log(agents)
}

// H1: what a setting leaves out stays as the table has it.
func TestH1Settings(t *testing.T) {
	yes, no := true, false
	s := tool.Settings{
		"Read":  {Request: tenfold.Strip, Dedup: &no, Subsumes: &no, Exempt: &yes},
		"shell": {Dedup: &yes},
		"x":     {Response: tenfold.Remove, Subsumes: &yes},
		"Grep":  {Subsumes: &yes},
	}
	read := s.Tool("Read")
	if read.Hint != (tenfold.Hint{Request: tenfold.Strip, Response: tenfold.Strip}) || read.Dedup != tool.DedupNever ||
		read.Subsumes != tool.SubsumesNever || !read.Exempt || read.Kind != tool.Reads {
		t.Errorf("Read is %+v", read)
	}
	if got := s.Tool("shell"); got.Dedup != tool.DedupAlways || got.Hint.Request != tenfold.Keep {
		t.Errorf("shell is %+v", got)
	}
	if got := s.Tool("x"); got.Subsumes != tool.SubsumesAsk || got.Kind != tool.Acts || got.Name != "x" {
		t.Errorf("x is %+v", got)
	}
	if got := s.Tool("Grep"); got.Subsumes != tool.SubsumesAsk || got.Dedup != tool.DedupUnchanged {
		t.Errorf("Grep is %+v", got)
	}
	if got := s.Tool("fs_read_file"); got.Subsumes != tool.SubsumesLines {
		t.Errorf("fs_read_file is %+v", got)
	}
	hints := s.Hints()
	if hints["x"].Response != tenfold.Remove || hints["Read"].Request != tenfold.Strip || hints["Write"].Request != tenfold.Strip {
		t.Errorf("hints are %+v", hints)
	}
	for _, bad := range []tool.Setting{{Request: tenfold.Remove}, {Response: tenfold.Omit}, {Request: "x"}} {
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	if err := s["x"].Check(); err != nil {
		t.Error(err)
	}
}

func TestCleanPath(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " a/./b ": "a/b", "/a/../../b": "/b", "../a": "../a", `C:\A\b`: "c:/A/b", `src\a.go`: "src/a.go", `a\ b/c`: `a\ b/c`,
		"file:///a": "/a", "a/": "a", "//a": "/a", "c:/x": "c:/x", "~/x": "~/x",
	} {
		if got := tool.CleanPath(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// Whatever a model writes, a call is read without harm, and a tool that may
// change something names what or says that it cannot.
func FuzzCall(f *testing.F) {
	for _, s := range []string{"", "{}", `{"path":"a","view_range":[1,2]}`, `{"files":[{"path":1}]}`, `"*** Update File: x"`, `{"command":"cat x","path":"y"}`} {
		f.Add(s)
	}
	all := tool.All()
	f.Fuzz(func(t *testing.T, arguments string) {
		for _, known := range all {
			c := known.Call(arguments)
			changed := map[string]bool{}
			for _, op := range known.Operations(arguments) {
				changed[op.Path] = op.Op != tool.FileRead
			}
			for _, p := range c.Changes {
				if !changed[p] {
					t.Errorf("%s %q changes %q, and no operation says so", known.Name, arguments, p)
				}
			}
			if said, ok := known.Plan(arguments); !ok && (said.Text != "" || said.Items != nil) {
				t.Errorf("%s %q is not a plan, and says %+v", known.Name, arguments, said)
			}
			for _, q := range append(known.Questions(arguments), known.Skill(arguments)+"x") {
				if strings.TrimSpace(q) == "" {
					t.Errorf("%s %q asks nothing", known.Name, arguments)
				}
			}
			switch c.Kind {
			case tool.Edits, tool.Writes, tool.Patches:
				if (len(c.Changes) == 0) != c.Unknown {
					t.Errorf("%s %q: %+v", known.Name, arguments, c)
				}
			}
			for _, a := range c.Reads {
				if a.Path == "" || a.From < 0 || a.To < 0 || (a.To != 0 && a.To < a.From) {
					t.Errorf("%s %q reads %+v", known.Name, arguments, a)
				}
			}
		}
		if tool.Canonical(arguments) != tool.Canonical(" "+arguments+"\n") && tool.Canonical(arguments)[0] != '!' {
			t.Errorf("white space around %q counts", arguments)
		}
	})
}

// What a call is about is the first that its arguments say of it: of a notebook's cell the notebook.
func TestWhatCallsAreAbout(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"NotebookEdit", `{"cell_id":"c1","notebook_path":"/n.ipynb","new_source":"x"}`, "/n.ipynb"},
		{"str_replace_editor", `{"command":"view","path":"/a.go"}`, "/a.go"},
		{"Grep", `{"path":"/w","pattern":"oven"}`, "oven"},
		{"Edit", `{"file_path":"/a.go","old_string":"x"}`, "/a.go"},
		{"ask_the_oven", `{"id":"7","query":"is it warm"}`, "is it warm"},
		{"Bash", `{"command":7}`, ""},
		{"Bash", `not JSON`, ""},
	} {
		if got := tool.Subject(c.name, c.arguments); got != c.want {
			t.Errorf("%s %s is about %q, want %q", c.name, c.arguments, got, c.want)
		}
	}
}
