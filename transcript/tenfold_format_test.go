package transcript

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/transcript/internal/native"
)

func allKinds() []tenfold.Entry {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	system, cost, step := "Be brief.", 0.25, 2
	payloads := []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{
			Parts:       []tenfold.Part{tenfold.TextPart("a\u2028b"), {}, {File: &tenfold.File{Type: tenfold.PartImage, URI: "data:,x", Detail: `{"a": 1}`}}},
			Attachments: []tenfold.Attachment{{Name: "n", Content: "c"}}, Synthetic: true,
		},
		tenfold.AssistantMessage{},
		tenfold.Reasoning{Text: "t", Provider: "anthropic", Signature: "s", Encrypted: "e", ItemID: "i", CallID: "c"},
		tenfold.ToolCall{CallID: "c", Name: "n", Arguments: `{"cut":`},
		tenfold.ToolCall{CallID: "c", Name: "n", Arguments: `{ "a" : "\ud800", "a":1.0e+2 }`},
		tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(""), IsError: true},
		tenfold.ProviderItem{Provider: "p", Role: "user", Data: `[1]`},
		tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c", Reason: "r"},
		tenfold.Usage{Model: "m", Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: &cost},
		tenfold.ConfigDelta{Model: "m", System: &system, Extra: `{"a":1}`},
		tenfold.Compaction{ToTurn: 3, ToStep: &step, Summary: &tenfold.Summary{Text: "s", Placement: tenfold.PlaceMessage}, Turns: tenfold.Omit},
		tenfold.CompactionRevoked{Target: "x"},
		tenfold.CompactionFailed{Error: "e", Tokens: 1, Attempt: "a"},
		tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Reason: "r", Seconds: 60},
		tenfold.Pin{Entries: []string{"a"}},
		tenfold.Unpin{Entries: []string{"a"}},
		tenfold.Unknown{Name: "future", Data: `{"tenfold":1,"x":[1,2]}`},
		tenfold.Unknown{Name: "bare"},
	}
	var out []tenfold.Entry
	for i, p := range payloads {
		out = append(out, tenfold.Entry{
			Seq: int64(i + 1), Time: at.Add(time.Duration(i)), ID: "id-" + string(rune('a'+i)), Branch: "x.y",
			MessageID: "m", Tokens: i, Source: `{"k":"v"}`, Payload: p,
		})
	}
	return out
}

func TestTenfoldIsLossless(t *testing.T) {
	c := Conversation{ID: "c-1", Title: "A title", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Format: ClaudeCode}
	want := allKinds()
	var first bytes.Buffer
	if err := native.WriteTenfold(&first, c, slices.Values(want)); err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "x.jsonl", first.String())
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if a, b := short(got.Entries[i]), short(want[i]); describeEntry(got.Entries[i]) != describeEntry(want[i]) || len(a) != len(b) {
			t.Errorf("entry %d\n got %s\nwant %s", i, a, b)
		}
	}
	var second bytes.Buffer
	if err := native.WriteTenfold(&second, got.Conversation, slices.Values(got.Entries)); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("a second export differs:\n%s\n%s", first.String(), second.String())
	}
	checkLaws(t, got)
}

func TestTenfoldSeveralConversations(t *testing.T) {
	var b bytes.Buffer
	for _, id := range []string{"one", "two"} {
		if err := native.WriteTenfold(&b, Conversation{ID: id}, slices.Values(allKinds()[:3])); err != nil {
			t.Fatal(err)
		}
	}
	var k Collector
	if err := Import(context.Background(), Source{Name: "x", Reader: &b}, "", &k); err != nil {
		t.Fatal(err)
	}
	if len(k.Conversations) != 2 || k.Conversations[1].ID != "two" || len(k.Conversations[1].Entries) != 3 {
		t.Errorf("got %+v", k.Conversations)
	}
}

func TestTenfoldErrors(t *testing.T) {
	const head = `{"tenfold":1,"conversation":{"id":"c"}}` + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"newer", `{"tenfold":2,"conversation":{"id":"c"}}`, "x.jsonl:1:1: the file has version 2, this program reads version 1"},
		{"no entry", head + `{"id":"a"}` + "\n" + head, "x.jsonl:2:1: an entry has an id and a kind"},
		{"no object", head + `7` + "\n" + head, "x.jsonl:2:1:"},
		{"broken", head + `{"id":"a","kind":nope}` + "\n" + head, "x.jsonl:2:19: no valid JSON"},
		{"glued", head + `{"id":"a","kind":"pin"}{"id":"b","kind":"pin"}` + "\n" + head, "more text after the end of the value"},
		{"trailing", head + `{"id":"a","kind":"pin"} x` + "\n" + head, "no valid JSON"},
		{"deep", head + strings.Repeat(`{"a":`, 100_000) + "\n" + head, "max depth"},
	} {
		var k Collector
		err := Import(context.Background(), Source{Name: "x.jsonl", Reader: strings.NewReader(tt.text), Strict: true}, Tenfold, &k)
		if err == nil || !strings.Contains(errorText(err), tt.want) {
			t.Errorf("%s: error is %.300v, want %s", tt.name, err, tt.want)
		}
	}
	got, err := importText(t, "dir/mine.jsonl", `{"seq":1,"id":"a","kind":"turn_start"}`+"\n"+`{"seq":2,"id":"b","ki`)
	if err != nil || got.ID != "mine" || len(got.Entries) != 1 || len(got.Warnings) != 1 {
		t.Errorf("without a header, torn: %+v, %v", got, err)
	}
	if _, err := Export(&bytes.Buffer{}, "nothing", View{}); err == nil || !strings.Contains(errorText(err), `cannot export to "nothing"; it is one of tenfold, `) {
		t.Errorf("export to jp: %v", err)
	}
}

// An error says once what was tried, and a format that is only written is no unknown one.
func TestErrorsOfExports(t *testing.T) {
	log := tenfold.NewLog()
	if _, err := log.Append(tenfold.Entry{ID: "a", Payload: tenfold.Unknown{Name: "mood", Data: "blue"}}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"c": "export conversation c: entry a: ", "": "export conversation: entry a: "} {
		_, err := Export(&bytes.Buffer{}, Tenfold, View{Conversation: Conversation{ID: id}, Projection: tenfold.Project(log)})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s…", err, want)
		}
	}
	var k Collector
	err := Import(t.Context(), Source{Name: "x", Reader: strings.NewReader("# Talk")}, Markdown, &k)
	if err == nil || !strings.Contains(errorText(err), "x: markdown is only written, not read; what can be read is one of tenfold, ") {
		t.Errorf("importing Markdown: %v", err)
	}
}
