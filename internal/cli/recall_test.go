package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/session"
)

// Live §5: the program serves recall over standard input and output, and ends with
// its client.
func TestA9MCPOverStandardInput(t *testing.T) {
	dir := t.TempDir()
	db, file := filepath.Join(dir, "t.db"), filepath.Join(dir, "s.jsonl")
	saved(t, file, "shelf", 4)
	if out, err := child(t, db, "conversation", "import", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := child(t, db, "mcp")
	c.Dir = dir
	var errs strings.Builder
	c.Stderr = &errs
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatal(err, errs.String())
	}
	ask := func(tool string, arguments map[string]any) string {
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || r.IsError || len(r.Content) != 1 {
			t.Fatalf("%s: %v %+v", tool, err, r)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	ref := session.Handle("shelf") + ":5"
	if text := ask("search", map[string]any{"query": "salt flour", "limit": 1}); !strings.Contains(text, " result look, turn 3]") {
		t.Errorf("it finds %q", text)
	}
	if text := ask("expand", map[string]any{"id": ref}); !strings.Contains(text, "["+ref+" result look, turn 0]\nflour, water") {
		t.Errorf("it expands to %q", text)
	}
	if err := client.Close(); err != nil || errs.Len() > 0 {
		t.Errorf("it ends with %v, %q", err, errs.String())
	}
	if code := c.ProcessState.ExitCode(); code != command.ExitOK {
		t.Errorf("the exit code is %d", code)
	}
	recorded := 0
	for e := range logOf(t, db, "shelf").Log().Entries() {
		if e.Payload.Kind() == tenfold.KindRecalled {
			recorded++
		}
	}
	if recorded != 1 {
		t.Errorf("%d expansions are recorded", recorded)
	}
	if _, err := os.Stat(db); err != nil {
		t.Error(err)
	}
}
