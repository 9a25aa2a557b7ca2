package report

import (
	"iter"
	"strings"

	"tenfold"
	"tenfold/internal/number"
)

// EntryText is the text of an entry that a model may see: what was said, called with
// or returned, as the log has it. It is empty for all others.
func EntryText(p tenfold.Payload) string {
	switch p := p.(type) {
	case tenfold.UserMessage:
		text := PartsText(p.Parts)
		for _, a := range p.Attachments {
			text += "\n[attached " + a.Name + "]\n" + a.Content
		}
		return strings.TrimPrefix(text, "\n")
	case tenfold.AssistantMessage:
		return p.Text
	case tenfold.Reasoning:
		if strings.TrimSpace(p.Text) == "" {
			return "(" + number.Size(len(p.Encrypted)+len(p.Signature)) + ", readable only by the provider)"
		}
		return p.Text
	case tenfold.ToolCall:
		return p.Arguments
	case tenfold.ToolResult:
		return PartsText(p.Parts)
	case tenfold.ProviderItem:
		return p.Data
	}
	return ""
}

// Items are those of a view, its note before the first as one of its own, which is a part
// of that to a model.
func Items(p *tenfold.Projection) iter.Seq[tenfold.Item] {
	return func(yield func(tenfold.Item) bool) {
		for it := range p.Items() {
			if m, ok := it.Payload.(tenfold.UserMessage); ok && it.Noted {
				note := tenfold.Item{Turn: it.Turn, Step: it.Step, Added: tenfold.AddedNote, Payload: tenfold.UserMessage{Parts: m.Parts[:1:1], Synthetic: true}}
				note.Tokens = p.Log().Counter().Count(m.Parts[0].Text)
				m.Parts = m.Parts[1:]
				if it.Payload, it.Tokens = m, it.Tokens-note.Tokens; !yield(note) {
					return
				}
			}
			if !yield(it) {
				return
			}
		}
	}
}

// PartsText joins the texts of a message or a result, and names its files.
func PartsText(parts []tenfold.Part) string {
	if len(parts) == 1 && parts[0].File == nil {
		return parts[0].Text // not copied, however long it is
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if p.File == nil {
			b.WriteString(p.Text)
			continue
		}
		b.WriteString("[" + string(p.File.Type))
		for _, word := range []string{p.File.Name, p.File.MediaType} {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		b.WriteString("]")
	}
	return b.String()
}
