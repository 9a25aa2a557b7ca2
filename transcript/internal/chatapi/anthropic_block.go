package chatapi

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// BlockMessage is the API message of a line.
type BlockMessage struct {
	Kind      jsontext.Kind
	ID, Model string
	Content   walk.Span
	Blocks    []Block
	Usage     BlockUsage
}

// BlockUsage is what a message cost, if it says so.
type BlockUsage struct {
	tenfold.Usage
	Found bool
}

// By is the usage of a model.
func (u *BlockUsage) By(model string) tenfold.Usage {
	by := u.Usage
	by.Model = model
	return by
}

// Block is one item of a content list, with the places of its members.
type Block struct {
	walk.Span
	Kind                            jsontext.Kind
	Typ, id, name, callID           string
	Text, Thinking, Signature, Data walk.Span
	Input, Content, source          walk.Span
	SourceData                      walk.Span
	SourceType, MediaType, url      string
	isError                         bool
	Items                           []Block
}

// Call gives the id and the tool of a block that is a call.
func (b *Block) Call() (id, name string) {
	if b.Typ != "tool_use" {
		return "", ""
	}
	return b.id, b.name
}

// Readable reports whether the content has a shape the importer models.
func (m *BlockMessage) Readable() bool {
	return m.Content.Found() && (m.Blocks != nil || m.IsText())
}

func (m *BlockMessage) IsText() bool { return m.Blocks == nil && m.Content.To-m.Content.From >= 2 }

// Read reads an API message, and the members that others name. A member that
// comes twice, or has another kind than it can have, is told by [walk.Scanner.Twice]:
// the text has to speak for itself.
func (m *BlockMessage) Read(s *walk.Scanner, others ...walk.Shape) {
	*m = BlockMessage{Kind: s.Kind(), Blocks: m.Blocks[:0]}
	seen := false
	walk.Shape{
		"id", &m.ID,
		"model", &m.Model,
		"content", func() {
			s.Once(&seen)
			m.ReadContent(s)
		},
		"usage", func() { m.Usage.read(s) },
	}.Read(s, others...)
	if !seen {
		m.Blocks = nil
	}
}

// ReadContent reads what a message says: a text or a list of blocks.
func (m *BlockMessage) ReadContent(s *walk.Scanner) {
	if s.Kind() == '[' {
		m.Content = walk.Elsewhere
		m.Blocks = readBlocks(s, m.Blocks)
		return
	}
	m.Blocks = nil
	if at := s.Value(); s.Err == nil && s.Raw[at.From] == '"' {
		m.Content = at
	}
}

func (u *BlockUsage) read(s *walk.Scanner) {
	walk.Shape{
		"input_tokens", &u.Input,
		"output_tokens", &u.Output,
		"cache_read_input_tokens", &u.CacheRead,
		"cache_creation_input_tokens", &u.CacheWrite,
	}.Read(s)
	// Zeros alone are not a report: so does a session begin that was made here.
	u.Found = u.Input+u.Output+u.CacheRead+u.CacheWrite > 0
}

// readBlocks reads a content list. It never gives nil.
func readBlocks(s *walk.Scanner, into []Block) []Block {
	if into == nil {
		into = []Block{}
	}
	return walk.Items(s, into, func(b *Block) {
		b.Kind = s.Kind()
		b.Span = walk.Within(s, func() { b.read(s) })
	})
}

func (b *Block) read(s *walk.Scanner) {
	walk.Shape{
		"type", func() {
			// A type that is not text makes it a block of nobody.
			s.Twice = s.Twice || b.Typ != "" || s.Kind() != '"'
			b.Typ = s.Text()
		},
		"id", &b.id,
		"name", &b.name,
		"tool_use_id", &b.callID,
		"is_error", &b.isError,
		"text", &b.Text,
		"thinking", &b.Thinking,
		"signature", &b.Signature,
		"data", &b.Data,
		"input", &b.Input,
		"content",
		walk.List{At: &b.Content, Read: func() { b.Items = readBlocks(s, nil) }},
		"source", func() {
			s.Twice = s.Twice || b.source.Found()
			b.source = walk.Elsewhere
			walk.Shape{"data", &b.SourceData, "type", &b.SourceType, "media_type", &b.MediaType, "url", &b.url}.Read(s)
		},
	}.Read(s)
}

// stunted reports whether an assistant's block lacks what its type has: no
// provider would take it back.
func (b *Block) stunted(w *engine.Finder) bool {
	switch b.Typ {
	case "text":
		return !w.IsString(b.Text)
	case "thinking":
		return !w.IsString(b.Thinking)
	case "redacted_thinking":
		return !w.IsString(b.Data)
	case "tool_use":
		return !b.Input.Found()
	}
	return false
}

// Stunted reports whether a block of an assistant's message is.
func (m *BlockMessage) Stunted(w *engine.Finder) bool {
	return slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.stunted(w) })
}

// BlockPayload reads a block of an assistant's message. What Tenfold does not
// model goes back to Anthropic as it is, and to nobody else (P10).
func BlockPayload(w *engine.Finder, b *Block) tenfold.Payload {
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

func BlockResult(w *engine.Finder, b *Block) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: b.callID, IsError: b.isError}
	switch {
	case b.Items != nil:
		for i := range b.Items {
			r.Parts = append(r.Parts, BlockPart(w, &b.Items[i]))
		}
	case w.IsString(b.Content):
		r.Parts = tenfold.Text(w.Text(b.Content))
	case b.Content.Found() && (w.Raw[b.Content.From] != 'n' || len(w.Fill) > 0):
		r.Parts = []tenfold.Part{w.UnknownPart("", b.Content)}
	}
	return r
}

// BlockPart reads a block of a user's message or of a result. A block that is
// neither text nor a file of a known shape, such as a tool_reference, was seen
// by the model all the same: it becomes a file whose detail is the block.
func BlockPart(w *engine.Finder, b *Block) tenfold.Part {
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
			f.URI = engine.Inline(b.MediaType, w.Text(b.SourceData))
			return tenfold.Part{File: f}
		case b.SourceType == "url" && b.url != "":
			f.URI = b.url
			return tenfold.Part{File: f}
		}
	}
	return w.UnknownPart(b.Typ, b.Span)
}
