package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"tenfold"
)

// This file proves that importing loses nothing: it rebuilds the source's
// lines from the entries, by filling the payloads into what the Source left.

func decodeJSON(tb testing.TB, raw []byte) any {
	tb.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		tb.Fatalf("decode %.80q: %v", raw, err)
	}
	return v
}

// rebuildClaudeLines gives the lines of a session file, as the exporter
// rebuilds them.
func rebuildClaudeLines(tb testing.TB, got Collected) []any {
	tb.Helper()
	var lines []any
	for line := range bytes.Lines(exportOf(tb, ClaudeCode, got)) {
		lines = append(lines, decodeJSON(tb, line))
	}
	return lines
}

// exportOf exports a conversation whole.
func exportOf(tb testing.TB, to Format, got Collected) []byte {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(got.Entries...); err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Export(&out, to, View{Conversation: got.Conversation, Projection: tenfold.Project(log)}); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func orText(v any, text string) any {
	if v == "" {
		return text
	}
	return v
}

// sameLines compares lines whatever their order.
func sameLines(tb testing.TB, got, want []any) {
	tb.Helper()
	key := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			tb.Fatal(err)
		}
		return string(b)
	}
	have := map[string]int{}
	for _, v := range got {
		have[key(v)]++
	}
	for i, v := range want {
		k := key(v)
		if have[k] == 0 {
			tb.Errorf("line %d is not rebuilt (%d bytes)", i+1, len(k))
		}
		have[k]--
	}
	if len(got) != len(want) {
		tb.Errorf("%d lines rebuilt, want %d", len(got), len(want))
	}
}

// rebuildJP gives the events of an events.json, in order.
func rebuildJP(tb testing.TB, entries []tenfold.Entry) []any {
	var events []any
	for i, e := range entries {
		if e.Source == "" {
			continue
		}
		v := decodeJSON(tb, []byte(e.Source))
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && v == nil {
			events = append(events, decodeJSON(tb, []byte(d.Extra)))
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			events = append(events, v)
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			if reply, ok := m["reply"].(map[string]any); ok {
				m["message"] = orText(m["message"], p.Parts[0].Text)
				for _, next := range entries[i+1:] {
					if baseID(next.ID) != baseID(e.ID) {
						break
					}
					switch q := next.Payload.(type) {
					case tenfold.AssistantMessage:
						reply["content"] = orText(reply["content"], q.Text)
					case tenfold.Reasoning:
						reply["reasoning"] = orText(reply["reasoning"], q.Text)
					}
				}
				break
			}
			m["content"] = orText(m["content"], p.Parts[0].Text)
		case tenfold.AssistantMessage:
			m["message"] = orText(m["message"], p.Text)
		case tenfold.Reasoning:
			m["reasoning"] = orText(m["reasoning"], p.Text)
			if meta, ok := m["metadata"].(map[string]any); ok {
				for _, k := range []string{"anthropic_thinking_signature", "google_thought_signature"} {
					if s, ok := meta[k]; ok {
						meta[k] = orText(s, p.Signature)
					}
				}
			}
		case tenfold.ToolCall:
			if m["arguments"] == nil {
				m["arguments"] = encodeAll(decodeJSON(tb, []byte(p.Arguments)))
			}
		case tenfold.ToolResult:
			if m["content"] == "" && len(p.Parts) > 0 {
				m["content"] = base64.StdEncoding.EncodeToString([]byte(p.Parts[0].Text))
			}
		case tenfold.Approval:
			if q, ok := m["question"].(map[string]any); ok && q["text"] == "" {
				q["text"] = p.Reason
			}
		case tenfold.ConfigDelta:
			if d, ok := m["delta"]; ok && d == nil {
				m["delta"] = decodeJSON(tb, []byte(p.Extra))
			}
		case tenfold.Compaction:
			if p.Summary == nil {
				break
			}
			if s, ok := m["summary"].(map[string]any); ok {
				s["summary"] = orText(s["summary"], p.Summary.Text)
			} else if m["summary"] == "" {
				m["summary"] = p.Summary.Text
			}
		}
		events = append(events, m)
	}
	return events
}

func encodeAll(v any) any {
	switch v := v.(type) {
	case string:
		return base64.StdEncoding.EncodeToString([]byte(v))
	case []any:
		for i := range v {
			v[i] = encodeAll(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = encodeAll(v[k])
		}
	}
	return v
}

// checkRoundTrip exports a conversation in our own format and reads it again.
func checkRoundTrip(tb testing.TB, got Collected) {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(got.Entries...); err != nil {
		tb.Fatal(err)
	}
	var want []tenfold.Entry
	var out bytes.Buffer
	for e := range log.Entries() {
		want = append(want, e)
	}
	if err := writeTenfold(&out, got.Conversation, log.Entries()); err != nil {
		tb.Fatal(err)
	}
	again, err := importText(tb, "again.jsonl", out.String())
	if err != nil {
		tb.Fatal(err)
	}
	if again.ID != got.ID || again.Title != got.Title || !again.Created.Equal(got.Created) {
		tb.Errorf("conversation came back as %+v, want %+v", again.Conversation, got.Conversation)
	}
	if len(again.Entries) != len(want) {
		tb.Fatalf("%d entries came back, want %d", len(again.Entries), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(again.Entries[i], want[i]) {
			tb.Fatalf("entry %d came back changed:\n got %s\nwant %s", i+1, short(again.Entries[i]), short(want[i]))
		}
	}
}

func short(e tenfold.Entry) string {
	s := fmt.Sprintf("%+v", e)
	return s[:min(len(s), 2000)]
}
