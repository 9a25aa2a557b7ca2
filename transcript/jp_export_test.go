package transcript

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/claudecode"
	"tenfold/transcript/internal/jp"
)

func TestJPCorpusComesBack(t *testing.T) {
	eachCorpusFile(t, JP, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		beside := os.DirFS(filepath.Dir(path))
		comesBack(t, JP, path, got, beside)
		stored := got
		stored.Format = Tenfold // as a store gives it: events are known by their ids
		comesBack(t, JP, path, stored, beside)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text := exportOf(t, JP, got); !bytes.Equal(text, data) {
			at := 0
			for at < min(len(text), len(data)) && text[at] == data[at] {
				at++
			}
			t.Errorf("byte %d differs: %.100q, want %.100q", at, text[at:], data[at:])
		}
	})
}

func TestJPCorpusCompacted(t *testing.T) {
	eachCorpusFile(t, JP, func(t *testing.T, _ string, _ corpustest.File, got Collected) { checkJP(t, got) })
}

func TestJPFromClaudeCode(t *testing.T) {
	eachCorpusFile(t, ClaudeCode, func(t *testing.T, _ string, _ corpustest.File, got Collected) { checkJP(t, got) })
}

// checkJP checks compacted exports: imported again they are what the view
// shows, but for what JP has no place for.
func checkJP(t *testing.T, got Collected) {
	for name, p := range compactedViews(t, got) {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if _, err := Export(&out, JP, View{Conversation: got.Conversation, Projection: p, Compacted: true}); err != nil {
				t.Fatal(err)
			}
			var k Collector
			if err := Import(context.Background(), Source{Name: "events.json", Reader: &out}, JP, &k); err != nil {
				t.Fatal(err)
			}
			if have, want := jpOutline(slices.Values(k.Conversations[0].Entries)), jpOutline(p.Entries()); !slices.Equal(have, want) {
				for i := range want {
					if i >= len(have) || have[i] != want[i] {
						t.Fatalf("entry %d is %.300s, want %.300s", i, have[min(i, len(have)-1)], want[i])
					}
				}
				t.Fatalf("%d entries came back, want %d", len(have), len(want))
			}
		})
	}
}

// jpOutline lists what JP has a place for.
func jpOutline(entries func(func(tenfold.Entry) bool)) []string {
	x := &jp.Export{}
	var out []string
	for e := range entries {
		if e.Branch != "" {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			out = append(out, "user "+x.Text(p.Parts, "\n\n"))
		case tenfold.AssistantMessage:
			out = append(out, "assistant "+p.Text)
		case tenfold.Reasoning:
			if p.Text != "" || p.Signature != "" && p.CallID == "" {
				out = append(out, "reasoning "+p.Text+" "+p.Signature)
			}
		case tenfold.ToolCall:
			out = append(out, "call "+p.CallID+" "+p.Name+" "+jp.EncodeStrings(p.Arguments))
		case tenfold.ToolResult:
			out = append(out, "result "+p.CallID+" "+x.Text(p.Parts, "\n"))
		}
	}
	return out
}

func TestJPExportOverlays(t *testing.T) {
	const text = `[{"timestamp":"2026-01-02 03:04:05.123456","type":"turn_start"},{"timestamp":"2026-01-02 03:04:05.123456","type":"chat_request","content":"go"},{"timestamp":"2026-01-02 03:04:05.123456","type":"chat_response","message":"done"}]`
	dir := fstest.MapFS{"base_config.json": {Data: []byte(`{"assistant":{"system_prompt":"Base."}}`)}}
	var k Collector
	if err := Import(context.Background(), Source{Name: "17123456789-x/events.json", Reader: bytes.NewReader([]byte(text)), Siblings: dir}, JP, &k); err != nil {
		t.Fatal(err)
	}
	log := tenfold.NewLog()
	overlays := []tenfold.Compaction{
		{Source: "import", Summary: &tenfold.Summary{Text: "it was"}, Reasoning: &tenfold.Policy{Action: tenfold.Strip}},
		{Source: "import", ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}},
		{Source: "import", ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}},
		{Source: "user", ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true, Over: 2048}},
		{Source: "user", Turns: tenfold.Omit},
	}
	if _, err := log.Append(k.Conversations[0].Entries...); err != nil {
		t.Fatal(err)
	}
	for i, o := range overlays {
		if _, err := log.Append(tenfold.Entry{ID: "o" + claudecode.Decimal(int64(i)), Payload: o}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	warnings, err := Export(&out, JP, View{Projection: tenfold.Project(log)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 configuration is in base_config.json beside the events and is not written: copy that file along",
		"2 compactions have no form in jp and are left out",
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings are %q, want %q", warnings, want)
	}
	again, err := importText(t, "17123456789-x/events.json", out.String())
	if err != nil {
		t.Fatal(err)
	}
	var back []tenfold.Compaction
	for _, e := range again.Entries {
		if c, ok := e.Payload.(tenfold.Compaction); ok {
			back = append(back, c)
		}
	}
	if !reflect.DeepEqual(back, overlays[:3]) {
		t.Errorf("overlays came back as %+v", back)
	}
}

// A conversation of another tool becomes one of JP, whole, and what has no
// form is said.
func TestJPExportForeign(t *testing.T) {
	system, at := "Be brief.", time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)
	log := tenfold.NewLog()
	for i, p := range []tenfold.Payload{
		tenfold.ConfigDelta{Model: "claude-x", System: &system},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: []tenfold.Part{{Text: "go"}, {File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png", URI: "data:image/png;base64,QQ=="}}}},
		tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2ln"},
		tenfold.Reasoning{Provider: "anthropic", Encrypted: "xx"},
		tenfold.Reasoning{Provider: "gemini", Signature: "dGh0", CallID: "t1"},
		tenfold.ToolCall{CallID: "t1", Name: "edit", Arguments: `{"a":["x",1]}`},
		tenfold.ToolResult{CallID: "t1", Parts: tenfold.Text("done"), IsError: true},
		tenfold.AssistantMessage{Text: "it is"},
		tenfold.ConfigDelta{Model: "mystery"},
	} {
		if _, err := log.Append(tenfold.Entry{ID: "e" + claudecode.Decimal(int64(i)), Time: at, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	warnings, err := Export(&out, JP, View{Projection: tenfold.Project(log)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 image or file has no form in jp: only its name is written",
		"1 block of encrypted reasoning has no form in jp and is left out",
		"1 model is of a provider that jp may not know and is left out",
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings are %q, want %q", warnings, want)
	}
	const head = `{"timestamp":"2026-01-02 03:04:05.000678","type":`
	events := `[
		{"type":"config_delta","timestamp":"2026-01-02 03:04:05.000678","delta":{"assistant":{"system_prompt":"Be brief.","model":{"id":{"provider":"anthropic","name":"claude-x"}}}}},
		` + head + `"turn_start"},
		` + head + `"chat_request","content":"go\n\n[a.png]"},
		` + head + `"chat_response","reasoning":"hm","metadata":{"anthropic_thinking_signature":"` + b64("c2ln") + `"}},
		` + head + `"tool_call_request","id":"t1","name":"edit","arguments":{"a":["` + b64("x") + `",1]},"metadata":{"google_thought_signature":"` + b64("dGh0") + `"}},
		` + head + `"tool_call_response","id":"t1","content":"` + b64("done") + `","is_error":true},
		` + head + `"chat_response","message":"it is"}
	]`
	if have, want := decodeJSON(t, out.Bytes()), decodeJSON(t, []byte(events)); !reflect.DeepEqual(have, want) {
		t.Errorf("events are\n%s", out.String())
	}
}

// Compacted, JP's own configuration is written as it is, and a summary placed
// in the system prompt after it.
func TestJPExportConfiguration(t *testing.T) {
	const own = `{"type":"config_delta","inherit":true,"assistant":{"system_prompt":"Own."}}`
	got, err := importText(t, "17123456789-x/events.json", `[`+own+`,{"type":"config_delta","delta":{"style":{"x":1}}},{"type":"chat_request","content":"go"},{"type":"chat_request","content":"on"}]`)
	if err != nil {
		t.Fatal(err)
	}
	log := tenfold.NewLog()
	overlay := tenfold.Compaction{Summary: &tenfold.Summary{Text: "it was", Placement: tenfold.PlaceSystem}}
	if _, err := log.Append(append(got.Entries, tenfold.Entry{ID: "o", Payload: overlay})...); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(log)
	var out bytes.Buffer
	if _, err := Export(&out, JP, View{Projection: p, Compacted: true}); err != nil {
		t.Fatal(err)
	}
	again, err := importText(t, "17123456789-x/events.json", out.String())
	if err != nil {
		t.Fatal(err)
	}
	if first := again.Entries[0].Payload.(tenfold.ConfigDelta); first.Extra != own {
		t.Errorf("the first event is %s", first.Extra)
	}
	log = tenfold.NewLog()
	if _, err := log.Append(again.Entries...); err != nil {
		t.Fatal(err)
	}
	if have, want := tenfold.Project(log).Config().System, p.Config().System; have != want || want == "Own." {
		t.Errorf("the system prompt is %q, want %q", have, want)
	}
}
