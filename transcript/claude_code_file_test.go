package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/claudecode"
)

func TestClaudeCodeOwnFileOfAnAgent(t *testing.T) {
	text := new(session).user("u1", `"do this"`, `,"isSidechain":true`).
		assistant("a1", "m1", `{"type":"text","text":"done"}`, `,"isSidechain":true`).String()
	got, err := importText(t, "agent-77.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "s-1-agent-77" { // not the id of the session it belongs to
		t.Errorf("id is %q", got.ID)
	}
	checkTable(t, got, `
		turn u1/turn
		user u1 "do this"
		config a1/model m-1
		assistant a1 m1 "done"
		usage a1/usage m1 m-1 3/20/7/900`, nil)
}

func TestClaudeCodeTitles(t *testing.T) {
	text := `{"type":"custom-title","customTitle":"Mine","sessionId":"../up"}
{"type":"ai-title","aiTitle":"Guessed","sessionId":"../up"}
{"type":"summary","summary":"Summed","leafUuid":"x"}
`
	got, err := importText(t, "a.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != "Mine" || strings.Contains(got.ID, "/") {
		t.Errorf("got %+v", got.Conversation)
	}
}

func TestClaudeCodeStrings(t *testing.T) {
	// A lone surrogate cannot be text; the line keeps it. Bytes that are no
	// UTF-8 are replaced.
	text := new(session).user("u1", `"half \ud83d and \u0000 \ud83d\ude00 `+"\xff"+`"`).String()
	got, err := importText(t, "a.jsonl", "\xef\xbb\xbf"+text)
	if err != nil {
		t.Fatal(err)
	}
	e := got.Entries[1]
	if text := e.Payload.(tenfold.UserMessage).Parts[0].Text; text != "half \uFFFD and \x00 😀 \uFFFD" {
		t.Errorf("text is %q", text)
	}
	if !strings.Contains(e.Source, `\ud83d and`) {
		t.Errorf("source lost the surrogate: %s", e.Source)
	}
	checkLaws(t, got)
}

func TestClaudeCodeTornAndBroken(t *testing.T) {
	whole := new(session).user("u1", `"one"`).user("u2", `"two"`).String()
	lines := strings.SplitAfter(whole, "\n")
	for _, tt := range []struct {
		name, text string
		entries    int
		line       int
		says       string
	}{
		{"cut off", whole + `{"type":"user","uuid":"u3","mess`, 4, 3, "a.jsonl:3:33: the JSON is cut off"},
		{"cut off with a line end", whole + `{"type":"user","uuid":"u3","mess` + "\n\n", 4, 3, "a.jsonl:3:33: the JSON is cut off"},
		{"zeros at the end", whole + "\x00\x00\x00", 4, 3, "a.jsonl:3:1: no valid JSON"},
		{"no line end", strings.TrimSpace(whole), 4, 0, ""},
		{"carriage returns", strings.ReplaceAll(whole, "\n", "\r\n"), 4, 0, ""},
		{"cut off in the middle", lines[0] + `{"type":"us` + "\n" + lines[1], 0, 2, "a.jsonl:2:12: the JSON is cut off (read as claude-code); the line was cut off, perhaps by a crash: take it out"},
		{"rubbish in the middle", lines[0] + `{"type":nonsense}` + "\n" + lines[1], 0, 2, "a.jsonl:2:"},
		{"two values on a line", lines[0] + lines[1] + lines[0] + `{"a":1}{"b":2}` + "\n", 0, 4, "more text after the end of the value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := importText(t, "a.jsonl", tt.text); tt.entries > 0 && (err != nil || len(got.Entries) != tt.entries) {
				t.Errorf("got %d entries, %v", len(got.Entries), err)
			}
			got, err := importStrict(t, "a.jsonl", tt.text)
			if tt.line == 0 {
				if err != nil || len(got.Entries) != tt.entries {
					t.Fatalf("a strict import gives %d entries, %v", len(got.Entries), err)
				}
				return
			}
			var e *Error
			if !errors.As(err, &e) || e.Line != tt.line || !strings.Contains(errorText(err), tt.says) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// A file that grew gives its old lines the old ids, in the old order as far as
// the last response was whole.
func TestClaudeCodeGrownFile(t *testing.T) {
	text := new(session).user("u1", `"go"`).
		raw(`{"type":"mode","mode":"a","sessionId":"s-1"}`).raw(`{"type":"mode","mode":"a","sessionId":"s-1"}`).
		assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).
		user("u2", `"more"`).
		raw(boundaryLine("b1", `{"trigger":"auto"}`)).user("c1", `"was"`, summaryFlags).
		assistant("a2", "m2", `{"type":"text","text":"did"}`).user("u3", `"end"`).String()
	full, err := importText(t, "a.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter([]byte(text), []byte("\n"))
	for n := 1; n < len(lines); n++ {
		part, err := importText(t, "a.jsonl", string(bytes.Join(lines[:n], nil)))
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range part.Entries {
			if full.Entries[i].ID != e.ID {
				t.Errorf("after %d lines entry %d is %s, later %s", n, i, e.ID, full.Entries[i].ID)
			}
		}
	}
}

// What waits for a response to end is bounded; nothing is lost over it.
func TestClaudeCodeHoldsOnlySoMuch(t *testing.T) {
	corpustest.Unraced(t)
	s := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1"))
	for i := range claudecode.HeldEntries + 10 {
		s.user(fmt.Sprintf("i%d", i), `"note"`, meta)
	}
	s.user("r1", result("t1", "x")).assistant("a2", "m1", call("t2"))
	got, err := importText(t, "a.jsonl", s.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Entries) != claudecode.HeldEntries+10+7 || len(got.Warnings) != 1 {
		t.Errorf("%d entries, %v", len(got.Entries), got.Warnings)
	}
	checkLaws(t, got)
}

// The overlay of an imported compaction hides what it hid there, and undoing
// it brings that back without a trace of the summary (C7).
func TestClaudeCodeCompactionCanBeUndone(t *testing.T) {
	before := new(session).user("u1", `"go"`).assistant("a1", "m1", `{"type":"text","text":"did"}`)
	after := new(session).user("u2", `"on"`).assistant("a2", "m2", `{"type":"text","text":"more"}`).String()
	middle := boundaryLine("b1", `{"trigger":"auto"}`) + "\n" + new(session).user("c1", `"what was"`, summaryFlags).String()
	view := func(text, undo string) string {
		got, err := importText(t, "a.jsonl", text)
		if err != nil {
			t.Fatal(err)
		}
		log := tenfold.NewLog()
		entries := got.Entries
		if undo != "" {
			entries = append(entries, tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: undo}})
		}
		if _, err := log.Append(entries...); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for item := range tenfold.Project(log).Items() {
			b.WriteString(describeEntry(tenfold.Entry{ID: item.ID, Payload: item.Payload}) + "\n")
		}
		return b.String()
	}
	compacted := view(before.String()+middle+after, "")
	if !strings.Contains(compacted, "what was") || strings.Contains(compacted, "did") || !strings.Contains(compacted, "more") {
		t.Errorf("compacted view:\n%s", compacted)
	}
	if got, want := view(before.String()+middle+after, "c1/compaction"), view(before.String()+after, ""); got != want {
		t.Errorf("undone view\n%s\nwant\n%s", got, want)
	}
}
