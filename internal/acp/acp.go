// Package acp serves the agent to editors over the Agent Client Protocol: JSON
// lines on standard input and output, as Zed, JetBrains and other editors speak
// it. Each session of an editor is a conversation of the store, so that it can
// be looked at, undone and continued everywhere else.
//
// It holds no rule of its own: package agent runs the conversation, and this
// package turns its events into updates and its questions into requests for
// permission.
package acp

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"iter"
	"log/slog"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/session"
)

// An Agent works on one conversation: [*agent.Agent]. It is for one goroutine
// at a time.
type Agent interface {
	Run(ctx context.Context, parts ...tenfold.Part) iter.Seq2[agent.Event, error]
	Compact(ctx context.Context, focus string) iter.Seq2[agent.Event, error]
	Undo(ctx context.Context) ([]tenfold.Overlay, error)
	Session() *session.Session
}

// An Open says what an editor wants an agent for.
type Open struct {
	Session *session.Session
	// Directory is the workspace, absolute.
	Directory string
	// Servers are the MCP servers that the editor is set up with. The editor is
	// the person's, and so are they.
	Servers []sdk.McpServer
	// Approver asks the person, in the editor.
	Approver agent.Approver
}

// A Conversation is one that an agent works on.
type Conversation struct {
	Agent Agent
	// Model is the name of its model, and Models are those that a person may
	// choose from, that one included.
	Model  string
	Models []string
	// Switch goes on with another model of the person's.
	Switch func(ctx context.Context, model string) error
	// Notices are for the person: MCP servers that did not start.
	Notices []string
	// Close ends what the conversation has running, its MCP servers above all.
	Close func() error
}

// A Server serves one editor.
type Server struct {
	// Service has the conversations. Open has an agent work on one; it is called by
	// several goroutines at once.
	Service *session.Service
	Open    func(ctx context.Context, o Open) (Conversation, error)
	Version string
	// Log is told of messages that cannot be read; nil is nobody.
	Log *slog.Logger
}

// Serve serves an editor until it closes its side or ctx ends. Then it stops
// what is under way, answers what was asked, and returns once all conversations are
// closed. Nothing is written to out after that.
func (s Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	working, halt := context.WithCancel(ctx)
	defer halt()
	w := &closingWriter{w: out, answered: make(chan struct{}, 1)}
	e := &editor{Server: s, ctx: working, sessions: map[sdk.SessionId]*conversation{}}
	ready := make(chan struct{}) // nothing is read before the connection is known, and has its logger
	e.conn = sdk.NewAgentSideConnection(e, w, &intake{
		in: bufio.NewReaderSize(in, 64<<10), out: w, prompts: &e.prompts, open: ready, prompted: map[string]sdk.SessionId{},
		ended: func() {
			halt()
			w.wait(ctx)
		},
	})
	e.conn.SetLogger(cmp.Or(s.Log, slog.New(slog.DiscardHandler)))
	close(ready)
	select {
	case <-e.conn.Done():
	case <-ctx.Done():
	}
	stop()
	defer w.close()
	return e.close()
}
