package web

import (
	"context"
	"net/http"
	"strings"

	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/talk"
	"tenfold/session"
)

// mostMessage bounds the body of a message, in bytes: what the guard lets through.
const mostMessage = 4 << 20

func (s *Server) declareAgent() {
	say := operation(http.MethodPost, "say", "/conversations/{id}/messages", "Send a message to the agent, or have it compact or continue")
	say.DefaultStatus, say.MaxBodyBytes = http.StatusAccepted, mostMessage
	declareEmpty(s, say, s.say)
	declareEmpty(s, operation(http.MethodPost, "stop", "/conversations/{id}/stop", "Stop the agent; its work so far is kept"), s.stopAgent)
	declareEmpty(s, operation(http.MethodPost, "reply", "/conversations/{id}/questions/{qid}", "Answer a question of the agent"), s.reply)
}

// A saying has its key from the page alone: a program whose request broke off looks into
// the log, since another server would not know the key.
type saying struct {
	InConversation
	Key  string `header:"Idempotency-Key" hidden:"true" maxLength:"255"`
	Body shape.Message
}

// say has the agent work. The answer comes as events: the request does not wait for
// it, and its end does not stop the agent.
func (s *Server) say(ctx context.Context, in *saying) error {
	m := in.Body
	switch m.Text = strings.ToValidUTF8(m.Text, "\uFFFD"); {
	case strings.TrimSpace(m.Text) == "" && m.Do != talk.DoCompact && m.Do != talk.DoGoOn:
		return shape.Refused("the message is empty", `write a text, or go on where the conversation stopped with "do": "go_on"`)
	case m.Text != "" && m.Do == talk.DoGoOn:
		return shape.Refused("go_on does not take a text", `send the text without "do"`)
	}
	id, state := "", session.Ready
	err := s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		now, err := s.status(ctx, o)
		id, state = o.Session.ID(), session.State(now.State)
		if other := m.Model != "" && m.Model != o.Session.Projection().Config().Model; state == session.Closed && (m.Do == talk.DoCompact || other) {
			state = session.Tried // another model may have room
		}
		return err
	})
	if err != nil {
		return err
	}
	c := s.live.Use(id)
	run, err := c.Begin(in.Key, m, state)
	if run == nil {
		c.Release()
		return err
	}
	a, err := c.Open(m.Model)
	if err != nil {
		c.Finish(nil)
		c.Forget(in.Key)
		c.Release()
		return err
	}
	go c.Work(run, a, m)
	return nil
}

func (s *Server) stopAgent(ctx context.Context, in *InConversation) error {
	return s.talking(ctx, in.ID, func(c *talk.Talk) error {
		if c != nil {
			c.Interrupt()
		}
		return nil
	})
}

type replying struct {
	InConversation
	Question string `path:"qid" maxLength:"100" doc:"the question's id"`
	Body     shape.Reply
}

func (s *Server) reply(ctx context.Context, in *replying) error {
	return s.talking(ctx, in.ID, func(c *talk.Talk) error {
		if c == nil {
			return talk.NotAsked()
		}
		return c.Reply(in.Question, in.Body)
	})
}

// talking runs f on what happens in a conversation; nil where nothing does.
func (s *Server) talking(ctx context.Context, id string, f func(*talk.Talk) error) error {
	row, err := s.service.Find(ctx, id)
	if err != nil {
		return err
	}
	return f(s.live.Peek(row.ID))
}
