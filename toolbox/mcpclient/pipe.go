package mcpclient

import (
	"context"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A pipe starts a program and talks to it. The transport of the SDK takes a program for lost
// that prints anything but messages; many greet, warn or log there.
type pipe struct {
	program *exec.Cmd
	said    io.Writer // is given what else it prints
}

// Connect implements mcp.Transport.
func (p pipe) Connect(ctx context.Context) (mcp.Connection, error) {
	out, err := p.program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	in, err := p.program.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := p.program.Start(); err != nil {
		return nil, err
	}
	return (&mcp.IOTransport{Reader: &messages{from: out, others: p.said}, Writer: &input{in, p.program}}).Connect(ctx)
}

// An input is what a program reads. Closing it ends the program.
type input struct {
	io.WriteCloser

	program *exec.Cmd
}

// Close implements io.Closer.
func (i *input) Close() error {
	_ = i.WriteCloser.Close() // the program may have ended
	ended := make(chan struct{})
	go func() {
		_ = i.program.Wait()
		close(ended)
	}()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-ended:
			return nil
		case <-time.After(toEnd):
			_ = i.program.Process.Signal(signal)
		}
	}
	<-ended
	return nil
}

// messages are the JSON objects among what a program prints; other lines go elsewhere.
// Nobody is sent a batch who sends none, so that a line which begins with "[" is none.
type messages struct {
	from   io.Reader
	others io.Writer
	// depth is how many brackets are open; quoted and escaped tell of a string.
	depth           int
	quoted, escaped bool
	stray           bool // the line is not of a message
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for {
		n, err := m.from.Read(p)
		if kept := m.keep(p[:n]); kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// Close implements io.Closer: what is printed ends with the program.
func (m *messages) Close() error { return nil }

// keep moves the bytes of messages to the front, and tells how many there are.
func (m *messages) keep(p []byte) (n int) {
	var others []byte
	defer func() { _, _ = m.others.Write(others) }()
	for _, c := range p {
		if m.stray || m.depth == 0 && c != '{' && c > ' ' {
			m.stray, others = c != '\n', append(others, c)
			continue
		}
		switch {
		case m.escaped:
			m.escaped = false
		case m.quoted:
			m.quoted, m.escaped = c != '"', c == '\\'
		case c == '"':
			m.quoted = true
		case c == '{', c == '[':
			m.depth++
		case c == '}', c == ']':
			m.depth--
		}
		p[n] = c
		n++
	}
	return n
}
