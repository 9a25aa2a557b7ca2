package chatapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// openaiMessage is one message of a chat, with the places of its members.
type openaiMessage struct {
	kind               jsontext.Kind
	role, callID, name string

	content, refusal, reasoning, failure engine.Span
	parts                                []openaiPart // nil unless the content is a list
	calls                                []openaiCall
	thoughts                             []Block // Anthropic's thinking, as LiteLLM hands it on

	listed bool // the content is a list
	Once
}

type openaiPart struct {
	engine.Span
	kind               jsontext.Kind
	typ, name          string
	text, url, refusal engine.Span
}

type openaiCall struct {
	id, name  string
	arguments engine.Span
	custom    bool // of a tool that takes text
}

func (m *openaiMessage) parse(s *engine.Scanner, raw []byte) {
	*m = openaiMessage{parts: m.parts[:0], calls: m.calls[:0], thoughts: m.thoughts[:0]}
	s.Reset(raw)
	m.kind = s.Kind()
	seenCalls := false
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"role"`:
			m.Twice = m.Twice || m.role != ""
			m.role = s.Text()
		case `"content"`:
			m.Twice = m.Twice || m.content.Found()
			if s.Kind() != '[' {
				m.content = s.Value()
				return
			}
			m.content, m.listed = elsewhere, true
			engine.EachItem(s, func() {
				m.parts = append(m.parts, openaiPart{kind: s.Kind()})
				p := &m.parts[len(m.parts)-1]
				p.Span = engine.Within(s, func() { m.part(s, p) })
			})
		case `"tool_calls"`:
			m.Twice = m.Twice || seenCalls
			seenCalls = true
			engine.EachItem(s, func() { m.call(s) })
		case `"function_call"`:
			if s.Kind() == '{' {
				m.calls = append(m.calls, openaiCall{})
				m.function(s, &m.calls[len(m.calls)-1])
			} else {
				s.Value()
			}
		case `"tool_call_id"`:
			m.callID = s.Text()
		case `"name"`:
			m.name = s.Text()
		case `"refusal"`:
			m.take(s, &m.refusal)
		case `"reasoning_content"`, `"reasoning"`:
			if at := s.Value(); s.Err == nil && raw[at.From] == '"' && !m.reasoning.Found() {
				m.reasoning = at
			}
		case `"thinking_blocks"`:
			if s.Kind() != '[' {
				s.Value()
				return
			}
			var l BlockReader
			m.thoughts = l.blocks(s, m.thoughts[:0])
			m.Twice = m.Twice || l.Twice
		case `"error"`:
			m.take(s, &m.failure)
		default:
			s.Value()
		}
	})
}

// call reads {id, type, function: {name, arguments}}, and what others make of
// it: a function that is a name beside args, a custom tool with its input.
func (m *openaiMessage) call(s *engine.Scanner) {
	if s.Kind() != '{' {
		s.Value()
		m.Twice = true
		return
	}
	m.calls = append(m.calls, openaiCall{})
	c := &m.calls[len(m.calls)-1]
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			c.id = s.Text()
		case `"function"`, `"custom"`:
			if s.Kind() == '"' {
				c.name = s.Text()
				return
			}
			c.custom = string(name) == `"custom"`
			m.function(s, c)
		case `"args"`:
			m.take(s, &c.arguments)
		default:
			s.Value()
		}
	})
}

func (m *openaiMessage) function(s *engine.Scanner, c *openaiCall) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"name"`:
			c.name = s.Text()
		case `"arguments"`, `"input"`:
			m.take(s, &c.arguments)
		default:
			s.Value()
		}
	})
}

// part reads an item of a content list.
func (m *openaiMessage) part(s *engine.Scanner, p *openaiPart) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			p.typ = s.Text()
		case `"text"`, `"content"`:
			m.take(s, &p.text)
		case `"refusal"`:
			m.take(s, &p.refusal)
		case `"image_url"`, `"file"`:
			if s.Kind() == '"' {
				m.take(s, &p.url)
				return
			}
			engine.EachMember(s, func(name []byte) {
				switch string(name) {
				case `"url"`, `"file_data"`:
					m.take(s, &p.url)
				case `"filename"`:
					p.name = s.Text()
				default:
					s.Value()
				}
			})
		default:
			s.Value()
		}
	})
}

// texts gives the places of the texts a message is made of, and whether it is
// made of nothing else.
func (m *openaiMessage) texts(w *engine.Finder) (texts []engine.Span, all bool) {
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
			parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: p.typ, Detail: w.Whole(p.Span)}})
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
