package acp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/acp"
	"tenfold/session"
	"tenfold/store/memory"
)

// played is an agent that plays events.
type played struct {
	s        *session.Session
	run      func(ctx context.Context, parts []tenfold.Part) iter.Seq2[agent.Event, error]
	compact  func(ctx context.Context, focus string) iter.Seq2[agent.Event, error]
	approver agent.Approver
}

func (p *played) Run(ctx context.Context, parts ...tenfold.Part) iter.Seq2[agent.Event, error] {
	return p.run(ctx, parts)
}

func (p *played) Compact(ctx context.Context, focus string) iter.Seq2[agent.Event, error] {
	return p.compact(ctx, focus)
}
func (p *played) Undo(ctx context.Context) ([]tenfold.Overlay, error) { return p.s.Undo(ctx) }
func (p *played) Session() *session.Session                           { return p.s }

// events plays a list of events and ends with an answer.
func events(list ...agent.Event) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range append(list, agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// until plays nothing until ctx ends, as a model that never answers.
func until(ctx context.Context, begun chan<- struct{}) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		close(begun)
		<-ctx.Done()
		yield(agent.Event{Stop: &agent.Stop{Reason: agent.Interrupted}}, nil)
	}
}

// host opens played agents over a store in memory.
type host struct {
	service *session.Service
	agents  func(s *session.Session, o acp.Open) *played
	opened  func(acp.Open) error
	notices []string

	mu       sync.Mutex
	closed   []string
	switched []string
}

func newHost(run func(p *played, ctx context.Context, parts []tenfold.Part) iter.Seq2[agent.Event, error]) *host {
	return &host{service: session.NewService(memory.New()), agents: func(s *session.Session, o acp.Open) *played {
		p := &played{s: s, approver: o.Approver}
		p.run = func(ctx context.Context, parts []tenfold.Part) iter.Seq2[agent.Event, error] {
			return run(p, ctx, parts)
		}
		p.compact = func(context.Context, string) iter.Seq2[agent.Event, error] { return events() }
		return p
	}}
}

func (h *host) Open(_ context.Context, o acp.Open) (acp.Conversation, error) {
	if h.opened != nil {
		if err := h.opened(o); err != nil {
			return acp.Conversation{}, err
		}
	}
	s := o.Session
	return acp.Conversation{
		Agent: h.agents(s, o), Model: "test/large", Models: []string{"test/large", "test/small"},
		Switch: func(_ context.Context, model string) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.switched = append(h.switched, model)
			return nil
		},
		Notices: h.notices,
		Close: func() error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.closed = append(h.closed, s.ID())
			return nil
		},
	}, nil
}

// server serves an editor from the host.
func (h *host) server() acp.Server { return acp.Server{Service: h.service, Open: h.Open, Version: "1"} }

// client is an editor: it keeps what it is shown, and answers questions.
type client struct {
	*sdk.ClientSideConnection
	answer func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome
	raw    io.Writer // what the editor writes to
	hangUp func()    // closes the editor's side
	served <-chan error

	mu    sync.Mutex
	shown map[sdk.SessionId][]sdk.SessionUpdate
	asked []sdk.RequestPermissionRequest
}

func (c *client) RequestPermission(_ context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	c.mu.Lock()
	c.asked = append(c.asked, p)
	c.mu.Unlock()
	if c.answer == nil {
		return sdk.RequestPermissionResponse{}, errors.New("nobody is there")
	}
	return sdk.RequestPermissionResponse{Outcome: c.answer(p)}, nil
}

func (c *client) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown[n.SessionId] = append(c.shown[n.SessionId], n.Update)
	return nil
}

// updates gives what was shown of a session.
func (c *client) updates(id sdk.SessionId) []sdk.SessionUpdate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]sdk.SessionUpdate(nil), c.shown[id]...)
}

var errUnused = errors.New("the agent does not ask for this")

func (*client) ReadTextFile(context.Context, sdk.ReadTextFileRequest) (r sdk.ReadTextFileResponse, err error) {
	return r, errUnused
}

func (*client) WriteTextFile(context.Context, sdk.WriteTextFileRequest) (r sdk.WriteTextFileResponse, err error) {
	return r, errUnused
}

func (*client) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (r sdk.CreateTerminalResponse, err error) {
	return r, errUnused
}

func (*client) KillTerminal(context.Context, sdk.KillTerminalRequest) (r sdk.KillTerminalResponse, err error) {
	return r, errUnused
}

func (*client) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (r sdk.TerminalOutputResponse, err error) {
	return r, errUnused
}

func (*client) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (r sdk.ReleaseTerminalResponse, err error) {
	return r, errUnused
}

func (*client) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (r sdk.WaitForTerminalExitResponse, err error) {
	return r, errUnused
}

// connect starts a server and an editor that talks to it.
func connect(t *testing.T, h *host) *client {
	t.Helper()
	fromEditor, toAgent := io.Pipe()
	fromAgent, toEditor := io.Pipe()
	c := &client{shown: map[sdk.SessionId][]sdk.SessionUpdate{}}
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { served <- h.server().Serve(ctx, fromEditor, toEditor) }()
	c.raw, c.served, c.hangUp = toAgent, served, func() { _ = toAgent.Close() }
	c.ClientSideConnection = sdk.NewClientSideConnection(c, toAgent, fromAgent)
	c.SetLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		cancel()
		c.hangUp()
		_ = fromAgent.Close()
	})
	r, err := c.Initialize(t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber})
	if err != nil || r.ProtocolVersion != 1 || !r.AgentCapabilities.LoadSession || r.AgentInfo.Name != "tenfold" {
		t.Fatalf("initialize: %+v, %v", r, err)
	}
	return c
}

// begin begins a session.
func (c *client) begin(t *testing.T) sdk.SessionId {
	t.Helper()
	r, err := c.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/project", McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	return r.SessionId
}

// say sends a prompt and waits for the end of the turn.
func (c *client) say(t *testing.T, id sdk.SessionId, text string) sdk.StopReason {
	t.Helper()
	r, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return r.StopReason
}

// soon waits for something that happens in another goroutine.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + what)
		}
	}
}

// What is said of a new session comes after the answer by which the editor learns of it.
func TestGreetingComesAfterTheAnswer(t *testing.T) {
	h := newHost(func(*played, context.Context, []tenfold.Part) iter.Seq2[agent.Event, error] { return events() })
	fromEditor, toAgent := io.Pipe()
	fromAgent, toEditor := io.Pipe()
	go func() { _ = h.server().Serve(t.Context(), fromEditor, toEditor) }()
	defer toAgent.Close()
	go func() {
		_, _ = io.WriteString(toAgent, `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`+"\n")
	}()
	lines := bufio.NewScanner(fromAgent)
	for i, want := range []string{`"id":7`, `"method":"session/update"`} {
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Fatalf("line %d is %s, not %s", i, lines.Text(), want)
		}
	}
}
