package pi

import (
	"bytes"
	"context"
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
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/transcript"
)

// now is when the tests take place.
var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func newHost(t *testing.T, settings ...string) *hook.Host { return newHostAt(t, now, settings...) }

func newHostAt(t *testing.T, at time.Time, settings ...string) *hook.Host {
	t.Helper()
	st, clock := memory.New(), func() time.Time { return at }
	return &hook.Host{
		Open: func(context.Context) (*session.Service, error) {
			return session.NewService(st, session.WithClock(clock)), nil
		},
		Configure: func(dir string) (*config.Effective, error) {
			l, err := config.Read(config.Sources{Dir: dir, Flags: settings})
			if err != nil {
				return nil, err
			}
			return l.With()
		},
		Now: clock,
	}
}

// writeSession writes a long session of pi, and gives its path and its entries.
func writeSession(t *testing.T) (string, []line) {
	t.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(logtest.Long(400)...); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	view := transcript.View{Conversation: transcript.Conversation{ID: "session", Named: true, Created: now}, Projection: tenfold.Project(l)}
	if _, err := transcript.Export(&b, transcript.Pi, view); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	branch := readBranch(b.Bytes())
	add(t, name, map[string]any{
		"type": "message", "id": "1a57", "parentId": branch[len(branch)-1].ID, "timestamp": now.Format(time.RFC3339), "message": map[string]any{
			"role": "assistant", "api": "anthropic-messages", "model": "claude-sonnet-4-5", "stopReason": "stop", "timestamp": now.UnixMilli(),
			"content": []any{map[string]any{"type": "text", "text": "That is all."}},
		},
	})
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, readBranch(data)
}

// handle hands an event over.
func handle(t *testing.T, h *hook.Host, event string, in map[string]any) ([]byte, error) {
	t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return Client{}.Handle(t.Context(), h, event, data)
}

// compacted hands over what the adapter does when pi compacts.
func compacted(t *testing.T, h *hook.Host, in map[string]any) compaction {
	t.Helper()
	out, err := handle(t, h, "session_before_compact", in)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Compaction compaction `json:"compaction"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return answer.Compaction
}

func TestCompactionHoldsTheViewAndAFallback(t *testing.T) {
	h := newHost(t)
	path, branch := writeSession(t)
	kept := branch[len(branch)*3/4]
	c := compacted(t, h, map[string]any{
		"pi": "1.6.0", "path": path, "window": 40_000, "reason": "manual", "firstKept": kept.ID, "tokensBefore": 12_345,
	})
	if c.FirstKept != kept.ID || c.TokensBefore != 12_345 {
		t.Errorf("pi is told to keep from %s, and of %d tokens", c.FirstKept, c.TokensBefore)
	}
	if !strings.HasPrefix(c.Summary, "This is history, not a request") {
		t.Errorf("the summary is %q", c.Summary)
	}
	o := c.Details.Tenfold
	if o.Version != 1 || !strings.Contains(o.Line, "undo: tenfold conversation undo "+o.Conversation) {
		t.Errorf("version %d, line %q", o.Version, o.Line)
	}

	// What the adapter makes of it is what an export of the conversation says.
	svc, err := h.Service(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := svc.Open(t.Context(), o.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	view := transcript.View{Conversation: transcript.Conversation{ID: o.Conversation, Format: transcript.Pi}, Projection: s.Projection(), Compacted: true}
	if _, err := transcript.Export(&b, transcript.Pi, view); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for raw := range bytes.Lines(b.Bytes()) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		if key, ok := keyOf(l.Message); ok {
			want = append(want, key)
		}
	}
	ids := 0
	for _, m := range o.View {
		if m.Kind() == '"' {
			ids++
			at := slices.IndexFunc(branch, func(l line) bool { return `"`+l.ID+`"` == string(m) })
			if at < 0 {
				t.Fatalf("%s is not in the session", m)
			}
			m = branch[at].Message
		}
		key, ok := keyOf(m)
		if !ok {
			t.Fatalf("not a message: %s", m)
		}
		got = append(got, key)
	}
	if !slices.Equal(want, got) {
		t.Errorf("%d messages, not %d as exported", len(got), len(want))
	}
	if ids == 0 || ids == len(got) {
		t.Errorf("%d of %d messages are named", ids, len(got))
	}
}

// A session that pi does not keep in a file comes line by line.
func TestCompactionOfASessionWithoutAFile(t *testing.T) {
	path, branch := writeSession(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []jsontext.Value
	for raw := range bytes.Lines(data) {
		lines = append(lines, bytes.Clone(bytes.TrimSpace(raw)))
	}
	event := map[string]any{"window": 40_000, "firstKept": branch[9].ID}
	event["path"] = path
	want := compacted(t, newHost(t), event)
	delete(event, "path")
	event["lines"] = lines
	got := compacted(t, newHost(t), event)
	if len(want.Details.Tenfold.View) == 0 || !slices.EqualFunc(want.Details.Tenfold.View, got.Details.Tenfold.View, func(a, b jsontext.Value) bool { return bytes.Equal(a, b) }) {
		t.Errorf("%d messages, not %d", len(got.Details.Tenfold.View), len(want.Details.Tenfold.View))
	}
}

// Compacting again once pi wrote the first compaction down: its summary not
// part of what is compacted (C5), and the view stays within the target (V6).
func TestV6CompactedAgain(t *testing.T) {
	h := newHost(t)
	path, branch := writeSession(t)
	event := map[string]any{"path": path, "window": 40_000, "firstKept": branch[len(branch)-2].ID}
	first := compacted(t, h, event)
	entry := map[string]any{
		"type": "compaction", "id": "c0ffee00", "parentId": branch[len(branch)-1].ID, "timestamp": now.Format(time.RFC3339), "summary": "A summary of ours.",
		"firstKeptEntryId": first.FirstKept, "tokensBefore": 1, "details": first.Details, "fromHook": true,
	}
	last := "c0ffee00"
	add(t, path, entry)
	for i := range 40 {
		id := fmt.Sprintf("c0ffee%02d", i+1)
		add(t, path, map[string]any{"type": "message", "id": id, "parentId": last, "timestamp": now.Format(time.RFC3339), "message": map[string]any{
			"role": []string{"user", "assistant"}[i%2], "content": []any{map[string]any{"type": "text", "text": strings.Repeat(fmt.Sprintf("Word %d. ", i), 300)}}, "stopReason": "stop",
		}})
		last = id
	}
	second := compacted(t, h, event)
	if second.Details.Tenfold.Conversation != first.Details.Tenfold.Conversation {
		t.Error("it is another conversation")
	}
	text := fmt.Sprintf("%s", second.Details.Tenfold.View)
	if strings.Contains(text, "A summary of ours") || strings.Contains(second.Summary, "A summary of ours") {
		t.Error("the summary of the first compaction is in the second")
	}
	svc, err := h.Service(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := svc.Open(t.Context(), second.Details.Tenfold.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Projection().Tokens(); n > 16_000 {
		t.Errorf("the view has %d tokens, which is more than half of what pi may send", n)
	}
}

func add(t *testing.T, path string, entry map[string]any) {
	t.Helper()
	data, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(data, '\n')); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestV7WhatIsNotUnderstoodIsAnError(t *testing.T) {
	path, _ := writeSession(t)
	for name, in := range map[string]map[string]any{
		"no session":    {"window": 40_000},
		"relative path": {"path": "session.jsonl"},
		"not JSON":      {"lines": "x"},
		"missing file":  {"path": path + "x"},
	} {
		for _, event := range []string{"session_before_compact", "session_start"} {
			in["last"] = now.Add(-time.Hour)
			if out, err := handle(t, newHost(t), event, in); err == nil {
				t.Errorf("%s, %s: answered %s", name, event, out)
			}
		}
	}
	if _, err := handle(t, newHost(t), "other", nil); !errors.Is(err, hook.ErrUnknownEvent) {
		t.Errorf("unknown event: %v", err)
	}
}

// Where there is nothing to remove pi does what it does without Tenfold.
func TestNothingToCompactIsNoAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	text := `{"type":"session","version":3,"id":"5f0c1f8e-9f10-4d0c-8c6e-1f0f6f3b2a10","timestamp":"2026-04-02T08:00:00.000Z","cwd":"/"}` + "\n" +
		`{"type":"message","id":"f0000002","parentId":null,"timestamp":"2026-04-02T08:00:01.000Z","message":{"role":"user","content":"Hello"}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := handle(t, newHost(t), "session_before_compact", map[string]any{"path": path, "window": 40_000, "firstKept": "f0000002"}); len(out) > 0 {
		t.Errorf("answered %s", out)
	}
}

func TestV2ColdStart(t *testing.T) {
	path, _ := writeSession(t)
	const off, worth = "conversation.compaction.auto.enabled=false", "conversation.compaction.micro.clear_at_least=2k"
	for name, c := range map[string]struct {
		last         time.Duration
		window, used int
		settings     []string
		want         bool
	}{
		"cold":         {time.Hour, 25_000, 0, nil, true},
		"counted":      {time.Hour, 25_000, 18_000, nil, true},
		"warm":         {time.Minute, 25_000, 0, nil, false},
		"kept longer":  {time.Hour, 25_000, 0, []string{"conversation.compaction.micro.cold_after=2h"}, false},
		"small":        {time.Hour, 25_000, 6000, nil, false},
		"room left":    {time.Hour, 1_000_000, 0, nil, false},
		"switched off": {time.Hour, 25_000, 0, []string{off}, false},
	} {
		h := newHostAt(t, now.Add(c.last), append(c.settings, worth)...)
		out, err := handle(t, h, "session_start", map[string]any{"path": path, "window": c.window, "used": c.used, "last": now})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out) == `{"compact":true}`; got != c.want {
			t.Errorf("%s: answered %q", name, out)
		}
	}
}

func TestFiles(t *testing.T) {
	getenv := func(string) string { return "" }
	for name, c := range map[string]struct {
		place hook.Place
		want  string
	}{
		"user":    {hook.Place{Scope: hook.User, Home: "/home/kim", Dir: "/src", Getenv: getenv}, "/home/kim/.pi/agent/extensions/tenfold.ts"},
		"project": {hook.Place{Scope: hook.Project, Home: "/home/kim", Dir: "/src", Getenv: getenv}, "/src/.pi/extensions/tenfold.ts"},
		"elsewhere": {hook.Place{Scope: hook.User, Home: "/home/kim", Dir: "/src", Getenv: func(name string) string {
			return map[string]string{"PI_CODING_AGENT_DIR": "/etc/pi"}[name]
		}}, "/etc/pi/extensions/tenfold.ts"},
	} {
		c.place.Binary = `/opt/"odd" dir/tenfold`
		files, err := Client{}.Files(c.place)
		if err != nil {
			t.Fatal(err)
		}
		if files[0].Path != filepath.FromSlash(c.want) {
			t.Errorf("%s: %s", name, files[0].Path)
		}
		text := string(files[0].Content)
		if !strings.Contains(text, `const BINARY = "/opt/\"odd\" dir/tenfold";`) || strings.Contains(text, "{{") {
			t.Errorf("%s: the template is not filled in", name)
		}
		if n := strings.Count(text, "\n"); n > 120 {
			t.Errorf("the adapter has %d lines", n)
		}
	}
}

func TestV3LargeResultsAreTrimmedAtBirth(t *testing.T) {
	text := strings.Repeat("All is well in this line of the log.\n", 400) + "error: the roof leaks\n" + strings.Repeat("And in this one.\n", 400)
	one, other := map[string]any{"type": "text", "text": text}, map[string]any{"type": "image", "data": "aW1hZ2U=", "mimeType": "image/png"}
	const limit = "conversation.compaction.hook.trim_over=1k"
	for name, c := range map[string]struct {
		content  any
		settings []string
		want     bool
	}{
		"large":         {[]any{other, one}, []string{limit}, true},
		"several texts": {[]any{one, one}, []string{limit}, false},
		"only an image": {[]any{other}, []string{limit}, false},
		"no limit":      {[]any{one}, []string{"conversation.compaction.hook.trim_over=off"}, false},
	} {
		h := newHost(t, c.settings...)
		out, err := handle(t, h, "tool_result", map[string]any{
			"session": "s1", "toolCallId": "c1", "toolName": "bash", "input": map[string]any{"command": "make"}, "content": c.content,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(out) > 0 != c.want {
			t.Errorf("%s: answered %.100s", name, out)
		}
		if !c.want {
			continue
		}
		var answer struct{ Content []block }
		if err := json.Unmarshal(out, &answer, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if got := answer.Content; len(got) != 2 || got[0].Data != "aW1hZ2U=" || !strings.Contains(got[1].Text, "the roof leaks") || len(got[1].Text) > len(text)/2 {
			t.Errorf("%s: %.300s", name, out)
		}
		svc, err := h.Service(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s, err := svc.Open(t.Context(), hook.ResultsOf("s1"))
		if err != nil {
			t.Fatal(err)
		}
		whole := false
		for e := range s.Log().Entries() {
			if r, ok := e.Payload.(tenfold.ToolResult); ok && r.Parts[0].Text == text {
				whole = true
			}
		}
		if !whole {
			t.Error("the original is not in the store")
		}
	}
}
