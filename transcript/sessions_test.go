package transcript

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func noEnv(string) string { return "" }

// sample reads a file of the test data.
func sample(tb testing.TB, name string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// age sets when a file was last written.
func age(tb testing.TB, path string, at time.Time) {
	tb.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		tb.Fatal(err)
	}
}

// Each tool's sessions are found where it keeps them, and described by what it
// writes down.
func TestSessions(t *testing.T) {
	home := t.TempDir()
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	const project = "/home/ada/bakery"
	claude := strings.ReplaceAll(new(session).user("u1", `"Weigh the flour"`).String(), `"sessionId"`, `"cwd":"`+project+`","sessionId"`)
	gemini := ".gemini/tmp/bakery/chats/session-2026-05-02T07-00-9e317100.jsonl"
	files := map[string]string{
		".claude/projects/-home-ada-bakery/s1.jsonl":                                           claude,
		".claude/projects/-home-ada-bakery/agent-1.jsonl":                                      claude,
		".claude/projects/-home-ada-bakery/s1/deeper.jsonl":                                    claude,
		".claude/projects/-home-ada-bakery/notes.md":                                           "# none",
		".codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-" + codexSample + ".jsonl":     sample(t, "codex/session.jsonl"),
		".codex/archived_sessions/rollout-2026-03-01T09-00-00-" + codexSample[:35] + "4.jsonl": sample(t, "codex/session.jsonl"),
		".codex/history.jsonl": "{}\n",
		".pi/agent/sessions/--home-ada-bakery--/2025-12-02T09-00-00-000Z_5a1e0c52.jsonl": sample(t, "pi/linear.jsonl"),
		gemini:                                   sample(t, "gemini-cli/lines.jsonl"),
		".gemini/tmp/bakery/logs.json":           "[]",
		".gemini/tmp/bakery/.project_root":       project + "\n",
		".qwen/projects/-home-ada/chats/q.jsonl": sample(t, "qwen-code/chat.jsonl"),
		".copilot/session-state/c0ffee00-0000-4000-8000-000000000001/events.jsonl": sample(t, "copilot-cli/session.jsonl"),
	}
	writeFiles(t, home, files)
	for name := range files {
		age(t, filepath.Join(home, filepath.FromSlash(name)), at)
	}
	data, err := os.ReadFile(sampleDatabase(t, OpenCode))
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, home, map[string]string{".local/share/opencode/opencode.db": string(data)})

	for format, want := range map[Format][]Session{
		ClaudeCode: {{ID: "s-1", Directory: project, Title: "Weigh the flour"}},
		Codex: {
			{ID: codexSample, Directory: "/home/dev/greet", Title: "Make the greeting polite.", Tokens: 1050},
			{ID: codexSample, Directory: "/home/dev/greet", Title: "Make the greeting polite.", Tokens: 1050},
		},
		Pi:         {{ID: "5a1e0c52-0000-4000-8000-0000000000p3", Directory: project, Title: "Say one", Tokens: 2}},
		GeminiCLI:  {{ID: "9e317100-0000-4000-8000-000000000002", Directory: project, Title: "Count the loaves", Tokens: 13}},
		QwenCode:   {{ID: "qwen-1", Directory: "/demo", Title: "What does this module do?", Tokens: 120}},
		CopilotCLI: {{ID: "c0ffee00-0000-4000-8000-000000000001", Directory: project, Title: "<now>8:00</now> Count the loaves", Tokens: 5}},
		OpenCode: {
			{ID: "ses_loop2", Directory: "/", Title: "In a circle too", Agent: true},
			{ID: "ses_loop1", Directory: "/", Title: "In a circle", Agent: true},
			{ID: "ses_orphan", Directory: "/srv/shop", Title: "Its parent was deleted"},
			{ID: "ses_root", Directory: "/srv/shop", Title: "Prices", Tokens: 21},
			{ID: "ses_late", Directory: "/srv/shop", Title: "Review", Agent: true},
			{ID: "ses_child", Directory: "/srv/shop", Title: "Look around", Agent: true},
			{ID: "ses_grand", Directory: "/srv/shop", Title: "Look closer", Agent: true},
		},
	} {
		got, err := Sessions(context.Background(), format, home, noEnv)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if err := got[i].Describe(context.Background()); err != nil {
				t.Errorf("%s: %v", got[i].Path, err)
			}
			if got[i].Began.IsZero() || got[i].Ended.Before(got[i].Began) || got[i].Format != format {
				t.Errorf("%s: %s, from %v to %v", got[i].Path, got[i].Format, got[i].Began, got[i].Ended)
			}
		}
		ignored := cmpopts.IgnoreFields(Session{}, "Format", "Path", "Only", "Changed", "Size", "Began", "Ended")
		if diff := cmp.Diff(want, got, ignored, cmpopts.IgnoreUnexported(Session{})); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
	if list, err := Sessions(context.Background(), ClaudeCode, filepath.Join(home, "nobody"), noEnv); err != nil || len(list) != 0 {
		t.Errorf("of nobody: %v, %v", list, err)
	}
	if _, err := Sessions(context.Background(), JP, home, noEnv); err == nil {
		t.Error("jp has a home")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Sessions(ctx, ClaudeCode, home, noEnv); err == nil {
		t.Error("cancelled, and it goes on")
	}
}

const codexSample = "0199a213-81a0-7800-8aa0-bbab2a035a53"

// The session that was written last comes first, and one that leads out of the
// home is none.
func TestSessionsOrder(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "p")
	claude := new(session).user("u1", `"go"`).String()
	writeFiles(t, dir, map[string]string{"a.jsonl": claude, "b.jsonl": claude, "c.jsonl": claude})
	for i, name := range []string{"b", "c", "a"} {
		age(t, filepath.Join(dir, name+".jsonl"), time.Date(2026, 6, 1+i, 0, 0, 0, 0, time.UTC))
	}
	outside := t.TempDir()
	writeFiles(t, outside, map[string]string{"secret.jsonl": claude})
	if err := os.Symlink(outside, filepath.Join(home, ".claude", "projects", "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.jsonl"), filepath.Join(dir, "d.jsonl")); err != nil {
		t.Skip(err)
	}
	list, err := Sessions(context.Background(), ClaudeCode, home, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range list {
		names = append(names, filepath.Base(s.Path))
	}
	if got := strings.Join(names, " "); got != "a.jsonl c.jsonl b.jsonl" {
		t.Errorf("found %s", got)
	}
}

// long makes a session of Claude Code of many megabytes, whose first request comes
// after a large line.
func long(tb testing.TB, dir, cwd string) string {
	tb.Helper()
	var text bytes.Buffer
	line := func(typ, uuid, day, message string) {
		fmt.Fprintf(&text, `{"type":%q,"uuid":%q,"parentUuid":null,"sessionId":"s9","isSidechain":false,"cwd":%q,"timestamp":"2026-01-%sT00:00:00.000Z","message":%s}`+"\n",
			typ, uuid, cwd, day, message)
	}
	line("user", "u0", "01", `{"role":"user","content":"<command-name>/init</command-name>"}`)
	line("assistant", "a0", "02", `{"id":"m0","role":"assistant","model":"baker-1","content":[{"type":"text","text":"`+strings.Repeat("flour ", 50_000)+`"}],"usage":{"input_tokens":1}}`)
	line("user", "u1", "03", `{"role":"user","content":"Bake"}`)
	for i := range 40 {
		line("assistant", fmt.Sprint("a", i), "04", `{"id":"`+fmt.Sprint("m", i)+`","role":"assistant","model":"baker-1","content":[{"type":"text","text":"`+strings.Repeat("water ", 30_000)+`"}],"usage":{"input_tokens":2}}`)
	}
	line("assistant", "z", "09", `{"id":"mz","role":"assistant","model":"baker-1","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":4}}`)
	path := filepath.Join(dir, "s9.jsonl")
	writeFiles(tb, dir, map[string]string{"s9.jsonl": text.String()})
	return path
}

// Of a large file only the beginning and the end are read.
func TestSessionsLarge(t *testing.T) {
	home := t.TempDir()
	long(t, filepath.Join(home, ".claude", "projects", "p"), "/srv/bread")
	list, err := Sessions(context.Background(), ClaudeCode, home, noEnv)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	s := &list[0]
	if err := s.Describe(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.Title != "Bake" || s.Directory != "/srv/bread" || s.Tokens != 127 || s.Began.Day() != 1 || s.Ended.Day() != 9 {
		t.Errorf("%+v", s)
	}
}

// Where a session began is told by its first lines.
func TestSessionRan(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "p")
	say := func(cwd string) string {
		return strings.ReplaceAll(new(session).user("u1", `"go"`).String(), `"sessionId"`, `"cwd":"`+cwd+`","sessionId"`)
	}
	files := map[string]string{
		"a.jsonl": say("/srv/bread") + say("/srv/cake"), "b.jsonl": say("/srv/breadcrumbs"), "c.jsonl": new(session).user("u1", `"no directory"`).String(),
		// A large line before the one that says it.
		"d.jsonl": `{"type":"file-history-snapshot","messageId":"x","snapshot":"` + strings.Repeat("x", 100_000) + "\"}\n" + say("/srv/bread"),
	}
	writeFiles(t, dir, files)
	for name := range files {
		age(t, filepath.Join(dir, name), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	}
	list, err := Sessions(context.Background(), ClaudeCode, home, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dirs []string
		want string
	}{
		{[]string{"/srv/bread"}, "a.jsonl d.jsonl"},
		{[]string{"/nowhere", "/srv/breadcrumbs"}, "b.jsonl"},
		{[]string{"/srv/cake"}, ""},
		{[]string{"/work"}, ""},
	} {
		var names []string
		for _, s := range list { // a copy, so that each is told anew
			if s.Ran(context.Background(), tt.dirs...) {
				names = append(names, filepath.Base(s.Path))
			}
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("of %v: %q, want %q", tt.dirs, got, tt.want)
		}
	}
}

// The id is a whole one or its beginning, and what only looks like it is none.
func TestSessionNamed(t *testing.T) {
	home := t.TempDir()
	writeFiles(t, home, map[string]string{
		".gemini/tmp/bakery/chats/session-2026-05-02T07-00-9e317100.jsonl":                 sample(t, "gemini-cli/lines.jsonl"),
		".codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-" + codexSample + ".jsonl": sample(t, "codex/session.jsonl"),
	})
	for prefix, want := range map[string]Format{
		"9e317100-0000-4000-8000-000000000002": GeminiCLI, "9e31": GeminiCLI, "0199a213-81a0": Codex, codexSample: Codex,
		"": "", "2026": "", "9e317100-0000-4000-8000-000000000003": "",
	} {
		var found Format
		for _, format := range []Format{GeminiCLI, Codex} {
			list, err := Sessions(context.Background(), format, home, noEnv)
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			if list[0].Named(context.Background(), prefix) {
				found = format
			}
		}
		if found != want {
			t.Errorf("%q is one of %q, want %q", prefix, found, want)
		}
	}
}

// Of a database only the session that is asked for is read.
func TestOnlySession(t *testing.T) {
	for _, format := range []Format{OpenCode, Crush} {
		path := sampleDatabase(t, format)
		all, err := importPath(t, path, "")
		if err != nil || len(all) < 2 {
			t.Fatal(len(all), err)
		}
		for _, want := range all {
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			var k Collector
			f.Only = want.ID
			err = Import(context.Background(), f.Source, "", &k)
			_ = f.Close()
			if err != nil || len(k.Conversations) != 1 || describe(k.Conversations[0].Entries) != describe(want.Entries) {
				t.Errorf("%s of %s: %d, %v", want.ID, format, len(k.Conversations), err)
			}
		}
	}
}

// An import says in which directory its session ran.
func TestDirectory(t *testing.T) {
	for name, want := range map[string]string{
		"codex/session.jsonl": "/home/dev/greet", "pi/linear.jsonl": "/home/ada/bakery", "copilot-cli/session.jsonl": "/home/ada/bakery",
		"opencode/session.json": "/srv/shop", "gemini-cli/lines.jsonl": "",
	} {
		list, err := importPath(t, filepath.Join("testdata", filepath.FromSlash(name)), "")
		if err != nil || len(list) == 0 || list[0].Directory != want {
			t.Errorf("%s: %q, %v, want %q", name, list[0].Directory, err, want)
		}
	}
	list, err := importPath(t, sampleDatabase(t, OpenCode), "")
	if err != nil || list[0].Directory != "/srv/shop" {
		t.Errorf("%v, %v", list, err)
	}
}

// BenchmarkSessions lists thousands of sessions, and looks for the newest of a
// directory in which there is none.
func BenchmarkSessions(b *testing.B) {
	home := b.TempDir()
	files := map[string]string{}
	for i := range 5000 {
		text := strings.ReplaceAll(new(session).user("u1", `"`+strings.Repeat("Knead the dough. ", 200)+`"`).String(), `"sessionId"`, `"cwd":"/srv/bread","sessionId"`)
		files[fmt.Sprintf("p%d/%d.jsonl", i%50, i)] = strings.Repeat(text, 10)
	}
	writeFiles(b, filepath.Join(home, ".claude", "projects"), files)
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if list, err := Sessions(b.Context(), ClaudeCode, home, noEnv); err != nil || len(list) != len(files) {
				b.Fatal(len(list), err)
			}
		}
	})
	list, err := Sessions(b.Context(), ClaudeCode, home, noEnv)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("none here", func(b *testing.B) {
		for b.Loop() {
			for i := range list {
				if list[i].Ran(b.Context(), "/srv/cake") {
					b.Fatal(list[i])
				}
			}
		}
	})
	b.Run("describe", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s := list[i%len(list)]
			if err := s.Describe(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
