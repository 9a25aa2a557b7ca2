package transcript

import (
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// TestL12Importers reads a sample of each format that records how calls ended.
func TestL12Importers(t *testing.T) {
	codex := func(lines ...string) string {
		all := `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta","payload":{"id":"0199b213-81a0-7800-8aa0-bbab2a035a54","timestamp":"2026-03-02T09:00:00Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.142.0"}}
{"timestamp":"2026-03-02T09:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}
`
		for _, line := range lines {
			kind, rest, _ := strings.Cut(line, " ")
			all += `{"timestamp":"2026-03-02T09:00:02Z","type":"` + kind + `","payload":` + rest + "}\n"
		}
		return all
	}
	claude := func(results ...string) string {
		all := `{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"u0","sessionId":"s","version":"2.1.0","cwd":"/w","timestamp":"2026-03-02T09:00:00Z","message":{"role":"user","content":"go"}}` + "\n"
		for i, r := range results {
			n := string(rune('a' + i))
			name, rest, _ := strings.Cut(r, " ")
			all += `{"parentUuid":"u0","isSidechain":false,"type":"assistant","uuid":"c` + n + `","sessionId":"s","version":"2.1.0","timestamp":"2026-03-02T09:00:01Z","message":{"id":"m` + n + `","role":"assistant","content":[{"type":"tool_use","id":"` + n + `","name":"` + name + `","input":{}}]}}
{"parentUuid":"c` + n + `","isSidechain":false,"type":"user","uuid":"r` + n + `","sessionId":"s","version":"2.1.0","timestamp":"2026-03-02T09:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + n + `",` + rest + "}\n"
		}
		return all
	}
	for _, test := range []struct {
		name, text string
		want       []tenfold.Outcome
	}{
		{"codex.jsonl", codex(
			`response_item {"type":"function_call","name":"shell_command","arguments":"{}","call_id":"1"}`,
			`response_item {"type":"function_call_output","call_id":"1","output":"Exit code: 2\nWall time: 0.1 seconds\nOutput:\nred"}`,
			`response_item {"type":"function_call","name":"exec_command","arguments":"{}","call_id":"2"}`,
			`event_msg {"type":"exec_command_end","call_id":"2","exit_code":3,"status":"failed"}`,
			`response_item {"type":"function_call_output","call_id":"2","output":"red"}`,
			`response_item {"type":"function_call","name":"ask","arguments":"{}","call_id":"3"}`,
			`event_msg {"type":"mcp_tool_call_end","call_id":"3","result":{"Ok":{"content":[],"isError":true}}}`,
			`response_item {"type":"function_call_output","call_id":"3","output":"no"}`,
			`response_item {"type":"function_call","name":"ask","arguments":"{}","call_id":"4"}`,
			`event_msg {"type":"mcp_tool_call_end","call_id":"4","result":{"Ok":{"content":[]}}}`,
			`response_item {"type":"function_call_output","call_id":"4","output":"yes"}`,
			`response_item {"type":"function_call","name":"ask","arguments":"{}","call_id":"5"}`,
			`event_msg {"type":"mcp_tool_call_end","call_id":"5","result":{"Err":"gone"}}`,
			`response_item {"type":"function_call_output","call_id":"5","output":"gone"}`,
			`response_item {"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"6"}`,
			`event_msg {"type":"patch_apply_end","call_id":"6","success":false}`,
			`response_item {"type":"custom_tool_call_output","call_id":"6","output":"no such line"}`,
			`response_item {"type":"function_call","name":"ask","arguments":"{}","call_id":"7"}`,
			`response_item {"type":"function_call_output","call_id":"7","output":"whatever"}`,
			`response_item {"type":"function_call","name":"ask","arguments":"{}","call_id":"8"}`,
			`response_item {"type":"function_call_output","call_id":"8","output":{"content":"old","success":true}}`,
		), []tenfold.Outcome{"exit 2", "exit 3", "error", "success", "error", "error", "", "success"}},
		{"claude.jsonl", claude(
			`Bash "content":"green"}]}`,
			`Bash "content":"Exit code 4\nred","is_error":true}]}`,
			`Bash "content":"half"}]},"toolUseResult":{"stdout":"half","interrupted":true}`,
			`Bash "content":"log of Exit code 1"}]},"toolUseResult":{"stdout":"\"interrupted\":true","interrupted":false}`,
			`Bash "content":"Command running in background with ID: b1"}]}`,
			`Edit "content":"<tool_use_error>File has not been read yet.</tool_use_error>","is_error":true}]}`,
		), []tenfold.Outcome{"success", "exit 4", "error", "success", "", "error"}},
		{
			"opencode.json", `{"info":{"id":"ses_1","version":"1.0.0","time":{"created":1}},"messages":[{"info":{"id":"msg_1","role":"user","sessionID":"ses_1","time":{"created":1}},"parts":[{"id":"prt_0","type":"text","text":"go"}]},
{"info":{"id":"msg_2","role":"assistant","sessionID":"ses_1","time":{"created":2}},"parts":[
{"id":"prt_1","type":"tool","tool":"bash","callID":"1","state":{"status":"completed","input":{},"output":"red","metadata":{"exit":5},"time":{"start":1,"end":2}}},
{"id":"prt_2","type":"tool","tool":"bash","callID":"2","state":{"status":"completed","input":{},"output":"green","metadata":{"exit":0},"time":{"start":1,"end":2}}},
{"id":"prt_3","type":"tool","tool":"bash","callID":"3","state":{"status":"completed","input":{},"output":"cut","metadata":{"exit":null},"time":{"start":1,"end":2}}},
{"id":"prt_4","type":"tool","tool":"read","callID":"4","state":{"status":"completed","input":{},"output":"Exit code: 1","time":{"start":1,"end":2}}},
{"id":"prt_5","type":"tool","tool":"edit","callID":"5","state":{"status":"error","input":{},"error":"not found","time":{"start":1,"end":2}}}]}]}`,
			[]tenfold.Outcome{"exit 5", "success", "", "success", "error"},
		},
		{"pi.jsonl", `{"type":"session","version":3,"id":"p1","timestamp":"2026-03-01T09:00:00Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-01T09:00:01Z","message":{"role":"user","content":[{"type":"text","text":"go"}]}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-03-01T09:00:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{}},{"type":"toolCall","id":"2","name":"bash","arguments":{}}],"stopReason":"toolUse"}}
{"type":"message","id":"c","parentId":"b","timestamp":"2026-03-01T09:00:03Z","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[{"type":"text","text":"red\n\nCommand exited with code 6"}],"isError":true}}
{"type":"message","id":"d","parentId":"c","timestamp":"2026-03-01T09:00:04Z","message":{"role":"toolResult","toolCallId":"2","toolName":"bash","content":[{"type":"text","text":"green"}],"isError":false}}
`, []tenfold.Outcome{"exit 6", "success"}},
		{"copilot.jsonl", `{"type":"session.start","id":"e0","timestamp":"2026-03-01T09:00:00Z","parentId":null,"data":{"sessionId":"c1","version":1,"producer":"copilot-agent"}}
{"type":"user.message","id":"e1","timestamp":"2026-03-01T09:00:01Z","parentId":"e0","data":{"content":"go"}}
{"type":"assistant.message","id":"e2","timestamp":"2026-03-01T09:00:02Z","parentId":"e1","data":{"messageId":"m","content":"","toolRequests":[{"toolCallId":"1","name":"bash","arguments":{}},{"toolCallId":"2","name":"view","arguments":{}},{"toolCallId":"3","name":"bash","arguments":{}}]}}
{"type":"tool.execution_complete","id":"e3","timestamp":"2026-03-01T09:00:03Z","parentId":"e2","data":{"toolCallId":"1","success":true,"result":{"content":"red\n<exited with exit code 7>"}}}
{"type":"tool.execution_complete","id":"e4","timestamp":"2026-03-01T09:00:03Z","parentId":"e3","data":{"toolCallId":"2","success":false,"error":{"message":"no such path"}}}
{"type":"tool.execution_complete","id":"e5","timestamp":"2026-03-01T09:00:03Z","parentId":"e4","data":{"toolCallId":"3","success":true,"result":{"content":"who knows"}}}
`, []tenfold.Outcome{"exit 7", "error", ""}},
		{
			"anthropic.json", `{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"bash","input":{}},{"type":"tool_use","id":"2","name":"ask","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"Exit code 1\nred","is_error":true},{"type":"tool_result","tool_use_id":"2","content":"yes"}]}]}`,
			[]tenfold.Outcome{"exit 1", ""},
		},
		{
			"chat.json", `{"model":"gpt-x","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"bash","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"ask","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"1","content":"green"},{"role":"tool","tool_call_id":"2","content":"Error: no such user"}]}`,
			[]tenfold.Outcome{"", "error"},
		},
	} {
		got, err := importText(t, test.name, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var outcomes []tenfold.Outcome
		for _, e := range got.Entries {
			if r, ok := e.Payload.(tenfold.ToolResult); ok {
				outcomes = append(outcomes, r.Outcome)
			}
		}
		if !slices.Equal(outcomes, test.want) {
			t.Errorf("%s (%s): the calls ended with %q, want %q", test.name, got.Format, outcomes, test.want)
		}
	}
}

// TestL12ANativeExportKeepsOutcomes: our own format carries what is known, and
// what is not known stays so.
func TestL12ANativeExportKeepsOutcomes(t *testing.T) {
	var want []tenfold.Outcome
	l := tenfold.NewLog()
	for i, o := range []tenfold.Outcome{"", tenfold.Success, tenfold.Failed, tenfold.Exit(7)} {
		id := string(rune('a' + i))
		if _, err := l.Append(tenfold.Entry{ID: "c" + id, Payload: tenfold.ToolCall{CallID: id, Name: "shell", Arguments: "{}"}},
			tenfold.Entry{ID: "r" + id, Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text("Exit code: 1\nWall time: 0.2 seconds\nOutput:\n"), Outcome: o}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, o)
	}
	var b strings.Builder
	if _, err := Export(&b, Tenfold, View{Conversation: Conversation{ID: "x", Format: Tenfold}, Projection: tenfold.Project(l)}); err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "x.jsonl", b.String())
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []tenfold.Outcome
	for _, e := range got.Entries {
		if r, ok := e.Payload.(tenfold.ToolResult); ok {
			outcomes = append(outcomes, r.Outcome)
		}
	}
	if !slices.Equal(outcomes, want) {
		t.Errorf("%q came back as %q", want, outcomes)
	}
}
