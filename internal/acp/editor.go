package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold/internal/listing"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
)

// editor is the connection to one editor. It implements [sdk.Agent].
type editor struct {
	Server
	ctx  context.Context // ends with the connection
	conn *sdk.AgentSideConnection

	prompts sync.WaitGroup // those that were read and have not begun

	mu       sync.Mutex
	closed   bool
	sessions map[sdk.SessionId]*conversation
}

var (
	_ sdk.Agent       = (*editor)(nil)
	_ sdk.AgentLoader = (*editor)(nil)
)

func (e *editor) Initialize(context.Context, sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	return sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: "tenfold", Title: new("Tenfold"), Version: e.Version},
		AuthMethods:     []sdk.AuthMethod{}, // keys are the configuration's
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:        true,
			McpCapabilities:    sdk.McpCapabilities{Http: true},
			PromptCapabilities: sdk.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: sdk.SessionCapabilities{
				Close: &sdk.SessionCloseCapabilities{}, List: &sdk.SessionListCapabilities{}, Resume: &sdk.SessionResumeCapabilities{},
			},
		},
	}, nil
}

// Authenticate implements [sdk.Agent]. There is nothing to sign in to.
func (e *editor) Authenticate(context.Context, sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, nil
}

func (e *editor) NewSession(ctx context.Context, p sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	c, err := e.open(ctx, "", p.Cwd, p.McpServers, true)
	if err != nil {
		return sdk.NewSessionResponse{}, err
	}
	// The editor learns of the session by the answer: what is said of it comes after,
	// when the connection ends the request.
	context.AfterFunc(ctx, c.greet)
	return sdk.NewSessionResponse{SessionId: c.id, Modes: c.modes(), ConfigOptions: c.options()}, nil
}

// LoadSession implements [sdk.AgentLoader]: it shows the whole conversation again,
// what is compacted included.
func (e *editor) LoadSession(ctx context.Context, p sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	c, err := e.open(ctx, p.SessionId, p.Cwd, p.McpServers, false)
	if err != nil {
		return sdk.LoadSessionResponse{}, err
	}
	c.replay()
	c.greet()
	return sdk.LoadSessionResponse{Modes: c.modes(), ConfigOptions: c.options()}, nil
}

// ResumeSession implements [sdk.Agent]: as LoadSession, and shows nothing again.
func (e *editor) ResumeSession(ctx context.Context, p sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	c, err := e.open(ctx, p.SessionId, p.Cwd, p.McpServers, false)
	if err != nil {
		return sdk.ResumeSessionResponse{}, err
	}
	c.shown.seq = c.Agent.Session().Log().Version()
	c.greet()
	return sdk.ResumeSessionResponse{Modes: c.modes(), ConfigOptions: c.options()}, nil
}

// mostListed is how many conversations an editor is told of: the newest.
const mostListed = 200

// ListSessions implements [sdk.Agent]: those of a directory, whatever agent they
// come from.
func (e *editor) ListSessions(ctx context.Context, p sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	out := sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}
	newest, _, err := listing.Page(ctx, e.Service, nil, mostListed, func(c store.Conversation) bool {
		return p.Cwd == nil || *p.Cwd == "" || c.Origin.Directory == *p.Cwd
	})
	if err != nil {
		return out, explained(err)
	}
	for _, c := range newest {
		out.Sessions = append(out.Sessions, sdk.SessionInfo{
			SessionId: sdk.SessionId(c.ID), Cwd: c.Origin.Directory, Title: new(visible(c.Title)),
			UpdatedAt: new(c.Updated.UTC().Format(time.RFC3339)),
		})
	}
	return out, nil
}

func (e *editor) CloseSession(_ context.Context, p sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	e.mu.Lock()
	c := e.sessions[p.SessionId]
	delete(e.sessions, p.SessionId)
	e.mu.Unlock()
	if c == nil {
		return sdk.CloseSessionResponse{}, nil
	}
	return sdk.CloseSessionResponse{}, c.close()
}

// Cancel implements [sdk.Agent]: it ends the run, which keeps what there is.
func (e *editor) Cancel(_ context.Context, p sdk.CancelNotification) error {
	if c, err := e.session(p.SessionId); err == nil {
		c.cancel()
	}
	return nil
}

// Prompt implements [sdk.Agent]. The context of the request is not the run's: the
// SDK ends it where a second prompt comes, and that one is refused instead (A5).
func (e *editor) Prompt(_ context.Context, p sdk.PromptRequest) (sdk.PromptResponse, error) {
	begun := sync.OnceFunc(e.prompts.Done)
	defer begun()
	c, err := e.session(p.SessionId)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	return c.prompt(p, begun)
}

func (e *editor) SetSessionMode(_ context.Context, p sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	c, err := e.session(p.SessionId)
	if err == nil {
		err = c.setMode(p.ModeId)
	}
	return sdk.SetSessionModeResponse{}, err
}

// SetSessionConfigOption implements [sdk.Agent]: the model is the one option.
func (e *editor) SetSessionConfigOption(_ context.Context, p sdk.SetSessionConfigOptionRequest) (sdk.SetSessionConfigOptionResponse, error) {
	v := p.ValueId
	if v == nil || v.ConfigId != modelOption {
		return sdk.SetSessionConfigOptionResponse{}, invalid("unknown option")
	}
	c, err := e.session(v.SessionId)
	if err != nil {
		return sdk.SetSessionConfigOptionResponse{}, err
	}
	if err := c.setModel(string(v.Value)); err != nil {
		return sdk.SetSessionConfigOptionResponse{}, err
	}
	return sdk.SetSessionConfigOptionResponse{ConfigOptions: c.options()}, nil
}

// open opens a conversation for the editor: a fresh one, or one that exists, in the
// place of the same one that it had open.
func (e *editor) open(ctx context.Context, id sdk.SessionId, directory string, servers []sdk.McpServer, fresh bool) (*conversation, error) {
	var s *session.Session
	var err error
	switch {
	case !filepath.IsAbs(directory):
		return nil, invalid("the working directory must be absolute")
	case fresh:
		s, err = e.Service.Create(ctx, session.Create{Origin: store.Origin{Directory: directory}})
	case id == "":
		return nil, invalid("no session is named")
	default:
		if _, err := e.CloseSession(ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
			return nil, err
		}
		s, err = e.Service.Open(ctx, string(id))
	}
	if err != nil {
		return nil, explained(err)
	}
	c := &conversation{editor: e, id: sdk.SessionId(s.ID()), mode: modeAsk, shown: shown{directory: directory}}
	if c.Conversation, err = e.Open(ctx, Open{Session: s, Directory: directory, Servers: servers, Approver: c}); err != nil {
		return nil, explained(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.sessions[c.id] != nil {
		_ = c.Close()
		return nil, invalid("the session is closed, or being opened twice")
	}
	e.sessions[c.id] = c
	return c, nil
}

func (e *editor) session(id sdk.SessionId) (*conversation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.sessions[id]; c != nil {
		return c, nil
	}
	return nil, invalid("unknown session: load it first")
}

// close ends all sessions.
func (e *editor) close() error {
	e.mu.Lock()
	e.closed = true
	all := e.sessions
	e.sessions = nil
	e.mu.Unlock()
	var errs []error
	for _, c := range all {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

func invalid(text string) error {
	err := sdk.NewInvalidParams(nil)
	err.Message = text
	return err
}

// explained is an error as an editor shows it: what happened, and what to try.
func explained(err error) error {
	out := sdk.NewInternalError(nil)
	out.Message = err.Error()
	if p, ok := errors.AsType[*problem.Error](err); ok {
		out.Message = p.Error()
		if p.Hint != "" {
			out.Message += ". Hint: " + p.Hint
		}
		out.Data = map[string]string{"code": p.Code, "hint": p.Hint}
	}
	return out
}

// closingWriter writes nothing once it is closed: what is under way is the
// connection's, which does not say when it has ended.
type closingWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool

	asked    atomic.Int64  // requests of the editor without an answer
	answered chan struct{} // one was written
}

// patience is how long an answer to an editor that has closed its side is waited for.
const patience = 5 * time.Second

// wait waits until all requests have their answers.
func (c *closingWriter) wait(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for c.asked.Load() > 0 {
		select {
		case <-c.answered:
		case <-ctx.Done():
			return
		}
	}
}

// Write implements [io.Writer].
func (c *closingWriter) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, io.ErrClosedPipe
	}
	n, err := c.w.Write(line)
	var m struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(line, &m) == nil && m.Method == "" {
		c.asked.Add(-1)
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return n, err
}

func (c *closingWriter) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}
