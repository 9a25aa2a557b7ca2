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
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/geminicli"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// rebuildGemini gives the records of a chat in order; in the layout of one
// object, that object.
func rebuildGemini(tb testing.TB, entries []tenfold.Entry) []any {
	tb.Helper()
	var records []any
	var whole map[string]any
	var s walk.Scanner
	for group := range engine.Groups(slices.Values(entries)) {
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

func refillGemini(s *walk.Scanner, group []tenfold.Entry, source string) string {
	f := engine.Finder{Raw: []byte(source)}
	var r geminicli.Record
	r.Parse(s, f.Raw)
	m := &r.Msg
	part := 0
	next := func(fits func(p *chatapi.GeminiPart) bool) *chatapi.GeminiPart {
		for ; part < len(m.Parts); part++ {
			if p := &m.Parts[part]; fits(p) {
				part++
				return p
			}
		}
		return &chatapi.GeminiPart{}
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
			if m.Parts == nil {
				f.Put(m.Content, p.Parts[0].Text)
				continue
			}
			for _, one := range p.Parts {
				refillPart(&f, next(func(p *chatapi.GeminiPart) bool { return !p.Response }), one)
			}
		case tenfold.Compaction:
			if p.Summary != nil {
				f.Put(m.Content, p.Summary.Text)
				for i := range m.Parts {
					f.Put(m.Parts[i].Text, p.Summary.Text)
				}
			}
		case tenfold.AssistantMessage:
			f.Put(m.Content, p.Text)
			f.Put(next(func(p *chatapi.GeminiPart) bool { return p.Text.To-p.Text.From >= 2 && !p.Thought }).Text, p.Text)
		case tenfold.Reasoning:
			switch k := numbered(e.ID, "thought"); {
			case p.Signature != "":
				for i := part; i < len(m.Parts); i++ {
					if at := m.Parts[i].Signature; at.Found() && string(at.Of(f.Raw)) == walk.CutText && !m.Parts[i].Thought {
						f.Put(at, p.Signature)
						break
					}
				}
			case k >= 0:
				text := p.Text
				if t := m.Thoughts[k]; t.Subject != "" {
					text = strings.TrimPrefix(text, "**"+t.Subject+"**\n")
				}
				f.Put(m.Thoughts[k].Description, text)
			default:
				f.Put(next(func(p *chatapi.GeminiPart) bool { return p.Thought }).Text, p.Text)
			}
		case tenfold.ToolCall:
			if k := numbered(e.ID, "call"); k >= 0 {
				f.PutWhole(m.Calls[k].Args, p.Arguments)
			} else {
				f.PutWhole(next(func(p *chatapi.GeminiPart) bool { return p.Call && p.ID == e.Payload.(tenfold.ToolCall).CallID }).Args, p.Arguments)
			}
		case tenfold.ProviderItem:
			f.PutWhole(next(func(p *chatapi.GeminiPart) bool { return string(p.Span.Of(f.Raw)) == walk.CutValue }).Span, p.Data)
		case tenfold.ToolResult:
			k := numbered(e.ID, "result")
			if len(m.Calls) <= k {
				for _, one := range p.Parts {
					refillPart(&f, &m.Parts[k], one)
				}
				continue
			}
			parts := m.Calls[k].Result
			for _, one := range p.Parts {
				for len(parts) > 0 && parts[0].Response && !parts[0].Answer.Found() {
					parts = parts[1:]
				}
				refillPart(&f, &parts[0], one)
				parts = parts[1:]
			}
		}
	}
	return f.Done()
}

func refillPart(f *engine.Finder, p *chatapi.GeminiPart, one tenfold.Part) {
	switch {
	case one.File == nil && p.Response:
		f.Put(p.Output, one.Text)
		f.Put(p.Failure, one.Text)
		f.PutWhole(p.Answer, one.Text)
	case one.File == nil:
		f.Put(p.Text, one.Text)
	case one.File.Detail != "":
		f.PutWhole(p.Span, one.File.Detail)
	default:
		_, data, _ := strings.Cut(one.File.URI, ",")
		f.Put(p.Data, data)
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
	corpustest.Unraced(t)
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
		if !ok || !exactly(data) || bytes.ContainsAny(data, "\v\f\u0085\u00a0\u2028\u2029\u3000") || intake.NewHead(data, "").JSON.Shape != intake.ShapeLines {
			return
		}
		if lines := fileLines(t, data); len(lines) > 1 && !bytes.Contains(data, []byte(`"messages"`)) {
			sameLines(t, rebuildGemini(t, got.Entries), lines)
		}
	})
}
