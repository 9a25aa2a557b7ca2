package cli

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
)

// testEditor is the editor's side of the protocol: it allows everything, and keeps
// what it is shown.
type testEditor struct {
	sdk.Client

	mu    sync.Mutex
	shown strings.Builder
	asked int
}

func (e *testEditor) RequestPermission(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected("allow")}, nil
}

func (e *testEditor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		e.shown.WriteString(u.AgentMessageChunk.Content.Text.Text + "\n")
	case u.UserMessageChunk != nil:
		e.shown.WriteString("> " + u.UserMessageChunk.Content.Text.Text + "\n")
	case u.ToolCall != nil:
		e.shown.WriteString("[" + u.ToolCall.Title + "]\n")
	case u.SessionInfoUpdate != nil:
		e.shown.WriteString("# " + *u.SessionInfoUpdate.Title + "\n")
	}
	return nil
}

func (e *testEditor) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.shown.String()
}

// "tenfold acp" as an editor starts it: a file is made after a question, the
// editor closes its side and the program ends; another one loads the conversation
// and compacts it. Nothing but the protocol goes to standard output.
func TestAcpServesAnEditor(t *testing.T) {
	t.Parallel()
	dir, work := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"play.jsonl": `{"text":"I make it.","calls":[{"id":"c1","name":"fs_create_file","arguments":{"path":"note.txt","content":"hello\n"}}]}` + "\n" + `{"text":"It is made."}` + "\n",
		"c.toml":     "[providers.demo]\ntype = \"script\"\nfile = \"play.jsonl\"\n[model]\nname = \"demo/one\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := filepath.Join(dir, "t.db")
	// begin starts the program and gives the editor, and what ends both.
	begin := func() (*testEditor, *sdk.ClientSideConnection, func()) {
		c := child(t, store, "acp", "--config", filepath.Join(dir, "c.toml"))
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		e := &testEditor{}
		conn := sdk.NewClientSideConnection(e, in, out)
		conn.SetLogger(slog.New(slog.DiscardHandler))
		r, err := conn.Initialize(t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber})
		if err != nil || !r.AgentCapabilities.LoadSession {
			t.Fatalf("%+v, %v, %s", r, err, errs.String())
		}
		return e, conn, func() {
			_ = in.Close()
			if err := c.Wait(); err != nil || errs.String() != "" {
				t.Errorf("the program ended with %v: %s", err, errs.String())
			}
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, conn, end := begin()
	made, err := conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: work, McpServers: []sdk.McpServer{
		{Stdio: &sdk.McpServerStdio{Name: "mine", Command: exe, Args: []string{"mcp"}, Env: []sdk.EnvVariable{{Name: childEnv, Value: "1"}}}},
		{Stdio: &sdk.McpServerStdio{Name: "gone", Command: filepath.Join(dir, "gone"), Args: []string{}, Env: []sdk.EnvVariable{}}},
		{Sse: &sdk.McpServerSseInline{Type: "sse", Name: "old", Url: "http://localhost", Headers: []sdk.HttpHeader{}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	say := func(conn *sdk.ClientSideConnection, text string) sdk.PromptResponse {
		r, err := conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: made.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := say(conn, "Make a note."); r.StopReason != sdk.StopReasonEndTurn {
		t.Errorf("stopped with %s", r.StopReason)
	}
	if text, err := os.ReadFile(filepath.Join(work, "note.txt")); err != nil || string(text) != "hello\n" || e.asked != 1 {
		t.Errorf("the note is %q, %v, after %d questions", text, err, e.asked)
	}
	for _, name := range []string{"gone", "old"} {
		if !strings.Contains(e.text(), name) {
			t.Errorf("nobody is told that the server %s did not start: %s", name, e.text())
		}
	}
	notices := regexp.MustCompile(`(?:\n*\*(?:mcp|start the MCP server) [^\n*]*\*\n*)+`) // come when they come
	_, said, _ := strings.Cut(notices.ReplaceAllString(e.text(), "\n"), "I make it.\n")
	if got, want := said, "[fs_create_file note.txt]\nIt is made.\n# Make a note.\n"; got != want {
		t.Errorf("shown\n%s\nwant\n%s", got, want)
	}
	end()

	e, conn, end = begin()
	list, err := conn.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &work})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != made.SessionId || *list.Sessions[0].Title != "Make a note." {
		t.Errorf("listed %+v, %v", list.Sessions, err)
	}
	if _, err := conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: made.SessionId, Cwd: work, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if got, want := e.text(), "> Make a note.\nI make it.\n[fs_create_file note.txt]\nIt is made.\n"; got != want {
		t.Errorf("loaded\n%s\nwant\n%s", got, want)
	}
	say(conn, "/compact the note")
	if !strings.Contains(e.text(), "ompact") {
		t.Errorf("nothing is shown of the compaction: %s", e.text())
	}
	// A session in which nothing was said leaves nothing.
	if _, err := conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: work, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	end()
	s := logOf(t, store, string(made.SessionId))
	if s == nil {
		t.Fatal("the conversation is not in the store")
	}
	names := ""
	for entry := range s.Log().Entries() {
		if d, ok := entry.Payload.(tenfold.ConfigDelta); ok && d.Tools != nil && names == "" {
			for _, tool := range *d.Tools {
				names += " " + tool.Name
			}
		}
	}
	if !strings.Contains(names, " mine__search") || !strings.Contains(names, " fs_read_file") {
		t.Errorf("the tools are%s", names)
	}
	approved := 0
	for entry := range s.Log().Entries() {
		if a, ok := entry.Payload.(tenfold.Approval); ok && a.State == tenfold.ApprovalGranted {
			approved++
		}
	}
	if approved != 1 {
		t.Errorf("the log has %d consents", approved)
	}
}
