package transcript

import (
	"bytes"
	"os"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
)

// openHandsRecords lists the conversations of a file, each as its events and,
// if it is a record of an output.jsonl, the record.
func openHandsRecords(tb testing.TB, data []byte) (records []any, events [][]any) {
	tb.Helper()
	flat := func(list []any) (out []any) {
		for _, e := range list {
			if pair, ok := e.([]any); ok {
				out = append(out, pair...)
			} else {
				out = append(out, e)
			}
		}
		return out
	}
	if data = bytes.TrimSpace(bytes.TrimPrefix(data, intake.Bom)); data[0] == '[' {
		return []any{nil}, [][]any{flat(decodeJSON(tb, data).([]any))}
	}
	var lines []any
	for line := range bytes.Lines(data) {
		if len(bytes.Trim(line, " \t\r\n")) == 0 {
			continue
		}
		v := decodeJSON(tb, line)
		m, _ := v.(map[string]any)
		if history, ok := m["history"].([]any); ok {
			records, events = append(records, v), append(events, flat(history))
			continue
		}
		lines = append(lines, v)
	}
	if lines != nil {
		return []any{nil}, [][]any{lines}
	}
	return records, events
}

func checkOpenHands(tb testing.TB, data []byte, got []Collected) (all []group) {
	tb.Helper()
	records, events := openHandsRecords(tb, data)
	if len(events) != len(got) {
		tb.Fatalf("%d conversations, want %d", len(got), len(events))
	}
	for i, c := range got {
		list, frames := recordsIn(tb, c.Entries, "openhands-events.record")
		if records[i] != nil {
			if n := len(cutOut(tb, records[i], frames[0], "")); n != len(events[i]) {
				tb.Errorf("%d of %d events were taken", n, len(events[i]))
			}
		}
		checkRecords(tb, events[i], list)
		all = append(all, list...)
	}
	return all
}

// The index counts each event with an agent as its source as a message of the
// assistant, observations too, and calls where they carry the model's call. So
// do the sums here, over the sources.
func TestOpenHandsCorpus(t *testing.T) {
	for _, want := range corpustest.Files(t, string(OpenHands)) {
		t.Run(want.Name, func(t *testing.T) {
			data, err := os.ReadFile(want.Path)
			if err != nil {
				t.Fatal(err)
			}
			got := importAll(t, want.Path)
			records := checkOpenHands(t, data, got)
			have := corpustest.File{Conversations: len(got)}
			for _, g := range records {
				m := g.source.(map[string]any)
				have.Msgs++
				switch m["source"] {
				case "user":
					have.User++
				case "agent":
					have.Assistant++
				}
				if m["observation"] == "error" {
					have.Errors++
				}
				for _, e := range g.entries {
					switch e.Payload.(type) {
					case tenfold.ToolCall:
						if m["tool_call_metadata"] != nil {
							have.Calls++
						}
					case tenfold.ToolResult:
						if m["tool_call_metadata"] != nil {
							have.Results++
						}
					}
				}
			}
			index := corpustest.File{
				Conversations: want.Conversations, Msgs: want.Msgs, User: want.User, Assistant: want.Assistant,
				Calls: want.Calls, Results: want.Results, Errors: want.Errors,
			}
			if have != index {
				t.Errorf("counts differ:\n got %+v\nwant %+v", have, index)
			}
			for _, c := range got {
				t.Log(c.ID, len(c.Entries), c.Warnings)
			}
		})
	}
}
