package agent_test

import (
	"testing"

	"tenfold"
	"tenfold/agent"
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
