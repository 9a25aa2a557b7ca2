package transcript

import (
	"bytes"
	"context"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/claudecode"
	"tenfold/transcript/internal/intake"
)

// comesBack exports a log and checks that importing it again gives the same.
func comesBack(tb testing.TB, format Format, name string, got Collected, siblings fs.FS) {
	tb.Helper()
	text := exportOf(tb, format, got)
	var k Collector
	src := Source{Name: name, Reader: bytes.NewReader(text), Size: int64(len(text)), Siblings: siblings}
	if err := Import(context.Background(), src, format, &k); err != nil {
		tb.Fatal(err)
	}
	again := k.Conversations[0]
	again.Format, again.Created = got.Format, got.Created
	sameLog(tb, again, got)
}

func TestClaudeCodeCorpusComesBack(t *testing.T) {
	eachCorpusFile(t, ClaudeCode, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		comesBack(t, ClaudeCode, path, got, nil)
		got.Format = Tenfold // as a store gives it: lines are known by their shape
		comesBack(t, ClaudeCode, path, got, nil)
	})
}

// bodyMessages gives the messages of an Anthropic request, system and tools
// aside.
func bodyMessages(tb testing.TB, p *tenfold.Projection) any {
	tb.Helper()
	body, err := body.Anthropic().Write(p)
	if err != nil {
		tb.Fatal(err)
	}
	return decodeJSON(tb, body).(map[string]any)["messages"]
}

// unsigned is what of a conversation of another tool Claude Code can send (B1).
func unsigned(tb testing.TB, v View) *tenfold.Projection {
	tb.Helper()
	v, _, err := v.WithoutSigned(ClaudeCode)
	if err != nil {
		tb.Fatal(err)
	}
	return v.Projection
}

// compactedViews gives views of a log as strategies leave it: stripped, and
// with a summary over its first turns or steps.
func compactedViews(tb testing.TB, got Collected) map[string]*tenfold.Projection {
	tb.Helper()
	step := 0
	views := map[string]*tenfold.Projection{}
	for name, overlays := range map[string][]tenfold.Compaction{
		"plain": nil,
		"stripped": {{
			ToTurn: 1000, Reasoning: &tenfold.Policy{Action: tenfold.Strip},
			ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true},
		}},
		"without reasoning": {{ToTurn: 1000, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
		"summarised":        {{ToTurn: 0, Summary: &tenfold.Summary{Text: "what was"}}},
		"inside a turn":     {{ToTurn: 0, ToStep: &step, Summary: &tenfold.Summary{Text: "what was"}}},
		"omitted calls":     {{ToTurn: 1000, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}},
	} {
		log := tenfold.NewLog()
		if _, err := log.Append(got.Entries...); err != nil {
			tb.Fatal(err)
		}
		for i, o := range overlays {
			if _, err := log.Append(tenfold.Entry{ID: "overlay/" + claudecode.Decimal(int64(i)), Payload: o}); err != nil {
				tb.Fatal(err)
			}
		}
		views[name] = tenfold.Project(log)
	}
	return views
}

// checkCompactedSession checks a compacted export: it is a session in one
// chain, and what a model is sent of it is what it is sent of the view.
func checkCompactedSession(tb testing.TB, name string, got Collected, p *tenfold.Projection) {
	tb.Helper()
	var out bytes.Buffer
	if _, err := Export(&out, ClaudeCode, View{Conversation: got.Conversation, Projection: p, Compacted: true}); err != nil {
		tb.Fatal(err)
	}
	want := bodyMessages(tb, unsigned(tb, View{Conversation: got.Conversation, Projection: p})).([]any)
	last := any(nil)
	for line := range bytes.Lines(out.Bytes()) {
		l := decodeJSON(tb, line).(map[string]any)
		keys := claudeKeys[l["type"].(string)]
		for _, k := range keys {
			if _, ok := l[k]; !ok {
				tb.Fatalf("a line of type %v has no %q", l["type"], k)
			}
		}
		if l["type"] == "system" {
			last = l["uuid"] // the boundary that names tools
		}
		if m, ok := l["message"].(map[string]any); ok {
			for _, k := range claudeKeys[l["type"].(string)+".message"] {
				if _, ok := m[k]; !ok {
					tb.Fatalf("a message of type %v has no %q", l["type"], k)
				}
			}
			if l["parentUuid"] == nil && m["role"] != "user" {
				tb.Errorf("the first message is of role %v", m["role"])
			}
			if l["parentUuid"] != last {
				tb.Fatalf("line %v hangs from %v, not from %v", l["uuid"], l["parentUuid"], last)
			}
			last = l["uuid"]
			if !intake.IsUUID(l["sessionId"].(string)) || !intake.IsUUID(last.(string)) {
				tb.Fatalf("session %v, line %v are no UUIDs", l["sessionId"], last)
			}
		}
	}
	if len(want) == 0 {
		return
	}
	var k Collector
	if err := Import(context.Background(), Source{Name: "s.jsonl", Reader: &out}, ClaudeCode, &k); err != nil {
		tb.Fatal(err)
	}
	again := k.Conversations[0]
	if name == "summarised" {
		checkLaws(tb, again) // costs more than all else here: once a file is enough
	}
	log := tenfold.NewLog()
	if _, err := log.Append(again.Entries...); err != nil {
		tb.Fatal(err)
	}
	have := bodyMessages(tb, tenfold.Project(log)).([]any)
	for i := range want {
		if i >= len(have) || !reflect.DeepEqual(have[i], want[i]) {
			var other any
			if i < len(have) {
				other = have[i]
			}
			tb.Fatalf("message %d of %d differs\n got %.1500v\nwant %.1500v", i, len(want), other, want[i])
		}
	}
	if len(have) != len(want) {
		tb.Fatalf("%d messages came back, want %d", len(have), len(want))
	}
	if again.Title != got.Title {
		tb.Errorf("the title is %q, want %q", again.Title, got.Title)
	}
}

// claudeKeys are the members that all lines of a type have in real sessions,
// but for those that a few lack by accident.
var claudeKeys = map[string][]string{
	"user":              {"parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "type", "message", "uuid", "timestamp"},
	"user.message":      {"role", "content"},
	"assistant":         {"parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "type", "message", "uuid", "timestamp"},
	"assistant.message": {"content", "id", "model", "role", "stop_reason", "stop_sequence", "type", "usage"},
	"system": {
		"compactMetadata", "content", "cwd", "gitBranch", "isMeta", "isSidechain", "level", "logicalParentUuid", "parentUuid",
		"sessionId", "subtype", "timestamp", "type", "userType", "uuid", "version",
	},
	"custom-title": {"type", "customTitle", "sessionId"},
}

func TestClaudeCodeCorpusCompacted(t *testing.T) {
	eachCorpusFile(t, ClaudeCode, func(t *testing.T, _ string, _ corpustest.File, got Collected) {
		for name, p := range compactedViews(t, got) {
			t.Run(name, func(t *testing.T) { checkCompactedSession(t, name, got, p) })
		}
	})
}

// The members that all real lines of a type have are in claudeKeys.
func TestClaudeCodeCorpusKeys(t *testing.T) {
	corpustest.Unraced(t)
	common := map[string]map[string]bool{}
	note := func(typ string, object map[string]any) {
		if common[typ] == nil {
			common[typ] = map[string]bool{}
			for k := range object {
				common[typ][k] = true
			}
		}
		for k := range common[typ] {
			if _, ok := object[k]; !ok {
				delete(common[typ], k)
			}
		}
	}
	for _, file := range corpustest.Files(t, string(ClaudeCode)) { // all: a sample has more in common
		for _, line := range rebuildClaudeLines(t, importFile(t, file.Path)) {
			l, ok := line.(map[string]any)
			typ, _ := l["type"].(string)
			if !ok || claudeKeys[typ] == nil || typ == "system" && l["subtype"] != "compact_boundary" {
				continue
			}
			note(typ, l)
			if m, ok := l["message"].(map[string]any); ok {
				note(typ+".message", m)
			}
		}
	}
	if len(common) != len(claudeKeys) {
		t.Errorf("the corpus has lines of the types %v", common)
	}
	for typ, keys := range common {
		for k := range keys {
			if !slices.Contains(claudeKeys[typ], k) {
				t.Errorf("all lines of type %s have %q", typ, k)
			}
		}
	}
}

// Conversations of other tools become sessions too, compacted or whole.
func TestClaudeCodeFromJP(t *testing.T) {
	eachCorpusFile(t, JP, func(t *testing.T, _ string, _ corpustest.File, got Collected) {
		for name, p := range compactedViews(t, got) {
			t.Run(name, func(t *testing.T) { checkCompactedSession(t, name, got, p) })
		}
	})
}

func TestClaudeCodeFromJPWhole(t *testing.T) {
	eachCorpusFile(t, JP, func(t *testing.T, _ string, _ corpustest.File, got Collected) {
		log := tenfold.NewLog()
		if _, err := log.Append(got.Entries...); err != nil {
			t.Fatal(err)
		}
		checkForeign(t, View{Conversation: got.Conversation, Projection: tenfold.Project(log)})
		// A summary of all there is has a form, and so what comes after it.
		turns := log.Turns()
		if _, err := log.Append(
			tenfold.Entry{ID: "cmp", Payload: tenfold.Compaction{
				ToTurn: turns - 1, Source: "user", Summary: &tenfold.Summary{Text: "All that was.", Placement: tenfold.PlaceMessage},
			}},
			tenfold.Entry{ID: "next", Payload: tenfold.TurnStart{}},
			tenfold.Entry{ID: "more", Payload: tenfold.UserMessage{Parts: tenfold.Text("And on.")}},
		); err != nil {
			t.Fatal(err)
		}
		checkForeign(t, View{Conversation: got.Conversation, Projection: tenfold.Project(log)})
	})
}

// checkForeign checks that a whole export of another tool's conversation shows
// a model what the conversation shows it.
func checkForeign(tb testing.TB, v View) {
	tb.Helper()
	var out bytes.Buffer
	if _, err := Export(&out, ClaudeCode, v); err != nil {
		tb.Fatal(err)
	}
	var k Collector
	if err := Import(context.Background(), Source{Name: "s.jsonl", Reader: &out}, ClaudeCode, &k); err != nil {
		tb.Fatal(err)
	}
	log := tenfold.NewLog()
	if _, err := log.Append(k.Conversations[0].Entries...); err != nil {
		tb.Fatal(err)
	}
	have, want := bodyMessages(tb, tenfold.Project(log)), bodyMessages(tb, unsigned(tb, v))
	if !reflect.DeepEqual(have, want) {
		tb.Fatalf("messages differ\n got %.1500v\nwant %.1500v", have, want)
	}
}

// What has no form in a session file is left out, and said.
func TestClaudeCodeExportWarns(t *testing.T) {
	text := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).
		assistant("a2", "m2", `{"type":"text","text":"done"}`).String()
	got, err := importText(t, "s-1.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	strip := tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}, Source: "user"}
	system := "Be brief."
	got.Entries = append(
		got.Entries,
		tenfold.Entry{ID: "c1", Payload: strip}, tenfold.Entry{ID: "c2", Payload: strip}, tenfold.Entry{ID: "c3", Payload: strip},
		tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: "c3"}},
		tenfold.Entry{ID: "pin", Payload: tenfold.Pin{Entries: []string{"u1"}}},
		tenfold.Entry{ID: "cfg", Payload: tenfold.ConfigDelta{System: &system}},
		tenfold.Entry{ID: "t", Payload: tenfold.TurnStart{}},
		tenfold.Entry{ID: "more", Payload: tenfold.UserMessage{Parts: tenfold.Text("more")}},
		tenfold.Entry{ID: "side", Branch: "explore", Payload: tenfold.UserMessage{Parts: tenfold.Text("look")}},
	)
	log := tenfold.NewLog()
	if _, err := log.Append(got.Entries...); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	warnings, err := Export(&out, ClaudeCode, View{Conversation: got.Conversation, Projection: tenfold.Project(log)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"2 compactions have no form in claude-code and are left out",
		"1 pin has no form in claude-code and is left out",
		"1 system prompt or list of tools has no form in claude-code and is left out: the client brings its own",
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings are %q, want %q", warnings, want)
	}
	again, err := importText(t, "s-1.jsonl", out.String())
	if err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for _, e := range again.Entries[len(again.Entries)-4:] {
		kinds += string(e.Payload.Kind()) + "@" + e.Branch + " "
	}
	if kinds != "usage@ turn_start@ user_message@ user_message@explore " {
		t.Errorf("what was added came back as %s", kinds)
	}
	if !strings.HasPrefix(out.String(), text) {
		t.Errorf("the session's own lines changed:\n%s", out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if l := decodeJSON(t, []byte(lines[len(lines)-2])).(map[string]any); l["parentUuid"] != "a2" || l["sessionId"] != "s-1" {
		t.Errorf("the new line does not go on from the session: %v", l)
	}
}

// An overlay that was undone leaves nothing behind in a whole export.
func TestClaudeCodeExportOfUndone(t *testing.T) {
	text := new(session).user("u1", `"go"`).assistant("a1", "m1", `{"type":"text","text":"did"}`).String()
	got, err := importText(t, "x/s-1.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	got.Entries = append(
		got.Entries,
		tenfold.Entry{ID: "c1", Payload: tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
		tenfold.Entry{ID: "c2", Payload: tenfold.CompactionRevoked{Target: "c1"}},
	)
	if have := string(exportOf(t, ClaudeCode, got)); have != text {
		t.Errorf("exported\n%s\nwant\n%s", have, text)
	}
}

// The tools that a search found stay known to Claude Code when the search is
// hidden.
func TestClaudeCodeExportNamesDiscoveredTools(t *testing.T) {
	text := new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).
		user("u2", `[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_reference","tool_name":"WebFetch"},{"type":"tool_reference","tool_name":"Cron"}]}]`).
		assistant("a2", "m2", `{"type":"text","text":"did"}`).String()
	want := `"compactMetadata":{"trigger":"manual","preTokens":0,"preCompactDiscoveredTools":["Cron","WebFetch"]}`
	for range 2 { // the second time the boundary alone says it
		got, err := importText(t, "x/s-1.jsonl", text)
		if err != nil || len(got.Warnings) > 0 {
			t.Fatal(err, got.Warnings)
		}
		log := tenfold.NewLog()
		if _, err := log.Append(append(got.Entries, tenfold.Entry{ID: "c", Payload: tenfold.Compaction{
			ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit},
		}})...); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := Export(&out, ClaudeCode, View{Conversation: got.Conversation, Projection: tenfold.Project(log), Compacted: true}); err != nil {
			t.Fatal(err)
		}
		if text = out.String(); strings.Count(text, want) != 1 || strings.Contains(text, "tool_reference") {
			t.Fatalf("exported\n%s\nwithout %s", text, want)
		}
	}
}

// What only another provider can read back is left out, and said.
func TestClaudeCodeExportNamesLostReasoning(t *testing.T) {
	log := tenfold.NewLog()
	if _, err := log.Append(
		tenfold.Entry{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
		tenfold.Entry{ID: "r1", Payload: tenfold.Reasoning{Text: "hm"}},
		tenfold.Entry{ID: "r2", Payload: tenfold.Reasoning{Text: "hm", Provider: "openai", Encrypted: "x"}},
		tenfold.Entry{ID: "r3", Payload: tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "s"}},
		tenfold.Entry{ID: "i", Payload: tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: `{"type":"web_search_call"}`}},
		tenfold.Entry{ID: "a", Payload: tenfold.AssistantMessage{Text: "did"}},
	); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	warnings, err := Export(&out, ClaudeCode, View{Conversation: Conversation{ID: "c"}, Projection: tenfold.Project(log)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"2 reasoning blocks that this provider cannot read are left out",
		"1 provider-specific block has no form in claude-code and is left out",
	}
	if !slices.Equal(warnings, want) || strings.Count(out.String(), `"thinking":"hm"`) != 1 {
		t.Errorf("warnings are %q, want %q, of\n%s", warnings, want, out.String())
	}
}

// What the newest models say to the user between calls comes as signed thinking. It is words, which
// come back as they came, or as text where what stood before them was compacted (P10a).
func TestClaudeCodeProgressUpdates(t *testing.T) {
	const update = `{"type":"thinking","thinking":"It is in a.go.","signature":"sig=="}`
	for display, said := range map[string]bool{`,"thinkingDisplay":"updates"`: true, `,"thinkingDisplay":"summarized"`: false, "": false} {
		text := new(session).user("u1", `"go"`).
			assistant("a1", "m1", `{"type":"thinking","thinking":"","signature":"r=="}`, display).assistant("a2", "m1", call("t1")).user("u2", result("t1", strings.Repeat("a line, ", 99))).
			assistant("a3", "m2", update, display).assistant("a4", "m2", call("t2")).user("u3", result("t2", "x")).
			assistant("a5", "m3", `{"type":"text","text":"did"}`).String()
		got, err := importText(t, "x/s-1.jsonl", text)
		if err != nil {
			t.Fatal(err)
		}
		var words, thoughts []string
		for _, e := range got.Entries {
			switch p := e.Payload.(type) {
			case tenfold.AssistantMessage:
				words = append(words, p.Text+p.Signature)
			case tenfold.Reasoning:
				thoughts = append(thoughts, p.Text+p.Signature)
			}
		}
		want := []string{"did"}
		if said {
			want = []string{"It is in a.go.sig==", "did"}
		}
		if !slices.Equal(words, want) || len(thoughts) != 3-len(words) {
			t.Errorf("%s: said %q, thought %q", display, words, thoughts)
		}
		if have := string(exportOf(t, ClaudeCode, got)); have != text {
			t.Errorf("%s: exported\n%s\nwant\n%s", display, have, text)
		}
		got.Entries = append(got.Entries, tenfold.Entry{ID: "c", Payload: tenfold.Compaction{ToTurn: 0, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}})
		log := tenfold.NewLog()
		if _, err := log.Append(got.Entries...); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := Export(&out, ClaudeCode, View{Conversation: got.Conversation, Projection: tenfold.Project(log), Compacted: true}); err != nil {
			t.Fatal(err)
		}
		if have := out.String(); strings.Contains(have, "sig==") || strings.Contains(have, `{"type":"text","text":"It is in a.go."}`) != said {
			t.Errorf("%s: compacted\n%s", display, have)
		}
		out.Reset()
		if _, err := Export(&out, intake.Markdown, View{Conversation: got.Conversation, Projection: tenfold.Project(log), Compacted: true}); err != nil {
			t.Fatal(err)
		}
		if have := out.String(); strings.Contains(have, "by compaction ``") || strings.Contains(have, "It is in a.go.") != said {
			t.Errorf("%s: as Markdown\n%s", display, have)
		}
	}
}
