package transcript

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// blockReader reads messages of Anthropic's API into their blocks.
type blockReader struct {
	// twice says that a member the importer models came twice, or has another
	// kind than it can have, so that the text has to speak for itself.
	twice bool
}

// claudeMessage is the API message of a line.
type claudeMessage struct {
	kind      jsontext.Kind
	id, model string
	content   span
	blocks    []claudeBlock
	usage     claudeUsage
}

type claudeUsage struct {
	found                                bool
	input, output, cacheRead, cacheWrite int
}

// claudeBlock is one item of a content list, with the places of its members.
type claudeBlock struct {
	span
	kind                            jsontext.Kind
	typ, id, name, callID           string
	text, thinking, signature, data span
	input, content, source          span
	sourceData                      span
	sourceType, mediaType, url      string
	isError                         bool
	items                           []claudeBlock
}

// readable reports whether the content has a shape the importer models.
func (m *claudeMessage) readable() bool {
	return m.content.found() && (m.blocks != nil || m.isText())
}

func (m *claudeMessage) isText() bool { return m.blocks == nil && m.content.to-m.content.from >= 2 }

func (l *blockReader) message(s *scanner, m *claudeMessage) {
	*m = claudeMessage{kind: s.kind(), blocks: m.blocks[:0]}
	var seen bool
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			m.id = s.text()
		case `"model"`:
			m.model = s.text()
		case `"content"`:
			l.twice = l.twice || seen
			seen = true
			l.content(s, m)
		case `"usage"`:
			l.usage(s, &m.usage)
		default:
			s.value()
		}
	})
	if !seen {
		m.blocks = nil
	}
}

// content reads what a message says: a text or a list of blocks.
func (l *blockReader) content(s *scanner, m *claudeMessage) {
	if s.kind() == '[' {
		m.content = span{0, 1} // a list: the blocks have their own places
		m.blocks = l.blocks(s, m.blocks)
		return
	}
	m.blocks = nil
	if at := s.value(); s.err == nil && s.raw[at.from] == '"' {
		m.content = at
	}
}

func (l *blockReader) usage(s *scanner, u *claudeUsage) {
	eachMember(s, func(name []byte) {
		at := s.value()
		switch string(name) {
		case `"input_tokens"`:
			u.input = s.number(at)
		case `"output_tokens"`:
			u.output = s.number(at)
		case `"cache_read_input_tokens"`:
			u.cacheRead = s.number(at)
		case `"cache_creation_input_tokens"`:
			u.cacheWrite = s.number(at)
		}
	})
	// Zeros alone are no report: so does a session begin that was made here.
	u.found = u.input+u.output+u.cacheRead+u.cacheWrite > 0
}

// blocks reads a content list. It never gives nil.
func (l *blockReader) blocks(s *scanner, into []claudeBlock) []claudeBlock {
	if into == nil {
		into = []claudeBlock{}
	}
	s.token()
	for s.more() {
		into = append(into, claudeBlock{kind: s.kind()})
		b := &into[len(into)-1]
		if b.kind != '{' {
			b.span = s.value()
			continue
		}
		b.from = -1
		l.block(s, b)
	}
	s.token()
	return into
}

func (l *blockReader) block(s *scanner, b *claudeBlock) {
	seen := func(at *span, v span) {
		l.twice = l.twice || at.found()
		*at = v
	}
	s.token()
	b.from = int(s.offset()) - 1
	for s.more() {
		switch string(s.name()) {
		case `"type"`:
			// A type that is no text makes it a block of nobody.
			l.twice = l.twice || b.typ != "" || s.kind() != '"'
			b.typ = s.text()
		case `"id"`:
			b.id = s.text()
		case `"name"`:
			b.name = s.text()
		case `"tool_use_id"`:
			b.callID = s.text()
		case `"is_error"`:
			b.isError = s.flag()
		case `"text"`:
			seen(&b.text, s.value())
		case `"thinking"`:
			seen(&b.thinking, s.value())
		case `"signature"`:
			seen(&b.signature, s.value())
		case `"data"`:
			seen(&b.data, s.value())
		case `"input"`:
			seen(&b.input, s.value())
		case `"content"`:
			if s.kind() == '[' {
				l.twice = l.twice || b.content.found()
				b.content = span{0, 1}
				b.items = l.blocks(s, nil)
				continue
			}
			seen(&b.content, s.value())
		case `"source"`:
			l.twice = l.twice || b.source.found()
			b.source = span{0, 1}
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"data"`:
					seen(&b.sourceData, s.value())
				case `"type"`:
					b.sourceType = s.text()
				case `"media_type"`:
					b.mediaType = s.text()
				case `"url"`:
					b.url = s.text()
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	}
	s.token()
	b.to = int(s.offset())
}

// blockPayload reads a block of an assistant's message. What Tenfold does not
// model goes back to Anthropic as it is, and to nobody else (P10).
func blockPayload(w *contentWriter, b *claudeBlock) tenfold.Payload {
	switch {
	case b.typ == "text" && w.isString(b.text):
		return tenfold.AssistantMessage{Text: w.text(b.text)}
	case b.typ == "thinking" && w.isString(b.thinking):
		r := tenfold.Reasoning{Text: w.text(b.thinking)}
		if w.isString(b.signature) {
			r.Provider, r.Signature = "anthropic", w.text(b.signature)
		}
		return r
	case b.typ == "redacted_thinking" && w.isString(b.data):
		return tenfold.Reasoning{Provider: "anthropic", Encrypted: w.text(b.data)}
	case b.typ == "tool_use" && b.input.found():
		return tenfold.ToolCall{CallID: b.id, Name: b.name, Arguments: w.whole(b.input)}
	}
	return tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: w.whole(b.span)}
}

func blockResult(w *contentWriter, b *claudeBlock) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: b.callID, IsError: b.isError}
	switch {
	case b.items != nil:
		for i := range b.items {
			r.Parts = append(r.Parts, blockPart(w, &b.items[i]))
		}
	case w.isString(b.content):
		r.Parts = tenfold.Text(w.text(b.content))
	case b.content.found() && w.raw[b.content.from] != 'n':
		r.Parts = []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.whole(b.content)}}}
	}
	return r
}

// blockPart reads a block of a user's message or of a result. A block that is
// neither text nor a file of a known shape, such as a tool_reference, was seen
// by the model all the same: it becomes a file whose detail is the block.
func blockPart(w *contentWriter, b *claudeBlock) tenfold.Part {
	switch {
	case b.kind == '"':
		return tenfold.TextPart(w.text(b.span))
	case b.typ == "text" && w.isString(b.text):
		return tenfold.TextPart(w.text(b.text))
	case b.typ == "image" || b.typ == "document":
		f := &tenfold.File{Type: tenfold.PartImage, MediaType: b.mediaType}
		if b.typ == "document" {
			f.Type = tenfold.PartFile
		}
		switch {
		case b.sourceType == "base64" && w.isString(b.sourceData):
			f.URI = "data:" + b.mediaType + ";base64," + w.text(b.sourceData)
			return tenfold.Part{File: f}
		case b.sourceType == "url" && b.url != "":
			f.URI = b.url
			return tenfold.Part{File: f}
		}
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: b.typ, Detail: w.whole(b.span)}}
}
