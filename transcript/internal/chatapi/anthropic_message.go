package chatapi

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// AnthropicMessage is a message of a request, or a whole response: its blocks
// are those that Claude Code's lines hold.
type AnthropicMessage struct {
	BlockMessage
	Role   string
	Twice  bool
	thinks int // blocks of that kind
}

func (m *AnthropicMessage) Parse(s *walk.Scanner, raw []byte) {
	*m = AnthropicMessage{BlockMessage: m.BlockMessage}
	s.Reset(raw)
	m.Read(s, walk.Shape{"role", walk.Once{Text: &m.Role}})
	m.Twice = s.Twice
}

// Readable reports whether blocks of the kinds we know look as they should.
func (m *AnthropicMessage) Readable(w *engine.Finder) bool {
	if m.Kind != '{' || m.Twice || (m.Blocks == nil && !w.IsString(m.Content)) {
		return false
	}
	if m.Role == "assistant" {
		return !m.Stunted(w) && !slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Typ == "tool_result" || b.Typ == "" })
	}
	return !slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Kind != '{' && b.Kind != '"' })
}

// answer gives what a model said, and how many blocks only Anthropic knows.
func (m *AnthropicMessage) answer(w *engine.Finder) (payloads []tenfold.Payload, own int) {
	if m.Blocks == nil {
		return []tenfold.Payload{tenfold.AssistantMessage{Text: w.Text(m.Content)}}, 0
	}
	for i := range m.Blocks {
		p := BlockPayload(w, &m.Blocks[i])
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

// Request gives what a user's message holds: results, then what else there is.
func (a *Anthropic) Request(w *engine.Finder, injected bool) (payloads []tenfold.Payload, own int) {
	m := &a.M
	if m.Blocks == nil {
		return []tenfold.Payload{tenfold.UserMessage{Parts: tenfold.Text(w.Text(m.Content)), Synthetic: injected}}, 0
	}
	var rest []tenfold.Payload
	var parts []tenfold.Part
	flush := func() {
		n := a.Injected(parts)
		if n > 0 {
			rest = append(rest, tenfold.UserMessage{Parts: parts[:n], Synthetic: true})
		}
		if n < len(parts) {
			rest = append(rest, tenfold.UserMessage{Parts: parts[n:], Synthetic: injected})
		}
		parts = nil
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Typ == "tool_result":
			r := BlockResult(w, b)
			if a.Spoken != nil {
				parts = append(parts, a.Spoken(&r)...)
			}
			payloads = append(payloads, r)
		case anthropicOnly(w, b):
			flush()
			rest = append(rest, tenfold.ProviderItem{Provider: "anthropic", Role: "user", Data: w.Whole(b.Span)})
			own++
		default:
			parts = append(parts, BlockPart(w, b))
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
func anthropicOnly(w *engine.Finder, b *Block) bool {
	switch {
	case b.Kind != '{' || b.Typ == "" || b.Typ == "text":
		return false
	case b.Typ == "image" || b.Typ == "document":
		base64 := b.SourceType == "base64" && w.IsString(b.SourceData) && b.MediaType != ""
		return !base64 && (b.SourceType != "url" || b.url == "") && b.source.Found()
	case b.Typ == "tool_use" || strings.HasSuffix(b.Typ, "thinking"):
		return false // no user's; the text of it does no harm
	}
	return true
}
