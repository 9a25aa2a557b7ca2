package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tenfold/internal/proxy/wire"
	"tenfold/internal/telemetry"
)

// A passage is a request on its way and its response.
type passage struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	target target
	// ctx ends with the passage, and when the client goes away.
	ctx context.Context
	// exchange is nil for what passes unread.
	exchange *guarded
	// upload is the body that streams through; nil for none.
	upload *upload
	// protocol is empty for what none knows.
	protocol string
	// answered tells that what a vendor says before its response comes too late; sent,
	// that something of the request may have reached a vendor.
	mu             sync.Mutex
	answered, sent bool
}

// forward sends a request on and its response back. A connection that breaks is
// broken to the client as well: it knows best what to do.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, t target) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	start := time.Now()
	p := &passage{Server: s, w: w, r: r, target: t, ctx: ctx}
	name := ""
	protocol, kind, known := s.find(r.Method, t.path)
	if known {
		p.protocol = protocol.Name()
	}
	if known && s.keeper != nil {
		name = p.protocol
	}
	status, cut := p.run(protocol, kind, name != "")
	took := time.Since(start)
	s.log.Info("request", "client", t.route.Client, "upstream", t.name, "protocol", name, "status", status, "cut", cut, "took", took)
	telemetry.Forwarded(ctx, t.name, status, took)
	if cut {
		panic(http.ErrAbortHandler)
	}
}

func (p *passage) run(protocol wire.Protocol, kind wire.Kind, read bool) (status int, cut bool) {
	if !read {
		return p.forwardUnread(p.r.Body, p.r.ContentLength)
	}
	raw, whole, err := readBody(p.r, p.limits.read)
	switch {
	case err != nil:
		return 0, true // the client broke off
	case !whole:
		return p.forwardUnread(io.MultiReader(bytes.NewReader(raw), p.r.Body), p.r.ContentLength)
	}
	coding := codingOf(p.r.Header)
	plain, err := decode(coding, raw, p.limits.decoded)
	if err != nil {
		return p.forwardUnread(bytes.NewReader(raw), int64(len(raw)))
	}
	p.exchange = p.askKeeper(p.r, Incoming{
		Protocol: protocol, Kind: kind, Path: p.target.path, Header: p.r.Header, Body: plain,
		Client: p.target.route.Client, Dir: p.target.route.Dir,
	})
	if a := p.exchange.Answer(); a != nil {
		return p.answer(a)
	}
	res, err := p.send(pack(coding, plain, raw, p.exchange.Body()))
	if err != nil {
		p.exchange.Done(0, true)
		return p.unreached(err)
	}
	if res.StatusCode/100 == 2 {
		return p.respond(res)
	}
	start, rest := hold(p.ctx, res.Body, p.limits)
	seen := start
	if d, err := newDecoder(codingOf(res.Header), bytes.NewReader(start), p.limits.decoded); err == nil {
		seen, _ = io.ReadAll(d)
	}
	if again := p.exchange.Refused(res.StatusCode, seen); again != nil {
		_ = res.Body.Close()
		if res, err = p.send(pack(coding, plain, raw, again)); err != nil { //nolint:bodyclose // respond closes it
			p.exchange.Done(0, true)
			return p.unreached(err)
		}
		return p.respond(res)
	}
	res.Body = &joined{io.MultiReader(bytes.NewReader(start), rest), res.Body}
	return p.respond(res)
}

// pack gives the bytes for a body: those that came where it is what came.
func pack(coding string, plain, raw, body []byte) []byte {
	if bytes.Equal(plain, body) {
		return raw
	}
	packed, err := encode(coding, body)
	if err != nil {
		return raw
	}
	return packed
}

// forwardUnread forwards without reading.
func (p *passage) forwardUnread(body io.Reader, length int64) (status int, cut bool) {
	out := p.outgoing()
	if length != 0 {
		// An upstream may answer before it has read all, as to what is too large.
		client := http.NewResponseController(p.w)
		_ = client.EnableFullDuplex()
		p.upload = &upload{Reader: body}
		out.ContentLength, out.Trailer, out.Body = length, p.r.Trailer, p.upload
		// The transport may still be reading, and the client may send no more before
		// it has all of the answer.
		defer func() {
			if !p.upload.ended.Load() {
				_ = client.SetReadDeadline(time.Unix(1, 0))
			}
			_ = p.r.Body.Close()
		}()
	}
	res, err := p.roundTrip(out) //nolint:bodyclose // respond closes it
	if err != nil {
		return p.unreached(err)
	}
	return p.respond(res)
}

// An upload is a body on its way.
type upload struct {
	io.Reader
	ended atomic.Bool
}

func (u *upload) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if err != nil { // the server tells the end with the last bytes
		u.ended.Store(true)
	}
	return n, err
}

// Close does nothing: the body is the server's.
func (u *upload) Close() error { return nil }

// send sends a body that was read.
func (p *passage) send(body []byte) (*http.Response, error) {
	out := p.outgoing()
	out.Header.Del("Expect") // the body is here
	out.ContentLength = int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) {
		if len(body) == 0 && len(p.r.Trailer) == 0 {
			return http.NoBody, nil // or it goes in chunks
		}
		return io.NopCloser(bytes.NewReader(body)), nil
	}
	out.Body, _ = out.GetBody()
	// Vendors hang up on idle connections, ours as well as the client's: a request
	// that meets that is sent again on a new one. The key itself is not sent.
	if out.Header["Idempotency-Key"] == nil {
		out.Header["Idempotency-Key"] = []string{}
	}
	if len(p.r.Trailer) > 0 { // only chunks can have them
		out.ContentLength, out.Trailer = -1, p.r.Trailer
	}
	return p.roundTrip(out)
}

// roundTrip waits for a response.
func (p *passage) roundTrip(out *http.Request) (*http.Response, error) {
	res, err := p.transport.RoundTrip(out)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = true
	if err != nil && p.ctx.Err() == nil {
		p.log.Warn("the upstream cannot be reached", "upstream", p.target.name, "host", p.target.url.Host, "error", reason(err))
	}
	return res, err
}

// unreached ends what got no response. A connection that broke breaks for the client
// as well. One that could not be made the client has with us: it hears why in the
// shape of its vendor's errors, as a failure that it tries again after, as it does
// where it cannot connect by itself (X1).
func (p *passage) unreached(err error) (status int, cut bool) {
	p.mu.Lock()
	sent := p.sent
	p.mu.Unlock()
	if sent || p.ctx.Err() != nil {
		return 0, true
	}
	if p.upload != nil && !p.upload.ended.Load() {
		p.w.Header().Set("Connection", "close")
	}
	fail(p.w, p.protocol, http.StatusBadGateway, "cannot connect to "+p.target.url.Host+": "+reason(err))
	return http.StatusBadGateway, false
}

// reason says why no response came, without what was received: some errors of
// net/http quote it.
func reason(err error) string {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return certificate.Error()
	case errors.As(err, &op):
		return op.Error()
	}
	return "the connection broke before a response came"
}

// outgoing is the request as it goes on, without its body. Nothing is added that
// the client did not say.
func (p *passage) outgoing() *http.Request {
	trace := &httptrace.ClientTrace{Got1xxResponse: p.forwardInformational, WroteHeaders: func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent = true
	}}
	out := (&http.Request{
		Method: p.r.Method, URL: p.target.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: p.r.Header.Clone(), Host: p.target.url.Host,
	}).WithContext(httptrace.WithClientTrace(p.ctx, trace))
	dropHops(out.Header, p.r.Header)
	out.Header.Del("Content-Length")
	if p.target.url.User != nil && p.r.Header["Authorization"] == nil {
		password, _ := p.target.url.User.Password()
		out.SetBasicAuth(p.target.url.User.Username(), password)
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // or Go's own is sent
	}
	return out
}

// forwardInformational passes on what a vendor says before its response, such as 103.
func (p *passage) forwardInformational(code int, header textproto.MIMEHeader) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answered { // of a round that was given up
		return nil
	}
	h := p.w.Header()
	maps.Copy(h, header)
	p.w.WriteHeader(code)
	clear(h)
	return nil
}

// readBody reads a body; whole is false if it is longer than we read.
func readBody(r *http.Request, longest int64) (data []byte, whole bool, err error) {
	if r.ContentLength > longest {
		return nil, false, nil
	}
	if r.ContentLength >= 0 {
		// Not all at once on a client's word.
		data = make([]byte, 0, min(r.ContentLength, 8<<20)+1)
	}
	b := bytes.NewBuffer(data)
	n, err := b.ReadFrom(io.LimitReader(r.Body, longest+1))
	return b.Bytes(), n <= longest, err
}

// hops are the headers between two neighbours (RFC 9110, 7.6.1).
var hops = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// dropHops removes from a copy of a header what is meant for a neighbour only.
func dropHops(h, from http.Header) {
	for _, line := range from["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hops {
		h.Del(name)
	}
	for _, line := range from["Te"] {
		for name := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(textproto.TrimString(name), "trailers") {
				h["Te"] = []string{"trailers"}
			}
		}
	}
}
