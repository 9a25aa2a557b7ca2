package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// corpusLines decodes the lines of a file.
func corpusLines(t *testing.T, path string) []any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return decodeLines(t, data)
}

func decodeLines(t testing.TB, data []byte) []any {
	t.Helper()
	var lines []any
	for line := range bytes.Lines(bytes.TrimPrefix(data, intake.Bom)) {
		if len(bytes.Trim(line, " \t\r\n")) > 0 {
			lines = append(lines, decodeJSON(t, line))
		}
	}
	return lines
}

// projected gives the projection of what was imported.
func projected(t testing.TB, entries []tenfold.Entry) *tenfold.Projection {
	t.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return tenfold.Project(log)
}

// exportText exports what was imported.
func exportText(t testing.TB, to Format, c Collected, compacted bool) ([]byte, []string) {
	t.Helper()
	var b bytes.Buffer
	warnings, err := Export(&b, to, View{Conversation: c.Conversation, Projection: projected(t, c.Entries), Compacted: compacted})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), warnings
}

// What was imported is written again line by line as it was, so that nothing
// of a rollout is lost and importing it again gives an equal log.
func TestCodexCorpusComesBack(t *testing.T) {
	corpustest.Unraced(t)
	eachCorpusFile(t, Codex, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		text, warnings := exportText(t, Codex, got, false)
		if len(warnings) > 0 {
			t.Errorf("warnings %q", warnings)
		}
		want, have := corpusLines(t, path), decodeLines(t, text)
		if len(want) != len(have) {
			t.Fatalf("%d lines, want %d", len(have), len(want))
		}
		for i := range want {
			if !reflect.DeepEqual(want[i], have[i]) {
				t.Fatalf("line %d differs", i+1)
			}
		}
		again, err := importText(t, path, string(text))
		if err != nil {
			t.Fatal(err)
		}
		sameLog(t, again, got)
	})
}

// sameLog checks that two conversations are the same, entry by entry.
func sameLog(t testing.TB, got, want Collected) {
	t.Helper()
	if got.Conversation != want.Conversation {
		t.Errorf("conversation %+v, want %+v", got.Conversation, want.Conversation)
	}
	if len(got.Entries) != len(want.Entries) {
		t.Fatalf("%d entries, want %d", len(got.Entries), len(want.Entries))
	}
	for i := range want.Entries {
		if !reflect.DeepEqual(got.Entries[i], want.Entries[i]) {
			t.Fatalf("entry %s differs:\n got %s\nwant %s", want.Entries[i].ID, short(got.Entries[i]), short(want.Entries[i]))
		}
	}
}

// saidByItem lists what items say, in words that do not depend on how they are
// written.
func saidByItem(p tenfold.Payload) string {
	var b strings.Builder
	parts := func(list []tenfold.Part) {
		for _, p := range list {
			switch {
			case p.File == nil:
				b.WriteString("|" + p.Text)
			case p.File.URI != "":
				b.WriteString("|" + p.File.URI)
			default:
				b.WriteString("|" + p.File.Detail)
			}
		}
	}
	switch p := p.(type) {
	case tenfold.UserMessage:
		b.WriteString("user")
		parts(p.Parts)
	case tenfold.AssistantMessage:
		b.WriteString("assistant|" + p.Text)
	case tenfold.ToolCall:
		b.WriteString("call|" + p.Name + p.Arguments)
	case tenfold.ToolResult:
		b.WriteString("result")
		parts(p.Parts)
	case tenfold.ProviderItem:
		b.WriteString("item|" + p.Data)
	case tenfold.Reasoning:
		b.WriteString("reasoning|" + p.Encrypted)
	}
	return b.String()
}

// saidBy lists what the items of a recorded history say, read from the file
// without the importer.
func saidBy(t *testing.T, history []any) []string {
	var out []string
	for _, item := range history {
		m := item.(map[string]any)
		if m["type"] != "message" {
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, "item|"+string(b))
			continue
		}
		role := "user"
		if m["role"] == "assistant" {
			role = "assistant"
		}
		text := role
		for _, block := range m["content"].([]any) {
			b := block.(map[string]any)
			if s, ok := b["text"].(string); ok {
				text += "|" + s
			} else {
				text += "|" + b["image_url"].(string)
			}
		}
		out = append(out, text)
	}
	return out
}

// Right after a compaction the model saw its replacement history: so does the
// projection, in content and order, but that what a person said stands where it was
// said, before what the client put in front of it. The originals are back when it
// is undone.
func TestCodexCorpusReplacementHistoryIsWhatProjects(t *testing.T) {
	found := 0
	eachCorpusFile(t, Codex, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		found += checkHistories(t, corpusLines(t, path), got)
	})
	if found == 0 {
		t.Error("no file of the corpus holds a compaction")
	}
}

func checkHistories(t *testing.T, lines []any, got Collected) (found int) {
	t.Helper()
	for i, line := range lines {
		m := line.(map[string]any)
		if m["type"] != "compacted" {
			continue
		}
		history, ok := m["payload"].(map[string]any)["replacement_history"].([]any)
		if !ok {
			continue
		}
		found++
		group := "line-" + strconv.Itoa(i+1) + "-"
		last := 0
		for k, e := range got.Entries {
			if strings.HasPrefix(e.ID, group) {
				last = k
			}
		}
		p := projected(t, got.Entries[:last+1])
		var have []string
		for it := range p.Items() {
			text := saidByItem(it.Payload)
			if d, ok := strings.CutPrefix(text, "item|"); ok {
				b, err := json.Marshal(decodeJSON(t, []byte(d)))
				if err != nil {
					t.Fatal(err)
				}
				text = "item|" + string(b)
			}
			have = append(have, text)
		}
		asked := map[string]bool{}
		for _, e := range got.Entries[:last+1] {
			if m, ok := e.Payload.(tenfold.UserMessage); ok && m.IsRequest() {
				asked[saidByItem(m)] = true
			}
		}
		apart := func(list []string) (byPerson, others []string) {
			for _, text := range list {
				if asked[text] {
					byPerson = append(byPerson, text)
				} else {
					others = append(others, text)
				}
			}
			return byPerson, others
		}
		want := saidBy(t, history)
		person, others := apart(want)
		if ours, rest := apart(have); !reflect.DeepEqual(ours, person) || !reflect.DeepEqual(rest, others) {
			t.Errorf("after line %d the model sees %d items, the file says %d:\n%.80q\n%.80q", i+1, len(have), len(want), have, want)
		}
		checkUndone(t, got.Entries[:last+1], p)
	}
	return found
}

// checkUndone undoes all compactions: all that was said before is there.
func checkUndone(t *testing.T, entries []tenfold.Entry, p *tenfold.Projection) {
	t.Helper()
	hidden := 0
	for _, e := range entries {
		if _, ok := e.Payload.(tenfold.Compaction); ok {
			if _, err := p.Log().Append(tenfold.Entry{ID: "undo-" + e.ID, Payload: tenfold.CompactionRevoked{Target: e.ID}}); err != nil {
				t.Fatal(err)
			}
		}
		if e.Payload.Kind().Visible() {
			hidden++
		}
	}
	p.Advance()
	for it := range p.Items() {
		if it.Added == 0 {
			hidden--
		}
	}
	if hidden != 0 {
		t.Errorf("undone, %d entries do not show", hidden)
	}
}

// The index counts response items: messages that a person or a program put in
// the user's mouth, and what else there is; of reasoning, those with encrypted
// content.
func TestCodexCorpusCounts(t *testing.T) {
	eachCorpusFile(t, Codex, func(t *testing.T, _ string, want corpustest.File, got Collected) {
		have := corpustest.File{Path: want.Path, Name: want.Name, Format: want.Format, Conversations: 1, Bytes: want.Bytes}
		calls, answered := map[string]int{}, map[string]bool{}
		items := map[string]bool{}
		prompts := 0
		for _, e := range got.Entries {
			if strings.Contains(e.ID, "/item-") {
				continue // part of a compaction
			}
			if e.Source != "" {
				root := decodeJSON(t, []byte(e.Source)).(map[string]any)
				if root["type"] == "response_item" && !items[intake.RecordID(e.ID)] {
					items[intake.RecordID(e.ID)] = true
					have.Msgs++
				}
				if p, ok := root["payload"].(map[string]any); ok && p["role"] == "user" && root["type"] == "response_item" {
					have.User++
				}
			}
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				if !p.Synthetic {
					prompts++
				}
				for _, part := range p.Parts {
					if part.File != nil {
						have.Images++
					}
				}
			case tenfold.AssistantMessage:
				have.Assistant++
			case tenfold.ToolCall:
				have.Calls++
				calls[p.CallID]++
			case tenfold.ToolResult:
				have.Results++
				for _, part := range p.Parts {
					if part.File != nil {
						have.Images++
					}
				}
				if calls[p.CallID] == 0 {
					have.Orphan++
				}
				answered[p.CallID] = true
			case tenfold.Reasoning:
				have.EncReasoning++
			case tenfold.Compaction:
				have.Summaries++
			case tenfold.Unknown:
				if p.Name == "codex.turn_aborted" {
					have.Interrupts++
				}
			}
		}
		for id := range calls {
			if !answered[id] {
				have.Missing++
			}
		}
		t.Logf("%d prompts, %v", prompts, got.Warnings)
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

// Each prompt that an event repeats was typed, and opened a turn.
func TestCodexCorpusPromptsAreTyped(t *testing.T) {
	eachCorpusFile(t, Codex, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		events, prompts := 0, 0
		for _, e := range got.Entries {
			if u, ok := e.Payload.(tenfold.Unknown); ok && u.Name == "codex.user_message" {
				events++
			}
			if u, ok := e.Payload.(tenfold.UserMessage); ok && !u.Synthetic {
				prompts++
			}
		}
		if events != prompts {
			t.Errorf("%d typed prompts, the events say %d", prompts, events)
		}
	})
}

// What a model sees of the compacted rollout is what it saw of the log.
func TestCodexCorpusCompactedSaysTheSame(t *testing.T) {
	eachCorpusFile(t, Codex, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		text, warnings := exportText(t, Codex, got, true)
		t.Log(warnings)
		again, err := importText(t, path, string(text))
		if err != nil {
			t.Fatal(err)
		}
		if again.ID == got.ID {
			t.Error("the compacted rollout has the id of the whole one")
		}
		have, want := withoutSigned(allSaid(t, again)), withoutSigned(stillSaid(t, got))
		if !reflect.DeepEqual(have, want) {
			t.Errorf("%d items say something else than %d", len(have), len(want))
		}
		checkLaws(t, again)
	})
}

// withoutSigned leaves out reasoning: what is left out of the context it was made
// under takes it along (B1).
func withoutSigned(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "reasoning|") })
}

// stillSaid is all but what Codex says anew when it goes on with a session.
func stillSaid(t testing.TB, c Collected) []string {
	var out []string
	for it := range projected(t, c.Entries).Items() {
		if !engine.Renewed(it.Payload) {
			out = append(out, saidByItem(it.Payload))
		}
	}
	return out
}

func allSaid(t testing.TB, c Collected) []string {
	var out []string
	for it := range projected(t, c.Entries).Items() {
		out = append(out, saidByItem(it.Payload))
	}
	return out
}
