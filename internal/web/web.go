package web

import (
	"context"
	"io"

	"tenfold/agent"
	"tenfold/eval/replay"
	"tenfold/internal/report"
	"tenfold/internal/web/shape"
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
	// configuration and that of the conversation. On a dry run summaries are quoted,
	// and no model is called.
	Request(s *session.Session, w shape.Wish, dry bool) (Prepared, error)
	// Replay says how a conversation would have been compacted as configured while it
	// went on, with the names of the strategies.
	Replay(s *session.Session) (o replay.Options, names []string, err error)
	// Live is how a conversation is compacted by itself: for its status.
	Live(s *session.Session) (session.Live, error)
	// Agent makes an agent for a conversation that this process holds open; the
	// closer ends what it holds. An empty model is the configured one.
	Agent(ctx context.Context, s *session.Session, model string, approver agent.Approver) (*agent.Agent, io.Closer, error)
	// Meta says what is offered.
	Meta() shape.Meta
}

// Prepared is a wish made ready for one plan.
type Prepared struct {
	Request session.Request
	// Model is the one that may be called, so that it may take minutes; empty where
	// none is.
	Model string
	// Finish is called once, whatever came of the request: it adds to the report what
	// was noted on the way, clears up, and gives an error that is to be told in the
	// report's place. The report is nil where there is none.
	Finish func(*report.Report) error
}
