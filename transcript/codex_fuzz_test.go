package transcript

import (
	"bytes"
	"reflect"
	"testing"
)

func codexSeeds() []string {
	return []string{
		`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"a","base_instructions":{"text":"b"}}}` + "\n" + `{"type":"response_item","payload":null}`,
		`{"type":"response_item","payload":{"type":"function_call","name":"n","arguments":5,"call_id":"c"}}` + "\n" + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":5}}`,
		`{"type":"response_item","payload":{"role":"user","content":["a",{"type":"input_image","image_url":""},null]}}` + "\n" + `{"type":"compacted","payload":{"message":"m","replacement_history":[{"role":"user","content":"x"},7,{"type":"compaction"},{"type":"reasoning"}]}}`,
		`{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":1e3}}}}` + "\n" + `"x"` + "\n" + `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":9}}`,
		`{"id":"a","timestamp":"2026-01-01T00:00:00Z","git":null}` + "\n" + `{"type":"web_search_call"}` + "\n" + `{"type":"mess`,
		`{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"p","input":"\u00e9\ud800"}}`,
	}
}

func FuzzCodex(f *testing.F) {
	for _, w := range samples(f, Codex) {
		f.Add(w.data)
	}
	for _, s := range codexSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, Codex, data)
		if !ok {
			return
		}
		compacted, _ := exportText(t, Codex, got, true)
		if _, err := importText(t, "x", string(compacted)); err != nil {
			t.Fatalf("the compacted rollout does not read: %v\n%s", err, compacted)
		}
		text, _ := exportText(t, Codex, got, false)
		if !exactly(data) {
			return
		}
		want, have := decodeLines(t, data), decodeLines(t, text)
		if len(have) > len(want) {
			have = have[len(have)-len(want):] // the line about the session was missing
		}
		if !reflect.DeepEqual(have, want) {
			t.Fatalf("exported\n%s\nwant\n%s", text, bytes.TrimSpace(data))
		}
	})
}
