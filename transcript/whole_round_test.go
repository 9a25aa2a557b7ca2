package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
)

// wholeLog is a log with all that the clients have no place for: an overlay
// that a person made, one that was taken back, and a sub-agent.
func wholeLog() []tenfold.Entry {
	at := func(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC) }
	system := "Be brief."
	return []tenfold.Entry{
		{ID: "c", Time: at(0), Payload: tenfold.ConfigDelta{Model: "claude-test", System: &system}},
		{ID: "t0", Time: at(0), Payload: tenfold.TurnStart{}},
		{ID: "u0", Time: at(0), Payload: tenfold.UserMessage{Parts: tenfold.Text("Look")}},
		{ID: "a0", Time: at(1), MessageID: "m0", Payload: tenfold.ToolCall{CallID: "call0", Name: "read", Arguments: `{"path":"x"}`}},
		{ID: "r0", Time: at(2), Payload: tenfold.ToolResult{CallID: "call0", Parts: tenfold.Text("gone"), IsError: true}},
		{ID: "i0", Time: at(3), MessageID: "m1", Payload: tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"web"}`}},
		{ID: "s0", Time: at(3), Branch: "agent", Payload: tenfold.UserMessage{Parts: tenfold.Text("Help")}},
		{ID: "a1", Time: at(4), MessageID: "m2", Payload: tenfold.AssistantMessage{Text: "It is gone."}},
		{ID: "t1", Time: at(5), Payload: tenfold.TurnStart{}},
		{ID: "u1", Time: at(5), Payload: tenfold.UserMessage{Parts: tenfold.Text("Thanks")}},
		{ID: "o0", Time: at(6), Payload: tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit, Source: "user"}},
		{ID: "o1", Time: at(7), Payload: tenfold.CompactionRevoked{Target: "o0"}},
	}
}

// What a whole export leaves out it names.
func TestWholeExportsNameWhatTheyLeaveOut(t *testing.T) {
	for format, want := range map[Format][]string{
		Pi:        {"1 compaction has", "undoing of a compaction", "system prompt", "provider-specific block", "sub-agent"},
		OpenCode:  {"1 compaction has", "undoing of a compaction", "provider-specific block", "sub-agent"},
		GeminiCLI: {"1 compaction has", "undoing of a compaction", "system prompt", "provider-specific block", "sub-agent", "times of entries"},
	} {
		var out bytes.Buffer
		view := View{Conversation: Conversation{ID: "x", Format: Tenfold}, Projection: tenfold.Project(logOf(t, wholeLog()))}
		warnings, err := Export(&out, format, view)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, text) }) {
				t.Errorf("%s: nothing about %q in %q", format, text, warnings)
			}
		}
	}
}

// sameOrNamed holds that a conversation comes back from a whole export as the
// same log, or that a warning names what is lost.
func sameOrNamed(t *testing.T, c Collected) {
	t.Helper()
	var out bytes.Buffer
	warnings, err := Export(&out, c.Format, View{Conversation: c.Conversation, Projection: tenfold.Project(logOf(t, c.Entries))})
	if err != nil {
		t.Fatal(err)
	}
	again, err := written{c.Format, "x.jsonl", nil}.read(out.Bytes(), c.Format)
	if err != nil || len(again) != 1 {
		t.Fatalf("%d conversations, %v", len(again), err)
	}
	if a, b := describe(again[0].Entries), describe(c.Entries); a != b && len(warnings) == 0 {
		t.Errorf("the log is another, and no warning says so: %d entries, were %d", len(again[0].Entries), len(c.Entries))
	}
}

func TestWholeExportsOfOwnSessions(t *testing.T) {
	for _, format := range []Format{Pi, OpenCode, GeminiCLI} {
		for _, w := range samples(t, format) {
			if strings.HasSuffix(w.path, "message.json") {
				continue // a message alone is not a session
			}
			t.Run(w.path, func(t *testing.T) {
				list, err := w.read(w.data, format)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range list {
					sameOrNamed(t, c)
				}
			})
		}
		eachCorpusFile(t, format, func(t *testing.T, _ string, _ corpustest.File, got Collected) { sameOrNamed(t, got) })
	}
}
