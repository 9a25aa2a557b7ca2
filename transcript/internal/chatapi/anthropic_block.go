package chatapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// BlockReader reads messages of Anthropic's API into their blocks.
type BlockReader struct {
	// Twice says that a member the importer models came twice, or has another
	// kind than it can have, so that the text has to speak for itself.
	Twice bool
}

// BlockMessage is the API message of a line.
type BlockMessage struct {
	Kind      jsontext.Kind
	ID, Model string
	Content   engine.Span
	Blocks    []Block
	Usage     BlockUsage
}

type BlockUsage struct {
	Found                                bool
	Input, Output, CacheRead, CacheWrite int
}

// Block is one item of a content list, with the places of its members.
type Block struct {
	engine.Span
	Kind                            jsontext.Kind
	Typ, id, name, callID           string
	Text, Thinking, Signature, Data engine.Span
	Input, Content, source          engine.Span
	SourceData                      engine.Span
	SourceType, MediaType, url      string
	isError                         bool
	Items                           []Block
}

// Readable reports whether the content has a shape the importer models.
func (m *BlockMessage) Readable() bool {
	return m.Content.Found() && (m.Blocks != nil || m.IsText())
}

func (m *BlockMessage) IsText() bool { return m.Blocks == nil && m.Content.To-m.Content.From >= 2 }

func (l *BlockReader) Message(s *engine.Scanner, m *BlockMessage) {
	*m = BlockMessage{Kind: s.Kind(), Blocks: m.Blocks[:0]}
	var seen bool
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			m.ID = s.Text()
		case `"model"`:
			m.Model = s.Text()
		case `"content"`:
			l.Twice = l.Twice || seen
			seen = true
			l.Content(s, m)
		case `"usage"`:
			l.usage(s, &m.Usage)
		default:
			s.Value()
		}
	})
	if !seen {
		m.Blocks = nil
	}
}

// Content reads what a message says: a text or a list of blocks.
func (l *BlockReader) Content(s *engine.Scanner, m *BlockMessage) {
	if s.Kind() == '[' {
		m.Content = engine.Span{From: 0, To: 1} // a list: the blocks have their own places
		m.Blocks = l.blocks(s, m.Blocks)
		return
	}
	m.Blocks = nil
	if at := s.Value(); s.Err == nil && s.Raw[at.From] == '"' {
		m.Content = at
	}
}

func (l *BlockReader) usage(s *engine.Scanner, u *BlockUsage) {
	engine.EachMember(s, func(name []byte) {
		at := s.Value()
		switch string(name) {
		case `"input_tokens"`:
			u.Input = s.Number(at)
		case `"output_tokens"`:
			u.Output = s.Number(at)
		case `"cache_read_input_tokens"`:
			u.CacheRead = s.Number(at)
		case `"cache_creation_input_tokens"`:
			u.CacheWrite = s.Number(at)
		}
	})
	// Zeros alone are no report: so does a session begin that was made here.
	u.Found = u.Input+u.Output+u.CacheRead+u.CacheWrite > 0
}

// blocks reads a content list. It never gives nil.
func (l *BlockReader) blocks(s *engine.Scanner, into []Block) []Block {
	if into == nil {
		into = []Block{}
	}
	s.Token()
	for s.More() {
		into = append(into, Block{Kind: s.Kind()})
		b := &into[len(into)-1]
		if b.Kind != '{' {
			b.Span = s.Value()
			continue
		}
		b.From = -1
		l.block(s, b)
	}
	s.Token()
	return into
}

func (l *BlockReader) block(s *engine.Scanner, b *Block) {
	seen := func(at *engine.Span, v engine.Span) {
		l.Twice = l.Twice || at.Found()
		*at = v
	}
	s.Token()
	b.From = int(s.Offset()) - 1
	for s.More() {
		switch string(s.Name()) {
		case `"type"`:
			// A type that is no text makes it a block of nobody.
			l.Twice = l.Twice || b.Typ != "" || s.Kind() != '"'
			b.Typ = s.Text()
		case `"id"`:
			b.id = s.Text()
		case `"name"`:
			b.name = s.Text()
		case `"tool_use_id"`:
			b.callID = s.Text()
		case `"is_error"`:
			b.isError = s.Flag()
		case `"text"`:
			seen(&b.Text, s.Value())
		case `"thinking"`:
			seen(&b.Thinking, s.Value())
		case `"signature"`:
			seen(&b.Signature, s.Value())
		case `"data"`:
			seen(&b.Data, s.Value())
		case `"input"`:
			seen(&b.Input, s.Value())
		case `"content"`:
			if s.Kind() == '[' {
				l.Twice = l.Twice || b.Content.Found()
				b.Content = engine.Span{From: 0, To: 1}
				b.Items = l.blocks(s, nil)
				continue
			}
			seen(&b.Content, s.Value())
		case `"source"`:
			l.Twice = l.Twice || b.source.Found()
			b.source = engine.Span{From: 0, To: 1}
			engine.EachMember(s, func(name []byte) {
				switch string(name) {
				case `"data"`:
					seen(&b.SourceData, s.Value())
				case `"type"`:
					b.SourceType = s.Text()
				case `"media_type"`:
					b.MediaType = s.Text()
				case `"url"`:
					b.url = s.Text()
				default:
					s.Value()
				}
			})
		default:
			s.Value()
		}
	}
	s.Token()
	b.To = int(s.Offset())
}

// BlockPayload reads a block of an assistant's message. What Tenfold does not
// model goes back to Anthropic as it is, and to nobody else (P10).
func BlockPayload(w *engine.ContentWriter, b *Block) tenfold.Payload {
	switch {
	case b.Typ == "text" && w.IsString(b.Text):
		return tenfold.AssistantMessage{Text: w.Text(b.Text)}
	case b.Typ == "thinking" && w.IsString(b.Thinking):
		r := tenfold.Reasoning{Text: w.Text(b.Thinking)}
		if w.IsString(b.Signature) {
			r.Provider, r.Signature = "anthropic", w.Text(b.Signature)
		}
		return r
	case b.Typ == "redacted_thinking" && w.IsString(b.Data):
		return tenfold.Reasoning{Provider: "anthropic", Encrypted: w.Text(b.Data)}
	case b.Typ == "tool_use" && b.Input.Found():
		return tenfold.ToolCall{CallID: b.id, Name: b.name, Arguments: w.Whole(b.Input)}
	}
	return tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: w.Whole(b.Span)}
}

func BlockResult(w *engine.ContentWriter, b *Block) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: b.callID, IsError: b.isError}
	switch {
	case b.Items != nil:
		for i := range b.Items {
			r.Parts = append(r.Parts, BlockPart(w, &b.Items[i]))
		}
	case w.IsString(b.Content):
		r.Parts = tenfold.Text(w.Text(b.Content))
	case b.Content.Found() && w.Raw[b.Content.From] != 'n':
		r.Parts = []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.Whole(b.Content)}}}
	}
	return r
}

// BlockPart reads a block of a user's message or of a result. A block that is
// neither text nor a file of a known shape, such as a tool_reference, was seen
// by the model all the same: it becomes a file whose detail is the block.
func BlockPart(w *engine.ContentWriter, b *Block) tenfold.Part {
	switch {
	case b.Kind == '"':
		return tenfold.TextPart(w.Text(b.Span))
	case b.Typ == "text" && w.IsString(b.Text):
		return tenfold.TextPart(w.Text(b.Text))
	case b.Typ == "image" || b.Typ == "document":
		f := &tenfold.File{Type: tenfold.PartImage, MediaType: b.MediaType}
		if b.Typ == "document" {
			f.Type = tenfold.PartFile
		}
		switch {
		case b.SourceType == "base64" && w.IsString(b.SourceData):
			f.URI = "data:" + b.MediaType + ";base64," + w.Text(b.SourceData)
			return tenfold.Part{File: f}
		case b.SourceType == "url" && b.url != "":
			f.URI = b.url
			return tenfold.Part{File: f}
		}
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: b.Typ, Detail: w.Whole(b.Span)}}
}
