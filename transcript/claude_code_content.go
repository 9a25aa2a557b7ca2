package transcript

import (
	"strconv"

	"tenfold"
)

// content turns the content of one message line into entries, one per block:
// results, then one user message for what else a user line holds; or the
// blocks of an assistant's. Those values that the payloads hold are cut from
// the line, and what is left is the Source of the first entry.
func (c *claude) content(l *claudeLine, m *claudeMessage, id, role string) (results, rest []tenfold.Entry) {
	w := contentWriter{scan: &c.scan, raw: l.raw}
	switch {
	case m.isText():
		text := w.text(m.content)
		if role == "assistant" {
			rest = append(rest, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: text}})
		} else {
			rest = append(rest, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}})
		}
	case role == "assistant":
		for i := range m.blocks {
			rest = append(rest, tenfold.Entry{Payload: w.assistant(&m.blocks[i])})
		}
	default:
		var parts []tenfold.Part
		for i := range m.blocks {
			b := &m.blocks[i]
			if b.kind == '{' && b.typ == "tool_result" {
				results = append(results, tenfold.Entry{Payload: w.result(b)})
				continue
			}
			parts = append(parts, w.part(b))
		}
		if len(parts) > 0 {
			rest = append(rest, tenfold.Entry{Payload: tenfold.UserMessage{Parts: parts}})
		}
	}
	n := 0
	for _, list := range [2][]tenfold.Entry{results, rest} {
		for i := range list {
			e := &list[i]
			e.ID, e.Time, e.MessageID = blockID(id, n), c.now, m.id
			if n == 0 {
				e.Source = splice(l.raw, w.cuts)
			}
			n++
		}
	}
	return results, rest
}

// blockID names the n-th entry of a line.
func blockID(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}

// contentWriter reads blocks and notes which values it took over.
type contentWriter struct {
	scan *scanner
	raw  []byte
	cuts []cut
}

// text takes a string over. One that would not come back the same stays in the
// line as well.
func (w *contentWriter) text(at span) string {
	t, exact := w.scan.unquote(at)
	if exact {
		w.cuts = append(w.cuts, cut{at, cutText})
	}
	return t
}

// whole takes any value over, verbatim.
func (w *contentWriter) whole(at span) string {
	w.cuts = append(w.cuts, cut{at, cutValue})
	return string(at.of(w.raw))
}

func (w *contentWriter) isString(at span) bool { return at.found() && w.raw[at.from] == '"' }

// assistant reads a block of an assistant's message. What Tenfold does not
// model goes back to Anthropic as it is, and to nobody else (P10).
func (w *contentWriter) assistant(b *claudeBlock) tenfold.Payload {
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

func (w *contentWriter) result(b *claudeBlock) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: b.callID, IsError: b.isError}
	switch {
	case b.items != nil:
		for i := range b.items {
			r.Parts = append(r.Parts, w.part(&b.items[i]))
		}
	case w.isString(b.content):
		r.Parts = tenfold.Text(w.text(b.content))
	case b.content.found() && w.raw[b.content.from] != 'n':
		r.Parts = []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.whole(b.content)}}}
	}
	return r
}

// part reads a block of a user's message or of a result. A block that is
// neither text nor a file of a known shape, such as a tool_reference, was seen
// by the model all the same: it becomes a file whose detail is the block.
func (w *contentWriter) part(b *claudeBlock) tenfold.Part {
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
