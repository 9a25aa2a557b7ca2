package claudecode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/hook"
	"tenfold/internal/hook/claudecode"
)

// TestV3LargeResultIsShortened holds that a result over the limit is shortened in
// the shape that its tool gave it, and that the whole of it is in the store.
func TestV3LargeResultIsShortened(t *testing.T) {
	var long strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&long, "line %d of the log\n", n)
	}
	object := func(members ...any) any {
		m := map[string]any{}
		for i := 0; i < len(members); i += 2 {
			m[members[i].(string)] = members[i+1]
		}
		return m
	}
	tests := map[string]struct {
		tool   string
		result any
		at     func(v any) any // where the text is
	}{
		"a command's output": {
			"Bash", object("stdout", long.String(), "stderr", "a warning", "interrupted", false),
			func(v any) any { return v.(map[string]any)["stdout"] },
		},
		"a server's blocks": {
			"mcp__log__read",
			[]any{object("type", "text", "text", "The log:"), object("type", "text", "text", long.String())},
			func(v any) any { return v.([]any)[1].(map[string]any)["text"] },
		},
		"a text":                       {"mcp__log__all", long.String(), func(v any) any { return v }},
		"a file stays whole":           {"Read", object("file", object("content", long.String())), nil},
		"many texts stay":              {"Many", []any{long.String(), long.String()}, nil},
		"a small one stays":            {"Bash", object("stdout", "ok"), nil},
		"one that has no text at all":  {"Bash", object("code", 1), nil},
		"what a sub-agent says, whole": {"Agent", object("content", long.String()), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			text := long.String()
			if name == "many texts stay" {
				text += text
			}
			in, err := json.Marshal(map[string]any{"version": "2.1.332", "session": "s-1", "dir": t.TempDir(), "tool": test.tool, "call": "toolu_1", "text": text, "result": test.result})
			if err != nil {
				t.Fatal(err)
			}
			out, err := claudecode.Client{}.Handle(t.Context(), h, "tool.call", in)
			if err != nil {
				t.Fatal(err)
			}
			if test.at == nil {
				if len(out) > 0 {
					t.Errorf("it is shortened: %.300s", out)
				}
				return
			}
			var a struct {
				Result any `json:"result"`
			}
			if err := json.Unmarshal(out, &a); err != nil {
				t.Fatal(err)
			}
			got, _ := test.at(a.Result).(string)
			if len(got) == 0 || len(got) > len(long.String())/2 || !strings.Contains(got, "line 0 of the log") || !strings.Contains(got, "line 19999 of the log") {
				t.Errorf("%d bytes are left: %.200q", len(got), got)
			}
			svc, err := h.Service(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s, err := svc.Open(t.Context(), hook.ResultsOf("s-1"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for e := range s.Log().Entries() {
				if r, ok := e.Payload.(tenfold.ToolResult); ok && r.CallID == "toolu_1" {
					found = r.Parts[0].Text == long.String()
				}
			}
			if !found {
				t.Error("the whole result is not in the store")
			}
		})
	}
}
