package mcpclient

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenfold/toolbox/internal/output"
	"tenfold/toolbox/internal/process"
)

const (
	// maxMessage is the most that one message of a server may have.
	maxMessage = 32 << 20
	// toEnd is how long a program may take to end when it is told to, and again
	// when it is made to.
	toEnd = 500 * time.Millisecond
	// maxLosses is how often a server may be lost before it is not started again;
	// a call that it answers sets the count back.
	maxLosses = 2
)

// A link is to one server: it starts it, and once more where it was lost.
type link struct {
	server  Server
	options Options
	// life ends when the link is closed.
	life context.Context
	end  context.CancelFunc

	mu     sync.Mutex
	now    *connection
	losses int
}

// A connection is a server while it runs.
type connection struct {
	session *mcp.ClientSession
	ended   chan struct{} // closed when the server has ended it
	program *exec.Cmd     // nil for a service
	said    output.Buffer // what the program wrote to standard error
}

// open gives the connection, and makes one where there is none.
func (l *link) open(ctx context.Context) (*connection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		select {
		case <-l.now.ended:
			l.drop()
		default:
		}
	}
	switch {
	case l.life.Err() != nil:
		return nil, errors.New("the server was stopped")
	case l.now != nil:
		return l.now, nil
	case l.losses >= maxLosses:
		return nil, fmt.Errorf("the server was lost %d times and is not started again", l.losses)
	}
	ctx, cancel := context.WithTimeout(ctx, l.options.Timeout)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	c := &connection{said: output.Buffer{Limit: 2000}, ended: make(chan struct{})}
	transport, err := l.transport(c)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "tenfold", Version: l.options.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	if c.session, err = client.Connect(ctx, transport, nil); err != nil {
		l.losses++
		process.Kill(c.program)
		return nil, l.explain(ctx, c, err)
	}
	go func() {
		_ = c.session.Wait()
		close(c.ended)
	}()
	l.now = c
	return c, nil
}

// drop gives up the connection, which was lost.
func (l *link) drop() {
	l.now.close()
	l.now = nil
	l.losses++
}

func (c *connection) close() {
	_ = c.session.Close() // a service is told; whether it hears is its affair
	process.Kill(c.program)
	<-c.ended
}

func (l *link) close() {
	l.end() // and with it what is under way
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		l.now.close()
		l.now = nil
	}
}

// call calls a tool. A connection that was lost is given up: whether the call was
// carried out is not known, so that it is not made again.
func (l *link) call(ctx context.Context, name string, arguments jsontext.Value) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	c, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	// A server that does not read can hold up even the word that a call is given up.
	done := make(chan struct{})
	defer close(done) // before cancel
	context.AfterFunc(ctx, func() {
		select {
		case <-done:
		case <-time.After(4 * toEnd):
			process.Kill(c.program)
		}
	})
	// The SDK uses encoding/json: of that kind, the arguments are sent as they are.
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: stdjson.RawMessage(arguments)})
	l.mu.Lock()
	defer l.mu.Unlock()
	var refused *jsonrpc.Error
	switch {
	case err == nil && res.NeedsInput():
		return nil, errors.New("the server asks back, which is not supported")
	case err != nil && ctx.Err() == nil && !errors.As(err, &refused):
		if l.now == c {
			l.drop()
		}
		return nil, fmt.Errorf("the server was lost: %w; it is started again for the next call", l.explain(ctx, c, err))
	case err != nil:
		return nil, l.plain(err)
	}
	l.losses = 0 // it answers
	return res, nil
}

// explain adds to an error what the program said, which mostly tells more.
func (l *link) explain(ctx context.Context, c *connection, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %s", l.options.Timeout)
	}
	if said := strings.TrimSpace(c.said.Text()); said != "" {
		return fmt.Errorf("%w: %s", l.plain(err), said)
	}
	return l.plain(err)
}

// plain gives an error as it may be shown and kept: short, and without the address,
// which may hold a token.
func (l *link) plain(err error) error {
	text := err.Error()
	if l.server.URL != "" {
		text = strings.ReplaceAll(text, l.server.URL, "its address")
	}
	return errors.New(output.Bound(text, 1000))
}

// transport starts the program, or turns to the service.
func (l *link) transport(c *connection) (mcp.Transport, error) {
	s := l.server
	switch {
	case s.URL != "" && len(s.Command) > 0:
		return nil, errors.New("it has both a command and an address")
	case s.URL != "":
		at, err := url.Parse(s.URL)
		if err != nil || (at.Scheme != "http" && at.Scheme != "https") || at.Host == "" || at.User != nil {
			return nil, errors.New("its address is not one of http or https without a user")
		}
		client := &http.Client{Transport: courier(s.Headers), CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server leads elsewhere; name the address that it leads to") // headers may hold a token
		}}
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, DisableStandaloneSSE: true, MaxRetries: 2, MaxEventSize: maxMessage}, nil
	}
	path, err := process.Find(s.Command)
	if err != nil {
		return nil, err
	}
	c.program = exec.CommandContext(context.Background(), path, s.Command[1:]...) //nolint:gosec // the person named it; the transport ends it
	c.program.Dir, c.program.Env = s.Dir, append(process.Environ(l.options.Secrets), s.Env...)
	c.program.Stderr, c.program.WaitDelay = &c.said, toEnd
	process.Detach(c.program)
	return pipe{c.program, &c.said}, nil
}

// A courier carries requests to a service, with the headers that the person named,
// and bounds what comes back.
type courier map[string]string

// RoundTrip implements http.RoundTripper.
func (c courier) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range c {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxMessage)
	}
	return res, err
}
