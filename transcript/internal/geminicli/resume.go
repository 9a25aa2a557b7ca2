package geminicli

import (
	"slices"
	"strings"

	"tenfold/transcript/internal/chatapi"
)

// A session that was resumed begins again in its file: the session's line, the
// context alone as all there is, then the history in the words of the API:
// calls as parts of a message, and their results in messages of users, the
// first of which bears the id of the message that made the calls, and "_response".

// asParts reads the messages of a list that are worded so: the calls among the
// parts become calls, and the results come to them. Calls that stand beside the
// parts as well are not looked at: each has the results of all.
func (r *Record) asParts() {
	calls := map[string]*geminiCLICall{}
	whose := map[*geminiCLICall]string{}
	list := r.messages[:0]
	for _, m := range r.messages {
		m.worded = m.typ == "gemini" && slices.ContainsFunc(m.Parts, func(p chatapi.GeminiPart) bool { return p.Call || p.Thought })
		if m.worded {
			m.Calls = m.partCalls()
			for i := range m.Calls {
				calls[m.Calls[i].id] = &m.Calls[i]
				whose[&m.Calls[i]] = m.id
			}
		}
		mine := 0
		for i := range m.Parts {
			c := calls[m.Parts[i].ID]
			if m.typ != "user" || !m.Parts[i].Response || c == nil {
				continue
			}
			if c.Result == nil {
				c.Result = m.Parts[i : i+1]
			}
			if whose[c] == strings.TrimSuffix(m.id, "_response") {
				mine++
			}
		}
		if mine > 0 && mine == len(m.Parts) {
			continue // stands with the calls
		}
		list = append(list, m)
	}
	r.messages = list
}

// partCalls are the calls among the parts of a message.
func (m *geminiCLIMessage) partCalls() []geminiCLICall {
	list := []geminiCLICall{}
	for _, p := range m.Parts {
		if p.Call {
			list = append(list, geminiCLICall{id: p.ID, name: p.Name, Args: p.Args})
		}
	}
	return list
}

// onlyContext reports whether a list holds nothing but the context that the
// client begins a session with.
func (g *geminiCLI) onlyContext(r *Record) bool {
	return !slices.ContainsFunc(r.messages, func(m geminiCLIMessage) bool { return !g.isContext(r.raw, &m) })
}

func (g *geminiCLI) isContext(raw []byte, m *geminiCLIMessage) bool {
	at := m.Content
	if len(m.Parts) == 1 {
		at = m.Parts[0].Text
	}
	w := g.writer(raw, m, false)
	if m.typ != "user" || !w.IsString(at) {
		return false
	}
	text, _ := g.Scan.Unquote(at)
	return isContextText(text)
}

// commonLength gives how much of a list and of the history say the same. What no
// model sees may be missing in the list.
func (g *geminiCLI) commonLength(r *Record) (list, history int) {
	for list < len(r.messages) && history < len(g.history) {
		st := g.history[history]
		switch {
		case g.isUnchanged(r, list, history), st.context && g.isContext(r.raw, &r.messages[list]):
			list++
		case st.shown || st.compaction != "":
			return list, history
		}
		history++
	}
	return list, history
}
