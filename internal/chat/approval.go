package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tenfold/agent"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/toolbox"
)

// An approver hands the questions of the agent to the chat, in order with what
// else the job reports, and waits for the person's answer. Without a job nothing is
// allowed.
type approver struct{ job atomic.Pointer[job] }

// A question is one that waits for its answer.
type question struct {
	agent.Question
	answer chan agent.Answer
}

// Approve implements agent.Approver.
func (a *approver) Approve(ctx context.Context, q agent.Question) (agent.Answer, error) {
	j := a.job.Load()
	if j == nil {
		return agent.Answer{}, nil
	}
	asked := &question{Question: q, answer: make(chan agent.Answer, 1)}
	j.report(change(func(m *model) { m.queueQuestion(asked) }))
	select {
	case answer := <-asked.answer:
		return answer, nil
	case <-ctx.Done():
		j.report(change(func(m *model) { m.dropQuestion(asked) }))
		return agent.Answer{}, ctx.Err()
	}
}

func (m *model) queueQuestion(q *question) {
	m.questions = append(m.questions, q)
	if len(m.questions) == 1 {
		m.showQuestion()
	}
}

func (m *model) dropQuestion(q *question) {
	at := slices.Index(m.questions, q)
	if at >= 0 {
		m.questions = slices.Delete(m.questions, at, at+1)
	}
	if at == 0 {
		m.leaveReason()
		m.showQuestion()
	}
}

// mostAsked is how many lines of a call a person is shown who is asked about it. A
// longer call cannot be allowed for the rest of the session.
const mostAsked = 100

// showQuestion writes what the first question is about above the live area, all of it:
// what is cut off could be what matters. Then it offers the answers.
func (m *model) showQuestion() {
	m.offer = nil
	if len(m.questions) == 0 || m.stopping {
		return
	}
	q := m.questions[0]
	lines := wrap(sanitise(q.Detail()), max(m.screen.width-1-2*len(margin), 1))
	m.blankLine()
	m.sayMarked("? ", terminal.Yellow, sentence("Permission for "+terminal.CallLine(q.Branch, q.Call.Name, ""), q.Reason))
	m.show("", func(int) (shown []string) {
		for _, line := range lines[:min(len(lines), mostAsked)] {
			shown = append(shown, m.paint.Paint(terminal.Faint, "│ ")+line)
		}
		return shown
	})
	m.offer, m.offered = []choice{
		{"y", "once", false, m.answer(agent.Answer{Allowed: true}, "Allowed once")},
		{"a", "always", false, m.answer(agent.Answer{Allowed: true, Always: true}, "Allowed for this session")},
		{"n", "no", true, m.answer(agent.Answer{}, "Denied")},
		{"r", "no, with a reason", false, m.enterReason},
	}, m.now()
	if over := len(lines) - mostAsked; over > 0 {
		m.say(terminal.Yellow, fmt.Sprintf("… and %s that are not shown.", number.Count(over, "line")))
	}
	if q.Firm || len(lines) > mostAsked {
		m.offer = slices.Delete(m.offer, 1, 2)
	}
}

// answer answers the first question, and asks the next.
func (m *model) answer(a agent.Answer, words string) func() tea.Cmd {
	return func() tea.Cmd {
		q := m.questions[0]
		m.questions = m.questions[1:]
		m.say(terminal.Faint, sentence(words, sanitise(a.Reason)))
		q.answer <- a
		m.showQuestion()
		return nil
	}
}

// enterReason makes room for the reason of a no; leaveReason gives it, and puts back what was
// being written.
func (m *model) enterReason() tea.Cmd {
	m.reasoned, m.draft = true, m.input.value()
	m.input.set("")
	return nil
}

func (m *model) leaveReason() (reason string) {
	if m.reasoned {
		reason = strings.TrimSpace(m.input.value())
		m.reasoned = false
		m.input.set(m.draft)
	}
	return reason
}

// reasonKey takes in a key while the reason is entered.
func (m *model) reasonKey(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "enter":
		return m.answer(agent.Answer{Reason: m.leaveReason()}, "Denied")()
	case "esc":
		m.leaveReason()
		return nil
	}
	return m.input.key(key)
}

// questionTitle says what the live area asks.
func (m *model) questionTitle(width int) string {
	q := m.questions[0]
	what := "Run "
	if q.Intent.Effect == toolbox.Edits {
		what = "Edit with "
	}
	title := "? " + what + terminal.CallLine(q.Branch, q.Call.Name, "")
	if n := len(m.questions); n > 1 {
		title += fmt.Sprintf(" (1 of %d)", n)
	}
	return m.paint.Paint(terminal.Yellow, title) + " " + terminal.Excerpt(cmp.Or(q.Intent.Subject, q.Intent.Command), width)
}
