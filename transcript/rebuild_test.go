package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
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

// baseID is the id of the line an entry came from.
func baseID(id string) string {
	id, _, _ = strings.Cut(id, "#")
	id, _, _ = strings.Cut(id, "/")
	return id
}

// rebuildClaude gives the lines of a session file, in any order.
func rebuildClaude(tb testing.TB, entries []tenfold.Entry) []any {
	byLine := map[string][]tenfold.Entry{}
	var order []string
	for _, e := range entries {
		id := baseID(e.ID)
		if _, ok := byLine[id]; !ok {
			order = append(order, id)
		}
		byLine[id] = append(byLine[id], e)
	}
	var lines []any
	for _, id := range order {
		group := byLine[id]
		var line any
		found := 0
		for _, e := range group {
			if e.Source != "" {
				found++
				line = decodeJSON(tb, []byte(e.Source))
			}
		}
		if found != 1 {
			tb.Fatalf("line %s has %d sources", id, found)
		}
		r := refill{tb: tb}
		for _, e := range group {
			switch p := e.Payload.(type) {
			case tenfold.ToolResult:
				r.results = append(r.results, p)
			case tenfold.UserMessage:
				r.parts = append(r.parts, p.Parts...)
			case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem:
				r.blocks = append(r.blocks, p)
			case tenfold.Compaction:
				if p.Summary != nil {
					r.parts = append(r.parts, tenfold.TextPart(p.Summary.Text))
				}
			}
		}
		if len(r.results)+len(r.parts)+len(r.blocks) > 0 {
			m := line.(map[string]any)
			if m["type"] == "progress" {
				m = m["data"].(map[string]any)["message"].(map[string]any)
			}
			message := m["message"].(map[string]any)
			message["content"] = r.content(message["content"])
		}
		lines = append(lines, line)
	}
	return lines
}

type refill struct {
	tb      testing.TB
	results []tenfold.ToolResult
	parts   []tenfold.Part
	blocks  []tenfold.Payload
}

func orText(v any, text string) any {
	if v == "" {
		return text
	}
	return v
}

func (r *refill) content(v any) any {
	list, ok := v.([]any)
	if !ok {
		if len(r.blocks) > 0 {
			return orText(v, r.blocks[0].(tenfold.AssistantMessage).Text)
		}
		return orText(v, r.parts[0].Text)
	}
	for i, item := range list {
		block, _ := item.(map[string]any)
		switch {
		case len(r.blocks) > 0:
			list[i] = r.block(item, r.blocks[0])
			r.blocks = r.blocks[1:]
		case block != nil && block["type"] == "tool_result":
			res := r.results[0]
			r.results = r.results[1:]
			switch inner := block["content"].(type) {
			case []any:
				for k := range inner {
					inner[k] = r.part(inner[k], res.Parts[k])
				}
			case string:
				if len(res.Parts) > 0 {
					block["content"] = orText(inner, res.Parts[0].Text)
				}
			case nil:
				if len(res.Parts) > 0 {
					block["content"] = decodeJSON(r.tb, []byte(res.Parts[0].File.Detail))
				}
			}
		case len(r.parts) > 0:
			list[i] = r.part(item, r.parts[0])
			r.parts = r.parts[1:]
		}
	}
	return list
}

func (r *refill) part(item any, p tenfold.Part) any {
	switch b := item.(type) {
	case nil:
		return decodeJSON(r.tb, []byte(p.File.Detail))
	case string:
		return orText(b, p.Text)
	case map[string]any:
		if p.File == nil {
			b["text"] = orText(b["text"], p.Text)
		} else if src, ok := b["source"].(map[string]any); ok && src["type"] == "base64" {
			_, data, _ := strings.Cut(p.File.URI, ",")
			src["data"] = orText(src["data"], data)
		}
		return b
	}
	return item
}

func (r *refill) block(item any, p tenfold.Payload) any {
	b, _ := item.(map[string]any)
	switch p := p.(type) {
	case tenfold.ProviderItem:
		return decodeJSON(r.tb, []byte(p.Data))
	case tenfold.AssistantMessage:
		b["text"] = orText(b["text"], p.Text)
	case tenfold.Reasoning:
		if p.Encrypted != "" {
			b["data"] = orText(b["data"], p.Encrypted)
		} else {
			b["thinking"] = orText(b["thinking"], p.Text)
			if s, ok := b["signature"]; ok {
				b["signature"] = orText(s, p.Signature)
			}
		}
	case tenfold.ToolCall:
		b["input"] = decodeJSON(r.tb, []byte(p.Arguments))
	}
	return b
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
