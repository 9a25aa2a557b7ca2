package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/intake"
)

// checkChatSources proves that importing a source of messages loses nothing:
// what a Source lacks of its message or record stands in its payloads.
func checkChatSources(tb testing.TB, data []byte, all []Collected) {
	tb.Helper()
	want := chatOriginals(tb, data)
	n := 0
	for _, c := range all {
		for i := 0; i < len(c.Entries); {
			id := intake.RecordID(c.Entries[i].ID)
			f := taken{}
			source := ""
			for ; i < len(c.Entries) && intake.RecordID(c.Entries[i].ID) == id; i++ {
				e := c.Entries[i]
				f.take(e.Payload)
				if e.Source != "" && source != "" {
					tb.Fatalf("%s has two sources", id)
				}
				source += e.Source
			}
			if source == "" || strings.HasPrefix(id, "compaction:") {
				if id != "request" && !strings.HasPrefix(id, "request:") && source == "" {
					tb.Errorf("%s has no source", id)
				}
				continue // said after all messages, or by a sibling
			}
			if n == len(want) {
				tb.Fatalf("there are more sources than messages: %s", id)
			}
			if problem := f.explains(decodeJSON(tb, []byte(source)), want[n], ""); problem != "" {
				tb.Errorf("%s, message %d: %s", id, n, problem)
			}
			n++
		}
	}
	if n != len(want) {
		tb.Errorf("%d sources, want %d", n, len(want))
	}
}

// chatOriginals gives records and messages in the order in which they are
// emitted; null stands in a record for what is emitted by itself.
func chatOriginals(tb testing.TB, data []byte) (out []any) {
	tb.Helper()
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, intake.Bom)))
	dec.UseNumber()
	var one func(v any, depth int)
	one = func(v any, depth int) {
		if list, ok := v.([]any); ok && depth < 2 {
			for _, item := range list {
				one(item, depth+1)
			}
			return
		}
		m, ok := v.(map[string]any)
		if !ok {
			out = append(out, v)
			return
		}
		var messages []any
		for _, name := range []string{"messages", "traj", "conversation", "contents"} {
			if list, ok := m[name].([]any); ok {
				messages, m[name] = list, nil
				break
			}
		}
		var answer any
		for _, r := range []any{m["raw_response"], m["response"], m} {
			r, _ := r.(map[string]any)
			choices, _ := r["choices"].([]any)
			if len(choices) == 0 {
				continue
			}
			first, _ := choices[0].(map[string]any)
			if answer = first["message"]; answer != nil {
				first["message"] = nil
				break
			}
		}
		out = append(out, v)
		if out = append(out, messages...); answer != nil {
			out = append(out, answer)
		}
	}
	for {
		var v any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			tb.Fatal(err)
		}
		one(v, 0)
	}
}

// taken is what payloads hold.
type taken []string

func (t *taken) take(p tenfold.Payload) {
	add := func(texts ...string) {
		for _, s := range texts {
			if s != "" {
				*t = append(*t, s)
			}
		}
	}
	parts := func(parts []tenfold.Part) {
		for _, p := range parts {
			if add(p.Text); p.File != nil {
				add(p.File.URI, p.File.Detail)
			}
		}
	}
	switch p := p.(type) {
	case tenfold.UserMessage:
		parts(p.Parts)
	case tenfold.ToolResult:
		parts(p.Parts)
	case tenfold.AssistantMessage:
		add(p.Text)
	case tenfold.Reasoning:
		add(p.Text, p.Signature, p.Encrypted)
	case tenfold.ToolCall:
		add(p.Arguments)
	case tenfold.ProviderItem:
		add(p.Data)
	case tenfold.ConfigDelta:
		if p.System != nil {
			add(*p.System)
		}
		if p.Tools != nil {
			for _, tool := range *p.Tools {
				add(tool.Description, tool.Schema)
			}
		}
	case tenfold.Compaction:
		if p.Summary != nil {
			add(p.Summary.Text)
		}
	}
}

// explains compares a source with what it came from. Every difference has to
// be a value that was taken over, and each such value explains one.
func (t *taken) explains(source, original any, path string) string {
	switch o := original.(type) {
	case map[string]any:
		s, ok := source.(map[string]any)
		if !ok {
			break
		}
		if len(s) != len(o) {
			return path + " has other members"
		}
		for name := range o {
			if _, ok := s[name]; !ok {
				return path + "." + name + " is missing"
			}
			if problem := t.explains(s[name], o[name], path+"."+name); problem != "" {
				return problem
			}
		}
		return ""
	case []any:
		s, ok := source.([]any)
		if !ok {
			break
		}
		if len(s) != len(o) {
			return path + " has another length"
		}
		for i := range o {
			if problem := t.explains(s[i], o[i], path+"[]"); problem != "" {
				return problem
			}
		}
		return ""
	case string:
		if source == "" && o != "" {
			return t.use(path, func(have string) bool { return have == o || strings.HasSuffix(have, ";base64,"+o) })
		}
	}
	if source == original {
		return ""
	}
	if source != nil {
		return path + " was changed"
	}
	want := canonical(original)
	return t.use(path, func(have string) bool {
		if len(have) > len(want)*12+100 || !json.Valid([]byte(have)) {
			return false
		}
		var v any
		dec := json.NewDecoder(strings.NewReader(have))
		dec.UseNumber()
		return dec.Decode(&v) == nil && canonical(v) == want
	})
}

func (t *taken) use(path string, is func(string) bool) string {
	i := slices.IndexFunc(*t, is)
	if i < 0 {
		return path + " is in no payload"
	}
	*t = slices.Delete(*t, i, i+1)
	return ""
}

func canonical(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestChatSamplesAreLossless(t *testing.T) {
	for _, format := range []Format{OpenAIChat, AnthropicBody, GeminiBody, GeminiResponses, LiteLLM, AgentDojo, Cline} {
		for _, w := range samples(t, format) {
			t.Run(w.path, func(t *testing.T) {
				got, err := w.read(w.data, "")
				if err != nil {
					t.Fatal(err)
				}
				checkChatSources(t, w.data, got)
			})
		}
	}
}
