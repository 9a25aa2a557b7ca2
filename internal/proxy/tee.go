package proxy

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"tenfold/internal/proxy/wire"
)

// A tee is what a listener has not read yet of a response.
type tee struct {
	limits limits
	mu     sync.Mutex
	more   sync.Cond
	data   bytes.Buffer
	// ended tells that no more will come; lost that not all was or will be read.
	ended, cut, lost bool
}

// listen starts to read a response on the side. At its end the exchange is done.
func (p *passage) listen(res *http.Response) *tee {
	t := &tee{limits: p.limits}
	t.more.L = &t.mu
	g, coding, status := p.exchange, codingOf(res.Header), res.StatusCode
	var l wire.Listener
	if status/100 == 2 {
		l = g.Heard()
	}
	if l == nil {
		t.lost = true
	}
	p.heard.Go(func() {
		whole := true
		if l != nil {
			g.try(func() { whole = t.feed(l, coding) })
		}
		t.wait()
		g.Done(status, t.cut || !whole || l != nil && t.lost)
	})
	return t
}

// feed gives a listener what comes; it reports whether all of it could be read.
func (t *tee) feed(l wire.Listener, coding string) bool {
	d, err := newDecoder(coding, t, t.limits.decoded)
	if err == nil {
		_, err = io.Copy(l, d)
	}
	if err != nil {
		t.drop()
		return false
	}
	more, _ := io.Copy(io.Discard, t) // some codings know their end
	return more == 0
}

// write adds what went to the client.
func (t *tee) write(b []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.lost:
	case t.data.Len()+len(b) > t.limits.behind:
		t.lost = true
	default:
		t.data.Write(b)
	}
	t.more.Signal()
}

// close says that all has gone to the client.
func (t *tee) close(cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended, t.cut = true, cut
	t.more.Signal()
}

// Read waits for what comes.
func (t *tee) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.data.Len() == 0 && !t.ended && !t.lost {
		t.more.Wait()
	}
	return t.data.Read(b)
}

// drop takes no more.
func (t *tee) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost = true
	t.data = bytes.Buffer{}
}

// wait waits until all has gone to the client.
func (t *tee) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.ended {
		t.more.Wait()
	}
}
