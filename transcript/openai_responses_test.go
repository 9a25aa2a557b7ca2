package transcript

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/codex"
	"tenfold/transcript/internal/engine"
)

// A body that was exported, imported and exported again has the same bytes.
func TestOpenAIResponsesBodiesComeBack(t *testing.T) {
	all := map[string]Collected{"foreign": foreign()}
	for _, format := range []Format{Codex, OpenAIResponses} {
		for _, w := range samples(t, format) {
			got, err := w.read(w.data, format)
			if err != nil {
				t.Fatal(err)
			}
			all[w.path] = got[0]
		}
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			for _, compacted := range []bool{false, true} {
				first, _ := exportText(t, OpenAIResponses, c, compacted)
				again, err := importText(t, "body.json", string(first))
				if err != nil {
					t.Fatal(err)
				}
				if again.Format != OpenAIResponses {
					t.Fatalf("read as %q", again.Format)
				}
				second, _ := exportText(t, OpenAIResponses, again, compacted)
				if !bytes.Equal(first, second) {
					t.Errorf("the body\n%s\ncomes back as\n%s", first, second)
				}
			}
		})
	}
}

// rebuildResponses gives the items of a body: what the entries hold, filled
// into what the sources left.
func rebuildResponses(t testing.TB, c Collected) []any {
	var items []any
	r := codex.Record{}
	for group := range engine.Groups(slices.Values(c.Entries)) {
		var source string
		var payloads []tenfold.Payload
		for _, e := range group {
			source += e.Source
			payloads = append(payloads, e.Payload)
		}
		switch payloads[0].(type) {
		case tenfold.ConfigDelta, tenfold.Usage:
			continue
		case tenfold.Unknown:
			items = append(items, decodeJSON(t, []byte(source)))
			continue
		}
		r.Look(source)
		r.Filling, r.Fill = true, chatapi.Held(payloads)
		if r.IsString(r.Root()) { // input that is one text
			items = append(items, decodeJSON(t, []byte(source)))
			continue
		}
		r.Item(r.Root())
		items = append(items, decodeJSON(t, []byte(r.Done())))
	}
	return items
}

// All a body says is kept: its items are rebuilt, and the rest stands in the
// source of its first entry.
func TestOpenAIResponsesSamplesAreRebuilt(t *testing.T) {
	for _, w := range samples(t, OpenAIResponses) {
		if strings.HasSuffix(w.path, ".jsonl") {
			continue
		}
		got, err := w.read(w.data, OpenAIResponses)
		if err != nil {
			t.Fatal(err)
		}
		checkBody(t, got[0], decodeJSON(t, w.data))
	}
}

func checkBody(t *testing.T, got Collected, want any) {
	t.Helper()
	list, ok := want.([]any)
	if body, isBody := want.(map[string]any); isBody {
		list, _ = body["input"].([]any)
		output, _ := body["output"].([]any)
		list = append(list, output...)
		d := got.Entries[0].Payload.(tenfold.ConfigDelta)
		left := decodeJSON(t, []byte(got.Entries[0].Source)).(map[string]any)
		for name, v := range body {
			switch {
			case name == "input" || name == "output":
			case name == "instructions" && d.System != nil:
				if *d.System != v {
					t.Errorf("the system prompt is %q", *d.System)
				}
			case !reflect.DeepEqual(left[name], v):
				t.Errorf("the body's %s is %v, want %v", name, left[name], v)
			}
		}
	} else if !ok {
		t.Fatal("no body")
	}
	if have := rebuildResponses(t, got); !reflect.DeepEqual(have, list) {
		t.Errorf("items\n%v\nwant\n%v", have, list)
	}
}

// The response of a compaction, whose item only the provider can read, and the
// events that such a response came in.
func TestOpenAIResponsesCorpusCompaction(t *testing.T) {
	dir := corpustest.Dir()
	if dir == "" {
		t.Skip("no shared/corpus above this directory")
	}
	for _, name := range []string{"openai__responses__openai-compaction.1.json", "openai__responses__openai-compaction.1.chunks.txt"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "vercel-ai-fixtures", name)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Skip(err)
			}
			got := importFile(t, path)
			checkLaws(t, got)
			if got.Format != OpenAIResponses {
				t.Fatalf("read as %q", got.Format)
			}
			texts, items, usages := 0, 0, 0
			for _, e := range got.Entries {
				switch p := e.Payload.(type) {
				case tenfold.AssistantMessage:
					texts++
				case tenfold.ProviderItem:
					items++
					if p.Provider != "openai" || !strings.Contains(p.Data, `"compaction"`) {
						t.Errorf("item %.60s", p.Data)
					}
				case tenfold.Usage:
					usages++
				}
			}
			if texts != 1 || items != 1 || usages != 1 {
				t.Errorf("%d texts, %d items, %d usages", texts, items, usages)
			}
			if strings.HasSuffix(name, ".json") {
				checkBody(t, got, decodeJSON(t, data))
			} else if lines := decodeLines(t, data); len(lines) != len(slicesOfSources(got)) {
				t.Errorf("%d lines, %d kept", len(lines), len(slicesOfSources(got)))
			}
		})
	}
}

func slicesOfSources(c Collected) (out []string) {
	for _, e := range c.Entries {
		if e.Source != "" {
			out = append(out, e.Source)
		}
	}
	return out
}

func FuzzOpenAIResponses(f *testing.F) {
	for _, w := range samples(f, OpenAIResponses) {
		f.Add(w.data)
	}
	f.Add([]byte(`{"input":"a","instructions":"b","tools":[{"type":"function","name":"x","parameters":{}}],"usage":{"input_tokens":1}}`))
	f.Add([]byte(`[{"role":"user","content":[{"type":"input_image","image_url":""},null,5]},{"type":"function_call_output","output":{"content":5,"success":false}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var k Collector
		if err := Import(context.Background(), Source{Name: "x.json", Reader: bytes.NewReader(data)}, OpenAIResponses, &k); err == nil {
			fuzzImport(t, OpenAIResponses, data)
		}
	})
}
