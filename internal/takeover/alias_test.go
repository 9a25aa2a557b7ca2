package takeover_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tenfold"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/internal/takeover"
	"tenfold/tool"
)

// The calls of other agents' tools as their sessions have them, and what they are
// here. Behind "!" stands what the model is told.
var aliases = []struct{ name, arguments, want string }{
	// Claude Code
	{"Read", `{"file_path":"a.go"}`, `fs_read_file {"path":"a.go","end_line":2000}`},
	{"Read", `{"file_path":"/w/a.go","offset":101,"limit":50}`, `fs_read_file {"path":"/w/a.go","start_line":101,"end_line":150}`},
	{"Read", `{"file_path":"a.pdf","pages":"1-5"}`, `! use fs_read_file: say which lines`},
	{"Read", `{}`, `! use fs_read_file`},
	{"Bash", `{"command":"go test ./...","description":"Run tests","timeout":120000}`, `shell {"command":"go test ./...","timeout":120}`},
	{"Bash", `{"command":"sleep 9","run_in_background":true}`, `! use shell: it waits for the end`},
	{"Bash", `{"command":"true","run_in_background":false}`, `shell {"command":"true"}`},
	{"Bash", `{"command":" "}`, `! use shell: a command is required`},
	{"Edit", `{"file_path":"a.go","old_string":"x","new_string":""}`, `fs_modify_file {"path":"a.go","old":"x","new":""}`},
	{"Edit", `{"file_path":"a.go","old_string":"x","new_string":"y","replace_all":true}`, `! use fs_modify_file: it changes one place`},
	{"Edit", `{"file_path":"a.go","old_string":"","new_string":"y"}`, `! use fs_modify_file: old is the text`},
	{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}`, `! use fs_modify_file: call it once for each place`},
	{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"a","new_string":"b"}]}`, `fs_modify_file {"path":"a.go","old":"a","new":"b"}`},
	{"Write", `{"file_path":"a.go","content":"package a\n"}`, `fs_create_file {"path":"a.go","content":"package a\n"}`},
	{"Write", `{"file_path":"a.go","content":""}`, `fs_create_file {"path":"a.go","content":""}`},
	{"Grep", `{"pattern":"a+","path":"src","output_mode":"content","-n":true}`, `fs_grep_files {"pattern":"a+","path":"src"}`},
	{"Grep", `{"pattern":"a+","-i":true}`, `fs_grep_files {"pattern":"(?i)a+"}`},
	{"Grep", `{"pattern":"a","glob":"*.go"}`, `fs_grep_files {"pattern":"a","files":"*.go"}`},
	{"Grep", `{"pattern":"a","type":"go"}`, `! use fs_grep_files: it has no argument type`},
	{"Glob", `{"pattern":"**/*.go"}`, `fs_find_files {"pattern":"**/*.go"}`},
	{"LS", `{"path":"/w"}`, `fs_list_files {"path":"/w"}`},
	{"TodoWrite", `{"todos":[]}`, `! use plan`},
	{"Task", `{"description":"look","prompt":"find it","subagent_type":"general"}`, `task {"title":"look","prompt":"find it"}`},
	{"mcp__github__get_issue", `{"n":1}`, `github__get_issue {"n":1}`},
	{"WebFetch", `{"url":"https://example.org"}`, `! there is no tool "WebFetch" here`},
	{"BashOutput", `{"bash_id":"1"}`, `! there is no tool "BashOutput" here`},
	{"AskUserQuestion", `{}`, `! there is no tool "AskUserQuestion" here`},
	// Codex
	{"shell", `{"command":["bash","-lc","ls -l"],"workdir":"/w/sub","timeout_ms":1500}`, `shell {"command":"cd '/w/sub' && ls -l","timeout":2}`},
	{"shell", `{"command":["git","log","it's"]}`, `shell {"command":"'git' 'log' 'it'\\''s'"}`},
	{"exec_command", `{"cmd":"ls","workdir":"it's"}`, `shell {"command":"cd 'it'\\''s' && ls"}`},
	{"exec_command", `{"cmd":"ls","yield_time_ms":1000,"max_output_tokens":100}`, `shell {"command":"ls"}`},
	{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n a\n-b\n+c\n*** End Patch"}`, `fs_modify_file {"path":"a.go","old":"a\nb\n","new":"a\nc\n"}`},
	{"apply_patch", "*** Begin Patch\n*** Add File: a.go\n+package a\n*** End Patch", `fs_create_file {"path":"a.go","content":"package a\n"}`},
	{"apply_patch", "*** Begin Patch\n*** Delete File: a.go\n*** End Patch", `! use fs_modify_file`},
	{"apply_patch", "*** Begin Patch\n*** Update File: a.go\n@@\n-b\n+c\n*** Update File: b.go\n@@\n-b\n+c\n*** End Patch", `! use fs_modify_file: call it once`},
	{"apply_patch", "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-b\n+c\n*** End Patch", `! use fs_modify_file: delete and move`},
	{"write_stdin", `{"session_id":1,"chars":"y"}`, `! there is no tool "write_stdin" here`},
	{"update_plan", `{"plan":[{"step":"a","status":"in_progress"},{"step":"b"}]}`, `plan {"items":[{"text":"a","status":"in_progress"},{"text":"b","status":"pending"}]}`},
	{"TaskUpdate", `{"taskId":"1","status":"completed"}`, `! use plan: give the whole plan`},
	{"view_image", `{"path":"a.png"}`, `fs_read_file {"path":"a.png"}`},
	// opencode, pi, crush
	{"read", `{"filePath":"a.go","offset":0,"limit":10}`, `fs_read_file {"path":"a.go","end_line":10}`},
	{"bash", `{"command":"ls","timeout":30}`, `shell {"command":"ls","timeout":30}`},
	{"bash", `{"command":"ls","timeout":-3}`, `shell {"command":"ls"}`},
	{"edit", `{"path":"a","oldText":"x","newText":"y"}`, `fs_modify_file {"path":"a","old":"x","new":"y"}`},
	{"write", `{"path":"a","content":"x"}`, `fs_create_file {"path":"a","content":"x"}`},
	{"grep", `{"pattern":"a","literal":true}`, `! use fs_grep_files: its pattern is a regular`},
	{"find", `{"pattern":"*.go","path":"x"}`, `fs_find_files {"pattern":"*.go","path":"x"}`},
	{"ls", `{}`, `fs_list_files {}`},
	{"task", `{"prompt":"find it","subagent_type":"general","description":"d"}`, `task {"title":"d","prompt":"find it"}`},
	{"view", `{"file_path":"a.go","offset":9,"limit":1}`, `fs_read_file {"path":"a.go","start_line":10,"end_line":10}`},
	// Gemini CLI
	{"read_file", `{"file_path":"a.go","offset":9,"limit":1}`, `fs_read_file {"path":"a.go","start_line":10,"end_line":10}`},
	{"run_shell_command", `{"command":"ls","dir_path":"sub"}`, `shell {"command":"cd 'sub' && ls"}`},
	{"replace", `{"file_path":"a","old_string":"x","new_string":"y","allow_multiple":true}`, `! use fs_modify_file: it changes one place`},
	{"write_file", `{"file_path":"a","content":"x"}`, `fs_create_file {"path":"a","content":"x"}`},
	{"grep_search", `{"pattern":"a","dir_path":"src"}`, `fs_grep_files {"pattern":"a","path":"src"}`},
	{"list_directory", `{"dir_path":"src"}`, `fs_list_files {"path":"src"}`},
	// editors
	{"str_replace_editor", `{"command":"view","path":"a","view_range":[3,9]}`, `fs_read_file {"path":"a","start_line":3,"end_line":9}`},
	{"str_replace_editor", `{"command":"create","path":"a","file_text":"x"}`, `fs_create_file {"path":"a","content":"x"}`},
	{"str_replace_editor", `{"command":"str_replace","path":"a","old_str":"x","new_str":"y"}`, `fs_modify_file {"path":"a","old":"x","new":"y"}`},
	{"str_replace_editor", `{"command":"insert","path":"a","insert_line":3,"new_str":"y"}`, `! use fs_modify_file: old is the text`},
	{"str_replace_editor", `{"command":"undo_edit","path":"a"}`, `! use fs_modify_file`},
	{"apply_patch", "*** Begin Patch\n*** Add File: b.go\n*** Update File: a.go\n@@\n-b\n+c\n*** End Patch", `! use fs_modify_file: call it for one file`},
	{"Edit", `{"old_string":"x","new_string":"y"}`, `! use fs_modify_file: call it`},
	{"exec_command", `{"cmd":"ls","workdir":"."}`, `shell {"command":"ls"}`},
	{"bash", `{"command":"ls","timeout":600}`, `shell {"command":"ls","timeout":600}`},
	{"LS", `{"path":"/w","ignore":[]}`, `fs_list_files {"path":"/w"}`},
	{"LS", `{"path":"/w","ignore":["x"]}`, `! use fs_list_files: it has no argument ignore`},
	{"Grep", `{"pattern":"a","multiline":true}`, `! use fs_grep_files: it has no argument multiline`},
	{"SendMessage", `{"message":"hi"}`, `! there is no tool "SendMessage" here`},
	{"grep", `{"pattern":"a","ignoreCase":true}`, `fs_grep_files {"pattern":"(?i)a"}`},
	// ours, and nobody's
	{"fs_read_file", `{"path":"a"}`, `! there is no tool "fs_read_file" here`},
	{"frobnicate", `{}`, `! there is no tool "frobnicate" here`},
	{"Bash", `{"command":"l`, `! use shell`},
}

func TestAlias(t *testing.T) {
	for _, one := range aliases {
		got, err := takeover.Alias(tenfold.ToolCall{CallID: "c1", Name: one.name, Arguments: one.arguments, Custom: true})
		said := got.Name + " " + got.Arguments
		if err != nil {
			said = "! " + err.Error()
		}
		want, refused := strings.CutPrefix(one.want, "! ")
		switch {
		case refused && (err == nil || !strings.Contains(said, want)), !refused && said != sorted(t, one.want):
			t.Errorf("%s %s is\n\t%s, want\n\t%s", one.name, one.arguments, said, one.want)
		case got.CallID != "c1":
			t.Errorf("%s: the id of the call is %q", one.name, got.CallID)
		}
	}
}

// sorted is a call with the members of its arguments in order.
func sorted(t *testing.T, call string) string {
	t.Helper()
	name, text, _ := strings.Cut(call, " ")
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return name + " " + string(v)
}

// A call is never mapped onto the name that it has, which would never end. The
// arguments of a mapped call are an object, and Name knows each tool that is mapped.
func TestAliasesAreOurs(t *testing.T) {
	values := []string{`"a.go"`, `["a","b"]`, `{"path":"a"}`, `0`, `-1`, `1e99`, `true`, `null`, `""`, `"  "`, `[[1,2]]`, "\"\xff\""}
	var names []string
	for _, one := range tool.All() {
		names = append(names, one.Name, strings.ToUpper(one.Name))
	}
	keys := strings.Fields(`path file_path filePath paths command cmd workdir timeout timeout_ms offset limit start_line end_line pattern query old new
		old_string new_string edits content input patch todos prompt view_range replace_all -i glob run_in_background`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "name")
		var members []string
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 6, rapid.ID).Draw(t, "keys") {
			members = append(members, `"`+key+`":`+rapid.SampledFrom(values).Draw(t, "value"))
		}
		text := "{" + strings.Join(members, ",") + "}"
		if rapid.IntRange(0, 9).Draw(t, "torn") == 0 {
			text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
		}
		got, err := takeover.Alias(tenfold.ToolCall{Name: name, Arguments: text})
		if err != nil {
			if !strings.Contains(err.Error(), "no tool") {
				t.Fatalf("%s %s: %v", name, text, err)
			}
			return
		}
		if v := jsontext.Value(got.Arguments); v.Kind() != '{' || !v.IsValid() {
			t.Fatalf("%s %s became %s %s", name, text, got.Name, got.Arguments)
		}
		if ours, _ := tool.Lookup(got.Name); got.Name != "plan" && got.Name != "fs_find_files" && got.Name != "task" && !strings.Contains(ours.Agents, "tenfold") {
			t.Fatalf("%s became %s, which is not ours", name, got.Name)
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(got.Arguments), &fields); err != nil {
			t.Fatal(err)
		}
		for _, number := range []string{"start_line", "end_line", "timeout"} {
			if n, ok := fields[number].(float64); ok && n < 0 {
				t.Fatalf("%s %s became %s %s", name, text, got.Name, got.Arguments)
			}
		}
	})
}

func TestGreeting(t *testing.T) {
	log := tenfold.NewLog()
	for i, name := range []string{"Read", "Read", "shell", "Bash", "frobnicate", "WebFetch"} {
		if _, err := log.Append(tenfold.Entry{ID: string(rune('a' + i)), Payload: tenfold.ToolCall{CallID: "c", Name: name, Arguments: "{}"}}); err != nil {
			t.Fatal(err)
		}
	}
	want := "This session began in claude-code and was continued in Tenfold, where tools have other names: Bash is shell, Read is fs_read_file. Files may have changed since: read them before you edit them."
	if got := takeover.Greeting(log, "claude-code"); got != want {
		t.Errorf("%s", got)
	}
	if got := takeover.Greeting(tenfold.NewLog(), "codex"); got != "" {
		t.Errorf("an empty log: %s", got)
	}
}

func FuzzAlias(f *testing.F) {
	for _, one := range aliases {
		f.Add(one.name, one.arguments)
	}
	f.Fuzz(func(t *testing.T, name, arguments string) {
		got, err := takeover.Alias(tenfold.ToolCall{Name: name, Arguments: arguments})
		if v := jsontext.Value(got.Arguments); err == nil && got.Name != name && !strings.HasPrefix(name, "mcp__") && !v.IsValid() {
			t.Errorf("%q %q became %q %q", name, arguments, got.Name, got.Arguments)
		}
	})
}
