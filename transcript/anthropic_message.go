package transcript

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// anthropicMessage is a message of a request, or a whole response: its blocks
// are those that Claude Code's lines hold.
type anthropicMessage struct {
	kind            jsontext.Kind
	typ, role       string
	id, model       string
	content         span
	blocks          []claudeBlock // nil unless the content is a list
	usage           claudeUsage
	twice           bool
	results, thinks int // blocks of these kinds
}

func (m *anthropicMessage) parse(s *scanner, raw []byte) {
	var l blockReader
	blocks := m.blocks[:0]
	*m = anthropicMessage{}
	s.reset(raw)
	m.kind = s.kind()
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			m.typ = s.text()
		case `"role"`:
			m.twice = m.twice || m.role != ""
			m.role = s.text()
		case `"id"`:
			m.id = s.text()
		case `"model"`:
			m.model = s.text()
		case `"usage"`:
			l.usage(s, &m.usage)
		case `"content"`:
			m.twice = m.twice || m.content.found()
			if s.kind() == '[' {
				m.content = span{0, 1}
				m.blocks = l.blocks(s, blocks)
				return
			}
			m.content = s.value()
		default:
			s.value()
		}
	})
	m.twice = m.twice || l.twice
}

// readable reports whether blocks of the kinds we know look as they should.
func (m *anthropicMessage) readable(w *contentWriter) bool {
	if m.kind != '{' || m.twice || (m.blocks == nil && !w.isString(m.content)) {
		return false
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		if m.role != "assistant" {
			if b.kind != '{' && b.kind != '"' {
				return false
			}
			continue
		}
		switch b.typ {
		case "text":
			if !w.isString(b.text) {
				return false
			}
		case "thinking":
			if !w.isString(b.thinking) {
				return false
			}
		case "redacted_thinking":
			if !w.isString(b.data) {
				return false
			}
		case "tool_use":
			if !b.input.found() {
				return false
			}
		case "tool_result", "":
			return false
		}
	}
	return true
}

// answer gives what a model said, and how many blocks only Anthropic knows.
func (m *anthropicMessage) answer(w *contentWriter) (payloads []tenfold.Payload, own int) {
	if m.blocks == nil {
		return []tenfold.Payload{tenfold.AssistantMessage{Text: w.text(m.content)}}, 0
	}
	for i := range m.blocks {
		p := blockPayload(w, &m.blocks[i])
		if _, ok := p.(tenfold.ProviderItem); ok {
			own++
		}
		if _, ok := p.(tenfold.Reasoning); ok && i > 0 {
			m.thinks++
		}
		payloads = append(payloads, p)
	}
	if len(payloads) == 0 {
		payloads = append(payloads, tenfold.AssistantMessage{})
	}
	return payloads, own
}

// request gives what a user's message holds: results, then what else there is.
func (m *anthropicMessage) request(w *contentWriter, injected bool, typed func([]tenfold.Part) bool) (payloads []tenfold.Payload, own int) {
	if m.blocks == nil {
		return []tenfold.Payload{tenfold.UserMessage{Parts: tenfold.Text(w.text(m.content)), Synthetic: injected}}, 0
	}
	var rest []tenfold.Payload
	var parts []tenfold.Part
	flush := func() {
		if len(parts) > 0 {
			rest = append(rest, tenfold.UserMessage{Parts: parts, Synthetic: injected || !typed(parts)})
			parts = nil
		}
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		switch {
		case b.typ == "tool_result":
			payloads = append(payloads, blockResult(w, b))
			m.results++
		case anthropicOnly(w, b):
			flush()
			rest = append(rest, tenfold.ProviderItem{Provider: "anthropic", Role: "user", Data: w.whole(b.span)})
			own++
		default:
			parts = append(parts, blockPart(w, b))
		}
	}
	flush()
	payloads = append(payloads, rest...)
	if len(payloads) == 0 {
		payloads = append(payloads, tenfold.UserMessage{Synthetic: injected})
	}
	return payloads, own
}

// anthropicOnly reports whether a user's block is one that only Anthropic can
// be given: neither a text nor an image or document by value or by address.
func anthropicOnly(w *contentWriter, b *claudeBlock) bool {
	switch {
	case b.kind != '{' || b.typ == "" || b.typ == "text":
		return false
	case b.typ == "image" || b.typ == "document":
		base64 := b.sourceType == "base64" && w.isString(b.sourceData) && b.mediaType != ""
		return !base64 && (b.sourceType != "url" || b.url == "") && b.source.found()
	case b.typ == "tool_use" || strings.HasSuffix(b.typ, "thinking"):
		return false // no user's; the text of it does no harm
	}
	return true
}
