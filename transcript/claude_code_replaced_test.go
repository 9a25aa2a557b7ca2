package transcript

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"
)

// quotedText is a message's content: one text.
func quotedText(tb testing.TB, text string) string {
	tb.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// A view of Tenfold's in a running session shows what the file holds already: the
// log tells it once, and goes on after it (live.md §3).
func TestReplacedConversationIsToldOnce(t *testing.T) {
	head := Replaced("Tenfold: 118k → 11k tokens; undo: tenfold conversation undo s-1", 4)
	view := func(s *session, messages int) *session {
		all := []func(){
			func() { s.user("v1", `"fix it"`) },
			func() { s.assistant("v2", "0f1e", `{"type":"text","text":"on it"}`) },
			func() { s.assistant("v3", "0f1f", call("t1")) },
			func() { s.user("v4", result("t1", "[compacted] Read: done")) },
		}
		for _, add := range all[:messages] {
			add()
		}
		return s
	}
	before := func() *session {
		return new(session).user("u1", `"fix it"`).assistant("a1", "m1", `{"type":"text","text":"on it"}`).
			assistant("a2", "m1", call("t1")).user("r1", result("t1", "package a"))
	}
	const story = `
		turn u1/turn
		user u1 "fix it"
		config a1/model m-1
		assistant a1 m1 "on it"
		call a2 t1 Read {"b": 1,"a":"é"}
		usage a1/usage m1 m-1 3/20/7/900
		result r1 t1 "package a"
		unknown b1 claude-code.system`
	const kept = `
		unknown v0 claude-code.user
		unknown v1 claude-code.user
		unknown v2 claude-code.assistant
		unknown v3 claude-code.assistant
		unknown v4 claude-code.user`
	const boundary = `{"type":"system","subtype":"compact_boundary","uuid":"b1","sessionId":"s-1","timestamp":"2026-01-02T03:04:05.678Z","isSidechain":false,"compactMetadata":{"trigger":"auto"}}`
	tests := []struct {
		name, text, want string
		warnings         []string
	}{
		{
			"in the middle of a turn",
			view(before().raw(boundary).user("v0", quotedText(t, head)), 4).
				assistant("a3", "m2", call("t2")).user("r2", result("t2", "more")).user("u2", `"thanks"`).String(),
			story + kept + `
				call a3 t2 Read {"b": 1,"a":"é"}
				usage a3/usage m2 m-1 3/20/7/900
				result r2 t2 "more"
				turn u2/turn
				user u2 "thanks"`,
			nil,
		},
		{
			"with text blocks and the note after the line",
			view(before().raw(boundary).user("v0", `[{"type":"text","text":`+quotedText(t, head+"\n[Earlier parts are shortened]")+`}]`), 4).user("u2", `"thanks"`).String(),
			story + kept + `
				turn u2/turn
				user u2 "thanks"`,
			nil,
		},
		{
			"cut off after two messages",
			strings.Replace(view(before().raw(boundary).user("v0", quotedText(t, head)), 2).user("u2", `"thanks"`).String(),
				`:05.678Z","parentUuid":"v2"`, `:06.678Z","parentUuid":"v2"`, 1),
			story + `
				unknown v0 claude-code.user
				unknown v1 claude-code.user
				unknown v2 claude-code.assistant
				turn u2/turn
				user u2 "thanks"`,
			nil,
		},
		{
			"not after a boundary, the words are a person's",
			new(session).user("u1", quotedText(t, head)).user("u2", `"thanks"`).String(),
			"turn u1/turn\nuser u1 " + quotedText(t, head) + "\nturn u2/turn\nuser u2 \"thanks\"",
			nil,
		},
		{
			"a replacement that is not ours is kept",
			before().raw(boundary).user("v0", `"Tenfold: but not in our words"`).user("v1", `"fix it"`).String(),
			story + `
				turn v0/turn
				user v0 "Tenfold: but not in our words"
				turn v1/turn
				user v1 "fix it"`,
			[]string{"1 compaction came without a summary: nothing is hidden (line 5)"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkClaudeCode(t, test.text, test.want, test.warnings)
		})
	}
}

// A sub-agent's own file is replaced in the same way.
func TestReplacedSubAgentIsToldOnce(t *testing.T) {
	flags := `,"isSidechain":true,"agentId":"q1"`
	boundary := strings.Replace(boundaryLine("q1-b", `{"trigger":"auto"}`), `"isSidechain":false`, `"isSidechain":true,"agentId":"q1"`, 1)
	text := agentText("q1") + boundary + "\n" +
		new(session).user("q1-v", quotedText(t, Replaced("Tenfold: shorter", 1)), flags).
			user("q1-w", `"look around"`, flags).assistant("q1-c", "n2", `{"type":"text","text":"all seen"}`, flags).String()
	main := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).String()
	got := withAgents(t, main, fstest.MapFS{"s-1/subagents/agent-q1.jsonl": {Data: []byte(text)}})
	if n := strings.Count(describe(got.Entries), "look around"); n != 1 || !strings.Contains(describe(got.Entries), `"all seen"`) {
		t.Errorf("the agent's prompt is there %d times in\n%s", n, describe(got.Entries))
	}
}
