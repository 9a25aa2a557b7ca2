package transcript

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/pi"
)

func logOf(tb testing.TB, entries []tenfold.Entry) *tenfold.Log {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(entries...); err != nil {
		tb.Fatal(err)
	}
	return log
}

func exportPi(tb testing.TB, c Collected, compacted bool) ([]byte, []string) {
	tb.Helper()
	var out bytes.Buffer
	warnings, err := Export(&out, Pi, View{Conversation: c.Conversation, Projection: tenfold.Project(logOf(tb, c.Entries)), Compacted: compacted})
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes(), warnings
}

// checkPiExport checks that a whole export gives the same log again, and that
// a compacted one shows what the projection shows.
func checkPiExport(t *testing.T, got Collected, data []byte) {
	t.Helper()
	out, warnings := exportPi(t, got, false)
	if len(warnings) > 0 {
		t.Errorf("warnings %v", warnings)
	}
	sameLines(t, fileLines(t, out), fileLines(t, data))
	again, err := written{Pi, got.ID + ".jsonl", out}.read(out, Pi)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again[0].Entries, got.Entries) {
		for i, e := range again[0].Entries {
			if i >= len(got.Entries) || !reflect.DeepEqual(e, got.Entries[i]) {
				t.Fatalf("entry %d is %s, was %s", i, describeEntry(e), describeEntry(got.Entries[min(i, len(got.Entries)-1)]))
			}
		}
		t.Fatalf("%d entries, were %d", len(again[0].Entries), len(got.Entries))
	}
	checkPiCompacted(t, got)
}

func checkPiCompacted(t *testing.T, got Collected) {
	t.Helper()
	out, _ := exportPi(t, got, true)
	if twice, _ := exportPi(t, got, true); !bytes.Equal(out, twice) {
		t.Error("two exports differ")
	}
	again, err := written{Pi, "x.jsonl", out}.read(out, Pi)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for it := range tenfold.Project(logOf(t, got.Entries)).Items() {
		if _, ok := it.Payload.(tenfold.ProviderItem); !ok {
			want = append(want, comparable1(it.Payload))
		}
	}
	var have []string
	for it := range tenfold.Project(logOf(t, again[0].Entries)).Items() {
		have = append(have, comparable1(it.Payload))
	}
	if a, b := strings.Join(have, "\n"), strings.Join(want, "\n"); a != b {
		for i := range min(len(have), len(want)) {
			if have[i] != want[i] {
				t.Fatalf("block %d is %.300s, want %.300s", i, have[i], want[i])
			}
		}
		t.Errorf("%d blocks, want %d", len(have), len(want))
	}
}

// comparable1 words a block without what pi has no place for.
func comparable1(p tenfold.Payload) string {
	if r, ok := p.(tenfold.ToolResult); ok && len(r.Parts) == 0 {
		r.Parts = nil
		p = r
	}
	return said1(p)
}

func TestPiExportsWhatItRead(t *testing.T) {
	for _, w := range samples(t, Pi) {
		if strings.HasSuffix(w.path, ".json") {
			continue // a message alone is not a session
		}
		t.Run(w.path, func(t *testing.T) {
			got, err := w.read(w.data, Pi)
			if err != nil {
				t.Fatal(err)
			}
			checkPiExport(t, got[0], w.data)
		})
	}
}

func TestPiCorpusIsExported(t *testing.T) {
	corpustest.Unraced(t)
	eachCorpusFile(t, Pi, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkPiExport(t, got, data)
	})
}

// What a conversation of pi was given here goes into the file as well, and a
// summary becomes a compaction of pi.
func TestPiExportsWhatCameLater(t *testing.T) {
	p := newPiTree()
	for range 3 {
		p.user()
		p.say()
	}
	got, err := importText(t, "s.jsonl", strings.Join(p.lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	got.Entries = append(got.Entries,
		tenfold.Entry{ID: "own", Payload: tenfold.Compaction{ToTurn: 1, Source: "user", TokensBefore: 7, Summary: &tenfold.Summary{Text: "Asked."}}},
		tenfold.Entry{ID: "t", Payload: tenfold.TurnStart{}},
		tenfold.Entry{ID: "later", Payload: tenfold.UserMessage{Parts: tenfold.Text("later")}})
	out, warnings := exportPi(t, got, false)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	again, err := importText(t, "s.jsonl", string(out))
	if err != nil {
		t.Fatal(err)
	}
	have := squeeze(seen(t, again.Entries))
	want := squeeze([]string{
		said1(tenfold.UserMessage{Parts: tenfold.Text(pi.CompactionSummary("Asked."))}),
		`user "ask 4"`, `assistant "say 5"`, `user "later"`,
	})
	if have != want {
		t.Errorf("seen\n%s\nwant\n%s\nfile\n%s", have, want, out)
	}
}

// Conversations of other tools become sessions whose keys are those of pi.
func TestPiExportsOthers(t *testing.T) {
	for _, format := range []Format{GeminiCLI, CopilotCLI} {
		for _, w := range samples(t, format) {
			t.Run(w.path, func(t *testing.T) {
				got, err := w.read(w.data, format)
				if err != nil {
					t.Fatal(err)
				}
				for _, compacted := range []bool{false, true} {
					out, _ := exportPi(t, got[0], compacted)
					again, err := importText(t, "s.jsonl", string(out))
					if err != nil {
						t.Fatal(err)
					}
					checkLaws(t, again)
					if len(again.Warnings) > 0 {
						t.Error(again.Warnings)
					}
				}
			})
		}
	}
}

// The lines that are made up have the keys that those of pi have: all it
// always writes, and none it never does.
func TestPiExportHasTheKeysOfPi(t *testing.T) {
	always := map[string]string{
		"session": "type version id timestamp cwd", "model_change": "type id parentId timestamp provider modelId",
		"thinking_level_change": "type id parentId timestamp thinkingLevel", "message": "type id parentId timestamp message",
		"user": "role content timestamp", "assistant": "role content api provider model usage stopReason timestamp",
		"toolResult": "role toolCallId toolName content isError timestamp",
		"text":       "type text", "thinking": "type thinking", "toolCall": "type id name arguments", "image": "type data mimeType",
	}
	sometimes := map[string]string{"thinking": "thinkingSignature redacted", "toolCall": "thoughtSignature partialJson"}
	seen := map[string]bool{}
	check := func(kind string, o map[string]any) {
		seen[kind] = true
		for _, name := range strings.Fields(always[kind]) {
			if _, ok := o[name]; !ok {
				t.Errorf("%s lacks %s", kind, name)
			}
		}
		for name := range o {
			if !strings.Contains(" "+always[kind]+" "+sometimes[kind]+" ", " "+name+" ") {
				t.Errorf("%s has %s", kind, name)
			}
		}
	}
	for _, w := range slices.Concat(samples(t, Pi), samples(t, CopilotCLI), samples(t, GeminiCLI)) {
		got, err := w.read(w.data, w.format)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := exportPi(t, got[0], true)
		for _, line := range fileLines(t, out) {
			o := line.(map[string]any)
			check(o["type"].(string), o)
			m, ok := o["message"].(map[string]any)
			if !ok {
				continue
			}
			check(m["role"].(string), m)
			for _, b := range m["content"].([]any) {
				check(b.(map[string]any)["type"].(string), b.(map[string]any))
			}
		}
	}
	for kind := range always {
		if !seen[kind] {
			t.Errorf("no sample gave a %s", kind)
		}
	}
}

// What a session of pi's own says of its models is kept when it is compacted:
// pi sends signed thinking back only to the provider and API it came from.
func TestPiCompactedKeepsProviders(t *testing.T) {
	said := `"api":"openai-completions","provider":"openrouter","model":"claude-sonnet-4-5"`
	later := `"api":"bedrock-converse-stream","provider":"amazon-bedrock","model":"us.claude"`
	text := strings.Join([]string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}`,
		`{"type":"model_change","id":"n0","parentId":null,"timestamp":"2026-01-01T00:00:00Z","provider":"openrouter","modelId":"claude-sonnet-4-5"}`,
		`{"type":"message","id":"n1","parentId":"n0","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"Hello"}}`,
		`{"type":"message","id":"n2","parentId":"n1","timestamp":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}],` + said + `}}`,
		`{"type":"message","id":"n3","parentId":"n2","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"Go on"}}`,
		`{"type":"message","id":"n4","parentId":"n3","timestamp":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":[{"type":"text","text":"I do"}],` + later + `}}`,
	}, "\n")
	got, err := importText(t, "s.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := exportPi(t, got, true)
	for _, want := range []string{said, later, `"provider":"amazon-bedrock","modelId":"us.claude"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}
