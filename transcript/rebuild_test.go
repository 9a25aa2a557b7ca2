package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/native"
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

// rebuildJPEvents gives the events of an events.json, as the exporter rebuilds
// them.
func rebuildJPEvents(tb testing.TB, got Collected) []any {
	tb.Helper()
	return decodeJSON(tb, exportOf(tb, JP, got)).([]any)
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
	if err := native.WriteTenfold(&out, got.Conversation, log.Entries()); err != nil {
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
