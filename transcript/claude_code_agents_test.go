package transcript

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold"
	"tenfold/transcript/internal/claudecode"
)

// agentText is the file of a sub-agent: a prompt, a call with its result, and
// an answer.
func agentText(id string) string {
	flags := `,"isSidechain":true,"agentId":"` + id + `"`
	return new(session).user(id+"-u", `"look around"`, flags).
		assistant(id+"-a", "m-"+id, call("t-"+id), flags).
		user(id+"-r", result("t-"+id, "found"), flags).
		assistant(id+"-b", "n-"+id, `{"type":"text","text":"seen"}`, flags).String()
}

func withAgents(tb testing.TB, text string, dir fstest.MapFS) Collected {
	tb.Helper()
	var k Collector
	src := Source{Name: "p/s-1.jsonl", Reader: strings.NewReader(text), Siblings: dir}
	if err := Import(context.Background(), src, "", &k); err != nil {
		tb.Fatal(err)
	}
	checkLaws(tb, k.Conversations[0])
	return k.Conversations[0]
}

func TestClaudeCodeAgents(t *testing.T) {
	main := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).String()
	const root = "turn u1/turn\nuser u1 \"go\"\nconfig a1/model m-1\ncall a1 t1 Read {\"b\": 1,\"a\":\"é\"}\nusage a1/usage m1 m-1 3/20/7/900\nresult r1 t1 \"x\"\n"
	agent := func(id string) string {
		b := "@sidechain." + id
		return fmt.Sprintf("injected %[1]s-u%[2]s \"look around\"\nconfig %[1]s-a/model%[2]s m-1\ncall %[1]s-a%[2]s t-%[1]s Read {\"b\": 1,\"a\":\"é\"}\n"+
			"usage %[1]s-a/usage%[2]s m-%[1]s m-1 3/20/7/900\nresult %[1]s-r%[2]s t-%[1]s \"found\"\n"+
			"assistant %[1]s-b%[2]s n-%[1]s \"seen\"\nusage %[1]s-b/usage%[2]s n-%[1]s m-1 3/20/7/900\n", id, b)
	}
	const end = "usage a1/usage m1 m-1 3/20/7/900\nresult r1 t1 \"x\"\n"
	const last = "usage q1-b/usage@sidechain.q1 n-q1 m-1 3/20/7/900\n"
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	progress := func(id, typ, message string) string {
		return new(session).line("progress", "p-"+id+typ, `"data":{"type":"agent_progress","agentId":"`+id+`","message":{"type":"`+typ+`","message":`+message+`}}`).String()
	}
	tests := []struct {
		name, text string
		dir        fstest.MapFS
		want       string
		warnings   []string
	}{
		{
			name: "in the session's directory, beside it, and others'", text: main,
			dir: fstest.MapFS{
				"s-1/subagents/agent-q1.jsonl":              file(agentText("q1")),
				"s-1/subagents/agent-q1.meta.json":          file(`{}`),
				"s-1/subagents/workflows/wf/agent-q3.jsonl": file(agentText("q3")),
				"s-1/tool-results/x.txt":                    file("large"),
				"agent-q2.jsonl":                            file(agentText("q2")),
				"agent-other.jsonl":                         file(strings.ReplaceAll(agentText("q9"), `"s-1"`, `"s-2"`)),
				"s-2/subagents/agent-q8.jsonl":              file(agentText("q8")),
			},
			want: root + agent("q1") + agent("q3") + agent("q2"),
		},
		{
			name: "broken in the middle, torn, and no file", text: main,
			dir: fstest.MapFS{
				"s-1/subagents/agent-q1.jsonl":        file(agentText("q1") + "{]\n" + agentText("q7")),
				"s-1/subagents/agent-q2.jsonl":        file(agentText("q2") + `{"type":"us`),
				"s-1/subagents/agent-q4.jsonl/x.json": file(`{}`),
			},
			want:     root + agent("q1") + agent("q2"),
			warnings: []string{"2 files of sub-agents could not be read to their end"},
		},
		{
			name: "inline already", text: main + agentText("q1"),
			dir:  fstest.MapFS{"s-1/subagents/agent-q1.jsonl": file(agentText("q1"))},
			want: strings.Replace(root, end, "", 1) + strings.Replace(agent("q1"), last, "", 1) + end + last,
		},
		{
			name: "told by progress lines already",
			text: main + progress("q1", "user", `{"role":"user","content":"look around"}`) +
				progress("q1", "assistant", `{"id":"m-q1","role":"assistant","model":"m-1","content":[`+call("t-q1")+`]}`),
			dir: fstest.MapFS{"s-1/subagents/agent-q1.jsonl": file(agentText("q1"))},
			want: "turn u1/turn\nuser u1 \"go\"\nconfig a1/model m-1\ncall a1 t1 Read {\"b\": 1,\"a\":\"é\"}\n" +
				"injected p-q1user@agent.q1 \"look around\"\nconfig p-q1assistant/model@agent.q1 m-1\ncall p-q1assistant@agent.q1 t-q1 Read {\"b\": 1,\"a\":\"é\"}\n" +
				"usage a1/usage m1 m-1 3/20/7/900\nresult r1 t1 \"x\"\n" +
				"unknown q1-u claude-code.user\nunknown q1-a claude-code.assistant\nresult q1-r@sidechain.q1 t-q1 \"found\"\n" +
				"config q1-b/model@sidechain.q1 m-1\nassistant q1-b@sidechain.q1 n-q1 \"seen\"\nusage q1-b/usage@sidechain.q1 n-q1 m-1 3/20/7/900\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := withAgents(t, tt.text, tt.dir)
			checkTable(t, got, tt.want, tt.warnings)
			if strings.HasPrefix(tt.name, "told") {
				return
			}
			// All of it in one file is the same session, in another order.
			again, err := importText(t, "p/s-1.jsonl", string(exportOf(t, ClaudeCode, got)))
			if err != nil {
				t.Fatal(err)
			}
			checkGrown(t, []Collected{again}, []Collected{got})
			checkGrown(t, []Collected{got}, []Collected{again})
		})
	}
}

// The name of a session without an ending is also that of the directory which its
// sub-agents would be in.
func TestASessionInAFileWithoutAnEnding(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "session"), []byte(new(session).user("u1", `"go"`).String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var k Collector
	f, err := os.Open(filepath.Join(dir, "session"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := Import(t.Context(), Source{Name: f.Name(), Reader: f, Siblings: os.DirFS(dir)}, ClaudeCode, &k); err != nil {
		t.Fatal(err)
	}
	if w := k.Conversations[0].Warnings; len(w) > 0 {
		t.Error(w)
	}
}

// A session and its sub-agents that grew keep what was there.
func TestClaudeCodeAgentsGrow(t *testing.T) {
	main := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).String()
	text := agentText("q1")
	lines := strings.SplitAfter(text, "\n")
	whole := withAgents(t, main+new(session).user("u2", `"on"`).String(), fstest.MapFS{
		"s-1/subagents/agent-q1.jsonl": {Data: []byte(text)},
		"s-1/subagents/agent-q2.jsonl": {Data: []byte(agentText("q2"))},
	})
	for n := range lines {
		part := withAgents(t, main, fstest.MapFS{"s-1/subagents/agent-q1.jsonl": {Data: []byte(strings.Join(lines[:n], ""))}})
		checkGrown(t, []Collected{part}, []Collected{whole})
	}
}

// A sub-agent's file named directly is a conversation of its own, and reads no
// other.
func TestClaudeCodeAgentNamedDirectly(t *testing.T) {
	var k Collector
	src := Source{Name: "s-1/subagents/agent-q1.jsonl", Reader: strings.NewReader(agentText("q1")), Siblings: fstest.MapFS{
		"agent-q1.jsonl": {Data: []byte(agentText("q1"))},
		"agent-q2.jsonl": {Data: []byte(agentText("q2"))},
	}}
	if err := Import(context.Background(), src, "", &k); err != nil {
		t.Fatal(err)
	}
	got := k.Conversations[0]
	if got.ID != "s-1-agent-q1" || len(got.Entries) != 8 {
		t.Errorf("conversation %s has %d entries", got.ID, len(got.Entries))
	}
	for _, e := range got.Entries {
		if e.Branch != "" {
			t.Errorf("entry %s is on branch %s", e.ID, e.Branch)
		}
	}
}

// What is read of sub-agents is bounded.
func TestClaudeCodeManyAgents(t *testing.T) {
	dir := fstest.MapFS{}
	for i := range claudecode.AgentFiles + 5 {
		dir[fmt.Sprintf("s-1/subagents/agent-q%d.jsonl", i)] = &fstest.MapFile{Data: []byte(new(session).user(fmt.Sprint("u", i), `"x"`).String())}
	}
	var k Collector
	src := Source{Name: "s-1.jsonl", Reader: strings.NewReader(new(session).user("r", `"go"`).String()), Siblings: dir}
	if err := Import(context.Background(), src, "", &k); err != nil {
		t.Fatal(err)
	}
	got := k.Conversations[0]
	branches := map[string]bool{}
	for _, e := range got.Entries {
		if _, ok := e.Payload.(tenfold.UserMessage); ok {
			branches[e.Branch] = true
		}
	}
	if len(branches) != claudecode.AgentFiles+1 || !reflect.DeepEqual(got.Warnings, []string{"1 directory has more than 1000 files of sub-agents: the rest is left out"}) {
		t.Errorf("%d branches, %v", len(branches), got.Warnings)
	}
}

// What another tool's sub-agents said comes back on their branches, and what
// the root said on the root.
func TestClaudeCodeBranchesComeBack(t *testing.T) {
	said := map[string]string{"": "go", "sidechain": "look", "explore.deep": "see", "sidechain.ab12": "find"}
	got := Collected{Conversation: Conversation{ID: "c"}}
	for _, branch := range []string{"sidechain", "", "explore.deep", "sidechain.ab12"} {
		got.Entries = append(got.Entries, tenfold.Entry{ID: "of" + branch, Branch: branch, Payload: tenfold.UserMessage{Parts: tenfold.Text(said[branch])}})
	}
	again, err := importText(t, "x/s-1.jsonl", string(exportOf(t, ClaudeCode, got)))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for _, e := range again.Entries {
		if u, ok := e.Payload.(tenfold.UserMessage); ok {
			have[e.Branch] += u.Parts[0].Text
		}
	}
	if !maps.Equal(have, said) {
		t.Errorf("the branches say %q, want %q", have, said)
	}
}
