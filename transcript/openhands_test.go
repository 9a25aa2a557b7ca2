package transcript

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold"
)

// shown lists what a model sees, a line an item.
func shownText(t *testing.T, entries []tenfold.Entry) string {
	t.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(entries...); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for it := range tenfold.Project(log).Items() {
		b.WriteString(describeEntry(tenfold.Entry{ID: it.ID, Payload: it.Payload}) + "\n")
	}
	return b.String()
}

// After a condensation the projection shows what the model saw: what was not
// forgotten, and the summary.
func TestOpenHandsCondensation(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "openhands-events", "sdk.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	// The first condensation is the newest of this part.
	first, _, _ := bytes.Cut(data, []byte(`{"kind": "ActionEvent", "id": "e13"`))
	got, err := importText(t, "sdk.jsonl", string(first))
	if err != nil {
		t.Fatal(err)
	}
	// The reasoning of the call was made under what the condensation forgot (B1).
	want := trim(`
		user e1 "Water the beds." <image data:image/png;base64,QUJD> "It has not rained."
		injected e12/2.0 "Bed 1 was watered, bed 2 does not exist."
		user e8 "Try the barrel."
		call e9#1 c3 look {"kind":"Look","at":"barrel"}
		failure e10 c3 "not now"`)
	if have := shownText(t, got.Entries); dropIDs(have) != dropIDs(want) {
		t.Errorf("after the first condensation a model sees\n%s\nwant\n%s", have, want)
	}
	if got, err = importText(t, "sdk.jsonl", string(data)); err != nil {
		t.Fatal(err)
	}
	want = trim(`
		user e1 "Water the beds." <image data:image/png;base64,QUJD> "It has not rained."
		user e8 "Try the barrel."
		injected e15/2.0 "Bed 1 was watered, bed 2 does not exist."
		call e13 c4 terminal {}
		result e14 c4 "{\"kind\":\"X\",\"state\":\"full\"}"
		assistant e16  "Done."`)
	if have := shownText(t, got.Entries); dropIDs(have) != dropIDs(want) {
		t.Errorf("after the second condensation a model sees\n%s\nwant\n%s", have, want)
	}
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "shown all the same") {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

// dropIDs takes the ids of summaries out, which name seqs.
func dropIDs(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "injected e1"); ok {
			_, rest, _ = strings.Cut(rest, " ")
			line = "injected " + rest
		}
		b.WriteString(line)
	}
	return b.String()
}

const openHandsBase = `{
  "id": "0d3f-conversation",
  "agent": {"kind": "Agent", "llm": {"model": "maker/model-a"}},
  "workspace": {"kind": "LocalWorkspace"},
  "execution_status": "finished",
  "stats": {"usage_to_metrics": {"agent": {"token_usages": [
    {"model": "maker/model-a", "prompt_tokens": 90, "completion_tokens": 8, "cache_read_tokens": 50, "cache_write_tokens": 1, "response_id": "r1"}]}}}
}`

// A conversation of the SDK is a directory: a state, and a file an event.
func TestOpenHandsDirectory(t *testing.T) {
	event := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	dir := fstest.MapFS{
		"base_state.json": event(openHandsBase),
		"events/event-00002-b.json": event(`{"kind":"ActionEvent","id":"e2","source":"agent","timestamp":"2026-03-04T05:06:09","thought":[],
			"tool_name":"look","tool_call_id":"c1","tool_call":{"id":"c1","name":"look","arguments":"{}"},"llm_response_id":"r1"}`),
		"events/event-00001-a.json": event(`{"kind":"MessageEvent","id":"e1","source":"user","timestamp":"2026-03-04T05:06:07","llm_message":{"role":"user","content":[{"type":"text","text":"Look."}]}}`),
		"events/event-00003-c.json": event(`{"kind":"Observ`),
		"events/notes.txt":          event(`no event`),
		"events/event-00004-d.json": event(`{"kind":"ActionEvent","id":"e4","source":"agent","thought":[],"tool_name":"look","tool_call_id":"c2","tool_call":{"id":"c2","name":"look","arguments":"{}"},"llm_response_id":"r1"}`),
	}
	var k Collector
	err := Import(context.Background(), Source{Name: "x/base_state.json", Reader: strings.NewReader(openHandsBase), Siblings: dir}, "", &k)
	if err != nil {
		t.Fatal(err)
	}
	got := k.Conversations[0]
	if got.ID != "0d3f-conversation" {
		t.Errorf("the conversation is %q", got.ID)
	}
	checkTable(t, got, `
		unknown state:18acf635dffdf042 openhands-events.state
		config state:18acf635dffdf042/model maker/model-a
		turn e1/turn
		user e1 "Look."
		call e2 c1 look {}
		usage e2/usage r1 maker/model-a 90/8/50/1
		call e4 c2 look {}`,
		[]string{"1 event is not JSON and is left out"})

	k = Collector{}
	if err = Import(context.Background(), Source{Name: "x/base_state.json", Reader: strings.NewReader(openHandsBase)}, "", &k); err != nil {
		t.Fatal(err)
	}
	if got := k.Conversations[0]; len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "without events") {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// The file of one event is not the conversation; the error says what is.
func TestOpenHandsSingleEvent(t *testing.T) {
	for _, text := range []string{
		`{"kind":"MessageEvent","id":"e1","source":"user","llm_message":{"role":"user","content":"x"}}`,
		"{\n \"kind\": \"MessageEvent\",\n \"id\": \"e1\",\n \"source\": \"user\"\n}\n",
	} {
		_, err := importText(t, "home/abc/events/event-00001-a.json", text)
		if err == nil || !strings.Contains(errorText(err), "home/abc/base_state.json") {
			t.Errorf("the error is %v", err)
		}
	}
}
