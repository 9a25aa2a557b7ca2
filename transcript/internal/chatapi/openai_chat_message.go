package chatapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// openaiMessage is one message of a chat, with the places of its members.
type openaiMessage struct {
	kind               jsontext.Kind
	role, callID, name string

	content, refusal, reasoning, failure walk.Span
	parts                                []openaiPart // nil unless the content is a list
	calls                                []openaiCall
	thoughts                             []Block // Anthropic's thinking, as LiteLLM hands it on

	listed bool // the content is a list
	// twice says that a member the importer models came twice, or has another
	// kind than it can have, so that the text has to speak for itself.
	twice bool
}

type openaiPart struct {
	walk.Span
	kind               jsontext.Kind
	typ, name          string
	text, url, refusal walk.Span
}

type openaiCall struct {
	id, name  string
	arguments walk.Span
	custom    bool // of a tool that takes text
}

func (m *openaiMessage) parse(s *walk.Scanner, raw []byte) {
	*m = openaiMessage{parts: m.parts[:0], calls: m.calls[:0], thoughts: m.thoughts[:0]}
	s.Reset(raw)
	m.kind = s.Kind()
	seenCalls := false
	reasoning := func() {
		if at := s.Value(); s.Err == nil && raw[at.From] == '"' && !m.reasoning.Found() {
			m.reasoning = at
		}
	}
	walk.Shape{
		"role",
		walk.Once{Text: &m.role},
		"content",
		walk.List{At: &m.content, Read: func() {
			m.listed = true
			m.parts = walk.Items(s, m.parts, func(p *openaiPart) {
				p.kind = s.Kind()
				p.Span = walk.Within(s, func() { p.read(s) })
			})
		}},
		"tool_calls", func() {
			s.Once(&seenCalls)
			walk.EachItem(s, func() {
				if s.Kind() != '{' {
					s.Value()
					s.Twice = true
					return
				}
				m.calls = append(m.calls, openaiCall{})
				m.calls[len(m.calls)-1].read(s)
			})
		},
		"function_call", func() {
			if s.Kind() != '{' {
				s.Value()
				return
			}
			m.calls = append(m.calls, openaiCall{})
			m.calls[len(m.calls)-1].function(s)
		},
		"tool_call_id", &m.callID,
		"name", &m.name,
		"refusal", &m.refusal,
		"reasoning_content", reasoning,
		"reasoning", reasoning,
		"thinking_blocks", func() {
			if s.Kind() != '[' {
				s.Value()
				return
			}
			m.thoughts = readBlocks(s, m.thoughts[:0])
		},
		"error", &m.failure,
	}.Read(s)
	m.twice = s.Twice
}

// read reads {id, type, function: {name, arguments}}, and what others make of
// it: a function that is a name beside args, a custom tool with its input.
func (c *openaiCall) read(s *walk.Scanner) {
	named := func(custom bool) func() {
		return func() {
			if s.Kind() == '"' {
				c.name = s.Text()
				return
			}
			c.custom = custom
			c.function(s)
		}
	}
	walk.Shape{"id", &c.id, "function", named(false), "custom", named(true), "args", &c.arguments}.Read(s)
}

func (c *openaiCall) function(s *walk.Scanner) {
	walk.Shape{"name", &c.name, "arguments", &c.arguments, "input", &c.arguments}.Read(s)
}

// read reads an item of a content list.
func (p *openaiPart) read(s *walk.Scanner) {
	file := func() {
		if s.Kind() == '"' {
			s.Twice = s.Twice || p.url.Found()
			p.url = s.Value()
			return
		}
		walk.Shape{"url", &p.url, "file_data", &p.url, "filename", &p.name}.Read(s)
	}
	walk.Shape{
		"type", &p.typ, "text", &p.text, "content", &p.text, "refusal", &p.refusal, "image_url", file, "file", file,
	}.Read(s)
}

// texts gives the places of the texts a message is made of, and whether it is
// made of nothing else.
func (m *openaiMessage) texts(w *engine.Finder) (texts []walk.Span, all bool) {
	if !m.listed {
		if w.IsString(m.content) {
			texts = append(texts, m.content)
		}
		return texts, len(texts) == 1
	}
	for i := range m.parts {
		p := &m.parts[i]
		at := p.text
		if p.kind == '"' {
			at = p.Span
		}
		if !w.IsString(at) {
			return texts, false
		}
		texts = append(texts, at)
	}
	return texts, len(texts) > 0
}

// parted reads the content as the parts of a user's message or of a result.
func (m *openaiMessage) parted(w *engine.Finder) []tenfold.Part {
	if !m.listed {
		switch {
		case w.IsString(m.content):
			return tenfold.Text(w.Text(m.content))
		case m.content.Found() && w.Raw[m.content.From] != 'n':
			return tenfold.Text(w.Whole(m.content)) // a tool's JSON
		}
		return nil
	}
	var parts []tenfold.Part
	for i := range m.parts {
		p := &m.parts[i]
		switch {
		case p.kind == '"':
			parts = append(parts, tenfold.TextPart(w.Text(p.Span)))
		case w.IsString(p.url) && p.typ != "text":
			f := &tenfold.File{Type: tenfold.PartImage, Name: p.name, URI: w.Text(p.url)}
			if p.typ == "file" {
				f.Type = tenfold.PartFile
			}
			f.MediaType = mediaType(f.URI)
			parts = append(parts, tenfold.Part{File: f})
		case w.IsString(p.text):
			parts = append(parts, tenfold.TextPart(w.Text(p.text)))
		default:
			parts = append(parts, w.UnknownPart(p.typ, p.Span))
		}
	}
	return parts
}

// said reads the content as what a model said.
func (m *openaiMessage) said(w *engine.Finder) (payloads []tenfold.Payload, odd bool) {
	for i := range m.thoughts {
		b := &m.thoughts[i]
		switch {
		case b.Typ == "thinking" && w.IsString(b.Thinking), b.Typ == "redacted_thinking" && w.IsString(b.Data):
			payloads = append(payloads, BlockPayload(w, b))
		default:
			odd = true // it stays in the message
		}
	}
	if len(payloads) == 0 && m.reasoning.Found() {
		payloads = append(payloads, tenfold.Reasoning{Text: w.Text(m.reasoning), Provider: "openai-chat"})
	}
	if !m.listed && w.IsString(m.content) && m.content.To-m.content.From > 2 {
		payloads = append(payloads, tenfold.AssistantMessage{Text: w.Text(m.content)})
	}
	if !m.listed && m.content.Found() && !w.IsString(m.content) && w.Raw[m.content.From] != 'n' {
		odd = true
	}
	if m.listed {
		for i := range m.parts {
			p := &m.parts[i]
			switch {
			case p.kind == '"':
				payloads = append(payloads, tenfold.AssistantMessage{Text: w.Text(p.Span)})
			case w.IsString(p.text):
				payloads = append(payloads, tenfold.AssistantMessage{Text: w.Text(p.text)})
			case w.IsString(p.refusal):
				payloads = append(payloads, tenfold.AssistantMessage{Text: w.Text(p.refusal)})
			default:
				odd = true
				payloads = append(payloads, tenfold.ProviderItem{Provider: "openai-chat", Role: "assistant", Data: w.Whole(p.Span)})
			}
		}
	}
	if w.IsString(m.refusal) {
		payloads = append(payloads, tenfold.AssistantMessage{Text: w.Text(m.refusal)})
	}
	return payloads, odd
}
