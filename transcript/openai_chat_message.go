package transcript

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// openaiMessage is one message of a chat, with the places of its members.
type openaiMessage struct {
	kind               jsontext.Kind
	role, callID, name string

	content, refusal, reasoning, failure span
	parts                                []openaiPart // nil unless the content is a list
	calls                                []openaiCall
	thoughts                             []claudeBlock // Anthropic's thinking, as LiteLLM hands it on

	listed bool // the content is a list
	twice  bool // a member that is read came twice, or is no such thing
}

type openaiPart struct {
	span
	kind               jsontext.Kind
	typ, name          string
	text, url, refusal span
}

type openaiCall struct {
	id, name  string
	arguments span
	legacy    bool // a function_call: it has no id
	custom    bool // of a tool that takes text
}

func (m *openaiMessage) parse(s *scanner, raw []byte) {
	*m = openaiMessage{parts: m.parts[:0], calls: m.calls[:0], thoughts: m.thoughts[:0]}
	s.reset(raw)
	m.kind = s.kind()
	seenCalls := false
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"role"`:
			m.twice = m.twice || m.role != ""
			m.role = s.text()
		case `"content"`:
			m.twice = m.twice || m.content.found()
			if s.kind() != '[' {
				m.content = s.value()
				return
			}
			m.content, m.listed = span{0, 1}, true
			s.token()
			for s.more() {
				m.part(s)
			}
			s.token()
		case `"tool_calls"`:
			m.twice = m.twice || seenCalls
			seenCalls = true
			m.list(s, func() { m.call(s, false) })
		case `"function_call"`:
			if s.kind() == '{' {
				m.calls = append(m.calls, openaiCall{legacy: true})
				m.function(s, &m.calls[len(m.calls)-1])
			} else {
				s.value()
			}
		case `"tool_call_id"`:
			m.callID = s.text()
		case `"name"`:
			m.name = s.text()
		case `"refusal"`:
			m.take(s, &m.refusal)
		case `"reasoning_content"`, `"reasoning"`:
			if at := s.value(); s.err == nil && raw[at.from] == '"' && !m.reasoning.found() {
				m.reasoning = at
			}
		case `"thinking_blocks"`:
			if s.kind() != '[' {
				s.value()
				return
			}
			var l blockReader
			m.thoughts = l.blocks(s, m.thoughts[:0])
			m.twice = m.twice || l.twice
		case `"error"`:
			m.take(s, &m.failure)
		default:
			s.value()
		}
	})
}

func (m *openaiMessage) take(s *scanner, at *span) {
	m.twice = m.twice || at.found()
	*at = s.value()
}

// list walks over a list of objects; anything else is skipped.
func (m *openaiMessage) list(s *scanner, each func()) {
	if s.kind() != '[' {
		s.value()
		return
	}
	s.token()
	for s.more() {
		each()
	}
	s.token()
}

// call reads {id, type, function: {name, arguments}}, and what others make of
// it: a function that is a name beside args, a custom tool with its input.
func (m *openaiMessage) call(s *scanner, legacy bool) {
	if s.kind() != '{' {
		s.value()
		m.twice = true
		return
	}
	m.calls = append(m.calls, openaiCall{legacy: legacy})
	c := &m.calls[len(m.calls)-1]
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			c.id = s.text()
		case `"function"`, `"custom"`:
			if s.kind() == '"' {
				c.name = s.text()
				return
			}
			c.custom = string(name) == `"custom"`
			m.function(s, c)
		case `"args"`:
			m.take(s, &c.arguments)
		default:
			s.value()
		}
	})
}

func (m *openaiMessage) function(s *scanner, c *openaiCall) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"name"`:
			c.name = s.text()
		case `"arguments"`, `"input"`:
			m.take(s, &c.arguments)
		default:
			s.value()
		}
	})
}

// part reads an item of a content list.
func (m *openaiMessage) part(s *scanner) {
	m.parts = append(m.parts, openaiPart{kind: s.kind()})
	p := &m.parts[len(m.parts)-1]
	if p.kind != '{' {
		p.span = s.value()
		return
	}
	s.token()
	p.from = int(s.offset()) - 1
	for s.more() {
		switch string(s.name()) {
		case `"type"`:
			p.typ = s.text()
		case `"text"`, `"content"`:
			m.take(s, &p.text)
		case `"refusal"`:
			m.take(s, &p.refusal)
		case `"image_url"`, `"file"`:
			if s.kind() == '"' {
				m.take(s, &p.url)
				continue
			}
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"url"`, `"file_data"`:
					m.take(s, &p.url)
				case `"filename"`:
					p.name = s.text()
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	}
	s.token()
	p.to = int(s.offset())
}

// texts gives the places of the texts a message is made of, and whether it is
// made of nothing else.
func (m *openaiMessage) texts(w *contentWriter) (texts []span, all bool) {
	if !m.listed {
		if w.isString(m.content) {
			texts = append(texts, m.content)
		}
		return texts, len(texts) == 1
	}
	for i := range m.parts {
		p := &m.parts[i]
		at := p.text
		if p.kind == '"' {
			at = p.span
		}
		if !w.isString(at) {
			return texts, false
		}
		texts = append(texts, at)
	}
	return texts, len(texts) > 0
}

// parted reads the content as the parts of a user's message or of a result.
func (m *openaiMessage) parted(w *contentWriter) []tenfold.Part {
	if !m.listed {
		switch {
		case w.isString(m.content):
			return tenfold.Text(w.text(m.content))
		case m.content.found() && w.raw[m.content.from] != 'n':
			return tenfold.Text(w.whole(m.content)) // a tool's JSON
		}
		return nil
	}
	var parts []tenfold.Part
	for i := range m.parts {
		p := &m.parts[i]
		switch {
		case p.kind == '"':
			parts = append(parts, tenfold.TextPart(w.text(p.span)))
		case w.isString(p.url) && p.typ != "text":
			f := &tenfold.File{Type: tenfold.PartImage, Name: p.name, URI: w.text(p.url)}
			if p.typ == "file" {
				f.Type = tenfold.PartFile
			}
			f.MediaType = mediaType(f.URI)
			parts = append(parts, tenfold.Part{File: f})
		case w.isString(p.text):
			parts = append(parts, tenfold.TextPart(w.text(p.text)))
		default:
			parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: p.typ, Detail: w.whole(p.span)}})
		}
	}
	return parts
}

// said reads the content as what a model said.
func (m *openaiMessage) said(w *contentWriter) (payloads []tenfold.Payload, odd bool) {
	for i := range m.thoughts {
		b := &m.thoughts[i]
		switch {
		case b.typ == "thinking" && w.isString(b.thinking), b.typ == "redacted_thinking" && w.isString(b.data):
			payloads = append(payloads, blockPayload(w, b))
		default:
			odd = true // it stays in the message
		}
	}
	if len(payloads) == 0 && m.reasoning.found() {
		payloads = append(payloads, tenfold.Reasoning{Text: w.text(m.reasoning), Provider: "openai-chat"})
	}
	if !m.listed && w.isString(m.content) && m.content.to-m.content.from > 2 {
		payloads = append(payloads, tenfold.AssistantMessage{Text: w.text(m.content)})
	}
	if !m.listed && m.content.found() && !w.isString(m.content) && w.raw[m.content.from] != 'n' {
		odd = true
	}
	if m.listed {
		for i := range m.parts {
			p := &m.parts[i]
			switch {
			case p.kind == '"':
				payloads = append(payloads, tenfold.AssistantMessage{Text: w.text(p.span)})
			case w.isString(p.text):
				payloads = append(payloads, tenfold.AssistantMessage{Text: w.text(p.text)})
			case w.isString(p.refusal):
				payloads = append(payloads, tenfold.AssistantMessage{Text: w.text(p.refusal)})
			default:
				odd = true
				payloads = append(payloads, tenfold.ProviderItem{Provider: "openai-chat", Role: "assistant", Data: w.whole(p.span)})
			}
		}
	}
	if w.isString(m.refusal) {
		payloads = append(payloads, tenfold.AssistantMessage{Text: w.text(m.refusal)})
	}
	return payloads, odd
}
