package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

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
	// whole tells that all of what the call would do is on the screen.
	whole bool
	// reasoned tells that the reason of a no is being entered.
	reasoned bool
	since    time.Time
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
	m.rememberCall(q.Branch, q.Call, q.Intent.Subject)
	m.questions = append(m.questions, q)
	if len(m.questions) == 1 {
		m.showQuestion()
	}
}

func (m *model) dropQuestion(q *question) {
	first := len(m.questions) > 0 && m.questions[0] == q
	if q.reasoned {
		m.input.leaveReason()
	}
	m.questions = slices.DeleteFunc(m.questions, func(other *question) bool { return other == q })
	if first {
		m.showQuestion()
	}
}

// mostAsked is how many lines of a call a person is shown who is asked about it. A
// longer call cannot be allowed for the rest of the session.
const mostAsked = 100

// showQuestion writes what the first question is about above the live area, all of it:
// what is cut off could be what matters.
func (m *model) showQuestion() {
	if len(m.questions) == 0 || m.stopping {
		return
	}
	q := m.questions[0]
	q.since = m.now()
	lines := wrap(sanitise(q.Detail()), max(m.screen.width-1-2*len(margin), 1))
	q.whole = len(lines) <= mostAsked
	m.blankLine()
	m.sayMarked("? ", terminal.Yellow, sentence("Permission for "+named(q.Branch, q.Call.Name), q.Reason))
	shown := slices.Clone(lines[:min(len(lines), mostAsked)])
	m.screen.add(func(int) []string {
		var out []string
		for _, line := range shown {
			out = append(out, margin+m.paint.Paint(terminal.Faint, "│ ")+line)
		}
		return out
	})
	if !q.whole {
		m.say(terminal.Yellow, fmt.Sprintf("… and %s that are not shown.", number.Count(len(lines)-mostAsked, "line")))
	}
}

// Keys that come sooner than that after a question or an offer, or so soon after
// another key, were meant for something else.
const (
	tooSoon     = 400 * time.Millisecond
	typingPause = 250 * time.Millisecond
)

// answer takes in a key while a question is asked.
func (m *model) answer(key tea.KeyPressMsg, typing bool) tea.Cmd {
	q := m.questions[0]
	if q.reasoned {
		switch key.String() {
		case "enter":
			reason := strings.TrimSpace(m.input.value())
			m.input.leaveReason()
			m.answerQuestion(agent.Answer{Reason: reason}, "Denied", reason)
		case "esc":
			q.reasoned = false
			m.input.leaveReason()
		default:
			return m.input.key(key)
		}
		return nil
	}
	if typing || m.now().Sub(q.since) < tooSoon {
		m.note = "pause for a moment, then answer"
		return nil
	}
	m.note = ""
	switch key.String() {
	case "y":
		m.answerQuestion(agent.Answer{Allowed: true}, "Allowed once", "")
	case "a":
		switch {
		case q.Firm:
			m.note = "this is asked about each time"
			return nil
		case !q.whole:
			m.note = "too long to be allowed always"
			return nil
		}
		m.answerQuestion(agent.Answer{Allowed: true, Always: true}, "Allowed for this session", "")
	case "n", "esc":
		m.answerQuestion(agent.Answer{}, "Denied", "")
	case "r":
		q.reasoned = true
		m.input.enterReason()
	}
	return nil
}

// answerQuestion answers the first question, and asks the next.
func (m *model) answerQuestion(a agent.Answer, words, reason string) {
	q := m.questions[0]
	m.questions = m.questions[1:]
	m.say(terminal.Faint, sentence(words, sanitise(reason)))
	q.answer <- a
	m.showQuestion()
}

// questionLines are the question as the live area shows it.
func (m *model) questionLines(width int) []string {
	q := m.questions[0]
	what := "Run "
	if q.Intent.Effect == toolbox.Edits {
		what = "Edit with "
	}
	title := "? " + what + named(q.Branch, q.Call.Name)
	if n := len(m.questions); n > 1 {
		title += fmt.Sprintf(" (1 of %d)", n)
	}
	subject := cmp.Or(q.Intent.Subject, q.Intent.Command)
	title = m.paint.Paint(terminal.Yellow, title) + " " + terminal.Excerpt(subject, width)
	if q.reasoned {
		return append([]string{title, "Why not? Enter sends it, Esc goes back."}, m.input.lines()...)
	}
	keys := "[y] once  [a] always  [n] no  [r] no, with a reason"
	switch {
	case !q.whole, q.Firm:
		keys = "[y] once  [n] no  [r] no, with a reason"
	case width < len(keys)+1:
		keys = "[y]es [a]lways [n]o [r]eason"
	}
	return []string{title, keys}
}
