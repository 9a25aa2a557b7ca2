package transcript

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/walk"
)

func TestOpenCodeSamplesAreRebuilt(t *testing.T) {
	for _, w := range samples(t, OpenCode) {
		t.Run(w.path, func(t *testing.T) {
			got, err := w.read(w.data, "")
			if err != nil {
				t.Fatal(err)
			}
			checkOpenCodeWhole(t, got[0], w.data)
		})
	}
}

// openCodeExported is the part of an export that opencode needs.
type openCodeExported struct {
	Info     map[string]any
	Messages []struct {
		Info  map[string]any
		Parts []map[string]any
	}
}

// checkOpenCodeSynthesis checks an export that was made of a projection: what
// opencode's import asks of it, and that it says what the projection says.
func checkOpenCodeSynthesis(tb testing.TB, text []byte, want []tenfold.Entry) {
	tb.Helper()
	var out openCodeExported
	if err := json.Unmarshal(text, &out); err != nil {
		tb.Fatal(err)
	}
	session := out.Info["id"].(string)
	checkOpenCodeID(tb, session, "ses_", "")
	need(tb, "session", out.Info, "slug", "projectID", "directory", "title", "version", "time")
	last, lastUser, lastTime := "", "", 0.0
	for _, m := range out.Messages {
		id := m.Info["id"].(string)
		checkOpenCodeID(tb, id, "msg_", last)
		last = id
		created := m.Info["time"].(map[string]any)["created"].(float64)
		if created < lastTime || m.Info["sessionID"] != session {
			tb.Fatalf("message %s was created at %f after %f, in session %v", id, created, lastTime, m.Info["sessionID"])
		}
		lastTime = created
		switch m.Info["role"] {
		case "user":
			need(tb, "user", m.Info, "agent", "model", "time")
			lastUser = id
		case "assistant":
			need(tb, "assistant", m.Info, "agent", "mode", "cost", "path", "modelID", "providerID", "tokens", "finish")
			if m.Info["parentID"] != lastUser || lastUser == "" {
				tb.Fatalf("message %s answers %v, the newest prompt is %s", id, m.Info["parentID"], lastUser)
			}
		default:
			tb.Fatalf("role %v", m.Info["role"])
		}
		lastPart := ""
		for _, p := range m.Parts {
			part := p["id"].(string)
			checkOpenCodeID(tb, part, "prt_", lastPart)
			lastPart = part
			if p["messageID"] != id || p["sessionID"] != session {
				tb.Fatalf("part %s is of message %v", part, p["messageID"])
			}
			switch p["type"] {
			case "text":
				need(tb, "text", p, "text")
			case "reasoning":
				need(tb, "reasoning", p, "text", "time")
			case "file":
				need(tb, "file", p, "mime", "url")
			case "step-finish":
				need(tb, "step-finish", p, "reason", "cost", "tokens")
			case "tool":
				need(tb, "tool", p, "callID", "tool", "state")
				state := p["state"].(map[string]any)
				if _, ok := state["input"].(map[string]any); !ok {
					tb.Fatalf("the input of %s is %v", part, state["input"])
				}
				switch state["status"] {
				case "completed":
					need(tb, "completed", state, "output", "title", "metadata", "time")
				case "error":
					need(tb, "error", state, "error", "time")
				case "pending":
					need(tb, "pending", state, "raw")
				default:
					tb.Fatalf("status %v", state["status"])
				}
			}
		}
	}
	again, err := importText(tb, "again.json", string(text))
	if err != nil {
		tb.Fatal(err)
	}
	checkLaws(tb, again)
	if got, want := said(again.Entries), said(want); !reflect.DeepEqual(got, want) {
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				tb.Fatalf("%d of %d things said, want %d; the first that differs is\n%.300s\nwant\n%.300s", i, len(got), len(want), append(got, "nothing")[i], want[i])
			}
		}
		tb.Fatalf("%d things said, want %d", len(got), len(want))
	}
}

func need(tb testing.TB, what string, object map[string]any, names ...string) {
	tb.Helper()
	for _, n := range names {
		if object[n] == nil {
			tb.Fatalf("a %s has no %s: %v", what, n, object)
		}
	}
}

func checkOpenCodeID(tb testing.TB, id, prefix, after string) {
	tb.Helper()
	if !strings.HasPrefix(id, prefix) || len(id) != len(prefix)+26 || id <= after {
		tb.Fatalf("id %q after %q", id, after)
	}
}

// said is what entries say to a model, results sorted behind their calls' order.
func said(entries []tenfold.Entry) []string {
	var list []string
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			for _, part := range p.Parts {
				switch {
				case part.File != nil && part.File.URI == "":
					list = append(list, "user "+part.File.Detail) // has no place but as text
				case part.File != nil:
					list = append(list, "file "+part.File.URI)
				default:
					list = append(list, "user "+part.Text)
				}
			}
		case tenfold.AssistantMessage:
			if p.Text != "" {
				list = append(list, "assistant "+p.Text)
			}
		case tenfold.Reasoning:
			if p.Text != "" || p.Signature != "" || p.Encrypted != "" {
				list = append(list, "reasoning "+p.Provider+" "+p.Signature+p.Encrypted+" "+p.Text)
			}
		case tenfold.ToolCall:
			list = append(list, "call "+firstUse(p.CallID)+" "+p.Name+" "+asObject(p.Arguments))
		case tenfold.ToolResult:
			var text []string
			for _, part := range p.Parts {
				if part.File == nil {
					text = append(text, part.Text)
				}
			}
			list = append(list, "result "+firstUse(p.CallID)+" "+strings.Join(text, "\n"))
		}
	}
	return list
}

// firstUse is a call's id without what tells its uses apart.
func firstUse(id string) string {
	id, _, _ = strings.Cut(id, "~")
	return id
}

// asObject is what a session says arguments were: those that are not an object
// stand in one.
func asObject(arguments string) string {
	if v := jsontext.Value(arguments); v.IsValid(walk.ScanOptions...) && v.Kind() == '{' {
		return arguments
	}
	b, err := json.Marshal(map[string]string{"input": arguments})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// compactedLog compacts a conversation in the ways that show in an export.
func compactedLog(tb testing.TB, c Collected) (*tenfold.Projection, []tenfold.Entry) {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(c.Entries...); err != nil {
		tb.Fatal(err)
	}
	step := 2
	if _, err := log.Append(
		tenfold.Entry{ID: "strip", Payload: tenfold.Compaction{ToTurn: 99, Reasoning: &tenfold.Policy{Action: tenfold.Strip}, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true, Over: 2000}}},
		tenfold.Entry{ID: "summary", Payload: tenfold.Compaction{ToTurn: 0, ToStep: &step, Summary: &tenfold.Summary{Text: "What went before."}}},
	); err != nil {
		tb.Fatal(err)
	}
	p := tenfold.Project(log)
	return p, slices.Collect(p.Entries())
}

func TestOpenCodeCorpusCompactedExport(t *testing.T) {
	eachCorpusFile(t, OpenCode, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		p, want := compactedLog(t, got)
		var first strings.Builder
		warnings, err := Export(&first, OpenCode, View{Conversation: got.Conversation, Projection: p, Compacted: true})
		if err != nil || len(warnings) > 0 {
			t.Fatal(warnings, err)
		}
		checkOpenCodeSynthesis(t, []byte(first.String()), want)
		var second strings.Builder
		if _, err := Export(&second, OpenCode, View{Conversation: got.Conversation, Projection: p, Compacted: true}); err != nil || first.String() != second.String() {
			t.Error("the export is not the same twice", err)
		}
		checkOpenCodeKeys(t, path, first.String())
	})
}

// checkOpenCodeKeys checks that what is written has no member that the real
// records of its kind do not have in any file.
func checkOpenCodeKeys(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	genuine, made := openCodeKeys(t, data), openCodeKeys(t, []byte(text))
	for kind, keys := range made {
		have, ok := genuine[kind]
		if !ok {
			continue // there is none of it in this file
		}
		for key := range keys {
			// These are there in some files and not in others.
			if !have[key] && !slices.Contains([]string{"synthetic", "metadata", "time", "system", "finish"}, key) {
				t.Errorf("a %s has %s, the file's have not", kind, key)
			}
		}
	}
}

func openCodeKeys(t *testing.T, text []byte) map[string]map[string]bool {
	var out openCodeExported
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	keys := map[string]map[string]bool{}
	add := func(kind string, object map[string]any) {
		if keys[kind] == nil {
			keys[kind] = map[string]bool{}
		}
		for k := range object {
			keys[kind][k] = true
		}
	}
	add("session", out.Info)
	for _, m := range out.Messages {
		add(m.Info["role"].(string), m.Info)
		for _, p := range m.Parts {
			add(p["type"].(string), p)
			if state, ok := p["state"].(map[string]any); ok {
				add("state "+state["status"].(string), state)
			}
		}
	}
	return keys
}

// Conversations of other formats are made into sessions, whole and compacted.
func TestOpenCodeExportsOthers(t *testing.T) {
	for _, w := range samples(t, "") {
		got, err := w.read(w.data, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got {
			t.Run(w.path+"/"+c.ID, func(t *testing.T) {
				p, _ := compactedLog(t, c)
				view := View{Conversation: c.Conversation, Projection: p, Compacted: true}
				var out strings.Builder
				if _, err := Export(&out, OpenCode, view); err != nil {
					t.Fatal(err)
				}
				fit, err := view.WithFitCalls(OpenCode)
				if err != nil {
					t.Fatal(err)
				}
				fit, _ = fit.WithoutRenewed()
				want := slices.Collect(fit.Projection.Entries())
				if !slices.ContainsFunc(want, func(e tenfold.Entry) bool { return e.Branch != "" || e.Payload.Kind() == tenfold.KindProviderItem }) {
					checkOpenCodeSynthesis(t, []byte(out.String()), want)
				}
			})
		}
	}
}

func TestOpenCodeSynthesis(t *testing.T) {
	at := time.UnixMilli(1780000000000).UTC()
	system, cost := "Be brief.", 0.25
	entries := []tenfold.Entry{
		{ID: "c", Time: at, Payload: tenfold.ConfigDelta{Model: "claude-a", System: &system}},
		{ID: "a0", Time: at, Payload: tenfold.AssistantMessage{Text: "I was asked before."}},
		{ID: "t", Payload: tenfold.TurnStart{}},
		{ID: "u", Time: at.Add(time.Second), Payload: tenfold.UserMessage{
			Parts:       []tenfold.Part{tenfold.TextPart("look"), {File: &tenfold.File{Type: tenfold.PartImage, MediaType: "image/png", URI: "data:image/png;base64,AAAA"}}},
			Attachments: []tenfold.Attachment{{Name: "n.txt", Content: "cents"}},
		}},
		{ID: "r", MessageID: "m1", Payload: tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2ln"}},
		{ID: "k1", MessageID: "m1", Payload: tenfold.ToolCall{CallID: "x", Name: "read", Arguments: `{"a":1}`}},
		{ID: "k2", MessageID: "m1", Payload: tenfold.ToolCall{CallID: "y", Name: "patch", Arguments: `*** Begin`}},
		{ID: "k3", MessageID: "m1", Payload: tenfold.ToolCall{CallID: "z", Name: "wait", Arguments: `{}`}},
		{ID: "g1", Payload: tenfold.ToolResult{CallID: "x", Parts: []tenfold.Part{tenfold.TextPart("A"), {File: &tenfold.File{Type: tenfold.PartImage, MediaType: "image/png", URI: "data:image/png;base64,BBBB"}}}}},
		{ID: "g2", Payload: tenfold.ToolResult{CallID: "y", Parts: tenfold.Text("no"), IsError: true}},
		{ID: "g3", Payload: tenfold.ToolResult{CallID: "nobody", Parts: tenfold.Text("lost")}},
		{ID: "us", Payload: tenfold.Usage{Input: 3, Output: 2, CacheRead: 1, Cost: &cost}},
		{ID: "a1", MessageID: "m2", Time: at.Add(time.Minute), Payload: tenfold.AssistantMessage{Text: "done"}},
		{ID: "pi", MessageID: "m2", Payload: tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: `{}`}},
		{ID: "b", Branch: "agent", Payload: tenfold.AssistantMessage{Text: "aside"}},
	}
	c := Collected{Conversation: Conversation{ID: "other", Format: JP, Title: "A title"}, Entries: entries}
	text, warnings := exportOpenCode(t, c, false)
	if want := []string{
		"1 reasoning block of another client is left out: opencode would send it as text",
		"1 call's arguments are not a JSON object: they stand in one called input",
		"1 result without a call has no form in opencode and is left out",
		"1 provider-specific block has no form in opencode and is left out",
		"1 entry of a sub-agent has no form in opencode and is left out",
	}; !reflect.DeepEqual(warnings, want) {
		t.Errorf("warnings %q", warnings)
	}
	got, err := importText(t, "x.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != "A title" {
		t.Errorf("title %q", got.Title)
	}
	want := []string{
		"assistant I was asked before.", "user look", "file data:image/png;base64,AAAA", "user <attachment name=\"n.txt\">\ncents\n</attachment>",
		`call x read {"a":1}`, `call y patch {"input":"*** Begin"}`, "call z wait {}", "result x A", "result y no", "assistant done",
	}
	if have := said(got.Entries); !reflect.DeepEqual(have, want) {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	for _, part := range []string{
		`"system":"Be brief."`, `"providerID":"anthropic","modelID":"claude-a"`, `"cost":0.25,"tokens":{"input":3,"output":2,"reasoning":0,"cache":{"read":1,"write":0}}`,
		`"attachments":[{"type":"file","mime":"image/png","url":"data:image/png;base64,BBBB"`, `"status":"pending"`, `"status":"error"`, `"finish":"tool-calls"`, `"finish":"stop"`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("there is no %s in %s", part, text)
		}
	}
}

// A session that Tenfold went on with is written with what came after it.
func TestOpenCodeWholeWithMore(t *testing.T) {
	w := samples(t, OpenCode)[0]
	got, err := w.read(w.data, "")
	if err != nil {
		t.Fatal(err)
	}
	c := got[0]
	c.Entries = append(c.Entries, tenfold.Entry{ID: "t9", Payload: tenfold.TurnStart{}},
		tenfold.Entry{ID: "u9", Time: time.UnixMilli(1790000000000), Payload: tenfold.UserMessage{Parts: tenfold.Text("one more")}},
		tenfold.Entry{ID: "k9", MessageID: "m9", Payload: tenfold.ToolCall{CallID: "c9", Name: "read", Arguments: "{}"}},
		tenfold.Entry{ID: "g9", Payload: tenfold.ToolResult{CallID: "c9", Parts: tenfold.Text("A")}},
		tenfold.Entry{ID: "a9", MessageID: "m10", Time: time.UnixMilli(1790000001000), Payload: tenfold.AssistantMessage{Text: "done more"}})
	text, _ := exportOpenCode(t, c, false)
	again, err := importText(t, "x.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	have := said(again.Entries)
	if n := len(have); again.ID != c.ID || n < 4 || !reflect.DeepEqual(have[n-4:], []string{"user one more", "call c9 read {}", "result c9 A", "assistant done more"}) {
		t.Errorf("%s says %q", again.ID, have)
	}
}
