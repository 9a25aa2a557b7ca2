package transcript

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/opencode"
)

// TestOpenCodeCorpusIsRebuilt exports what was imported: the file is told
// again, member for member, and importing that gives the same log.
func TestOpenCodeCorpusIsRebuilt(t *testing.T) {
	eachCorpusFile(t, OpenCode, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		checkLaws(t, got)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkOpenCodeWhole(t, got, data)
	})
}

// checkOpenCodeWhole checks the whole export against the source.
func checkOpenCodeWhole(tb testing.TB, got Collected, source []byte) {
	tb.Helper()
	text, _ := exportOpenCode(tb, got, false)
	if !reflect.DeepEqual(decodeJSON(tb, text), decodeJSON(tb, bytes.ToValidUTF8(bytes.TrimPrefix(source, intake.Bom), []byte("\uFFFD")))) {
		tb.Errorf("the export differs from the source:\n%.2000s", text)
	}
	all, err := written{OpenCode, "f.json", nil}.read(text, OpenCode)
	if err != nil {
		tb.Fatal(err)
	}
	again := all[0]
	// An id made of the first message's text knows escapes from what they say.
	sameID := again.ID == got.ID || strings.HasPrefix(got.ID, "f-")
	if !reflect.DeepEqual(again.Entries, got.Entries) || !sameID || again.Title != got.Title {
		tb.Errorf("importing the export gives another log:\n got %s\nwant %s", describe(again.Entries), describe(got.Entries))
	}
}

func exportOpenCode(tb testing.TB, c Collected, compacted bool) ([]byte, []string) {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(c.Entries...); err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	warnings, err := Export(&out, OpenCode, View{Conversation: c.Conversation, Projection: tenfold.Project(log), Compacted: compacted})
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes(), warnings
}

// TestOpenCodeCorpusCounts compares with the index, which counts messages and
// parts. Two things stand elsewhere than the index looks for them: reasoning
// that says nothing and holds nothing opaque, or that belongs to a
// compaction's answer, is kept as an unknown record; a file that is not an image
// is no image.
func TestOpenCodeCorpusCounts(t *testing.T) {
	eachCorpusFile(t, OpenCode, func(t *testing.T, _ string, want corpustest.File, got Collected) {
		t.Log(got.ID, got.Title, got.Warnings)
		have := corpustest.File{Path: want.Path, Name: want.Name, Format: want.Format, Conversations: 1, Bytes: want.Bytes, DupID: want.DupID}
		calls, answered := map[string]bool{}, map[string]bool{}
		for _, e := range got.Entries {
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				have.User++
				for _, part := range p.Parts {
					if part.File != nil && part.File.Type == tenfold.PartImage {
						have.Images++
					}
				}
			case tenfold.Reasoning:
				have.Reasoning++
			case tenfold.ToolCall:
				have.Calls++
				calls[p.CallID] = true
			case tenfold.ToolResult:
				have.Results++
				if p.IsError {
					have.Errors++
				}
				if !calls[p.CallID] {
					have.Orphan++
				}
				answered[p.CallID] = true
			case tenfold.Compaction:
				if p.Summary != nil {
					have.Summaries++
				}
			case tenfold.Unknown:
				switch p.Name {
				case opencode.MessageName:
					have.Assistant++
				case opencode.UserName:
					have.User++
				case "opencode.reasoning":
					have.Reasoning++
				case opencode.SessionName:
					if strings.Contains(e.Source, `"parentID":`) {
						have.Side++
					}
				}
			}
		}
		have.Missing = len(calls) - len(answered)
		have.Msgs = have.User + have.Assistant
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

// TestOpenCodeCorpusCompaction looks at what opencode sent after it compacted:
// its question, the summary, and every message after the summary's.
func TestOpenCodeCorpusCompaction(t *testing.T) {
	found := 0
	eachCorpusFile(t, OpenCode, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		messages := decodeJSON(t, data).(map[string]any)["messages"].([]any)
		from, summary := 0, ""
		for i, m := range messages {
			m := m.(map[string]any)
			if m["info"].(map[string]any)["summary"] != true {
				continue
			}
			from = i + 1
			for _, p := range m["parts"].([]any) {
				if p := p.(map[string]any); p["type"] == "text" {
					summary = p["text"].(string)
				}
			}
		}
		if from == 0 {
			return
		}
		found++
		want := []string{"user " + opencode.SummaryQuery, "assistant " + summary}
		for _, m := range messages[from:] {
			var results []string
			m := m.(map[string]any)
			for _, p := range m["parts"].([]any) {
				p := p.(map[string]any)
				switch p["type"] {
				case "text":
					want = append(want, m["info"].(map[string]any)["role"].(string)+" "+p["text"].(string))
				case "tool":
					state := p["state"].(map[string]any)
					want = append(want, "call "+p["callID"].(string))
					text, ok := state["output"].(string)
					if !ok {
						text = state["error"].(string)
					}
					results = append(results, "result "+text)
				}
			}
			want = append(want, results...)
		}
		log := tenfold.NewLog()
		if _, err := log.Append(got.Entries...); err != nil {
			t.Fatal(err)
		}
		var have []string
		for item := range tenfold.Project(log).Items() {
			switch p := item.Payload.(type) {
			case tenfold.UserMessage:
				for _, part := range p.Parts {
					have = append(have, "user "+part.Text)
				}
			case tenfold.AssistantMessage:
				have = append(have, "assistant "+p.Text)
			case tenfold.ToolCall:
				have = append(have, "call "+p.CallID)
			case tenfold.ToolResult:
				have = append(have, "result "+p.Parts[0].Text)
			}
		}
		if !reflect.DeepEqual(have, want) {
			for i := range want {
				if i >= len(have) || have[i] != want[i] {
					t.Fatalf("item %d of %d, want %d: %.200q", i, len(have), len(want), want[i])
				}
			}
			t.Fatalf("%d items, want %d", len(have), len(want))
		}
	})
	if found != 1 && !corpustest.UnderRace { // under it, few files are read
		t.Errorf("%d files with a compaction, the corpus has 1", found)
	}
}
