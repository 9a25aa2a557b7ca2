package chat

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
)

// key takes in a key. Who gets it: what works always; a question; an offer; the
// completion; the input.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	pressed := msg.String()
	typing := m.now().Sub(m.lastKey) < typingPause
	m.lastKey = m.now()
	if pressed != "ctrl+c" {
		m.leaving = time.Time{}
	}
	switch pressed {
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+o":
		m.showFolded()
		return nil
	case "ctrl+l":
		m.screen.stale = m.screen.width > 0
		return nil
	}
	switch {
	case m.reasoned:
		return m.reasonKey(msg)
	case pressed == "ctrl+d" && m.input.value() == "":
		return m.quit()
	case m.offer != nil:
		return m.choose(pressed, typing)
	case m.compacting:
		m.note = "the input is closed while the conversation is compacted"
		return nil
	}
	m.note = ""
	if m.input.choose(pressed) {
		return nil
	}
	switch pressed {
	case "enter":
		return m.enter()
	case "up":
		if row := m.input.area.LineInfo().RowOffset; m.input.area.Line() == 0 && row == 0 {
			m.recallInput(-1)
			return nil
		}
	case "down":
		if at := m.input.area.LineInfo(); m.input.area.Line() == m.input.area.LineCount()-1 && at.RowOffset >= at.Height-1 {
			m.recallInput(1)
			return nil
		}
	}
	return m.input.key(msg)
}

// recallInput has what was entered before in the input; what is queued comes back first.
func (m *model) recallInput(by int) {
	if n := len(m.queued); by < 0 && n > 0 && m.input.value() == "" {
		m.input.set(m.queued[n-1])
		m.queued = m.queued[:n-1]
	} else if text, ok := m.history.move(by, m.input.value()); ok {
		m.input.set(text)
	}
}

// leaveWithin is how soon the second Ctrl-C must come if nothing is being stopped.
const leaveWithin = 5 * time.Second

// interrupt is Ctrl-C: once it ends what is under way, or clears the input; twice
// it leaves, also where the first was quick to end something.
func (m *model) interrupt() tea.Cmd {
	if !m.leaving.IsZero() && (m.job != nil && m.stopping || m.now().Sub(m.leaving) < leaveWithin) {
		return m.quit()
	}
	m.leaving, m.note = m.now(), "press Ctrl-C again to quit"
	if m.job != nil {
		m.job.cancel()
		m.label, m.stopping = "stopping", true
	} else {
		m.input.set("")
	}
	return nil
}

func (m *model) quit() tea.Cmd {
	if m.job != nil {
		m.job.cancel()
	}
	m.gone = true
	return nil
}

// paste takes in what the terminal pasted. It answers no question.
func (m *model) paste(text string) tea.Cmd {
	if !m.leaving.IsZero() {
		m.leaving, m.note = time.Time{}, ""
	}
	switch {
	case m.offer != nil && !m.reasoned:
		m.note = "a paste is not an answer: press a key"
	case m.compacting:
		m.note = "the input is closed while the conversation is compacted"
	case len(text) > mostPaste:
		m.note = "too long to paste: over " + number.Count(mostPaste, "byte")
	default:
		m.input.paste(text)
	}
	return nil
}

// enter sends what was written; after a backslash it begins a new line.
func (m *model) enter() tea.Cmd {
	if strings.HasSuffix(m.input.beforeCursor(), `\`) {
		m.input.erase(1)
		m.input.area.InsertString("\n")
		return nil
	}
	text := m.input.value()
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil
	}
	c, argument, wrong := commandOf(trimmed)
	switch {
	case wrong != "":
		m.note = wrong
		return nil
	case c != nil && m.job != nil && !c.always:
		m.note = "wait until the agent is done, or stop it with Ctrl-C"
		return nil
	case c != nil:
		m.history.add(text)
		m.input.set("")
		return c.do(m, argument)
	}
	if m.input.expandPastes(text) == text { // else it has tokens, which are nothing in another chat
		m.history.add(text)
	} else {
		m.history.add("")
	}
	m.input.set("")
	if m.job != nil {
		m.queued = append(m.queued, trimmed)
		return nil
	}
	return m.send(trimmed)
}

// newConversation begins a new conversation, which outlives the job that opens it.
func (m *model) newConversation() tea.Cmd {
	open, door, ctx := m.o.Open, m.door, m.ctx
	return m.start("opening a new conversation", func(_ context.Context, report func(tea.Msg)) error {
		conversation, err := open(ctx, true, door, func(text string) {
			report(change(func(m *model) { m.sayMarked("! ", terminal.Yellow, terminal.VisibleLine(text)) }))
		})
		if err != nil {
			return err
		}
		report(change(func(m *model) {
			m.agent, m.closed, m.folded = conversation, false, nil
			m.sendQueued()
			m.blankLine()
			m.sayMarked("● ", terminal.Cyan, "A new conversation. The old one is kept: `tenfold conversation ls` lists it.")
		}))
		return nil
	})
}
