package transcript

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"tenfold/transcript/internal/intake"
)

func packGzip(tb testing.TB, text string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func packZstd(tb testing.TB, text string) string {
	tb.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

// A packed transcript gives what the unpacked one gives.
func TestArchives(t *testing.T) {
	text := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).String()
	want, err := importText(t, "s.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{"s.jsonl.gz": packGzip(t, text), "s.jsonl.zst": packZstd(t, text)} {
		var k Collector
		var told int64
		src := Source{Name: name, Reader: strings.NewReader(packed), Size: int64(len(packed)), Progress: func(n int64) { told = n }}
		if err := Import(context.Background(), src, "", &k); err != nil {
			t.Fatal(err)
		}
		if describe(k.Conversations[0].Entries) != describe(want.Entries) || k.Conversations[0].ID != want.ID {
			t.Errorf("%s: other entries", name)
		}
		if told != int64(len(packed)) {
			t.Errorf("%s: progress ended at %d of %d", name, told, len(packed))
		}
		for what, broken := range map[string]string{
			"cut off": packed[:len(packed)-12], "damaged": packed[:20] + "\x01\x02\x03\x04\x05\x06" + packed[26:],
		} {
			var k Collector
			err := Import(context.Background(), Source{Name: name, Reader: strings.NewReader(broken)}, ClaudeCode, &k)
			var ours *Error
			if !errors.As(err, &ours) || ours.Hint == "" || len(k.Conversations) > 0 {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		err := Import(context.Background(), Source{Name: name, Reader: strings.NewReader(packGzip(t, packed))}, "", &k)
		if err == nil || !strings.Contains(errorText(err), "an archive lies within the archive") {
			t.Errorf("%s twice packed: %v", name, err)
		}
	}
	for _, text := range []string{"", "\x00\x01"} {
		if err := Import(context.Background(), Source{Name: "x.gz", Reader: strings.NewReader(packGzip(t, text))}, "", &Collector{}); err == nil {
			t.Errorf("%q packed: no error", text)
		}
	}
}

// An archive that unpacks to a line without end is given up before it eats the
// memory: the line's limit holds for what was unpacked.
func TestLineLimit(t *testing.T) {
	endless := Source{Name: "x", Reader: readerFunc(func(p []byte) (int, error) { return len(p), nil })}
	endless.Intake = &intake.Intake{Limits: intake.Limits{Record: 8 << 20}}
	_, err := intake.NewLineReader(context.Background(), endless).Next()
	if err == nil || !strings.Contains(errorText(err), "x:1: the line is longer than 8 MB") {
		t.Errorf("%v", err)
	}
}

func writeFiles(tb testing.TB, dir string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	claude := new(session).user("u1", `"go"`).String()
	jp := `[{"type":"turn_start"},{"type":"chat_request","content":"a"}]`
	writeFiles(t, dir, map[string]string{
		"a.jsonl": claude, "b/c.jsonl.gz": packGzip(t, claude), "b/agent-1.jsonl": claude,
		"jp/12345678-x/events.json": jp, "jp/12345678-x/metadata.json": `{"title":"T"}`,
		"task/api_conversation_history.json": `[{"role":"user","content":[{"type":"text","text":"go"}],"ts":1}]`, "task/ui_messages.json": `[]`,
		"talk/base_state.json": openHandsBase, "talk/events/event-00000-a.json": `{"kind":"MessageEvent","id":"e1","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"go"}]}}`,
		"notes.json": `{"a":1}`, "program.go": claude, ".git/d.jsonl": claude,
	})
	outside := t.TempDir()
	writeFiles(t, outside, map[string]string{"secret.jsonl": claude})
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	search := func(from Format) string {
		var lines []string
		for f, err := range Find(context.Background(), dir, from) {
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(dir, f.Path)
			if err != nil {
				t.Fatal(err)
			}
			state := string(f.Format)
			if f.Err != nil {
				state = "-"
			}
			lines = append(lines, filepath.ToSlash(rel)+" "+state)
		}
		return strings.Join(lines, "\n")
	}
	if got, want := search(""), "a.jsonl claude-code\nb/c.jsonl.gz claude-code\njp/12345678-x/events.json jp\nnotes.json -\n"+
		"talk/base_state.json openhands-events\ntask/api_conversation_history.json cline"; got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if got, want := search(JP), "jp/12345678-x/events.json jp"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	for _, err := range Find(context.Background(), filepath.Join(dir, "nowhere"), "") {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no directory: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for f, err := range Find(ctx, dir, "") {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v, %v", f, err)
		}
	}
}

func TestHomes(t *testing.T) {
	none := func(string) string { return "" }
	moved := func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return "/elsewhere"
		}
		return ""
	}
	if dirs, err := Homes(ClaudeCode, "/home/ann", none); err != nil || dirs[0] != filepath.FromSlash("/home/ann/.claude/projects") {
		t.Errorf("%v, %v", dirs, err)
	}
	if dirs, err := Homes(ClaudeCode, "/home/ann", moved); err != nil || dirs[0] != filepath.FromSlash("/elsewhere/projects") {
		t.Errorf("%v, %v", dirs, err)
	}
	xdg := func(name string) string { return map[string]string{"XDG_DATA_HOME": "/data"}[name] }
	for want, getenv := range map[string]func(string) string{"/data/opencode": xdg, "/home/ann/.local/share/opencode": none} {
		if dirs, err := Homes(OpenCode, "/home/ann", getenv); err != nil || dirs[0] != filepath.FromSlash(want) {
			t.Errorf("%v, %v, want %s", dirs, err, want)
		}
	}
	for _, f := range []Format{Tenfold, "nope"} {
		if _, err := Homes(f, "/", none); err == nil {
			t.Errorf("%s has a home", f)
		}
	}
}
