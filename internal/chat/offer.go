package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tenfold/internal/cli/terminal"
)

// An offer is what can be done after something failed. A key takes a choice.
type offer struct {
	choices []choice
}

type choice struct {
	key, words string
	do         func() tea.Cmd
}

func (m *model) goOn() tea.Cmd { return m.run() }

func (m *model) write() tea.Cmd { return nil }

// errorOffer is made where a run ended with an error.
func (m *model) errorOffer() *offer {
	return &offer{[]choice{{"r", "retry", m.goOn}, {"c", "continue", m.write}, {"n", "new session", m.renew}}}
}

// compactionOffer is made where a compaction failed (A6).
func (m *model) compactionOffer() *offer {
	return &offer{[]choice{
		{"r", "retry compaction", func() tea.Cmd { return m.compact("") }}, {"c", "continue", m.write}, {"n", "new session", m.renew},
	}}
}

// exceededOffer is made where the context is full (A6): there is no going on.
func (m *model) exceededOffer() *offer {
	return &offer{[]choice{
		{"r", "retry compaction", func() tea.Cmd { return m.compact("") }}, {"n", "new session", m.renew}, {"q", "quit", m.quit},
	}}
}

// goOnOffer is made where a limit ended the run.
func (m *model) goOnOffer() *offer {
	return &offer{[]choice{{"g", "go on", m.goOn}, {"c", "write something", m.write}}}
}

// choose takes in a key while there is an offer.
func (m *model) choose(key string) tea.Cmd {
	if key == "esc" && !m.closed {
		m.offer = nil
		return nil
	}
	for _, c := range m.offer.choices {
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
	for _, c := range m.offer.choices {
		words = append(words, m.paint.Paint(terminal.Bold, "["+c.key+"]")+" "+c.words)
	}
	return []string{strings.Join(words, "  ")}
}
