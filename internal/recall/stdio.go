package recall

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostFrame bounds a message of a client, in bytes: a query or a reference is short.
const mostFrame = 4 << 20

// Stdio is a transport of one message a line. The transport of the SDK ends the server at
// the first line that it cannot read, and with it the session's recall; this one answers
// such a line with an error and goes on. Nor does this one report the end of the input
// before what was asked is answered: the SDK ends all that it is still about then.
func Stdio(in io.Reader, out io.Writer) mcp.Transport { return stdio{in, out} }

type stdio struct {
	in  io.Reader
	out io.Writer
}

// Connect implements mcp.Transport.
func (s stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	w := &writer{out: s.out}
	c, err := (&mcp.IOTransport{Reader: &frames{in: bufio.NewReader(s.in), out: w}, Writer: w}).Connect(ctx)
	return &conn{Connection: c, open: map[jsonrpc.ID]bool{}, wake: make(chan struct{}, 1), closed: make(chan struct{})}, err
}

// A conn holds the end of the input back until every call is answered.
type conn struct {
	mcp.Connection
	mu     sync.Mutex
	open   map[jsonrpc.ID]bool // calls that are not answered
	wake   chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Read implements mcp.Connection.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "subscriptions/listen" { // which only its client ends
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	for errors.Is(err, io.EOF) && c.waits() {
		select {
		case <-c.wake:
		case <-c.closed:
			return m, err
		case <-ctx.Done():
			return m, err
		}
	}
	return m, err
}

func (c *conn) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}

// Write implements mcp.Connection.
func (c *conn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		c.mu.Unlock()
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return err
}

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// A writer writes each message as a whole.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (w *writer) Close() error { return nil }

// frames are the messages of a client that can be read.
type frames struct {
	in    *bufio.Reader
	out   io.Writer
	ready []byte // what was read and is to be handed on
}

// Close implements io.Closer: what is read ends with the client.
func (f *frames) Close() error { return nil }

// Read implements io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.ready) == 0 {
		line, whole, err := f.line()
		if !whole {
			err = errors.Join(err, f.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", mostFrame)))
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			err = errors.Join(err, f.take(line))
		}
		if err != nil && len(f.ready) == 0 {
			if errors.Is(err, io.EOF) {
				err = io.EOF
			}
			return 0, err
		}
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// line reads the next line; of one that is too long nothing.
func (f *frames) line() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := f.in.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= mostFrame; whole {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// take hands a message on, of a batch each for itself, or refuses it.
func (f *frames) take(line []byte) error {
	var batch []json.RawMessage
	if line[0] == '[' && json.Unmarshal(line, &batch) == nil && len(batch) > 0 {
		var errs []error
		for _, one := range batch {
			if one[0] == '[' {
				one = json.RawMessage("0") // a batch holds no batch
			}
			errs = append(errs, f.take(one))
		}
		return errors.Join(errs...)
	}
	if !json.Valid(line) {
		return f.refuse(nil, jsonrpc.CodeParseError, "the message is not one line of JSON")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		var said struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &said) // what is not an object has none
		return f.refuse(said.ID, jsonrpc.CodeInvalidRequest, "the message is not a JSON-RPC 2.0 message")
	}
	f.ready = append(append(f.ready, line...), '\n')
	return nil
}

// refuse answers what cannot be read, under its id where that is one.
func (f *frames) refuse(id json.RawMessage, code int64, why string) error {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f' {
		id = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	_, err = f.out.Write(append(answer, '\n'))
	return err
}
