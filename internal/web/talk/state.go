package talk

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/web/shape"
)

// visible makes a stranger's text safe to be read by a person who decides by it:
// what controls a terminal or turns the direction of text is escaped.
func visible(text string) string { return terminal.Visible(text) }

// handle takes in what the agent did.
func (c *Talk) handle(e agent.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retry != nil && e.Waiting == nil {
		c.retry = nil
		c.changed()
	}
	switch {
	case e.Text != "" || e.Reasoning != "":
		if e.Branch == "" { // what sub-agents write is not shown: their result is
			c.write(e.Text == "", e.Text+e.Reasoning)
		}
	case e.Output != nil:
		c.print(e.Branch, e.Output.CallID, e.Output.Text)
	case e.Appended != nil:
		c.appended(*e.Appended, e.Others)
	case e.Running != nil:
		r := e.Running
		c.running = append(c.running, shape.Running{Call: r.Call.CallID, Branch: e.Branch, Line: lineOf(e.Branch, r.Call.Name, r.Intent.Subject), Contained: r.Contained})
		c.changed()
	case e.Waiting != nil:
		c.forget(func(p *piece) bool { return p.call == "" })
		c.retry = &shape.Retry{Attempt: e.Waiting.Attempt, At: time.Now().Add(e.Waiting.After).UTC()}
		if e.Waiting.Err != nil {
			c.retry.Why = visible(e.Waiting.Err.Error())
		}
		c.changed()
	}
}

// appended takes in that the log has an entry.
func (c *Talk) appended(e tenfold.Entry, others bool) {
	c.newest = e.Seq
	if !others && e.Branch == "" && e.Payload.Kind().Visible() {
		c.forget(func(p *piece) bool { return p.call == "" })
	}
	r, ok := e.Payload.(tenfold.ToolResult)
	if !ok {
		return
	}
	c.forget(func(p *piece) bool { return p.call == r.CallID && p.branch == e.Branch })
	before := len(c.running)
	c.running = slices.DeleteFunc(c.running, func(one shape.Running) bool { return one.Call == r.CallID && one.Branch == e.Branch })
	if len(c.running) != before {
		c.changed()
	}
}

// lineOf is a call as a line.
func lineOf(branch, tool, subject string) string {
	return terminal.Excerpt(terminal.CallLine(branch, tool, subject), mostLine)
}

// mostLine is how many columns a line that tells of a call has.
const mostLine = 300

// A question is one that waits for its answer.
type question struct {
	shape.Question
	answer chan agent.Answer
}

// The answers to a question.
const (
	answerOnce   = "once"
	answerAlways = "always"
	answerNo     = "no"
)

// mostDetail is how many bytes of a call are shown to who is asked about it. A longer
// one is not shown whole, and so it cannot be allowed for the rest of the session.
const mostDetail = 256 << 10

// Approve implements [agent.Approver]: it asks whoever looks at the page, and waits
// for one to answer, or for the run to end.
func (c *Talk) Approve(ctx context.Context, q agent.Question) (agent.Answer, error) {
	asked := &question{answer: make(chan agent.Answer, 1), Question: shape.Question{
		// At random, so that no answer of before the server was started anew meets
		// another question.
		ID: rand.Text(), Call: lineOf(q.Branch, q.Call.Name, q.Intent.Subject), Why: visible(q.Reason),
		Detail: visible(q.Detail()), Choices: []string{answerOnce, answerAlways, answerNo},
	}}
	if over := len(asked.Detail) - mostDetail; over > 0 {
		asked.Detail = strings.ToValidUTF8(asked.Detail[:mostDetail], "") + "\n… and " + strconv.Itoa(over) + " bytes that are not shown"
		asked.Choices = []string{answerOnce, answerNo}
	}
	if q.Firm { // whatever was said before
		asked.Choices = []string{answerOnce, answerNo}
	}
	c.mu.Lock()
	c.questions = append(c.questions, asked)
	c.changed()
	c.mu.Unlock()
	select {
	case answer := <-asked.answer:
		return answer, nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		c.withdraw(asked.ID)
		return agent.Answer{}, ctx.Err()
	}
}

// withdraw takes a question out of those that wait. It is called with the lock held.
func (c *Talk) withdraw(id string) {
	c.questions = slices.DeleteFunc(c.questions, func(q *question) bool { return q.ID == id })
	c.changed()
}

// A reply is an answer to a question, as it came.
type reply struct{ id, answer string }

// Reply answers a question: the first answer counts, and the same again is no error.
func (c *Talk) Reply(id string, r shape.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.questions, func(q *question) bool { return q.ID == id })
	switch {
	case c.replied == reply{id, r.Answer}:
		return nil
	case i < 0:
		return NotAsked()
	case !slices.Contains(c.questions[i].Choices, r.Answer):
		return shape.Refused("this question cannot be answered with "+r.Answer, "answer one of its choices")
	}
	answer := agent.Answer{Allowed: r.Answer != answerNo, Always: r.Answer == answerAlways}
	if !answer.Allowed {
		answer.Reason = r.Reason
	}
	c.questions[i].answer <- answer // there is room for one
	c.replied = reply{id, r.Answer}
	c.withdraw(id)
	return nil
}

// NotAsked says that a question does not wait for an answer.
func NotAsked() *shape.Problem {
	return shape.NewProblem(http.StatusNotFound, "not_asked", "no such question is open", "it was answered already, or the run has ended")
}

// Now fills in what the agent does and what it waits for, and gives what it was asked
// to do.
func (c *Talk) Now(s *shape.Status) (wanted string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Busy, s.Running, s.Retry, s.Ended = c.busy, append(s.Running, c.running...), c.retry, c.ended
	for _, q := range c.questions {
		s.Waiting = append(s.Waiting, q.Question)
	}
	return c.wanted
}

// WakeAt has the listeners look again at a time when the status is another one though
// nothing was appended.
func (c *Talk) WakeAt(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	after := time.Until(at) + time.Millisecond
	if c.alarm != nil {
		c.alarm.Reset(after)
		return
	}
	c.alarm = time.AfterFunc(after, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed()
	})
}
