package chat

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
		offer := []choice{{"r", "retry compaction", compact}, {"n", "new session", m.newConversation}, {"q", "quit", m.quit}}
		if before := m.modelBefore; before != "" { // whose window may be larger
			back := choice{"m", "back to " + sanitise(before), func() tea.Cmd { return m.modelCommand(before) }}
			offer = slices.Insert(offer, 1, back)
		}
		return offer
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

// offerLines is the offer, on as many lines as it takes: each choice whole.
func (m *model) offerLines(width int) []string {
	var lines []string
	for _, c := range m.offer {
		words := m.paint.Paint(terminal.Bold, "["+c.key+"]") + " " + c.words
		if at := len(lines) - 1; at >= 0 && ansi.StringWidth(lines[at])+2+ansi.StringWidth(words) <= width {
			lines[at] += "  " + words
		} else {
			lines = append(lines, words)
		}
	}
	return lines
}
