package transcript

import (
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
			rest = append(rest, tenfold.Entry{Payload: blockPayload(&w, &m.blocks[i])})
		}
	default:
		var parts []tenfold.Part
		for i := range m.blocks {
			b := &m.blocks[i]
			if b.kind == '{' && b.typ == "tool_result" {
				results = append(results, tenfold.Entry{Payload: blockResult(&w, b)})
				continue
			}
			parts = append(parts, blockPart(&w, b))
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
