package claudecode

import (
	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// content turns the content of one message line into entries, one per block:
// results, then one user message for what else a user line holds; or the
// blocks of an assistant's. Those values that the payloads hold are cut from
// the line, and what is left is the Source of the first entry.
func (c *claude) content(l *claudeLine, m *chatapi.BlockMessage, id, role, branch string) (results, rest []tenfold.Entry) {
	w := engine.Finder{Scan: &c.Scan, Raw: l.raw}
	switch {
	case m.IsText():
		text := w.Text(m.Content)
		if role == "assistant" {
			rest = append(rest, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: text}})
		} else {
			rest = append(rest, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}})
		}
	case role == "assistant":
		for i := range m.Blocks {
			rest = append(rest, tenfold.Entry{Payload: l.words(chatapi.BlockPayload(&w, &m.Blocks[i]))})
		}
	default:
		var parts []tenfold.Part
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Kind == '{' && b.Typ == "tool_result" {
				r := chatapi.BlockResult(&w, b)
				if l.stopped {
					r.Outcome = tenfold.Failed
				}
				results = append(results, tenfold.Entry{Payload: r})
				continue
			}
			parts = append(parts, chatapi.BlockPart(&w, b))
		}
		if len(parts) > 0 {
			rest = append(rest, tenfold.Entry{Payload: tenfold.UserMessage{Parts: parts}})
		}
	}
	n := 0
	for _, list := range [2][]tenfold.Entry{results, rest} {
		for i := range list {
			e := &list[i]
			e.ID, e.Time, e.MessageID, e.Branch = intake.BlockID(id, n), c.Now, m.ID, branch
			if n == 0 {
				e.Source = w.Done()
			}
			n++
		}
	}
	return results, rest
}

// updates is how Claude Code asks for no more of the thinking than what the model says to the
// user between its calls.
const updates = "updates"

// words gives thinking that was said to the user as words.
func (l *claudeLine) words(p tenfold.Payload) tenfold.Payload {
	if r, ok := p.(tenfold.Reasoning); ok && l.display == updates && r.Signature != "" && !tenfold.Blank(r.Text) {
		return tenfold.AssistantMessage{Text: r.Text, Signature: r.Signature}
	}
	return p
}
