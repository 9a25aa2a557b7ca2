package transcript

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/codex"
	"tenfold/transcript/internal/intake"
)

// Samples come back whole: every line as it was, and importing the export
// gives an equal log.
func TestCodexSamplesComeBack(t *testing.T) {
	for _, w := range samples(t, Codex) {
		t.Run(w.path, func(t *testing.T) {
			got, err := w.read(w.data, Codex)
			if err != nil {
				t.Fatal(err)
			}
			text, warnings := exportText(t, Codex, got[0], false)
			if len(warnings) > 0 {
				t.Errorf("warnings %q", warnings)
			}
			if string(text) != string(w.data) {
				t.Errorf("exported\n%s\nwant\n%s", text, w.data)
			}
			again, err := w.read(text, Codex)
			if err != nil {
				t.Fatal(err)
			}
			sameLog(t, again[0], got[0])
		})
	}
}

// OpenAI's models want to have back which of their messages were commentary.
func TestCodexKeepsPhases(t *testing.T) {
	data, err := os.ReadFile("testdata/codex/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "session.jsonl", string(data))
	if err != nil {
		t.Fatal(err)
	}
	phases := map[string]string{}
	for _, e := range got.Entries {
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok {
			phases[m.Text] = m.Phase
		}
	}
	for text, want := range map[string]string{"I look at the file.": "commentary", "It says please now.": "final_answer", "Anything else?": "final_answer"} {
		if phases[text] != want {
			t.Errorf("%q is %q, want %q", text, phases[text], want)
		}
	}
}

func TestCodexReplacementHistoryIsWhatProjects(t *testing.T) {
	for _, w := range samples(t, Codex) {
		got, err := w.read(w.data, Codex)
		if err != nil {
			t.Fatal(err)
		}
		if found := checkHistories(t, decodeLines(t, w.data), got[0]); found == 0 && strings.HasSuffix(w.path, "compacted.jsonl") {
			t.Error("the sample holds no compaction")
		}
	}
}

// The compacted rollout says what a model saw.
func TestCodexSamplesCompacted(t *testing.T) {
	for _, w := range samples(t, Codex) {
		t.Run(w.path, func(t *testing.T) {
			got, err := w.read(w.data, Codex)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := exportText(t, Codex, got[0], true)
			checkRollout(t, text)
			again, err := w.read(text, Codex)
			if err != nil {
				t.Fatal(err)
			}
			have, want := withoutSigned(readable(allSaid(t, again[0]))), withoutSigned(readable(stillSaid(t, got[0])))
			if !reflect.DeepEqual(have, want) {
				t.Errorf("the compacted rollout says\n%q\nwant\n%q", have, want)
			}
		})
	}
}

// readable leaves out reasoning that no provider can read back, and says files
// that Codex has no block for in the words it gets.
func readable(list []string) []string {
	list = slices.DeleteFunc(list, func(s string) bool { return s == "reasoning|" })
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "data:application/pdf;base64,QUJD", "[file notes.pdf]")
	}
	return list
}

// codexRequired are the members without which Codex does not read a line.
var codexRequired = map[string][]string{
	"session_meta":                          {"id", "timestamp", "cwd", "originator", "cli_version"},
	"turn_context":                          {"cwd", "model"},
	"compacted":                             {"message"},
	"response_item/message":                 {"type", "role", "content"},
	"response_item/reasoning":               {"type", "summary"},
	"response_item/function_call":           {"type", "name", "arguments", "call_id"},
	"response_item/function_call_output":    {"type", "call_id", "output"},
	"response_item/custom_tool_call":        {"type", "name", "input", "call_id"},
	"response_item/custom_tool_call_output": {"type", "call_id", "output"},
	"response_item/tool_search_call":        {"type", "call_id", "execution", "arguments"},
	"response_item/tool_search_output":      {"type", "call_id", "status", "execution", "tools"},
	"event_msg/user_message":                {"type", "message"},
	"event_msg/agent_message":               {"type", "message"},
	"event_msg/token_count":                 {"type", "info", "rate_limits"},
}

func lineKind(m map[string]any) string {
	kind := m["type"].(string)
	p := m["payload"].(map[string]any)
	if inner, ok := p["type"].(string); ok && (kind == "response_item" || kind == "event_msg") {
		kind += "/" + inner
	}
	return kind
}

// checkRollout checks the lines of a rollout that Codex is to resume from.
func checkRollout(t *testing.T, text []byte) []map[string]any {
	t.Helper()
	var lines []map[string]any
	last := ""
	for i, line := range decodeLines(t, text) {
		m := line.(map[string]any)
		lines = append(lines, m)
		stamp := m["timestamp"].(string)
		if _, err := time.Parse(time.RFC3339Nano, stamp); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
		last = max(last, stamp)
		kind := lineKind(m)
		p := m["payload"].(map[string]any)
		if i == 0 {
			if kind != "session_meta" {
				t.Fatalf("the first line is %s", kind)
			}
			if !codex.IsID(p["id"].(string)) {
				t.Errorf("session id %q is no UUID", p["id"])
			}
		}
		for _, name := range codexRequired[kind] {
			if _, ok := p[name]; !ok {
				t.Errorf("line %d: %s without %s", i+1, kind, name)
			}
		}
	}
	return lines
}

// foreign is a conversation that no rollout holds.
func foreign() Collected {
	at := time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)
	system := "Be helpful."
	list := []tenfold.Payload{
		tenfold.ConfigDelta{Model: "claude-x", System: &system},
		tenfold.TurnStart{},
		tenfold.UserMessage{
			Parts:       []tenfold.Part{{Text: "Look."}, {File: &tenfold.File{Type: tenfold.PartImage, URI: "data:image/png;base64,AA=="}}, {File: &tenfold.File{Type: tenfold.PartFile, Name: "a.pdf", URI: "https://example.com/a.pdf"}}},
			Attachments: []tenfold.Attachment{{Name: "n.txt", Content: "note"}},
		},
		tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "sig"},
		tenfold.Reasoning{Text: "ho", Provider: "openai", Encrypted: "enc", ItemID: "rs_1"},
		tenfold.AssistantMessage{Text: "I look."},
		tenfold.ToolCall{CallID: "t1", Name: "Read", Arguments: `{"file":"a"}`},
		tenfold.ToolCall{CallID: "t1", Name: "Read", Arguments: `{"file":"b"}`},
		tenfold.Approval{State: tenfold.ApprovalRequested, CallID: "t1"},
		tenfold.ToolResult{CallID: "t1", Parts: tenfold.Text("b!")},
		tenfold.ToolResult{CallID: "gone", Parts: tenfold.Text("c!")},
		tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"x"}`},
		tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: "{\n\"type\":\"web_search_call\",\"status\":\"completed\"}"},
		tenfold.Usage{Model: "claude-x", Input: 5, CacheRead: 10, Output: 7},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("And now?")},
		tenfold.Compaction{ToTurn: 0, Source: "import", Summary: &tenfold.Summary{Text: "They looked.", Placement: tenfold.PlaceMessage}},
		tenfold.AssistantMessage{Text: "Done."},
		tenfold.Compaction{ToTurn: 1, Source: "user", Summary: &tenfold.Summary{Text: "All is done."}},
		tenfold.Unknown{Name: "claude-code.system"},
	}
	c := Collected{Conversation: Conversation{ID: "foreign", Format: ClaudeCode, Created: at}}
	for i, p := range list {
		c.Entries = append(c.Entries, tenfold.Entry{ID: "e" + strconv.Itoa(i), Time: at.Add(time.Duration(i) * time.Second), Payload: p, Source: `{"type":"user","cwd":"/home/dev/x"}`})
	}
	c.Entries = append(c.Entries, tenfold.Entry{ID: "b", Branch: "agent", Payload: tenfold.AssistantMessage{Text: "sub"}})
	return c
}

// What came from another tool becomes a rollout that Codex can resume from.
func TestCodexExportsForeignConversations(t *testing.T) {
	text, warnings := exportText(t, Codex, foreign(), false)
	lines := checkRollout(t, text)
	var kinds []string
	for _, m := range lines {
		kinds = append(kinds, lineKind(m))
	}
	want := []string{
		"session_meta", "turn_context", "response_item/message", "event_msg/user_message",
		"response_item/message", "event_msg/agent_message", "response_item/function_call", "response_item/function_call",
		"response_item/function_call_output", "response_item/web_search_call", "event_msg/token_count",
		"response_item/message", "event_msg/user_message", "compacted", "response_item/message", "event_msg/agent_message",
		"compacted",
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("lines are\n%q\nwant\n%q", kinds, want)
	}
	if got := lines[0]["payload"].(map[string]any)["cwd"]; got != "/home/dev/x" {
		t.Errorf("cwd is %q", got)
	}
	if got := lines[7]["payload"].(map[string]any)["call_id"]; got != "t1_2" {
		t.Errorf("the second call's id is %q", got)
	}
	if got := lines[8]["payload"].(map[string]any)["call_id"]; got != "t1" { // the first that waits
		t.Errorf("the result answers %q", got)
	}
	history, err := json.Marshal(lines[13]["payload"])
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"message":"They looked."`, `"text":"They looked."`, `"text":"And now?"`} {
		if !strings.Contains(string(history), part) {
			t.Errorf("the compaction %s lacks %s", history, part)
		}
	}
	if len(warnings) != 9 {
		t.Errorf("%d warnings: %q", len(warnings), warnings)
	}
	again, err := importText(t, "", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := allSaid(t, again); !slices.Equal(got, []string{"user|[Summary of previous conversation]", "assistant|All is done."}) {
		t.Errorf("imported again, it shows %q", got)
	}
	second, _ := exportText(t, Codex, foreign(), false)
	if string(second) != string(text) {
		t.Error("exported twice, it differs")
	}
}

func TestCodexExportsCompactedForeignConversations(t *testing.T) {
	text, _ := exportText(t, Codex, foreign(), true)
	checkRollout(t, text)
	again, err := importText(t, "", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if have, want := allSaid(t, again), allSaid(t, foreign()); !slices.Equal(have, want) {
		t.Errorf("says %q, want %q", have, want)
	}
}

// What an overlay of ours stripped stays in the form of its call.
func TestCodexExportsStrippedCalls(t *testing.T) {
	data, err := os.ReadFile("testdata/codex/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "session.jsonl", string(data))
	if err != nil {
		t.Fatal(err)
	}
	got.Entries = append(got.Entries, tenfold.Entry{ID: "ours", Payload: tenfold.Compaction{
		ToTurn: 0, Source: "user", ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true},
	}})
	text, _ := exportText(t, Codex, got, true)
	checkRollout(t, text)
	for _, want := range []string{
		`{"type":"custom_tool_call_output","call_id":"call_3","output":"[compacted]`,
		`{"type":"tool_search_output","status":"completed","call_id":"call_4","execution":"client","tools":[]}`,
		`{"type":"function_call_output","call_id":"call_5","output":"[compacted]`,
		`"input":"*** Begin Patch`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	whole, _ := exportText(t, Codex, got, false)
	if string(whole) != string(data) {
		t.Error("whole, our overlay shows")
	}
	// Its arguments gone, a custom call has no input.
	c := got.Entries[len(got.Entries)-1].Payload.(tenfold.Compaction)
	c.ToolCalls = &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true, Arguments: tenfold.ArgumentsNone}
	got.Entries[len(got.Entries)-1].Payload = c
	if text, _ = exportText(t, Codex, got, true); !strings.Contains(string(text), `"name":"apply_patch","input":""`) {
		t.Errorf("the stripped patch is not empty in\n%s", text)
	}
}

// A compaction repeats what a person asked last behind what the client puts in
// front of it. The person said it once, and it stands where it was said.
func TestCodexCompactionRepeatsNoRequest(t *testing.T) {
	message := func(role, text string) string {
		return `{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + text + `"}]}`
	}
	item := func(payload string) string {
		return `{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":` + payload + "}\n"
	}
	got, err := importText(t, "c.jsonl", `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"c","cwd":"/w","cli_version":"1"}}`+"\n"+
		item(message("user", "first"))+item(message("assistant", "done"))+item(message("user", "second"))+item(message("assistant", "at work"))+
		`{"timestamp":"2026-01-01T00:00:00Z","type":"compacted","payload":{"message":"","replacement_history":[`+
		message("user", "first")+","+message("developer", "rules")+","+message("user", "second")+`,{"type":"compaction","encrypted_content":"x"}]}}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	var view []string
	for it := range projected(t, got.Entries).Items() {
		view = append(view, saidByItem(it.Payload))
	}
	if want := []string{"user|first", "user|second", "user|rules", `item|{"type":"compaction","encrypted_content":"x"}`}; !slices.Equal(view, want) {
		t.Errorf("the model sees %q, want %q", view, want)
	}
	said := 0
	for _, e := range got.Entries {
		if m, ok := e.Payload.(tenfold.UserMessage); ok && saidByItem(m) == "user|second" {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the request stands %d times in the log", said)
	}
}

// What was undone does not come back with the file.
func TestCodexExportLeavesUndoneCompactionsOut(t *testing.T) {
	data, err := os.ReadFile("testdata/codex/compacted.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "c.jsonl", string(data))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(got.Entries, func(e tenfold.Entry) bool {
		return strings.HasPrefix(e.ID, "line-13-") && e.Payload.Kind() == tenfold.KindCompaction
	})
	got.Entries = append(got.Entries, tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: got.Entries[i].ID}})
	text, _ := exportText(t, Codex, got, false)
	if strings.Contains(string(text), "They added numbers") {
		t.Errorf("the undone compaction is in\n%s", text)
	}
}

// Every line that the exporter makes has members that real lines of its kind
// have, no others, and all that those always have of the required ones.
func TestCodexCorpusStructure(t *testing.T) {
	known := map[string]map[string]bool{}
	for _, file := range corpustest.Sample(corpustest.Files(t, string(Codex))) {
		for _, line := range corpusLines(t, file.Path) {
			m := line.(map[string]any)
			kind := lineKind(m)
			if known[kind] == nil {
				known[kind] = map[string]bool{}
			}
			for name := range m["payload"].(map[string]any) {
				known[kind][name] = true
			}
		}
	}
	known["response_item/reasoning"]["id"] = true // of versions that the corpus has no file of
	for _, compacted := range []bool{false, true} {
		text, _ := exportText(t, Codex, foreign(), compacted)
		for i, m := range checkRollout(t, text) {
			kind := lineKind(m)
			for _, name := range slices.Sorted(maps.Keys(m["payload"].(map[string]any))) {
				if !known[kind][name] {
					t.Errorf("line %d: no real %s has %q", i+1, kind, name)
				}
			}
		}
	}
}

// Ours alone: what others read is not taken for a rollout.
func TestCodexRecognise(t *testing.T) {
	for text, want := range map[string]Format{
		`{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{}}`:                          Codex,
		`{"id":"a","timestamp":"b","instructions":null}` + "\n" + `{"record_type":"state"}`:             Codex,
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}]}`:                      OpenAIResponses,
		`{"input":"a","instructions":"b"}`:                                                              OpenAIResponses,
		`{"object":"response","output":[]}`:                                                             OpenAIResponses,
		`[{"type":"function_call_output","call_id":"a","output":"b"}]`:                                  OpenAIResponses,
		`{"type":"response.created","response":{},"sequence_number":0}` + "\n" + `{"type":"response."}`: OpenAIResponses,
	} {
		if got, err := Detect([]byte(text), "x"); err != nil || got != want {
			t.Errorf("%s is read as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{
		`[{"role":"user","content":"a"}]`, `{"messages":[{"role":"user","content":"a"}]}`, `{"model":"m","input":"embed me"}`,
		`{"input":["a","b"]}`, `{"type":"user","uuid":"a","message":{"role":"user","content":"x"}}`,
	} {
		h := intake.NewHead([]byte(text), "x")
		if codex.Handler().Recognise(h) != intake.No || chatapi.RecogniseResponses(h) != intake.No {
			t.Errorf("%s is taken", text)
		}
	}
}

// A prompt is typed unless it begins as Codex begins what it says itself.
func TestCodexTellsTypedFromInjected(t *testing.T) {
	for text, want := range map[string]bool{
		"fix it": true, "<b>bold</b>": true, "# AGENTS.md is wrong": true,
		" <environment_context>\n": false, "# AGENTS.md instructions for /x": false, "<user_instructions>a": false,
	} {
		if got := intake.Typed(tenfold.Text(text)); got != want {
			t.Errorf("%q typed: %v", text, got)
		}
	}
	if !intake.Typed([]tenfold.Part{{Text: "<skill>"}, {Text: "go"}}) {
		t.Error("a prompt behind a context is not typed")
	}
}
