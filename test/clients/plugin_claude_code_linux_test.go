package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/test/modelserver"
)

// TestPluginClaudeCodeCold holds that a conversation which is resumed when the
// provider has forgotten it is compacted before anything is sent (V2 c). Claude Code
// shows plug-ins the beginning of a session in a terminal alone.
func TestPluginClaudeCodeCold(t *testing.T) {
	t.Parallel()
	p := plugged(t, func(*Place) modelserver.Script {
		return modelserver.Sequence(modelserver.Text("I go on."))
	})
	p.Write(filepath.Join(p.Home, ".claude.json"), fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark",
		"customApiKeyResponses":{"approved":["test"],"rejected":[]},"projects":{%q:{"hasTrustDialogAccepted":true}}}`, p.Dir))
	s := p.recorded(t, 60, 4500, time.Now().Add(-3*time.Hour))
	original := p.read(s.Path)
	term := p.sit(t, "--model", "claude-sonnet-4-5", "--resume", s.ID)
	term.await("a compaction", func() bool { return strings.Contains(p.read(s.Path), `"content":"Tenfold: `) })
	if n := len(p.Server.Main()); n > 0 {
		t.Errorf("%d requests were sent for it", n)
	}
	if !strings.HasPrefix(p.read(s.Path), original) {
		t.Error("what the file held has changed")
	}
	term.enter("Go on.")
	term.await("an answer", func() bool { return strings.Contains(p.read(s.Path), "I go on.") })
	id := shows(t, p, s, "I go on.")
	nothingLost(t, p, id, "Please do part 0 with care.", "part 0 line 50 ", "part 59 line 50 ", "Go on.")
}

// recorded makes a session of calls with results of a size, which ended at a time.
func (p *Place) recorded(t *testing.T, calls, size int, end time.Time) Session {
	t.Helper()
	const id = "0b0e1c1e-1111-4000-8000-000000000001"
	s := Session{ID: id, Path: filepath.Join(p.Home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(p.Dir), id+".jsonl")}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var parent any
	n := 0
	write := func(role string, message map[string]any) {
		n++
		uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
		message["role"] = role
		if err := json.MarshalWrite(f, map[string]any{
			"parentUuid": parent, "isSidechain": false, "type": role, "message": message, "uuid": uuid,
			"timestamp": end.Add(time.Duration(n-3*calls) * time.Second).UTC().Format("2006-01-02T15:04:05.000Z"),
			"userType":  "external", "cwd": p.Dir, "sessionId": id, "version": "2.1.332",
		}); err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("\n")
		parent = uuid
	}
	answer := func(i int, block map[string]any) {
		write("assistant", map[string]any{
			"id": fmt.Sprint("msg_", n), "type": "message", "model": "claude-sonnet-4-5", "content": []any{block},
			"usage": map[string]any{"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": (i + 1) * size / 3},
		})
	}
	for i := range calls {
		if i%20 == 0 {
			write("user", map[string]any{"content": fmt.Sprintf("Please do part %d with care.", i/20)})
		}
		call := fmt.Sprint("toolu_", i)
		answer(i, map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": fmt.Sprint("make part", i)}})
		var text strings.Builder
		for j := 0; text.Len() < size; j++ {
			fmt.Fprintf(&text, "part %d line %d : compiled src/file_%d.go\n", i, j, j)
		}
		write("user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": text.String()}}})
		if i%20 == 19 {
			answer(i, map[string]any{"type": "text", "text": fmt.Sprintf("Part %d is done.", i/20)})
		}
	}
	return s
}

// TestPluginClaudeCodeLarge holds that a transcript of 20 MB is answered in time.
func TestPluginClaudeCodeLarge(t *testing.T) {
	t.Parallel()
	p := plugged(t, func(*Place) modelserver.Script {
		return modelserver.Sequence(modelserver.Text("I go on."))
	})
	s := p.recorded(t, 640, 31_000, time.Now().Add(-time.Minute))
	if info, err := os.Stat(s.Path); err != nil || info.Size() < 20_000_000 {
		t.Fatalf("%v, %v", info, err)
	}
	p.Resume(s, "/compact")
	p.Resume(s, "Go on.")
	id := shows(t, p, s, "I go on.")
	nothingLost(t, p, id, "Please do part 0 with care.", "part 0 line 50 ", "part 639 line 50 ")
}
