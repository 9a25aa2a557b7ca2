package transcript

import (
	"os"
	"testing"
)

// The view of a chat of Qwen Code is what it sends: what came before its
// summary is hidden, and so is the branch that was left.
func TestQwenCodeShowsWhatItSends(t *testing.T) {
	data, err := os.ReadFile("testdata/qwen-code/chat.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "chat.jsonl", string(data))
	if err != nil {
		t.Fatal(err)
	}
	if got.Format != QwenCode || got.ID != "qwen-1" || got.Title != "Greeting" {
		t.Errorf("read %s %s %q", got.Format, got.ID, got.Title)
	}
	want := []string{
		`user "<state_snapshot>demo greets</state_snapshot>"`, `assistant "Got it."`, `user "Who really calls it?"`, `assistant "Nobody."`, `user "Thanks"`,
	}
	if have, want := squeeze(seen(t, got.Entries)), squeeze(want); have != want {
		t.Errorf("seen\n%s\nwant\n%s", have, want)
	}
}

// A person who goes back before a compression sees what it stood for.
func TestQwenCodeGoesBackBeforeACompression(t *testing.T) {
	data, err := os.ReadFile("testdata/qwen-code/chat.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	back := `{"uuid":"u5","parentUuid":"a2","sessionId":"qwen-1","timestamp":"2026-01-01T00:00:12.000Z","type":"user","message":{"role":"user","parts":[{"text":"Once more"}]}}`
	got, err := importText(t, "chat.jsonl", string(data)+back)
	if err != nil {
		t.Fatal(err)
	}
	have := seen(t, got.Entries)
	if len(have) != 9 || have[0] != `user "What does this module do?"` || have[8] != `user "Once more"` {
		t.Errorf("seen\n%s", squeeze(have))
	}
}
