//go:build unix

package fleet

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// A cut is a line between programs that can be cut. It forwards bytes, and can reset
// its connections, hold back what they carry, and take new ones without a word.
type cut struct {
	listener net.Listener
	network  string

	mu    sync.Mutex
	to    string
	conns map[*net.TCPConn]net.Conn // each with the one that it leads to, or nil
	free  chan struct{}             // closed unless the line stalls
	dead  bool                      // new connections lead nowhere
}

func newCut(t testing.TB, network, to string) *cut {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cut{listener: l, network: network, to: to, conns: map[*net.TCPConn]net.Conn{}, free: make(chan struct{})}
	close(c.free)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { c.forward(conn.(*net.TCPConn)) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		c.heal()
		c.reset(1, nil)
		serving.Wait()
	})
	return c
}

func (c *cut) address() string { return c.listener.Addr().String() }

// lead has new connections lead elsewhere.
func (c *cut) lead(to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to = to
}

func (c *cut) forward(from *net.TCPConn) {
	c.mu.Lock()
	to, dead := c.to, c.dead
	c.conns[from] = nil
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.conns, from)
		c.mu.Unlock()
		_ = from.Close()
	}()
	if dead {
		_, _ = io.Copy(io.Discard, from) // until it is reset
		return
	}
	far, err := net.Dial(c.network, to)
	if err != nil {
		_ = from.SetLinger(0)
		return
	}
	defer far.Close()
	c.mu.Lock()
	c.conns[from] = far
	c.mu.Unlock()
	var both sync.WaitGroup
	pump := func(to, from net.Conn) {
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			if n > 0 {
				c.mu.Lock()
				free := c.free
				c.mu.Unlock()
				<-free
				if _, err := to.Write(b[:n]); err != nil {
					break
				}
			}
			if err != nil {
				break
			}
		}
		_ = to.Close()
		_ = from.Close()
	}
	both.Go(func() { pump(far, from) })
	both.Go(func() { pump(from, far) })
	both.Wait()
}

// reset breaks a share of the connections, wherever they are in what they say.
func (c *cut) reset(share float64, random *rand.Rand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for from, far := range c.conns {
		if share < 1 && random.Float64() > share {
			continue
		}
		_ = from.SetLinger(0) // a reset, and no polite end
		_ = from.Close()
		if far != nil {
			_ = far.Close()
		}
	}
}

// stall holds back all that the line carries until it is healed.
func (c *cut) stall() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.free:
		c.free = make(chan struct{})
	default:
	}
}

// swallow has new connections lead nowhere until it is healed.
func (c *cut) swallow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
}

// heal ends stalls, and resets what led nowhere.
func (c *cut) heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.free:
	default:
		close(c.free)
	}
	if c.dead {
		c.dead = false
		for from, far := range c.conns {
			if far == nil {
				_ = from.SetLinger(0)
				_ = from.Close()
			}
		}
	}
}

// pass waits a while, or until done.
func pass(done <-chan struct{}, d time.Duration) {
	select {
	case <-time.After(d):
	case <-done:
	}
}
