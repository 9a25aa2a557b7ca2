package transcript

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// fuzzSeeds adds the samples of a format.
func fuzzSeeds(f *testing.F, format Format, more ...string) {
	for _, w := range samples(f, format) {
		f.Add(w.data)
	}
	for _, s := range more {
		f.Add([]byte(s))
	}
}

// collect imports what fuzzImport imported, with all conversations.
func fuzzAll(t *testing.T, format Format, data []byte) ([]Collected, bool) {
	if _, err := (written{path: "f.json"}).read(data, format); err != nil {
		fuzzImport(t, format, data)
		return nil, false
	}
	fuzzImport(t, format, data)
	got, err := (written{path: "dir/f.json"}).read(data, format)
	return got, err == nil
}

// exactDocument reports whether encoding/json sees all there is in a document.
func exactDocument(data []byte) bool {
	if !utf8.Valid(data) || bytes.Contains(data, []byte(`\u`)) || bytes.Contains(data, []byte("\uFFFD")) {
		return false
	}
	var scan walk.Scanner
	scan.Reset(bytes.TrimPrefix(data, intake.Bom))
	return uniqueNames(&scan) && scan.Err == nil
}

func FuzzSWEAgent(f *testing.F) {
	fuzzSeeds(f, SWEAgent, `{"history":[{"role":"tool","tool_call_ids":[1]},4,{"role":"user","content":[{"type":"text"},7]}],"info":{"model_stats":{"tokens_sent":1e9,"instance_cost":-1}}}`, `[]`)
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, ok := fuzzAll(t, SWEAgent, data); ok && exactDocument(data) {
			_, frames := recordsIn(t, got[0].Entries, "swe-agent-traj.document")
			if len(frames) != 1 {
				t.Errorf("%d frames", len(frames))
			}
			checkSWEAgent(t, bytes.TrimPrefix(data, intake.Bom), got[0].Entries)
		}
	})
}

func FuzzOpenHands(f *testing.F) {
	fuzzSeeds(f, OpenHands,
		`[{"kind":"Condensation","id":"a","source":"x","forgotten_event_ids":[1,"a"]},{"id":3,"action":"message","args":{"content":"x"}},{"id":4,"action":"condensation","args":{"forgotten_events_start_id":0,"forgotten_events_end_id":1e9}}]`,
		`{"instance_id":"a","history":[[{"action":"run","is_confirmed":1,"args":[]}],7]}`, "{\n\"kind\":\"PauseEvent\",\"id\":\"x\",\"source\":1}")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzAll(t, OpenHands, data) })
}

func FuzzInspect(f *testing.F) {
	fuzzSeeds(f, InspectEval, `{"eval":{"model":"google/x"},"samples":[{"messages":[{"role":"assistant","content":[{"type":"reasoning","reasoning":"attachment://a","redacted":true}]}],"attachments":{"a":"b"}},3]}`)
	f.Fuzz(func(t *testing.T, data []byte) { fuzzAll(t, InspectEval, data) })
}

func FuzzWhoAndWhen(f *testing.F) {
	fuzzSeeds(f, WhoAndWhen, `{"history":[{"role":"a","content":"b"},{"role":"a","content":"b"}]}`)
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, ok := fuzzAll(t, WhoAndWhen, data); ok && exactDocument(data) {
			checkWhoAndWhen(t, bytes.TrimPrefix(data, intake.Bom), got[0].Entries)
		}
	})
}

func FuzzLoCoMo(f *testing.F) {
	fuzzSeeds(f, LoCoMo, `{"conversation":{"session_9":[{"speaker":"a","text":"b"}],"session_1":[1]}}`)
	f.Fuzz(func(t *testing.T, data []byte) { fuzzAll(t, LoCoMo, data) })
}

// fuzzText checks that the pieces make the text again.
func fuzzText(t *testing.T, format Format, data []byte) {
	got, ok := fuzzAll(t, format, data)
	if !ok || !utf8.Valid(data) {
		return
	}
	var all strings.Builder
	for _, c := range got {
		for _, e := range c.Entries {
			if e.Payload.Kind() == tenfold.Kind("plain-transcript.record") {
				return // JSON lines
			}
		}
		all.WriteString(rebuildText(t, c.Entries))
	}
	if want := strings.TrimPrefix(string(data), string(intake.Bom)); all.String() != want {
		t.Errorf("%q came back as %q", want, all.String())
	}
}

func FuzzAider(f *testing.F) {
	fuzzSeeds(f, Aider, "#### a\n####\n#### b  \n>\n\n# aider chat started at\n>  \n#### /x\n#### !\n", "#### \r\n\r\nx\n   \n> Tokens: 1k sent\n")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzText(t, Aider, data) })
}

func FuzzSpecStory(f *testing.F) {
	fuzzSeeds(f, SpecStory, "_**User**_\nx\n---\n_**Agent (m)**_\n<tool-use data-tool-name=\"a\"></details></tool-use>\n<think><details></details></think>\n<tool-use \n```text\n```\n</details></tool-use>", "_**User**_\n---")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzText(t, SpecStory, data) })
}

func FuzzPlain(f *testing.F) {
	fuzzSeeds(f, Plain, "\n\nUser: a\nassistant:b\r\n\nTool:\n", `{"messages_display":"user:a\r\nx"}`)
	f.Fuzz(func(t *testing.T, data []byte) { fuzzText(t, Plain, data) })
}
