package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tenfold/internal/cli/terminal"
)

// A choice is one of the things that can be done once a job is over, by its key.
type choice struct {
	key, words string
	do         func() tea.Cmd
}

// offerAfter is what to offer, if anything. Where the context is full there is no
// going on (A6).
func (m *model) offerAfter(failed bool) []choice {
	compact := func() tea.Cmd { return m.compact("") }
	write := func() tea.Cmd {
		m.sendQueued()
		return nil
	}
	switch {
	case m.closed:
		return []choice{{"r", "retry compaction", compact}, {"n", "new session", m.newConversation}, {"q", "quit", m.quit}}
	case failed && m.again != nil:
		return []choice{{"r", "retry", m.again}, {"c", "continue", write}, {"n", "new session", m.newConversation}}
	case m.failed:
		return []choice{{"r", "retry compaction", compact}, {"c", "continue", write}, {"n", "new session", m.newConversation}}
	case m.unfinished:
		return []choice{{"g", "go on", m.again}, {"c", "write something", write}}
	}
	return nil
}

// choose takes in a key while there is an offer, unless it was meant for the input that
// the offer stands in the place of.
func (m *model) choose(key string, typing bool) tea.Cmd {
	if typing || m.now().Sub(m.offered) < tooSoon {
		m.note = "pause for a moment, then choose"
		return nil
	}
	if key == "esc" && !m.closed {
		m.offer = nil
		m.sendQueued()
		return nil
	}
	for _, c := range m.offer {
		if c.key == key {
			m.offer = nil
			return c.do()
		}
	}
	m.note = "press one of the keys in brackets"
	return nil
}

func (m *model) offerLines() []string {
	var words []string
	for _, c := range m.offer {
		words = append(words, m.paint.Paint(terminal.Bold, "["+c.key+"]")+" "+c.words)
	}
	return []string{strings.Join(words, "  ")}
}
