package transcript

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/transcript/internal/intake"
)

// session writes lines of a session file: each chains to the one before unless
// it says otherwise.
type session struct {
	b    strings.Builder
	last string
}

func (s *session) line(typ, uuid, members string) *session {
	parent := "null"
	if s.last != "" {
		parent = `"` + s.last + `"`
	}
	if !strings.Contains(members, `"parentUuid"`) {
		members = `"parentUuid":` + parent + `,` + members
	}
	if !strings.Contains(members, `"isSidechain"`) {
		members += `,"isSidechain":false`
	}
	fmt.Fprintf(&s.b, `{"type":%q,"uuid":%q,"sessionId":"s-1","timestamp":"2026-01-02T03:04:05.678Z",%s}`+"\n", typ, uuid, members)
	s.last = uuid
	return s
}

func (s *session) user(uuid, content string, more ...string) *session {
	return s.line("user", uuid, `"message":{"role":"user","content":`+content+`}`+strings.Join(more, ""))
}

func (s *session) assistant(uuid, message, blocks string, more ...string) *session {
	return s.line("assistant", uuid, `"message":{"id":"`+message+`","role":"assistant","model":"m-1","content":[`+blocks+`],"usage":{"input_tokens":3,"cache_creation_input_tokens":900,"cache_read_input_tokens":7,"output_tokens":20}},"requestId":"r"`+strings.Join(more, ""))
}

func (s *session) raw(line string) *session {
	s.b.WriteString(line + "\n")
	return s
}

func (s *session) String() string { return s.b.String() }

func call(id string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"Read","input":{"b": 1,"a":"é"},"caller":{"type":"direct"}}`
}

func result(id, text string) string {
	return `[{"type":"tool_result","tool_use_id":"` + id + `","content":"` + text + `"}]`
}

const meta = `,"isMeta":true`

func boundaryLine(uuid, metadata string) string {
	return `{"parentUuid":null,"type":"system","subtype":"compact_boundary","uuid":"` + uuid + `","sessionId":"s-1","isSidechain":false,"compactMetadata":` + metadata + `}`
}

const summaryFlags = `,"isCompactSummary":true,"isVisibleInTranscriptOnly":true`

func TestClaudeCode(t *testing.T) {
	tests := []struct {
		name, text, want string
		warnings         []string
	}{
		{
			name: "a turn with every kind of block",
			text: new(session).user("u1", `"fix it"`).
				assistant("a1", "m1", `{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"xx"}`).
				assistant("a2", "m1", `{"type":"text","text":"on it"}`).
				assistant("a3", "m1", call("t1")).
				user("u2", result("t1", "package a"), `,"toolUseResult":{"file":"a.go"}`).
				assistant("a4", "m2", `{"type":"fallback","from":{"model":"x"}}`).String(),
			want: `
				turn u1/turn
				user u1 "fix it"
				config a1/model m-1
				reasoning a1 "hm" anthropic sig
				reasoning a1#1 "" anthropic xx
				assistant a2 m1 "on it"
				call a3 t1 Read {"b": 1,"a":"é"}
				usage a1/usage m1 m-1 3/20/7/900
				result u2 t1 "package a"
				item a4 anthropic {"type":"fallback","from":{"model":"x"}}
				usage a4/usage m2 m-1 3/20/7/900`,
		},
		{
			name: "parallel calls come before their results",
			text: new(session).user("u1", `"go"`).
				assistant("a1", "m1", call("t1")).
				user("r1", result("t1", "one")).
				assistant("a2", "m1", call("t2")).
				raw(`{"type":"file-history-snapshot","messageId":"x","snapshot":{}}`).
				user("r2", result("t2", "two")).
				assistant("a3", "m1", call("t3")).
				user("r3", result("t3", "three")).
				assistant("a4", "m2", `{"type":"text","text":"done"}`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				call a1 t1 Read {"b": 1,"a":"é"}
				call a2 t2 Read {"b": 1,"a":"é"}
				unknown line:c44b3e08ce0e0ae5 claude-code.file-history-snapshot
				call a3 t3 Read {"b": 1,"a":"é"}
				usage a1/usage m1 m-1 3/20/7/900
				result r1 t1 "one"
				result r2 t2 "two"
				result r3 t3 "three"
				assistant a4 m2 "done"
				usage a4/usage m2 m-1 3/20/7/900`,
		},
		{
			name: "a prompt typed into a response closes it; its usage counts once",
			text: new(session).user("u1", `"go"`).
				assistant("a1", "m1", `{"type":"text","text":"first"}`).
				user("u2", `"wait"`).
				assistant("a2", "m1", `{"type":"text","text":"second"}`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				assistant a1 m1 "first"
				usage a1/usage m1 m-1 3/20/7/900
				turn u2/turn
				user u2 "wait"
				assistant a2 m1 "second"`,
		},
		{
			name: "injected messages start no turn, commands do",
			text: new(session).
				user("c1", `"<local-command-caveat>Caveat</local-command-caveat>"`, meta).
				user("c2", `"<command-name>/model</command-name>"`).
				user("c3", `"<local-command-stdout>ok</local-command-stdout>"`).
				user("u1", `[{"type":"text","text":"now work"}]`).
				assistant("a1", "m1", `{"type":"text","text":"yes"}`).
				user("i1", `[{"type":"text","text":"[Request interrupted by user]"}]`).
				user("n1", `"<task-notification>x</task-notification>"`).
				user("n2", `"anything"`, `,"origin":{"kind":"task-notification"}`).
				user("u2", `"again"`, `,"origin":{"kind":"human"}`).String(),
			want: `
				turn c1/turn
				notice c1 "<local-command-caveat>Caveat</local-command-caveat>"
				notice c2 "<command-name>/model</command-name>"
				notice c3 "<local-command-stdout>ok</local-command-stdout>"
				turn u1/turn
				user u1 "now work"
				config a1/model m-1
				assistant a1 m1 "yes"
				usage a1/usage m1 m-1 3/20/7/900
				notice i1 "[Request interrupted by user]"
				notice n1 "<task-notification>x</task-notification>"
				notice n2 "anything"
				turn u2/turn
				user u2 "again"`,
		},
		{
			name: "what a user line can hold",
			text: new(session).
				user("u1", `["plain",{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"}},{"type":"odd","x":1}]`).
				assistant("a1", "m1", call("t1")+","+call("t2")+","+call("t3")).
				user("u2", `[{"type":"text","text":"before"},{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"seen"},{"type":"tool_reference","tool_name":"X"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"CCCC"}}],"is_error":true},{"type":"text","text":"after"},{"type":"tool_result","tool_use_id":"t2"},{"type":"tool_result","tool_use_id":"t3","content":""},{"type":"tool_result","tool_use_id":"t4","content":null},{"type":"tool_result","tool_use_id":"t5","content":{"k":1}}]`).String(),
			want: `
				turn u1/turn
				user u1 "plain" <image data:image/png;base64,AAAA> <image https://example.org/a.png> <file data:application/pdf;base64,BBBB> <file odd {"type":"odd","x":1}>
				config a1/model m-1
				call a1 t1 Read {"b": 1,"a":"é"}
				call a1#1 t2 Read {"b": 1,"a":"é"}
				call a1#2 t3 Read {"b": 1,"a":"é"}
				usage a1/usage m1 m-1 3/20/7/900
				failure u2 t1 "seen" <file tool_reference {"type":"tool_reference","tool_name":"X"}> <image data:image/png;base64,CCCC>
				result u2#1 t2 
				result u2#2 t3 ""
				result u2#3 t4
				result u2#4 t5 <file  {"k":1}>
				turn u2/turn
				user u2#5 "before" "after"`,
		},
		{
			name: "lines that are not messages, or not understood",
			text: new(session).
				raw(`{"type":"summary","summary":"A title","leafUuid":"x"}`).
				raw(`{"type":"summary","summary":"A title","leafUuid":"x"}`).
				raw(`"a string"`).raw(`42`).raw(`{"silly":1}`).raw(``).
				user("u1", `null`).
				user("u2", `"twice","content":"here"`).
				line("user", "u3", `"message":"a string"`).
				user("u4", `[]`).
				line("attachment", "at1", `"attachment":{"type":"file"}`).
				user("u5", `"hello"`).user("u5", `"hello"`).
				user("has/slash", `"odd id"`).
				raw(`{"type":"custom-title","customTitle":"Mine","sessionId":"s-2"}`).String(),
			want: `
				unknown line:6ac4ea1b0e3a2b5b claude-code.summary
				unknown line:6ac4ea1b0e3a2b5b~2 claude-code.summary
				unknown line:2 claude-code.value
				unknown line:3 claude-code.value
				unknown line:4 claude-code.untyped
				unknown u1 claude-code.user
				unknown u2 claude-code.user
				unknown u3 claude-code.user
				unknown u4 claude-code.user
				unknown at1 claude-code.attachment
				turn u5/turn
				user u5 "hello"
				turn u5~2/turn
				user u5~2 "hello"
				turn line:5/turn
				user line:5 "odd id"
				unknown line:6 claude-code.custom-title`,
			warnings: []string{
				"2 lines are not JSON objects and were kept as they are (the first is line 3)",
				"3 messages could not be understood and were kept as they are (the first is line 7)",
				"1 line belongs to another session than the first (line 15)",
			},
		},
		{
			name: "a synthetic model bills nothing and changes no model",
			text: new(session).user("u1", `"hi"`).
				line("assistant", "a1", `"message":{"id":"m1","model":"<synthetic>","content":[{"type":"text","text":"API error"}],"usage":{"input_tokens":0}}`).
				assistant("a2", "m2", `{"type":"text","text":"hello"}`).String(),
			want: `
				turn u1/turn
				user u1 "hi"
				assistant a1 m1 "API error"
				config a2/model m-1
				assistant a2 m2 "hello"
				usage a2/usage m2 m-1 3/20/7/900`,
		},
		{
			name: "sidechains become branches",
			text: new(session).user("u1", `"go"`).
				assistant("a1", "m1", call("t1")).
				user("12345678-aa", `"do this"`, `,"parentUuid":null,"isSidechain":true`).
				assistant("s2", "m2", `{"type":"text","text":"done"}`, `,"isSidechain":true`).
				user("12345678-bb", `"do that"`, `,"parentUuid":null,"isSidechain":true`).
				user("r1", result("t1", "report"), `,"parentUuid":"a1"`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				call a1 t1 Read {"b": 1,"a":"é"}
				injected 12345678-aa@sidechain.12345678 "do this"
				config s2/model@sidechain.12345678 m-1
				assistant s2@sidechain.12345678 m2 "done"
				injected 12345678-bb@sidechain.12345678-bb "do that"
				usage a1/usage m1 m-1 3/20/7/900
				result r1 t1 "report"
				usage s2/usage@sidechain.12345678 m2 m-1 3/20/7/900`,
		},
		{
			name: "progress of an agent",
			text: new(session).user("u1", `"go"`).
				line("progress", "p1", `"data":{"message":{"type":"user","message":{"role":"user","content":[{"type":"text","text":"find it"}]},"uuid":"x"},"type":"agent_progress","agentId":"a97"}`).
				line("progress", "p2", `"data":{"type":"hook_progress","message":{"type":"user"}}`).
				line("progress", "p3", `"data":{"message":{"type":"assistant","message":{"id":"m9","model":"small","content":[`+call("t9")+`]}},"type":"agent_progress","agentId":"a97"}`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				injected p1@agent.a97 "find it"
				unknown p2 claude-code.progress
				config p3/model@agent.a97 small
				call p3@agent.a97 t9 Read {"b": 1,"a":"é"}`,
		},
		{
			name: "compaction, the work goes on",
			text: new(session).user("u1", `"go"`).assistant("a1", "m1", `{"type":"text","text":"did"}`).
				raw(boundaryLine("b1", `{"trigger":"auto","preTokens":1000,"postTokens":100}`)).
				user("c1", `"This is what was"`, summaryFlags).
				line("attachment", "at", `"attachment":{}`).
				assistant("a2", "m2", `{"type":"text","text":"more"}`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				assistant a1 m1 "did"
				usage a1/usage m1 m-1 3/20/7/900
				unknown b1 claude-code.system
				compaction c1/compaction 0..0 summary="This is what was"/message import auto 1000→100
				unknown at claude-code.attachment
				turn c1/turn
				assistant a2 m2 "more"
				usage a2/usage m2 m-1 3/20/7/900`,
		},
		{
			name: "compaction, then a prompt: one turn, not two",
			text: new(session).user("u1", `"go"`).user("u2", `"on"`).
				raw(boundaryLine("b1", `{"trigger":"manual"}`)).
				user("c1", `[{"type":"text","text":"was"}]`, summaryFlags).
				user("m1", `"<local-command-caveat>x"`, meta).
				user("u3", `"next"`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				turn u2/turn
				user u2 "on"
				unknown b1 claude-code.system
				compaction c1/compaction 0..1 summary="was"/message import manual 0→0
				turn m1/turn
				notice m1 "<local-command-caveat>x"
				user u3 "next"`,
		},
		{
			name: "compaction that kept messages ends before their step",
			text: new(session).user("u1", `"go"`).
				assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).
				assistant("a2", "m2", call("t2")).user("r2", result("t2", "y")).
				raw(boundaryLine("b1", `{"trigger":"auto","preservedSegment":{"headUuid":"a2"},"preservedMessages":{"uuids":["a2","r2"]}}`)).
				user("c1", `"was"`, summaryFlags).
				user("u2", `"next"`).
				raw(boundaryLine("b2", `{"trigger":"auto","preservedMessages":{"uuids":["u2"]}}`)).
				user("c2", `"was 2"`, summaryFlags).
				raw(boundaryLine("b3", `{"trigger":"auto","preservedMessages":{"uuids":["nowhere"]}}`)).
				user("c3", `"was 3"`, summaryFlags).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				call a1 t1 Read {"b": 1,"a":"é"}
				usage a1/usage m1 m-1 3/20/7/900
				result r1 t1 "x"
				call a2 t2 Read {"b": 1,"a":"é"}
				usage a2/usage m2 m-1 3/20/7/900
				result r2 t2 "y"
				unknown b1 claude-code.system
				compaction c1/compaction 0..0.0 summary="was"/message import auto 0→0
				turn u2/turn
				user u2 "next"
				unknown b2 claude-code.system
				compaction c2/compaction 0..0 summary="was 2"/message import auto 0→0
				unknown b3 claude-code.system
				compaction c3/compaction 0..1 summary="was 3"/message import auto 0→0`,
			warnings: []string{"1 compaction kept messages verbatim that cannot be told apart: its summary covers them too (line 11)"},
		},
		{
			name: "boundaries that lead to no overlay",
			text: new(session).
				raw(boundaryLine("b0", `{"trigger":"auto"}`)).
				user("c0", `"from the file before"`, summaryFlags).
				user("u1", `"go"`).
				raw(boundaryLine("b1", `{"trigger":"auto"}`)).
				user("u2", `"no summary"`).
				raw(boundaryLine("b2", `{"trigger":"auto"}`)).String(),
			want: `
				unknown b0 claude-code.system
				turn c0/turn
				injected c0 "from the file before"
				turn u1/turn
				user u1 "go"
				unknown b1 claude-code.system
				turn u2/turn
				user u2 "no summary"
				unknown b2 claude-code.system`,
			warnings: []string{
				"1 compaction covers an earlier file: its summary is kept as a message (line 2)",
				"2 compactions came without a summary: nothing is hidden (the first is line 4)",
			},
		},
		{
			name: "microcompaction clears results",
			text: new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).
				raw(`{"type":"system","subtype":"microcompact_boundary","uuid":"b1","sessionId":"s-1","microcompactMetadata":{"trigger":"auto","preTokens":500,"tokensSaved":200,"compactedToolIds":["t1","t0"]}}`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				call a1 t1 Read {"b": 1,"a":"é"}
				usage a1/usage m1 m-1 3/20/7/900
				result r1 t1 "x"
				unknown b1 claude-code.system
				compaction b1/compaction 0..0 tools=selective/false/false/2 import auto 500→300`,
		},
		{
			name: "a prompt that was taken back is hidden",
			text: new(session).user("u1", `"go"`).assistant("a1", "m1", `{"type":"text","text":"ok"}`).
				user("u2", `"wrong"`).assistant("a2", "m2", `{"type":"text","text":"bad"}`).user("u3", `"worse"`).
				user("u4", `"right"`, `,"parentUuid":"a1"`).
				assistant("a4", "m4", `{"type":"text","text":"good"}`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				assistant a1 m1 "ok"
				usage a1/usage m1 m-1 3/20/7/900
				turn u2/turn
				user u2 "wrong"
				assistant a2 m2 "bad"
				usage a2/usage m2 m-1 3/20/7/900
				turn u3/turn
				user u3 "worse"
				compaction u4/rewind 1..2 turns=omit import rewound in claude-code 0→0
				turn u4/turn
				user u4 "right"
				assistant a4 m4 "good"
				usage a4/usage m4 m-1 3/20/7/900`,
			warnings: []string{"1 rewound prompt and its replies are hidden (line 6)"},
		},
		{
			name: "a fork that is not whole turns stays visible",
			text: new(session).user("u1", `"go"`).assistant("a1", "m1", `{"type":"text","text":"ok"}`).
				user("u2", `"left"`).user("u3", `"elsewhere"`, `,"parentUuid":null`).
				user("u4", `"right"`, `,"parentUuid":"a1"`).String(),
			want: `
				turn u1/turn
				user u1 "go"
				config a1/model m-1
				assistant a1 m1 "ok"
				usage a1/usage m1 m-1 3/20/7/900
				turn u2/turn
				user u2 "left"
				turn u3/turn
				user u3 "elsewhere"
				turn u4/turn
				user u4 "right"`,
			warnings: []string{"1 rewound prompt could not be told from what followed and stays visible (line 5)"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkClaudeCode(t, tt.text, tt.want, tt.warnings) })
	}
}

// checkClaudeCode compares an import with a table, and holds that its export
// gives the lines and the log again.
func checkClaudeCode(t *testing.T, text, table string, warnings []string) {
	t.Helper()
	got, err := importText(t, "x/s-1.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "s-1" || got.Format != ClaudeCode {
		t.Errorf("conversation is %+v", got.Conversation)
	}
	// The ids of lines without one are hashes: number them.
	hashes := map[string]string{}
	want := trim(table)
	for i, line := range strings.Split(describe(got.Entries), "\n") {
		wants := strings.Split(want, "\n")
		if _, have, ok := strings.Cut(line, " line:"); ok && i < len(wants) {
			if _, w, ok := strings.Cut(wants[i], " line:"); ok {
				have, w = intake.RecordID(strings.Fields(have)[0]), intake.RecordID(strings.Fields(w)[0])
				have, _, _ = strings.Cut(have, "~")
				w, _, _ = strings.Cut(w, "~")
				hashes["line:"+w] = "line:" + have
			}
		}
	}
	for w, have := range hashes {
		want = strings.NewReplacer(w+" ", have+" ", w+"~", have+"~", w+"/", have+"/").Replace(want)
	}
	checkTable(t, got, want, warnings)
	var lines []any
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, decodeJSON(t, []byte(line)))
		}
	}
	if !strings.Contains(text, `"twice"`) { // encoding/json cannot see a member that comes twice
		sameLines(t, rebuildClaudeLines(t, got), lines)
		comesBack(t, ClaudeCode, "x/s-1.jsonl", got, nil)
	}
}
