package engine

import (
	"slices"
	"strings"

	"tenfold"
)

// Renewed reports whether a message is context that clients put into each session
// that they go on with, whole and up to date: instructions of the project and the
// environment. A message that says more than that is none. The text of a skill
// that was called, what a hook said, and what happened on the way are none of it.
func Renewed(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	if !ok || len(m.Attachments) > 0 || len(m.Parts) == 0 {
		return false
	}
	if len(m.Parts) > 1 && tenfold.IsNote(m.Parts[0].Text) { // the note of P5a moves on
		m.Parts = m.Parts[1:]
	}
	return !slices.ContainsFunc(m.Parts, func(part tenfold.Part) bool { return part.File != nil || !isRenewed(strings.TrimSpace(part.Text)) })
}

// renewedElements are the elements that such context stands in.
var renewedElements = [...]string{
	"environment_context", "user_instructions", "permissions instructions", "collaboration_mode", "skills_instructions",
	"app-context", "apps_instructions", "plugins_instructions", "recommended_plugins", "personality_spec", "tools", "session_context",
}

// isRenewed reports whether a text is one such element from end to end, or the
// instructions of an AGENTS.md.
func isRenewed(text string) bool {
	for _, name := range renewedElements {
		if strings.HasPrefix(text, "<"+name+">") {
			return isElement(text, name)
		}
	}
	return strings.HasPrefix(text, "# AGENTS.md instructions") && strings.HasSuffix(text, "</INSTRUCTIONS>")
}

// isElement reports whether a text that begins with the tag of an element is that
// element to its end. Inside, it may mention itself, as a whole.
func isElement(text, name string) bool {
	opens, closes := "<"+name+">", "</"+name+">"
	for depth := 0; ; {
		i := strings.Index(text, closes)
		if i < 0 {
			return false
		}
		depth += strings.Count(text[:i], opens) - 1
		text = text[i+len(closes):]
		switch {
		case text == "":
			return depth == 0
		case depth <= 0:
			return false
		}
	}
}

// WithoutRenewed gives a compacted view for a client that brings such context anew
// (semantics P8a), and how many messages are left out of it.
func (v View) WithoutRenewed() (View, int) {
	if !v.Compacted {
		return v, 0
	}
	gone := map[int64]tenfold.TextTrim{}
	for it := range v.Projection.Items() {
		m, ok := it.Payload.(tenfold.UserMessage)
		if ok && it.Noted {
			m.Parts = m.Parts[1:] // the note moves on to the next message
		}
		if it.Seq > 0 && ok && Renewed(m) {
			gone[it.Seq] = tenfold.TextTrim{Action: tenfold.Omit}
		}
	}
	if len(gone) > 0 {
		// As if another tool had dropped them: of ours, P8a lets none go.
		v.Projection = v.Projection.With(tenfold.Compaction{
			ToTurn: v.Projection.Log().Turns(), Source: tenfold.SourceImport, Texts: &tenfold.TextPolicy{Entries: gone},
		})
	}
	return v, len(gone)
}
