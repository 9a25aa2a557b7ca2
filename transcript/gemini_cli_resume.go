package transcript

import (
	"slices"
	"strings"
)

// A session that was resumed begins again in its file: the session's line, the
// context alone as all there is, then the history in the words of the API:
// calls as parts of a message, and their results in messages of users, the
// first of which bears the id of the message that made the calls, and "_response".

// asParts reads the messages of a list that are worded so: the calls among the
// parts become calls, and the results come to them. Calls that stand beside the
// parts as well are not looked at: each has the results of all.
func (r *geminiCLIRecord) asParts() {
	calls := map[string]*geminiCLICall{}
	whose := map[*geminiCLICall]string{}
	list := r.messages[:0]
	for _, m := range r.messages {
		m.worded = m.typ == "gemini" && slices.ContainsFunc(m.parts, func(p geminiCLIPart) bool { return p.call || p.thought })
		if m.worded {
			m.calls = m.partCalls()
			for i := range m.calls {
				calls[m.calls[i].id] = &m.calls[i]
				whose[&m.calls[i]] = m.id
			}
		}
		mine := 0
		for i := range m.parts {
			c := calls[m.parts[i].id]
			if m.typ != "user" || !m.parts[i].response || c == nil {
				continue
			}
			if c.result == nil {
				c.result = m.parts[i : i+1]
			}
			if whose[c] == strings.TrimSuffix(m.id, "_response") {
				mine++
			}
		}
		if mine > 0 && mine == len(m.parts) {
			continue // stands with the calls
		}
		list = append(list, m)
	}
	r.messages = list
}

// partCalls are the calls among the parts of a message.
func (m *geminiCLIMessage) partCalls() []geminiCLICall {
	list := []geminiCLICall{}
	for _, p := range m.parts {
		if p.call {
			list = append(list, geminiCLICall{id: p.id, name: p.name, args: p.args})
		}
	}
	return list
}

// onlyContext reports whether a list holds nothing but the context that the
// client begins a session with.
func (g *geminiCLI) onlyContext(r *geminiCLIRecord) bool {
	return !slices.ContainsFunc(r.messages, func(m geminiCLIMessage) bool { return !g.isContext(r.raw, &m) })
}

func (g *geminiCLI) isContext(raw []byte, m *geminiCLIMessage) bool {
	at := m.content
	if len(m.parts) == 1 {
		at = m.parts[0].text
	}
	w := g.writer(raw, m, false)
	if m.typ != "user" || !w.isString(at) {
		return false
	}
	text, _ := g.scan.unquote(at)
	return isContextText(text)
}

// agree gives how much of a list and of the history say the same. What no
// model sees may be missing in the list.
func (g *geminiCLI) agree(r *geminiCLIRecord) (list, history int) {
	for list < len(r.messages) && history < len(g.history) {
		st := g.history[history]
		switch {
		case g.same(r, list, history), st.context && g.isContext(r.raw, &r.messages[list]):
			list++
		case st.shown || st.compaction != "":
			return list, history
		}
		history++
	}
	return list, history
}
