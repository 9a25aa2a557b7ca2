package claudecode

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
)

// refill puts the values that the payloads of one record hold back into the
// holes that the importer left in its Source. It is the counterpart of
// [engine.ContentWriter]: what that cuts, this fills.
type refill struct {
	raw     []byte
	cuts    []engine.Cut
	ascii   bool // write other characters than ASCII as escapes
	results []tenfold.ToolResult
	parts   []tenfold.Part
	blocks  []tenfold.Payload
	missing bool // a payload that the Source has a place for is not there
}

// rebuildClaude gives the line that the entries of one record came from; false
// when they are not what its Source left out. An id that hashes the line tells
// which of two spellings of its texts it had.
func rebuildClaude(scan *engine.Scanner, id, source string, entries []tenfold.Entry) (string, bool) {
	line, ok := rebuildClaudeAs(scan, source, entries, false)
	if want, hashed := strings.CutPrefix(id, "line:"); ok && hashed {
		if want, _, _ = strings.Cut(want, "~"); engine.Digest([]byte(line)) != want {
			if other, _ := rebuildClaudeAs(scan, source, entries, true); engine.Digest([]byte(other)) == want {
				return other, true
			}
		}
	}
	return line, ok
}

func rebuildClaudeAs(scan *engine.Scanner, source string, entries []tenfold.Entry, ascii bool) (string, bool) {
	r := refill{raw: []byte(source), ascii: ascii}
	var summary *tenfold.Summary
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case tenfold.ToolResult:
			r.results = append(r.results, p)
		case tenfold.UserMessage:
			r.parts = append(r.parts, p.Parts...)
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem:
			r.blocks = append(r.blocks, p)
		case tenfold.Compaction:
			summary = p.Summary
		}
	}
	if len(r.results)+len(r.parts)+len(r.blocks) == 0 && summary == nil {
		return source, true
	}
	var l claudeLine
	l.parse(scan, r.raw)
	switch {
	case scan.Err != nil:
		return "", false
	case l.typ == "queue-operation":
		return source, true // the line holds what the message says
	case l.typ == "attachment" || l.typ == "system":
		return r.attachment(&l)
	}
	m := l.said()[0]
	if !m.Readable() {
		return "", false
	}
	switch {
	case summary != nil:
		if m.IsText() {
			r.text(m.Content, summary.Text)
		}
	case !m.IsText():
		for i := range m.Blocks {
			r.block(&m.Blocks[i])
		}
	case len(r.blocks) == 1:
		if t, ok := r.blocks[0].(tenfold.AssistantMessage); ok {
			r.text(m.Content, t.Text)
			r.blocks = nil
		}
	case len(r.parts) == 1:
		r.text(m.Content, r.parts[0].Text)
		r.parts = nil
	}
	if r.missing || len(r.results)+len(r.parts)+len(r.blocks) > 0 {
		return "", false
	}
	return engine.Splice(r.raw, r.cuts), true
}

// attachment fills what an attachment says; one of an older version holds it.
func (r *refill) attachment(l *claudeLine) (string, bool) {
	parts := r.parts
	for _, m := range l.said() {
		switch {
		case !m.Readable():
		case m.IsText() && len(parts) > 0:
			r.text(m.Content, parts[0].Text)
			parts = parts[1:]
		default:
			for i := range m.Blocks {
				if len(parts) == 0 {
					return "", false
				}
				r.part(&m.Blocks[i], parts[0])
				parts = parts[1:]
			}
		}
	}
	return engine.Splice(r.raw, r.cuts), true
}

// text fills a hole that a text left; where the Source kept the text, it stays.
func (r *refill) text(at engine.Span, text string) {
	if string(at.Of(r.raw)) != engine.CutText || text == "" {
		return
	}
	quoted, _ := jsontext.AppendQuote(nil, text)
	if r.ascii {
		quoted = escapeASCII(quoted)
	}
	r.cuts = append(r.cuts, engine.Cut{Span: at, With: string(quoted)})
}

func (r *refill) whole(at engine.Span, value string) {
	if string(at.Of(r.raw)) == engine.CutValue {
		r.cuts = append(r.cuts, engine.Cut{Span: at, With: value})
	}
}

// block fills one item of a content list.
func (r *refill) block(b *chatapi.Block) {
	switch {
	case len(r.blocks) > 0:
		p := r.blocks[0]
		r.blocks = r.blocks[1:]
		r.assistant(b, p)
	case b.Kind == '{' && b.Typ == "tool_result":
		if r.missing = r.missing || len(r.results) == 0; r.missing {
			return
		}
		p := r.results[0]
		r.results = r.results[1:]
		r.result(b, p.Parts)
	default:
		if r.missing = r.missing || len(r.parts) == 0; r.missing {
			return
		}
		p := r.parts[0]
		r.parts = r.parts[1:]
		r.part(b, p)
	}
}

func (r *refill) assistant(b *chatapi.Block, p tenfold.Payload) {
	switch p := p.(type) {
	case tenfold.AssistantMessage:
		r.text(b.Text, p.Text)
	case tenfold.Reasoning:
		if b.Typ == "redacted_thinking" {
			r.text(b.Data, p.Encrypted)
			return
		}
		r.text(b.Thinking, p.Text)
		if b.Signature.Found() {
			r.text(b.Signature, p.Signature)
		}
	case tenfold.ToolCall:
		r.whole(b.Input, p.Arguments)
	case tenfold.ProviderItem:
		r.whole(b.Span, p.Data)
	}
}

func (r *refill) result(b *chatapi.Block, parts []tenfold.Part) {
	switch {
	case b.Items != nil:
		if r.missing = r.missing || len(parts) != len(b.Items); r.missing {
			return
		}
		for i := range b.Items {
			r.part(&b.Items[i], parts[i])
		}
	case len(parts) > 0 && parts[0].File != nil:
		r.whole(b.Content, parts[0].File.Detail)
	case len(parts) > 0:
		r.text(b.Content, parts[0].Text)
	}
}

func (r *refill) part(b *chatapi.Block, p tenfold.Part) {
	switch {
	case b.Kind == '"':
		r.text(b.Span, p.Text)
	case p.File == nil:
		r.text(b.Text, p.Text)
	case b.Kind == 'n':
		r.whole(b.Span, p.File.Detail)
	case b.SourceType == "base64":
		r.text(b.SourceData, strings.TrimPrefix(p.File.URI, "data:"+b.MediaType+";base64,"))
	}
}

// escapeASCII writes the characters of a JSON text that are not ASCII as
// escapes, the way many programs do.
func escapeASCII(quoted []byte) []byte {
	const hex = "0123456789abcdef"
	var out []byte
	unit := func(u rune) {
		out = append(out, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	for _, c := range bytes.Runes(quoted) {
		switch {
		case c < 0x80:
			out = append(out, byte(c))
		case c < 0x10000:
			unit(c)
		default:
			c -= 0x10000
			unit(0xD800 + c>>10)
			unit(0xDC00 + c&0x3FF)
		}
	}
	return out
}
