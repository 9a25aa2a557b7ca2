package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// rebuildGemini gives the records of a chat in order; in the layout of one
// object, that object.
func rebuildGemini(tb testing.TB, entries []tenfold.Entry) []any {
	tb.Helper()
	var records []any
	var whole map[string]any
	var s scanner
	for group := range groups(slices.Values(entries)) {
		i := slices.IndexFunc(group, func(e tenfold.Entry) bool { return e.Source != "" })
		if i < 0 {
			continue // of a record that is kept whole
		}
		if strings.HasPrefix(group[i].ID, "session") {
			v := decodeJSON(tb, []byte(group[i].Source)).(map[string]any)
			if _, ok := v["messages"].([]any); ok {
				whole = v
				continue
			}
			records = append(records, v)
			continue
		}
		v := decodeJSON(tb, []byte(refillGemini(&s, group, group[i].Source)))
		if whole != nil {
			whole["messages"] = append(whole["messages"].([]any), v)
		} else {
			records = append(records, v)
		}
	}
	if whole != nil {
		records = append(records, whole)
	}
	return records
}

func refillGemini(s *scanner, group []tenfold.Entry, source string) string {
	f := refiller{raw: []byte(source)}
	var r geminiCLIRecord
	r.parse(s, f.raw)
	m := &r.msg
	part := 0
	next := func(fits func(p *geminiCLIPart) bool) *geminiCLIPart {
		for ; part < len(m.parts); part++ {
			if p := &m.parts[part]; fits(p) {
				part++
				return p
			}
		}
		return &geminiCLIPart{}
	}
	numbered := func(id, kind string) int {
		_, n, ok := strings.Cut(id, "/"+kind+"/")
		if !ok {
			return -1
		}
		i, err := strconv.Atoi(n)
		if err != nil {
			return -1
		}
		return i
	}
	for _, e := range group {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			if m.parts == nil {
				f.text(m.content, p.Parts[0].Text)
				continue
			}
			for _, one := range p.Parts {
				refillPart(&f, next(func(p *geminiCLIPart) bool { return !p.response }), one)
			}
		case tenfold.Compaction:
			if p.Summary != nil {
				f.text(m.content, p.Summary.Text)
				for i := range m.parts {
					f.text(m.parts[i].text, p.Summary.Text)
				}
			}
		case tenfold.AssistantMessage:
			f.text(m.content, p.Text)
			f.text(next(func(p *geminiCLIPart) bool { return p.text.to-p.text.from >= 2 && !p.thought }).text, p.Text)
		case tenfold.Reasoning:
			switch k := numbered(e.ID, "thought"); {
			case p.Signature != "":
				for i := part; i < len(m.parts); i++ {
					if at := m.parts[i].signature; at.found() && string(at.of(f.raw)) == cutText && !m.parts[i].thought {
						f.text(at, p.Signature)
						break
					}
				}
			case k >= 0:
				text := p.Text
				if t := m.thoughts[k]; t.subject != "" {
					text = strings.TrimPrefix(text, "**"+t.subject+"**\n")
				}
				f.text(m.thoughts[k].description, text)
			default:
				f.text(next(func(p *geminiCLIPart) bool { return p.thought }).text, p.Text)
			}
		case tenfold.ToolCall:
			if k := numbered(e.ID, "call"); k >= 0 {
				f.value(m.calls[k].args, p.Arguments)
			} else {
				f.value(next(func(p *geminiCLIPart) bool { return p.call && p.id == e.Payload.(tenfold.ToolCall).CallID }).args, p.Arguments)
			}
		case tenfold.ProviderItem:
			f.value(next(func(p *geminiCLIPart) bool { return string(p.span.of(f.raw)) == cutValue }).span, p.Data)
		case tenfold.ToolResult:
			k := numbered(e.ID, "result")
			if len(m.calls) <= k {
				for _, one := range p.Parts {
					refillPart(&f, &m.parts[k], one)
				}
				continue
			}
			parts := m.calls[k].result
			for _, one := range p.Parts {
				for len(parts) > 0 && parts[0].response && !parts[0].body.found() {
					parts = parts[1:]
				}
				refillPart(&f, &parts[0], one)
				parts = parts[1:]
			}
		}
	}
	return splice(f.raw, f.cuts)
}

func refillPart(f *refiller, p *geminiCLIPart, one tenfold.Part) {
	switch {
	case one.File == nil && p.response:
		f.text(p.output, one.Text)
		f.text(p.fault, one.Text)
		f.value(p.body, one.Text)
	case one.File == nil:
		f.text(p.text, one.Text)
	case one.File.Detail != "":
		f.value(p.span, one.File.Detail)
	default:
		_, data, _ := strings.Cut(one.File.URI, ",")
		f.text(p.data, data)
	}
}

func TestGeminiCorpusIsRebuilt(t *testing.T) {
	eachCorpusFile(t, GeminiCLI, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		checkLaws(t, got)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameLines(t, rebuildGemini(t, got.Entries), []any{decodeJSON(t, data)})
	})
}

// TestGeminiCorpusCounts compares with the index. It counts errors by the
// status alone, where a call that was cancelled told the model an error; it
// counts the one line "Request cancelled." and the cancelled calls as
// interrupts.
func TestGeminiCorpusCounts(t *testing.T) {
	eachCorpusFile(t, GeminiCLI, func(t *testing.T, path string, want corpustest.File, got Collected) {
		t.Log(got.ID, got.Title, got.Warnings)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cancelled := bytes.Count(data, []byte(`"status": "cancelled"`))
		have := tally(want, got.Entries)
		have.Errors -= cancelled
		have.Interrupts = cancelled
		for _, e := range got.Entries {
			if e.Source == "" {
				continue
			}
			have.Msgs++
			var m struct{ Type string }
			if err := json.Unmarshal([]byte(e.Source), &m); err != nil {
				t.Fatal(err)
			}
			switch m.Type {
			case "user":
				have.User++
			case "gemini":
				have.Assistant++
			case "":
				have.Msgs-- // the session itself
			}
		}
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

// A chat that grew in the middle of a response keeps what it said.
func TestGeminiDocumentsGrow(t *testing.T) {
	for _, file := range corpustest.Files(t, string(GeminiCLI)) {
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]json.RawMessage
		var messages []map[string]json.RawMessage
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(doc["messages"], &messages); err != nil {
			t.Fatal(err)
		}
		write := func() []Collected {
			list, err := json.Marshal(messages)
			if err != nil {
				t.Fatal(err)
			}
			doc["messages"] = list
			out, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			got, err := written{GeminiCLI, file.Path, out}.read(out, GeminiCLI)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		now := write()
		for len(messages) > 1 {
			last := messages[len(messages)-1]
			if string(last["content"]) != `""` { // else nothing would be left
				delete(last, "toolCalls")
				delete(last, "tokens")
				checkGrown(t, write(), now)
			}
			messages = messages[:len(messages)-1]
			checkGrown(t, write(), now)
		}
	}
}

func FuzzGeminiCLI(f *testing.F) {
	for _, s := range samples(f, GeminiCLI) {
		f.Add(s.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, GeminiCLI, data)
		if !ok || !exactly(data) || bytes.ContainsAny(data, "\v\f\u0085\u00a0\u2028\u2029\u3000") || newHead(data, "").json.shape != shapeLines {
			return
		}
		if lines := fileLines(t, data); len(lines) > 1 && !bytes.Contains(data, []byte(`"messages"`)) {
			sameLines(t, rebuildGemini(t, got.Entries), lines)
		}
	})
}
