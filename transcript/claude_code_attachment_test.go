package transcript

import (
	"testing"
)

// TestClaudeCodeAttachments holds that what Claude Code puts into requests
// beside the messages is part of the conversation, and comes back as it was.
func TestClaudeCodeAttachments(t *testing.T) {
	attachment := func(s *session, uuid, value string, more string) *session {
		return s.line("attachment", uuid, `"attachment":`+value+more)
	}
	rendered := func(text string) string {
		return `,"rendered":[{"content":"<system-reminder>\n` + text + `\n</system-reminder>"}],"renderedRole":"system"`
	}
	queue := func(operation, more string) string {
		return `{"type":"queue-operation","operation":"` + operation + `","timestamp":"2026-01-02T03:04:05.678Z","sessionId":"s-1"` + more + `}`
	}
	begun := func() *session {
		return new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).assistant("a2", "m1", call("t2")).
			user("u2", result("t1", "1"))
	}
	const opened = `
		turn u1/turn
		user u1 "go"
		config a1/model m-1
		call a1 t1 Read {"b": 1,"a":"é"}
		call a2 t2 Read {"b": 1,"a":"é"}
`
	const answered = `
		usage a1/usage m1 m-1 3/20/7/900
		result u2 t1 "1"
`
	tests := []struct{ name, text, want string }{
		{
			"typed while it works",
			attachment(begun().user("u3", result("t2", "2")), "q1",
				`{"type":"queued_command","prompt":"and the rest","commandMode":"prompt","origin":{"kind":"human"}}`, rendered("The user sent a new message")).
				assistant("a3", "m2", `{"type":"text","text":"yes"}`).String(),
			opened + answered + `
				result u3 t2 "2"
				user q1 "and the rest"
				assistant a3 m2 "yes"
				usage a3/usage m2 m-1 3/20/7/900`,
		},
		{
			"typed in blocks, before a result",
			attachment(begun(), "q1", `{"type":"queued_command","prompt":[{"type":"text","text":"and the rest"}],"commandMode":"prompt"}`, "").
				user("u3", result("t2", "2")).
				raw(queue("remove", `,"content":"and the rest"`)).
				assistant("a3", "m2", `{"type":"text","text":"yes"}`).String(),
			opened + "unknown line:1 claude-code.queue-operation" + answered + `
				user q1 "and the rest"
				result u3 t2 "2"
				assistant a3 m2 "yes"
				usage a3/usage m2 m-1 3/20/7/900`,
		},
		{
			"a late answer, a file and a hook, as they were sent",
			attachment(attachment(attachment(attachment(new(session).user("u1", `"go"`),
				"q1", `{"type":"queued_command","prompt":"raw","commandMode":"task-notification"}`, rendered("a task is done")),
				"q2", `{"type":"file","filename":"/a.go","content":{"type":"text","file":{"content":"package a\n"}}}`, rendered("package a")),
				"q3", `{"type":"skill_listing","content":"- run"}`, rendered("- run")),
				"q4", `{"type":"hook_success","hookEvent":"PostToolUse","content":"fine"}`, "").String(),
			`
				turn u1/turn
				user u1 "go"
				notice q1 "<system-reminder>\na task is done\n</system-reminder>"
				notice q2 "<system-reminder>\npackage a\n</system-reminder>"
				unknown q3 claude-code.attachment
				unknown q4 claude-code.attachment`,
		},
		{
			"older versions did not keep what they sent",
			attachment(attachment(attachment(attachment(attachment(new(session).user("u1", `"go"`),
				"q1", `{"type":"file","filename":"/a.go","content":{"type":"text","file":{"content":"package a\n\nvar b\n"}}}`, ""),
				"q2", `{"type":"edited_text_file","filename":"/a.go","snippet":"1\tpackage b"}`, ""),
				"q3", `{"type":"nested_memory","path":"/C.md","content":{"path":"/C.md","content":"be short"}}`, ""),
				"q4", `{"type":"hook_additional_context","hookName":"UserPromptSubmit","content":["one","two"]}`, ""),
				"q5", `{"type":"hook_success","hookName":"SessionStart:startup","hookEvent":"SessionStart","content":"hello"}`, "").String(),
			`
				turn u1/turn
				user u1 "go"
				notice q1 "<system-reminder>\nCalled the Read tool with the following input: {\"file_path\":\"/a.go\"}\n</system-reminder>" "<system-reminder>\nResult of calling the Read tool:\n1\tpackage a\n2\t\n3\tvar b\n\n</system-reminder>"
				notice q2 "<system-reminder>\nNote: /a.go changed on disk since you last read it. Here are the relevant changes (shown with line numbers):\n1\tpackage b\n</system-reminder>"
				context q3 "<system-reminder>\nContents of /C.md:\n\nbe short\n</system-reminder>"
				context q4 "<system-reminder>\nUserPromptSubmit hook additional context: one\ntwo\n</system-reminder>"
				context q5 "<system-reminder>\nSessionStart:startup hook success: hello\n</system-reminder>"`,
		},
		{
			"what a command printed",
			new(session).user("u1", `"<command-name>/mcp</command-name>"`).
				line("system", "s1", `"subtype":"local_command","content":"<local-command-stdout>dismissed</local-command-stdout>"`).String(),
			`
				turn u1/turn
				notice u1 "<command-name>/mcp</command-name>"
				notice s1 "<local-command-stdout>dismissed</local-command-stdout>"`,
		},
		{
			"a queue without attachments",
			begun().raw(queue("enqueue", `,"content":"{\"task_id\":\"b1\"}"`)).raw(queue("enqueue", `,"content":"and the rest"`)).
				raw(queue("enqueue", `,"content":"/model"`)).raw(queue("remove", "")).
				user("u3", result("t2", "2")).
				assistant("a3", "m2", `{"type":"text","text":"yes"}`).String(),
			opened + `
				unknown line:1 claude-code.queue-operation
				unknown line:2 claude-code.queue-operation
				unknown line:3 claude-code.queue-operation
				unknown line:4 claude-code.queue-operation` + answered + `
				result u3 t2 "2"
				user line:4/queued "and the rest"
				assistant a3 m2 "yes"
				usage a3/usage m2 m-1 3/20/7/900`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkClaudeCode(t, tt.text, tt.want, nil) })
	}
}
