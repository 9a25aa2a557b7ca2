package mcpclient

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
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
	// toClose is how long a service may take to be told that this was all.
	toClose = time.Second
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
	closed bool
}

func newLink(ctx context.Context, s Server, o Options) *link {
	l := &link{server: s, options: o}
	l.life, l.end = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// A connection is a server while it runs.
type connection struct {
	session *mcp.ClientSession
	program *process.Running // nil for a service
	said    *output.Buffer   // what the program wrote to standard error
	stop    context.CancelFunc
}

// rawJSON is a value that the SDK, which uses encoding/json, sends as it is.
func rawJSON(v jsontext.Value) stdjson.RawMessage { return stdjson.RawMessage(v) }

// open gives the connection, and makes one where there is none.
func (l *link) open(ctx context.Context) (*connection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil && l.now.ended() {
		l.drop()
	}
	switch {
	case l.closed:
		return nil, errors.New("the server was stopped")
	case l.now != nil:
		return l.now, nil
	case l.losses >= maxLosses:
		return nil, fmt.Errorf("the server was lost %d times and is not started again", l.losses)
	}
	ctx, cancel := context.WithTimeout(ctx, l.options.Timeout)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	c, err := l.connect(ctx)
	if err != nil {
		l.losses++
		return nil, err
	}
	l.now = c
	return c, nil
}

// ended reports whether the program has ended by itself.
func (c *connection) ended() bool {
	if c.program == nil {
		return false
	}
	select {
	case <-c.program.Ended:
		return true
	default:
		return false
	}
}

// drop gives up the connection, which was lost.
func (l *link) drop() {
	c := l.now
	l.now = nil
	l.losses++
	c.close()
}

func (c *connection) close() {
	if c.program != nil {
		c.program.Stop() // first, so that no call is waited for
	}
	timer := time.AfterFunc(toClose, c.stop)
	_ = c.session.Close() // a service is told; whether it hears is its affair
	timer.Stop()
	c.stop()
}

func (l *link) close() {
	l.end() // of a start that is under way
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.now != nil {
		l.now.close()
		l.now = nil
	}
}

// call calls a tool. A connection that was lost is given up: whether the call was
// carried out is not known, so that it is not made again.
func (l *link) call(ctx context.Context, name string, arguments any) (*mcp.CallToolResult, error) {
	c, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err == nil && res.NeedsInput() {
		err = errors.New("the server asks back, which is not supported")
	} else if err != nil {
		var refused *jsonrpc.Error
		if errors.As(err, &refused) {
			err = l.plain(err)
		} else if ctx.Err() == nil {
			err = l.explain(ctx, c, err)
			l.mu.Lock()
			if l.now == c {
				l.drop()
			}
			l.mu.Unlock()
			return nil, fmt.Errorf("the server was lost: %w; it is started again for the next call", err)
		}
	}
	l.mu.Lock()
	l.losses = 0 // it answers
	l.mu.Unlock()
	return res, err
}

// explain adds to an error what the program said, which mostly tells more.
func (l *link) explain(ctx context.Context, c *connection, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %s", l.options.Timeout)
	}
	err = l.plain(err)
	if c.program == nil {
		return err
	}
	select { // what it says when it ends comes with its end
	case <-c.program.Ended:
	case <-time.After(toClose / 4):
	}
	if said := strings.TrimSpace(c.said.Text()); said != "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
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

// connect starts the program, or turns to the service.
func (l *link) connect(ctx context.Context) (*connection, error) {
	c := &connection{said: &output.Buffer{Limit: 2000}}
	alive, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	transport, err := l.transport(alive, c)
	if err != nil {
		stop()
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "tenfold", Version: l.options.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	// The SDK waits for a server that neither answers nor ends, whatever the
	// context says: stopping the program ends that.
	guard := context.AfterFunc(ctx, func() {
		if c.program != nil {
			c.program.Stop()
		}
		stop()
	})
	defer guard()
	if c.session, err = client.Connect(ctx, transport, nil); err != nil {
		err = l.explain(ctx, c, err)
		if c.program != nil {
			c.program.Stop()
		}
		stop()
		return nil, err
	}
	return c, nil
}

func (l *link) transport(alive context.Context, c *connection) (mcp.Transport, error) {
	s := l.server
	switch {
	case s.URL != "" && len(s.Command) > 0:
		return nil, errors.New("it has both a command and an address")
	case s.URL != "":
		at, err := url.Parse(s.URL)
		if err != nil || (at.Scheme != "http" && at.Scheme != "https") || at.Host == "" || at.User != nil {
			return nil, errors.New("its address is not one of http or https without a user")
		}
		client := &http.Client{
			Transport: &courier{alive: alive, headers: s.Headers},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return errors.New("the server leads elsewhere; name the address that it leads to") // headers may hold a token
			},
		}
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, DisableStandaloneSSE: true, MaxRetries: 2, MaxEventSize: maxMessage}, nil
	}
	path, err := process.Find(s.Command)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(alive, path, s.Command[1:]...) //nolint:gosec // the person named it
	cmd.Cancel = func() error { return nil }                  // package process stops it
	cmd.Dir, cmd.Env = s.Dir, append(process.Environ(l.options.Secrets), s.Env...)
	if c.program, err = process.Start(cmd, c.said); err != nil {
		return nil, err
	}
	return &mcp.IOTransport{Reader: c.program.Out, Writer: c.program.In, MaxLineLength: maxMessage}, nil
}

// A courier carries requests to a service, with the headers that the person named,
// until the connection is given up; it bounds what comes back.
type courier struct {
	alive   context.Context
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (c *courier) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	release := context.AfterFunc(c.alive, cancel)
	r = r.Clone(ctx)
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		release()
		cancel()
		return nil, err
	}
	res.Body = &bodyLimit{res.Body, maxMessage, func() { release(); cancel() }}
	return res, nil
}

// bodyLimit is a body that fails when it is too long.
type bodyLimit struct {
	io.ReadCloser
	left  int
	after func()
}

func (b *bodyLimit) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the answer is too long")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (b *bodyLimit) Close() error {
	defer b.after()
	return b.ReadCloser.Close()
}
