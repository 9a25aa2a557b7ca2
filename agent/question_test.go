package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/permission"
	"tenfold/provider/script"
	"tenfold/toolbox"
)

// A question shows all of what a call would do, whatever its arguments are.
func TestQuestionDetail(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"path":"b.txt","content":"rye\nwheat\n","n":[1,{"a":null}]}`: "path: b.txt\ncontent:\nrye\nwheat\n\nn: [1,{\"a\":null}]",
		`{}`: "", `{"a: b":"c\nd"}`: "a: b:\nc\nd", `{"a\npath: b.txt":1}`: `"a\npath: b.txt": 1`,
		`[1]`: `[1]`, `{"a":1`: `{"a":1`, `{"a":1} {"b":2}`: `{"a":1} {"b":2}`, `{"a":1,"a":2}`: `{"a":1,"a":2}`, "no JSON": "no JSON", "": "",
	} {
		q := agent.Question{Call: tenfold.ToolCall{Arguments: arguments}, Intent: toolbox.Intent{Effect: toolbox.Edits, Subject: "b.txt", Paths: []string{"b.txt"}}}
		if got := q.Detail(); got != "b.txt\n"+want {
			t.Errorf("%q is %q", arguments, got)
		}
	}
	q := agent.Question{Call: tenfold.ToolCall{Arguments: `{"command":"go test"}`}, Intent: toolbox.Intent{Effect: toolbox.Commands, Command: "go test ./...", Subject: "go test"}}
	if got := q.Detail(); got != "go test ./..." {
		t.Errorf("a command is %q", got)
	}
	q.Intent = toolbox.Intent{Effect: toolbox.Unknown, Subject: "all is well", Paths: []string{"a.go", "b.go"}}
	if got := q.Detail(); got != "all is well\na.go\nb.go\ncommand: go test" {
		t.Errorf("a tool of others is %q", got)
	}
}

// A search of a directory does not show what a rule denies it of a file there.
func TestSearchLeavesOutWhatIsDenied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"oven.txt": "hot oven", "secret.txt": "hot secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := toolbox.Builtin(dir, toolbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := permission.New(permission.Rules{Deny: []string{"fs_*:secret.*"}})
	if err != nil {
		t.Fatal(err)
	}
	search := tenfold.ToolCall{CallID: "1", Name: "fs_grep_files", Arguments: `{"pattern":"hot"}`}
	k := begin(t, script.New(script.Calls(search), script.Text("Done.")), func(o *agent.Options) { o.Tools, o.Judge = tools, rules })
	k.stop("Search.")
	got := ""
	for e := range k.Session().Log().Entries() {
		if r, ok := e.Payload.(tenfold.ToolResult); ok {
			got = tenfold.TextLines(r)
		}
	}
	if want := "oven.txt:1:hot oven\n[1 file not searched: denied by a rule]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
