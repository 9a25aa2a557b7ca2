package transcript

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/copilot"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// rebuildCopilot gives the events of a session, in order.
func rebuildCopilot(tb testing.TB, entries []tenfold.Entry) []any {
	tb.Helper()
	var lines []any
	var s walk.Scanner
	for group := range engine.Groups(slices.Values(entries)) {
		i := slices.IndexFunc(group, func(e tenfold.Entry) bool { return e.Source != "" })
		if i < 0 {
			tb.Fatalf("event %s has no source", group[0].ID)
		}
		f := engine.Finder{Raw: []byte(group[i].Source)}
		var e copilot.Event
		e.Parse(&s, f.Raw)
		calls := 0
		for _, entry := range group {
			switch p := entry.Payload.(type) {
			case tenfold.UserMessage:
				at := e.Content
				if e.Transformed.Found() {
					at = e.Transformed
				}
				f.Put(at, p.Parts[0].Text)
				for k, part := range p.Parts[1:] {
					_, data, _ := strings.Cut(part.File.URI, ",")
					f.Put(e.Attachments[k].Data, data)
				}
			case tenfold.AssistantMessage:
				f.Put(e.Content, p.Text)
			case tenfold.Reasoning:
				f.Put(e.Reasoning, p.Text)
				f.Put(e.Opaque, p.Signature)
				f.Put(e.Encrypted, p.Encrypted)
			case tenfold.ToolCall:
				at := e.Arguments
				if len(e.Requests) > 0 {
					at = e.Requests[calls].Arguments
					calls++
				}
				f.PutWhole(at, p.Arguments)
			case tenfold.ToolResult:
				for _, part := range p.Parts {
					if part.File != nil {
						f.PutWhole(e.Answer, part.File.Detail)
						continue
					}
					at := e.Answer
					if !at.Found() {
						at = e.Failed
					}
					f.Put(at, part.Text)
				}
			case tenfold.ConfigDelta:
				if p.System != nil {
					f.Put(e.Content, *p.System)
				}
			case tenfold.Compaction:
				if p.Summary != nil {
					f.Put(e.Summary, p.Summary.Text)
				}
			}
		}
		lines = append(lines, decodeJSON(tb, []byte(f.Done())))
	}
	return lines
}

func TestCopilotCorpusIsRebuilt(t *testing.T) {
	eachCorpusFile(t, CopilotCLI, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		checkLaws(t, got)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameLines(t, rebuildCopilot(t, got.Entries), fileLines(t, data))
	})
}

// TestCopilotCorpusCounts compares with the index. It counts the system
// message of each turn among the messages; reasoning is what has a text, and
// encrypted reasoning each opaque value, of which a message can have two.
func TestCopilotCorpusCounts(t *testing.T) {
	eachCorpusFile(t, CopilotCLI, func(t *testing.T, _ string, want corpustest.File, got Collected) {
		t.Log(got.ID, got.Title, got.Warnings)
		have := tally(want, got.Entries)
		have.Reasoning = 0
		for _, e := range got.Entries {
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				have.User++
				have.Msgs++
			case tenfold.ConfigDelta:
				if p.System != nil {
					have.Msgs++
				}
			case tenfold.Unknown:
				if p.Name == "copilot-cli.abort" {
					have.Interrupts++
				}
			case tenfold.Reasoning:
				if p.Text != "" {
					have.Reasoning++
				}
			}
			if strings.Contains(e.Source, `"type":"assistant.message"`) {
				have.Assistant++
				have.Msgs++
				for _, name := range []string{`"reasoningOpaque":`, `"encryptedContent":`} {
					if strings.Contains(e.Source, name) {
						have.EncReasoning++
					}
				}
			}
		}
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

func FuzzCopilotCLI(f *testing.F) {
	for _, s := range samples(f, CopilotCLI) {
		f.Add(s.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, CopilotCLI, data)
		if !ok || !exactly(data) || bytes.ContainsAny(data, "\v\f\u0085\u00a0\u2028\u2029\u3000") {
			return
		}
		sameLines(t, rebuildCopilot(t, got.Entries), fileLines(t, data))
	})
}
