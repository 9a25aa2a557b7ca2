package claudecode_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/hook"
	"tenfold/internal/hook/claudecode"
	"tenfold/session"
)

// answer is what the plug-in gets.
type answer struct {
	Messages []struct {
		Keep    *int   `json:"keep"`
		Role    string `json:"role"`
		Text    string `json:"text"`
		Uses    []use  `json:"toolUses"`
		Results []struct {
			ID    string `json:"tool_use_id"`
			Text  string `json:"text"`
			Error bool   `json:"isError"`
		} `json:"toolResults"`
	} `json:"messages"`
	Skip string `json:"skip"`
	Line string `json:"line"`
}

type use struct {
	ID    string         `json:"tool_use_id"`
	Tool  string         `json:"tool"`
	Input jsontext.Value `json:"input"`
}

func TestCompactAnswersWithTheView(t *testing.T) {
	h, c := newHost(t), long(t)
	before := told(t, c.sent())
	a, err := c.ask(h, "manual", map[string]any{"window": 200_000, "focus": "the errors"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Messages) < 3 || !strings.HasPrefix(a.Messages[0].Text, "Tenfold: ") || !strings.HasPrefix(a.Messages[0].Text, a.Line) {
		t.Fatalf("the answer is %d messages, the line %q", len(a.Messages), a.Line)
	}
	kept := 0
	for _, m := range a.Messages {
		if m.Keep != nil {
			kept++
			if role := c.rows[*m.Keep].Message.Role; role != "user" {
				t.Errorf("row %d of the %s is kept: its response would come back (B1)", *m.Keep, role)
			}
		}
	}
	if kept == 0 {
		t.Error("no message of the person is kept as it is")
	}
	c.take(a)
	c.isView(h, 1)
	after := told(t, c.sent())
	for _, text := range before {
		if strings.HasPrefix(text, "user: ") && !slices.ContainsFunc(after, func(s string) bool { return s == text }) {
			t.Errorf("the person's words are gone: %.100q", text)
		}
	}
	if 10*len(strings.Join(after, "")) > 7*len(strings.Join(before, "")) {
		t.Errorf("the view is not much shorter: %d of %d bytes", len(strings.Join(after, "")), len(strings.Join(before, "")))
	}
}

// What Claude Code does after a compaction goes on in the same conversation, and
// the next compaction begins from all of it again (C5, V6).
func TestCompactionsFollowOneAnother(t *testing.T) {
	h, c := newHost(t), long(t)
	var id string
	for round := range 4 {
		a, err := c.ask(h, "manual", map[string]any{"window": 200_000})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Messages) == 0 {
			t.Fatalf("round %d: no answer", round)
		}
		c.take(a)
		c.isView(h, 1)
		s := c.stored(h)
		if id == "" {
			id = s.ID()
		} else if s.ID() != id {
			t.Fatalf("round %d: it is conversation %s, not %s", round, s.ID(), id)
		}
		request := fmt.Sprintf("Request of round %d.", round)
		c.say("user", "", block{Type: "text", Text: request})
		for n := range 8 {
			call := fmt.Sprintf("toolu_%d_%d", round, n)
			c.say("assistant", "msg_"+call, block{Type: "tool_use", ID: call, Name: "Bash", Input: jsontext.Value(fmt.Sprintf(`{"command":"make %s"}`, call))})
			c.say("user", "", block{Type: "tool_result", CallID: call, Content: jsontext.Value(`"` + strings.Repeat(call+` is made\n`, 400) + `"`)})
		}
		c.isView(h, 1)
	}
	said := told(t, mustWrite(t, c.stored(h)))
	for round := range 4 {
		request := fmt.Sprintf("user: Request of round %d.", round)
		if n := len(slices.DeleteFunc(slices.Clone(said), func(s string) bool { return s != request })); n != 1 {
			t.Errorf("%q is in the view %d times", request, n)
		}
	}
}

func mustWrite(tb testing.TB, s *session.Session) []byte {
	tb.Helper()
	data, err := body.Anthropic().Write(s.Projection())
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// An image in a prompt cannot be made anew: the prompt is kept, also after an
// earlier compaction gave it another id. A result's is kept while it is new.
func TestImagesAreKept(t *testing.T) {
	image := block{Type: "image", Source: jsontext.Value(`{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}`)}
	h, c := newHost(t), long(t)
	c.say("user", "", block{Type: "text", Text: "What is on this picture?"}, image)
	shot := func(id string) {
		c.say("assistant", "msg_"+id, block{Type: "tool_use", ID: id, Name: "Shot", Input: jsontext.Value(`{}`)})
		content, _ := json.Marshal([]block{image})
		c.say("user", "", block{Type: "tool_result", CallID: id, Content: content})
	}
	shot("toolu_shot_1")
	for round := range 2 {
		a, err := c.ask(h, "manual", map[string]any{"window": 200_000})
		if err != nil || len(a.Messages) == 0 {
			t.Fatalf("round %d: %d messages, %v", round, len(a.Messages), err)
		}
		c.take(a)
		if n := bytes.Count(c.sent(), []byte(`iVBORw0KGgo=`)); n != 2 {
			t.Errorf("round %d: %d pictures are left of the prompt's and the newest result's", round, n)
		}
		c.valid()
		for n := range 30 {
			call := fmt.Sprintf("toolu_%d_%d", round, n)
			c.say("assistant", "msg_"+call, block{Type: "tool_use", ID: call, Name: "Bash", Input: jsontext.Value(`{"command":"make"}`)})
			c.say("user", "", block{Type: "tool_result", CallID: call, Content: jsontext.Value(`"` + strings.Repeat(call+` is made\n`, 400) + `"`)})
		}
		shot(fmt.Sprintf("toolu_shot_%d", round+2))
	}
}

// V7: what we cannot answer, Claude Code does by itself.
func TestNoAnswer(t *testing.T) {
	h := newHost(t)
	t.Run("the newest message is never written", func(t *testing.T) {
		c := long(t)
		c.rows[len(c.rows)-1].UUID = "11111111-1111-4111-8111-111111111111"
		if _, err := c.ask(h, "auto", nil); err == nil || !strings.Contains(err.Error(), "newest message") {
			t.Error(err)
		}
	})
	t.Run("it is written late", func(t *testing.T) {
		c := long(t)
		rows := c.rowsOf()
		c.say("user", "", block{Type: "text", Text: "late"})
		whole, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		last := c.rowsOf()[len(rows)]
		lines := bytes.SplitAfter(whole, []byte("\n"))
		if err := os.WriteFile(c.file, bytes.Join(lines[:len(lines)-2], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(50*time.Millisecond, func() { _ = os.WriteFile(c.file, whole, 0o600) })
		a, err := c.ask(h, "manual", map[string]any{"window": 200_000, "rows": append(rows, last)})
		if err != nil || len(a.Messages) == 0 {
			t.Fatalf("%d messages, %v", len(a.Messages), err)
		}
		c.take(a)
		if s := string(c.sent()); !strings.Contains(s, `"late"`) {
			t.Error("what was written late is not in the view")
		}
	})
	t.Run("nothing to shorten", func(t *testing.T) {
		c := begin(t, []tenfold.Entry{
			{ID: "t", Payload: tenfold.TurnStart{}},
			{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("Hello.")}},
			{ID: "a", Payload: tenfold.AssistantMessage{Text: "Hello to you."}},
		})
		if a, err := c.ask(h, "manual", nil); err != nil || len(a.Messages) > 0 {
			t.Errorf("%d messages, %v", len(a.Messages), err)
		}
		if a, err := c.ask(h, "auto", nil); err == nil {
			t.Errorf("the window is full, and it is answered with %d messages", len(a.Messages))
		}
	})
	t.Run("a summary ahead of time is not needed", func(t *testing.T) {
		if a, err := long(t).ask(h, "precompute", nil); err != nil || a.Skip == "" {
			t.Error(a.Skip, err)
		}
	})
	for name, more := range map[string]map[string]any{
		"no rows":           {"rows": []any{}},
		"no ids":            {"rows": []any{map[string]any{"r": "user"}}},
		"rows of text":      {"rows": "all"},
		"no such file":      {"transcript": "/nowhere.jsonl"},
		"a device":          {"transcript": "/dev/zero"},
		"a directory":       {"transcript": "/"},
		"an agent's escape": {"agent": "../../x"},
		"no session":        {"transcript": "", "session": "../x"},
		"an unknown one":    {"transcript": "", "session": "0b0e1c1e-0000-4000-8000-000000000009"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CLAUDE_CONFIG_DIR", t.TempDir())
			if a, err := long(t).ask(h, "manual", more); err == nil {
				t.Errorf("it is answered with %d messages", len(a.Messages))
			}
		})
	}
	if _, err := (claudecode.Client{}).Handle(t.Context(), h, "session.end", []byte(`{}`)); !errors.Is(err, hook.ErrUnknownEvent) {
		t.Error(err)
	}
}

// A version that does not say where the file is has it found by the session's id;
// a sub-agent's lies beside it.
func TestTranscriptIsFound(t *testing.T) {
	h, c := newHost(t), long(t)
	root := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", root)
	dir := filepath.Join(root, "projects", "-work")
	agents := filepath.Join(dir, "0b0e1c1e-0000-4000-8000-000000000001", "subagents")
	if err := os.MkdirAll(agents, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(c.file, filepath.Join(dir, filepath.Base(c.file))); err != nil {
		t.Fatal(err)
	}
	c.file = ""
	at := map[string]any{"session": "0b0e1c1e-0000-4000-8000-000000000001", "window": 200_000}
	if a, err := c.ask(h, "manual", at); err != nil || len(a.Messages) == 0 {
		t.Errorf("%d messages, %v", len(a.Messages), err)
	}
	at["agent"] = "a1"
	if _, err := c.ask(h, "manual", at); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the agent's file is not there, and: %v", err)
	}
	if err := os.Link(filepath.Join(dir, "0b0e1c1e-0000-4000-8000-000000000001.jsonl"), filepath.Join(agents, "agent-a1.jsonl")); err != nil {
		t.Fatal(err)
	}
	if a, err := c.ask(h, "manual", at); err != nil || len(a.Messages) == 0 {
		t.Errorf("%d messages, %v", len(a.Messages), err)
	}
}

func TestFiles(t *testing.T) {
	none := func(string) string { return "" }
	place := hook.Place{Scope: hook.User, Home: "/home/me", Dir: "/src", Binary: `/opt/a "b"/tenfold`, Getenv: none}
	tests := map[string]struct {
		change func(p *hook.Place)
		want   string
	}{
		"user":      {func(*hook.Place) {}, "/home/me/.claude/skills/tenfold"},
		"elsewhere": {func(p *hook.Place) { p.Getenv = func(string) string { return "/etc/claude" } }, "/etc/claude/skills/tenfold"},
		"project":   {func(p *hook.Place) { p.Scope = hook.Project }, "/src/.claude/skills/tenfold"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := place
			test.change(&p)
			files, err := claudecode.Client{}.Files(p)
			if err != nil || len(files) != 6 {
				t.Fatalf("%d files, %v", len(files), err)
			}
			for _, f := range files {
				if !strings.HasPrefix(filepath.ToSlash(f.Path), test.want) {
					t.Errorf("%s is not below %s", f.Path, test.want)
				}
				if strings.HasSuffix(f.Path, ".js") {
					if n := bytes.Count(f.Content, []byte("\n")); n > 120 {
						t.Errorf("the plug-in has %d lines", n)
					}
					if !bytes.Contains(f.Content, []byte(`const programs = ["/opt/a \"b\"/tenfold","tenfold"]`+"\n")) {
						t.Errorf("the plug-in does not name the program:\n%.600s", f.Content)
					}
				} else if !jsontext.Value(f.Content).IsValid() {
					t.Errorf("%s is not JSON", f.Path)
				}
			}
		})
	}
}
