package recall_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenfold"
	"tenfold/internal/recall"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/token"
)

// connect gives a client of the server over a store that holds a conversation with
// a long result, and its service.
func connect(t *testing.T) (*mcp.ClientSession, *session.Service) {
	t.Helper()
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	svc := session.NewService(st)
	var long strings.Builder
	for i := range 900 {
		fmt.Fprintf(&long, "line %d of the oven's log\n", i+1)
	}
	_, err := svc.Create(t.Context(), session.Create{ID: "demo", Entries: []tenfold.Entry{
		{Source: `{"type":"user","cwd":"/src/oven"}`, Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("why is it cold?")}},
		{Payload: tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{"command":"cat oven.log"}`}},
		{ID: "long", Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(long.String())}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := recall.Server{Service: svc, Here: func(ctx context.Context) (string, error) { return recall.Here(ctx, svc, "/src/oven") }}
	mine, theirs := mcp.NewInMemoryTransports()
	running, err := server.MCP().Connect(t.Context(), mine, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(); _ = running.Wait() })
	return client, svc
}

func call(t *testing.T, c *mcp.ClientSession, name string, arguments map[string]any) (string, bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	var text string
	for _, part := range r.Content {
		text += part.(*mcp.TextContent).Text
	}
	return text, r.IsError
}

// Live §5: three tools that say that they only read, and what they take.
func TestA9ToolsOverMCP(t *testing.T) {
	c, _ := connect(t)
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	tokens := 0
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if a := tool.Annotations; !a.ReadOnlyHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s is described as %+v", tool.Name, a)
		}
		data, err := tenfold.MarshalPayload(tenfold.AssistantMessage{Text: fmt.Sprint(tool.Description, tool.InputSchema)})
		if err != nil {
			t.Fatal(err)
		}
		tokens += token.O200k().Count(string(data))
	}
	slices.Sort(names)
	if strings.Join(names, " ") != "expand read search" {
		t.Errorf("the tools are %v", names)
	}
	if tokens > 700 {
		t.Errorf("the tools cost each request %d tokens", tokens)
	}
}

// Live §5: a model searches, expands what it found to the end by the references it
// is given, and reads lines; each answer is within 2,000 tokens, and expansions
// alone are recorded.
func TestA9RecallOverMCP(t *testing.T) {
	c, svc := connect(t)
	h := session.Handle("demo")
	text, bad := call(t, c, "search", map[string]any{"query": "oven log 750"})
	if want := "[" + h + ":4#745 result Bash, turn 0]\nline 750 of the oven's log\n"; bad || text != want {
		t.Fatalf("it finds %q, want %q", text, want)
	}
	text, bad = call(t, c, "read", map[string]any{"id": h + ":4", "offset": 749, "limit": 2})
	if want := "[" + h + ":4 result Bash, turn 0, lines 749-750 of 900]\nline 749 of the oven's log\nline 750 of the oven's log\n"; bad || text != want {
		t.Fatalf("it reads %q, want %q", text, want)
	}
	if text, bad = call(t, c, "read", map[string]any{"id": h + ":4", "limit": 1}); bad || !strings.HasSuffix(text, "lines 1-1 of 900]\nline 1 of the oven's log\n") {
		t.Errorf("the first line is %q", text)
	}
	recorded := func() (n int) {
		s, err := svc.Open(t.Context(), "demo")
		if err != nil {
			t.Fatal(err)
		}
		for e := range s.Log().Entries() {
			if e.Payload.Kind() == tenfold.KindRecalled {
				n++
			}
		}
		return n
	}
	if n := recorded(); n != 2 {
		t.Errorf("%d entries tell of a search and of reading twice", n)
	}
	lines, answers := 0, 0
	for id := "(recall " + h + ":4)"; id != ""; answers++ {
		text, bad := call(t, c, "expand", map[string]any{"id": id})
		if n := token.O200k().Count(text); bad || n > session.RecallTokens || n < 100 {
			t.Fatalf("%s gives %d tokens: %s", id, n, text)
		}
		lines += strings.Count(text, "\nline ")
		_, id, _ = strings.Cut(text, "\n[more: ")
		id, _, _ = strings.Cut(id, "]")
	}
	if lines != 900 || answers < 3 || recorded() < 2+answers {
		t.Errorf("%d lines in %d answers, %d recorded", lines, answers, recorded())
	}
}

// A model is told what is wrong and what to write instead.
func TestA9ErrorsOverMCP(t *testing.T) {
	c, _ := connect(t)
	h := session.Handle("demo")
	for _, one := range []struct {
		tool, want string
		arguments  map[string]any
	}{
		{"expand", "not a reference (copy the text after", map[string]any{"id": "the log"}},
		{"expand", "no conversation of this store has this handle", map[string]any{"id": "000000:1"}},
		{"expand", "the conversation has entries 1 to", map[string]any{"id": h + ":99"}},
		{"expand", "nothing in it that a model could see", map[string]any{"id": h + ":1"}},
		{"read", "entry 4 ends before that, in line 900", map[string]any{"id": h + ":4", "offset": 901}},
		{"read", "for a single entry", map[string]any{"id": h + ":2-4", "offset": 2}},
		{"read", "count lines from 1", map[string]any{"id": h + ":4", "offset": -2}},
		{"search", "no word in the query", map[string]any{"query": "…"}},
		{"search", "invalid limit 999", map[string]any{"query": "oven", "limit": 999}},
		{"search", "no such conversation", map[string]any{"query": "oven", "session": "nobody"}},
		{"search", "unexpected additional properties", map[string]any{"words": "oven"}},
		{"delete", "delete", map[string]any{}},
	} {
		text, bad := call(t, c, one.tool, one.arguments)
		if !bad || !strings.Contains(text, one.want) {
			t.Errorf("%s of %v answers %q, want %q", one.tool, one.arguments, text, one.want)
		}
	}
	long := strings.Repeat("ä", 10_000)
	for tool, argument := range map[string]string{"search": "query", "read": "id", "expand": "id"} {
		if text, _ := call(t, c, tool, map[string]any{argument: long}); len(text) > 1100 || strings.Contains(text, "\uFFFD") {
			t.Errorf("%s repeats %d bytes", tool, len(text))
		}
	}
	if text, bad := call(t, c, "search", map[string]any{"query": "unheard_of"}); bad || !strings.Contains(text, "Nothing in the log") {
		t.Errorf("nothing is found, and it says %q", text)
	}
}

// The conversation at hand is the newest that runs in the directory itself.
func TestA9Here(t *testing.T) {
	_, svc := connect(t)
	for dir, want := range map[string]string{"/src/oven": "demo", "/src/oven/": "demo", "/src": "", "/src/oven/door": "", "": ""} {
		if got, err := recall.Here(t.Context(), svc, dir); got != want || err != nil {
			t.Errorf("in %q it is %q, %v", dir, got, err)
		}
	}
	if _, err := svc.Create(t.Context(), session.Create{ID: "newer", Entries: []tenfold.Entry{{Source: `{"payload":{"cwd": "/src/oven"}}`, Payload: tenfold.TurnStart{}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Create(t.Context(), session.Create{ID: "told", Origin: store.Origin{Tool: "pi", Directory: "/src/door"}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := recall.Here(t.Context(), svc, "/src/door/"); got != "told" {
		t.Errorf("the one that the store knows of is %q", got)
	}
	if got, _ := recall.Here(t.Context(), svc, "/src/oven"); got != "newer" {
		t.Errorf("the newest is %q", got)
	}
}
