package chat

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/terminal"
)

// A choice is an answer to a question, or one of the things that can be done once a job is
// over, by its key: and by Esc, if that is no harm.
type choice struct {
	key, words string
	esc        bool
	do         func() tea.Cmd
}

// Keys that come sooner than that after an offer, or so soon after another key, were meant
// for something else.
const (
	tooSoon     = 400 * time.Millisecond
	typingPause = 250 * time.Millisecond
)

// offerAfter is what to offer, if anything. Where the context is full there is no
// going on (A6).
func (m *model) offerAfter(failed bool) []choice {
	retry := choice{"r", "retry compaction", false, func() tea.Cmd { return m.compact("") }}
	fresh := choice{"n", "new session", false, m.newConversation}
	write := choice{"c", "continue", true, func() tea.Cmd {
		m.sendQueued()
		return nil
	}}
	switch {
	case m.closed:
		offer := []choice{retry, fresh, {"q", "quit", false, m.quit}}
		if before := m.modelBefore; before != "" { // whose window may be larger
			back := choice{"m", "back to " + sanitise(before), false, func() tea.Cmd { return m.modelCommand(before) }}
			offer = slices.Insert(offer, 1, back)
		}
		return offer
	case failed && m.again != nil:
		return []choice{{"r", "retry", false, m.again}, write, fresh}
	case m.failed:
		return []choice{retry, write, fresh}
	case m.unfinished:
		write.words = "write something"
		return []choice{{"g", "go on", false, m.again}, write}
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
	for _, c := range m.offer {
		if c.key == key || c.esc && key == "esc" {
			if m.note = ""; len(m.questions) == 0 { // else it is offered until that is answered
				m.offer = nil
			}
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
