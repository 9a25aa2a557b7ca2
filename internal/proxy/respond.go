package proxy

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// respond copies a response to the client as it comes, while what listens reads
// it on the side. It reports whether the response was cut.
func (p *passage) respond(res *http.Response) (status int, cut bool) {
	defer func() { _ = res.Body.Close() }()
	h := p.w.Header()
	maps.Copy(h, res.Header)
	dropHops(h, res.Header)
	if _, ok := h["Date"]; !ok {
		h["Date"] = nil // nothing is added that the vendor did not say
	}
	if p.upload != nil && !p.upload.ended.Load() {
		h.Set("Connection", "close") // what comes of the request is no other request
	}
	for name := range res.Trailer {
		h.Add("Trailer", name)
	}
	announced := len(res.Trailer)
	p.w.WriteHeader(res.StatusCode)
	flusher := http.NewResponseController(p.w)

	var side *tee
	if p.exchange != nil {
		side = p.listen(res)
		defer func() { side.close(cut) }()
	}
	if flusher.Flush() != nil || p.copy(res.Body, flusher, side) != nil {
		return res.StatusCode, true
	}
	for name, values := range res.Trailer {
		if len(res.Trailer) != announced {
			name = http.TrailerPrefix + name // not all were announced
		}
		h[name] = values
	}
	return res.StatusCode, false
}

// copy copies a body chunk by chunk: what has come goes on at once.
func (p *passage) copy(body io.Reader, flusher *http.ResponseController, side *tee) error {
	buf, ok := buffers.Get().(*[32 << 10]byte)
	if !ok {
		buf = new([32 << 10]byte)
	}
	defer buffers.Put(buf)
	for {
		n, err := body.Read(buf[:])
		if n > 0 {
			if _, err := p.w.Write(buf[:n]); err != nil {
				return err
			}
			if err := flusher.Flush(); err != nil {
				return err
			}
			side.write(buf[:n])
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

var buffers sync.Pool

// answer gives a response of our own.
func (p *passage) answer(a *Answer) (status int, cut bool) {
	h := p.w.Header()
	h.Set("Content-Type", a.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	status = cmp.Or(a.Status, http.StatusOK)
	p.w.WriteHeader(status)
	_, err := p.w.Write(a.Body)
	p.exchange.Done(status, err != nil)
	return status, err != nil
}

// A joined body is what was read of it, the rest, and its end.
type joined struct {
	io.Reader
	io.Closer
}

// hold reads what comes soon of the body of an error. Rest is what comes after.
func hold(ctx context.Context, body io.Reader, most limits) (start []byte, rest io.Reader) {
	l := &late{ctx: ctx, pieces: make(chan piece)}
	go l.run(body)
	wait := time.NewTimer(most.errorWait)
	defer wait.Stop()
	for len(start) < most.errorBytes {
		select {
		case p := <-l.pieces:
			start = append(start, p.data...)
			if p.err != nil {
				l.err = p.err
				return start, l
			}
		case <-wait.C:
			return start, l
		case <-ctx.Done():
			return start, l
		}
	}
	return start, l
}

// late reads a body in the background, a piece ahead of whoever reads it.
type late struct {
	ctx    context.Context
	pieces chan piece
	data   []byte
	err    error
}

type piece struct {
	data []byte
	err  error
}

func (l *late) run(body io.Reader) {
	for {
		p := piece{data: make([]byte, 8<<10)}
		var n int
		n, p.err = body.Read(p.data)
		p.data = p.data[:n]
		select {
		case l.pieces <- p:
		case <-l.ctx.Done():
			return
		}
		if p.err != nil {
			return
		}
	}
}

func (l *late) Read(b []byte) (int, error) {
	for len(l.data) == 0 && l.err == nil {
		select {
		case p := <-l.pieces:
			l.data, l.err = p.data, p.err
		case <-l.ctx.Done():
			l.err = l.ctx.Err()
		}
	}
	n := copy(b, l.data)
	l.data = l.data[n:]
	if n > 0 {
		return n, nil
	}
	return 0, l.err
}
