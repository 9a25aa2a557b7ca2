package storetest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
)

// payloads holds every kind, and what is special about each.
func payloads() []tenfold.Payload {
	cost, system, step := 0.25, "You are terse.", 3
	tools := []tenfold.ToolDefinition{{Name: "read", Description: "reads", Schema: `{"type":"object"}`}}
	file := &tenfold.File{Type: tenfold.PartImage, Name: "a.png", MediaType: "image/png", URI: "data:image/png;base64,AAAA", Detail: `{"d":1}`}
	return []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("a greeting")},
		tenfold.UserMessage{Parts: tenfold.Text("by no person"), Synthetic: true},
		tenfold.UserMessage{},
		tenfold.UserMessage{
			Parts:       []tenfold.Part{tenfold.TextPart("one"), {File: file}, tenfold.TextPart("")},
			Attachments: []tenfold.Attachment{{Name: "n", MediaType: "text/plain", Content: "c\n"}, {}},
		},
		tenfold.AssistantMessage{Text: "said", Phase: "commentary"},
		tenfold.AssistantMessage{Text: "found it", Signature: "sig=="},
		tenfold.AssistantMessage{},
		tenfold.Reasoning{Text: "thought"},
		tenfold.Reasoning{Text: "thought", Provider: "anthropic", Signature: "sig=="},
		tenfold.Reasoning{Provider: "openai", Encrypted: "gAAA", ItemID: "rs_1"},
		tenfold.Reasoning{Provider: "gemini", Signature: "t", CallID: "c1"},
		tenfold.Reasoning{},
		tenfold.ToolCall{CallID: "c1", Name: "read", Arguments: `{"path": "a.go",  "n":1.0}`},
		tenfold.ToolCall{CallID: "c2", Name: "read", Arguments: `{"path": "cut o`},
		tenfold.ToolCall{CallID: "quo\"te\\", Name: "ü\n\x00"},
		tenfold.ToolCall{},
		tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("package a\n")},
		tenfold.ToolResult{CallID: "c2", Parts: tenfold.Text("no"), IsError: true},
		tenfold.ToolResult{CallID: "c3", Parts: []tenfold.Part{{File: file}}},
		tenfold.ToolResult{CallID: "c4", Parts: []tenfold.Part{{}}},
		tenfold.ToolResult{CallID: "c5"},
		tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: `{"type":"web_search_call","x":[1,2]}`},
		tenfold.ProviderItem{Provider: "openai", Data: "no json"},
		tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c1", Reason: "no"},
		tenfold.Usage{Model: "m", Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: &cost},
		tenfold.Usage{},
		tenfold.ConfigDelta{Model: "m", System: &system, Tools: &tools, Extra: `{"temperature":0.5}`},
		tenfold.ConfigDelta{},
		tenfold.Compaction{
			FromTurn: 1, ToTurn: 7, ToStep: &step, Profile: "heavy", Strategy: "auto", Source: "user", Reason: "asked",
			TokensBefore: 100, TokensAfter: 10,
			Summary:   &tenfold.Summary{Text: "in short"},
			Reasoning: &tenfold.Policy{Action: tenfold.Strip},
			ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true, Over: 2048},
			Turns:     tenfold.Omit,
		},
		tenfold.CompactionRevoked{Target: "e1"},
		tenfold.CompactionFailed{Error: "too long", Tokens: 5, Limit: 4, Exceeded: true, Attempt: "a1"},
		tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Reason: "90 % used", Focus: "f", Seconds: 60},
		tenfold.CompactionAttempt{State: tenfold.AttemptEnded, Attempt: "a1", Reason: "nothing to do"},
		tenfold.Pin{Entries: []string{"e1", "e2"}},
		tenfold.Unpin{Entries: []string{"e1"}},
		tenfold.Recalled{Entries: []string{"e1"}, Lines: []tenfold.LineRange{{First: 2, Last: 5}}},
		// L4: unknown kinds are kept verbatim.
		tenfold.Unknown{Name: "from_the_future", Data: `{"b":1,"a":[1.50,"\u0041",null],"text":"t"}`},
		tenfold.Unknown{Name: "from the 'future'"},
	}
}

// everyPayload gives an entry for each; offset keeps ids apart.
func everyPayload(offset int) []tenfold.Entry {
	var out []tenfold.Entry
	for i, p := range payloads() {
		out = append(out, tenfold.Entry{ID: fmt.Sprintf("e%d", offset+i), Time: start.Add(time.Duration(i) * time.Millisecond), Payload: p})
	}
	return out
}

func testPayloads(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "together", "apart")
	want := everyPayload(0)
	add(t, st, "together", want...)
	wantLog(t, st, "together", want...)
	for _, e := range want {
		add(t, st, "apart", e)
	}
	wantLog(t, st, "apart", want...)
}

func testEnvelopes(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	p := tenfold.AssistantMessage{Text: "x"}
	want := []tenfold.Entry{
		{ID: "bare", Payload: p},
		{
			ID: "full", Time: start, Branch: "root.scout", MessageID: "msg_1", Tokens: math.MaxInt >> 23,
			Source: `{"uuid":"x", "odd":"\u0000"}`, Payload: p,
		},
		{ID: "same message", Time: start, MessageID: "msg_1", Payload: p},
		{ID: "other message", Time: start, MessageID: "msg_2", Payload: p},
		{ID: "negative", Tokens: -1, Payload: p},
		{ID: "long ago", Time: time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), Payload: p},
		{ID: "far off", Time: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), Payload: p},
		{ID: "1969", Time: time.Unix(-1, 5).UTC(), Payload: p},
		{ID: "odd \x00 \xff ' \"", Branch: "\x00", MessageID: "\xff", Source: "no json\n", Payload: p},
		{ID: strings.Repeat("long", 1000), Branch: strings.Repeat("b", 5000), Payload: p},
	}
	add(t, st, "a", want...)
	wantLog(t, st, "a", want...)
	// A time is an instant; it comes back in UTC.
	zoned := tenfold.Entry{ID: "zoned", Time: start.In(time.FixedZone("here", 3600)), Payload: p}
	add(t, st, "a", zoned)
	got := readAfter(t, st, "a", int64(len(want)))[0].Time
	if !got.Equal(start) || got.Location() != time.UTC {
		t.Errorf("%v came back as %v", zoned.Time, got)
	}
}

func testTexts(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	var all strings.Builder
	for r := rune(1); r <= 0x10FFFF; r += 1 + r/64 {
		if r < 0xD800 || r > 0xDFFF {
			all.WriteRune(r)
		}
	}
	texts := []string{
		"", " ", "\x00", "a\x00b", "\x00\x00", "'", `"`, "''; DROP TABLE entries; --", `\`, "\\u0000", "%s %d", "\r\n", "\n\n", "\ufeff", "null", "{}",
		`{"text":"x"}`, "\xff", "ok\xc3", "\xed\xa0\x80", "🎉👩‍👩‍👧", "\u202e", strings.Repeat("\x00", 10_000), all.String(),
	}
	var want []tenfold.Entry
	for i, text := range texts {
		want = append(want, say(fmt.Sprintf("m%d", i), text),
			tenfold.Entry{ID: fmt.Sprintf("c%d", i), Payload: tenfold.ToolCall{CallID: "c", Name: "n", Arguments: text}})
		if text != "" {
			want = append(want,
				tenfold.Entry{ID: fmt.Sprintf("r%d", i), Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(text)}},
				tenfold.Entry{ID: fmt.Sprintf("u%d", i), Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}})
		}
	}
	add(t, st, "a", want...)
	wantLog(t, st, "a", want...)
	if _, err := st.Search(t.Context(), store.Query{Text: "drop"}); err != nil {
		t.Error(err)
	}
}

func testHuge(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	huge := strings.Repeat("0123456789abcde\n", 200_000) // 3.2 MB
	want := []tenfold.Entry{
		say("1", huge),
		{ID: "2", Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(huge + "needle")}},
		{ID: "3", Payload: tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart(huge[:1<<20]), tenfold.TextPart("two")}}},
		{ID: "4", Source: `"` + strings.Repeat("s", 1<<20) + `"`, Payload: tenfold.TurnStart{}},
		say("5", "small"),
	}
	add(t, st, "a", want...)
	wantLog(t, st, "a", want...)
	if got := find(t, st, store.Query{Text: "needle"}); len(got) != 1 || got[0] != "a/2" {
		t.Errorf("in huge texts %v are found", got)
	}
}

func testManyEntries(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	var want []tenfold.Entry
	for i := range 2500 {
		want = append(want, say(fmt.Sprint(i), fmt.Sprintf("entry number %d", i)))
	}
	add(t, st, "a", want[:1]...)
	add(t, st, "b", want[:10]...)
	add(t, st, "a", want[1:2000]...)
	add(t, st, "a", want[1500:]...)
	wantLog(t, st, "a", want...)
	if got := find(t, st, store.Query{Text: "number 2499"}); len(got) != 1 {
		t.Errorf("%v are found", got)
	}
}
