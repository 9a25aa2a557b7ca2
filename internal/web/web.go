package web

import (
	"context"
	"io"

	"tenfold/agent"
	"tenfold/session"
)

// A Backend is what the program lends to the API: the store's conversations, and
// what the configuration of whoever started the server says. Its methods are safe
// for concurrent use.
type Backend interface {
	// Service works on the store.
	Service() *session.Service
	// Active is the conversation that the command line means without an ID; "" for
	// none.
	Active() (string, error)
	// Request completes what a person chose as the command line would, from the
	// configuration and that of the conversation. Notes gives what was noted while a
	// plan was made of it, when that is done.
	Request(ctx context.Context, s *session.Session, w Wish) (r session.Request, notes func() []string, err error)
	// Live is how a conversation is compacted by itself: for its status.
	Live(s *session.Session) (session.Live, error)
	// Agent makes an agent for a conversation that this process holds open; the
	// closer ends what it holds. An empty model is the configured one.
	Agent(ctx context.Context, s *session.Session, model string, approver agent.Approver) (*agent.Agent, io.Closer, error)
	// Meta says what is offered.
	Meta() Meta
}
