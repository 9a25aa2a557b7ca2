package claudecode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
	"tenfold/internal/hook/claudecode"
)

// Versions that cannot replace a conversation have all of it stored, and a digest
// after their summary.
func TestClassicHooks(t *testing.T) {
	h, c := newHost(t), long(t)
	handle := func(event string, more map[string]any) string {
		t.Helper()
		in := map[string]any{"session_id": "s-1", "transcript_path": c.file, "cwd": t.TempDir(), "hook_event_name": event}
		for k, v := range more {
			in[k] = v
		}
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := claudecode.Client{}.Handle(t.Context(), h, event, data)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if out := handle("PreCompact", map[string]any{"trigger": "auto"}); out != "" {
		t.Errorf("PreCompact says %s, which would be an instruction", out)
	}
	s := c.stored(h)
	if s.Log().Version() < 300 {
		t.Errorf("the store has %d entries", s.Log().Version())
	}
	if out := handle("SessionStart", map[string]any{"source": "startup"}); out != "" {
		t.Errorf("a session that begins is told %s", out)
	}
	var a struct {
		Output struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
			Result  struct {
				Stdout string `json:"stdout"`
			} `json:"updatedToolOutput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(handle("SessionStart", map[string]any{"source": "compact"})), &a); err != nil {
		t.Fatal(err)
	}
	if n := len(a.Output.Context); a.Output.Event != "SessionStart" || n < 500 || n > 10_000 || !strings.Contains(a.Output.Context, s.ID()) {
		t.Errorf("the digest has %d bytes: %.300s", n, a.Output.Context)
	}
	var large strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&large, "line %d of the log\n", n)
	}
	call := map[string]any{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_response": map[string]any{"stdout": large.String(), "stderr": ""}}
	if err := json.Unmarshal([]byte(handle("PostToolUse", call)), &a); err != nil {
		t.Fatal(err)
	}
	if got := a.Output.Result.Stdout; a.Output.Event != "PostToolUse" || got == "" || len(got) > large.Len()/2 {
		t.Errorf("%d bytes of the result are left", len(got))
	}
	call["tool_response"] = map[string]any{"stdout": "ok"}
	if out := handle("PostToolUse", call); out != "" {
		t.Errorf("a small result is changed: %s", out)
	}
}

func TestFilesForOlderVersions(t *testing.T) {
	for version, classic := range map[string]bool{"2.1.250": true, "2.1.286": true, "1.9.999": true, "2.1.287": false, "2.1.332": false, "2.2.0": false, "3.0.1": false, "": false, "soon": false} {
		p := hook.Place{Scope: hook.User, Home: "/home/me", Binary: `/opt/it's "here"/tenfold`, Version: version, Getenv: func(string) string { return "" }}
		files, err := claudecode.Client{}.Files(p)
		if err != nil {
			t.Fatal(err)
		}
		var hooks []byte
		for _, f := range files {
			if strings.HasSuffix(f.Path, "/tenfold/hooks/hooks.json") {
				hooks = f.Content
			}
		}
		if got := strings.Contains(string(hooks), "PreCompact"); got != classic || !jsontext.Value(hooks).IsValid() {
			t.Errorf("version %q gets %s", version, hooks)
		}
		if classic && !strings.Contains(string(hooks), `'/opt/it'\\''s \"here\"/tenfold' hook claude-code SessionStart`) {
			t.Errorf("the program is not quoted for a shell: %s", hooks)
		}
	}
}
