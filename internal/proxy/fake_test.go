package proxy

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// running is a server in front of an upstream.
type running struct {
	*Server
	address, token string
	base           string
}

// run serves a route to an upstream until the test ends.
func run(t testing.TB, keeper Keeper, upstream string) *running {
	t.Helper()
	transport := NewTransport()
	transport.MaxIdleConnsPerHost = -1 // the upstreams of these tests hang up without a word
	s := NewServer(Options{Keeper: keeper, Transport: transport, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	s.find = onlyMessages
	return serve(t, s, upstream)
}

func serve(t testing.TB, s *Server, upstream string) *running {
	t.Helper()
	u, err := ParseBase(upstream)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	token := s.Add("", Route{Client: "fake", Dir: "/work", Upstreams: map[string]*url.URL{"up": u}})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	address := l.Addr().String()
	return &running{Server: s, address: address, token: token, base: Base(address, token, "up")}
}

// onlyMessages is a protocol of which only the path matters.
func onlyMessages(method, path string) (wire.Protocol, wire.Kind, bool) {
	if method == http.MethodPost && strings.HasSuffix(path, "/messages") {
		return fakeProtocol{}, wire.Generate, true
	}
	return nil, wire.Other, false
}

type fakeProtocol struct{ wire.Protocol }

func (fakeProtocol) Name() string { return "fake" }

// A scribe is a Keeper that records what it is asked and told, and changes what the
// test says.
type scribe struct {
	edit    func([]byte) []byte
	again   func(int, []byte) []byte
	answer  *Answer
	deaf    bool
	listen  func([]byte)
	mu      sync.Mutex
	in      []Incoming
	refused []string
	heard   []string
	done    chan string
}

func newScribe() *scribe { return &scribe{done: make(chan string, 1000)} }

func (s *scribe) Take(_ context.Context, in Incoming) Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.in = append(s.in, in)
	return &scribbled{scribe: s, in: in}
}
func (s *scribe) Status() []Conversation      { return []Conversation{{ID: "a", Protocol: "fake"}} }
func (s *scribe) Close(context.Context) error { return nil }

type scribbled struct {
	*scribe
	in   Incoming
	body bytes.Buffer
}

func (x *scribbled) Body() []byte {
	if x.edit != nil {
		return x.edit(x.in.Body)
	}
	return x.in.Body
}
func (x *scribbled) Answer() *Answer { return x.answer }
func (x *scribbled) Refused(status int, body []byte) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.refused = append(x.refused, fmt.Sprint(status, " ", string(body)))
	if x.again != nil {
		return x.again(status, x.in.Body)
	}
	return nil
}

func (x *scribbled) Heard() wire.Listener {
	if x.deaf {
		return nil
	}
	return x
}

func (x *scribbled) Write(p []byte) (int, error) {
	if x.listen != nil {
		x.listen(p)
	}
	return x.body.Write(p)
}
func (x *scribbled) Response() wire.Response { return wire.Response{Usage: tenfold.Usage{}} }
func (x *scribbled) Done(status int, cut bool) {
	x.mu.Lock()
	x.heard = append(x.heard, x.body.String())
	x.mu.Unlock()
	x.done <- fmt.Sprint(status, " ", cut)
}

// A script is what an upstream does to a request.
type script struct {
	Status   int
	Header   http.Header
	Trailer  map[string]string
	Surprise bool // the trailer is not announced
	Chunks   []string
	Framing  string // "length", "chunked" or "close"
	Cut      int    // bytes of the response that are sent; -1 for all
	Informal bool   // 103 comes first
	Raw      string // stands for all of it
}

// bytes is the response on the wire.
func (s script) bytes() []byte {
	if s.Raw != "" {
		return []byte(s.Raw)
	}
	var b bytes.Buffer
	if s.Informal {
		b.WriteString("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
	}
	fmt.Fprintf(&b, "HTTP/1.1 %d Whatever\r\n", s.Status)
	_ = s.Header.Write(&b)
	if s.Status == 204 || s.Status == 304 || s.Framing == "none" {
		b.WriteString("\r\n")
		return b.Bytes()
	}
	switch s.Framing {
	case "length":
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(strings.Join(s.Chunks, "")))
	case "chunked":
		b.WriteString("Transfer-Encoding: chunked\r\n")
		for i, k := range slices.Sorted(maps.Keys(s.Trailer)) {
			if s.Surprise && i > 0 {
				break
			}
			b.WriteString("Trailer: " + k + "\r\n")
		}
	case "close":
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	for _, c := range s.Chunks {
		if s.Framing == "chunked" {
			fmt.Fprintf(&b, "%x\r\n%s\r\n", len(c), c)
		} else {
			b.WriteString(c)
		}
	}
	if s.Framing == "chunked" {
		b.WriteString("0\r\n")
		for _, k := range slices.Sorted(maps.Keys(s.Trailer)) {
			b.WriteString(k + ": " + s.Trailer[k] + "\r\n")
		}
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// A seen request is what an upstream was asked.
type seen struct {
	Method, URI, Host string
	Header, Trailer   http.Header
	Body              string
	Length            int64
	Coding            []string
}

// A player is an upstream that plays a script and records what it is asked.
type player struct {
	*httptest.Server
	mu     sync.Mutex
	script script
	seen   []seen
}

func newPlayer(t testing.TB) *player {
	p := &player{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		p.mu.Lock()
		p.seen = append(p.seen, seen{r.Method, r.RequestURI, r.Host, r.Header, r.Trailer, string(body), r.ContentLength, r.TransferEncoding})
		s := p.script
		p.mu.Unlock()
		all := s.bytes()
		if s.Cut >= 0 && s.Cut < len(all) {
			all = all[:s.Cut]
		}
		_, _ = out.Write(all)
		_ = out.Flush()
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *player) play(s script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script, p.seen = s, nil
}

func (p *player) asked() []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// A question is what a client sends.
type question struct {
	Method, Path string
	Header       http.Header
	Body         string
	Chunked      bool
	Trailer      map[string]string
}

// An impression is what a client sees of a response.
type impression struct {
	Failed   bool // no response came
	Status   int
	Header   http.Header
	Length   int64
	Body     string
	Cut      bool
	Trailer  http.Header
	Informal int
}

// ask sends a question as it stands, on a connection of its own.
func (q question) ask(t fataler, base string) impression {
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", q.Method, cmp.Or(u.EscapedPath()+q.Path, "/"), u.Host)
	_ = q.Header.Write(&b)
	switch {
	case q.Chunked:
		b.WriteString("Transfer-Encoding: chunked\r\n")
		for _, k := range slices.Sorted(maps.Keys(q.Trailer)) {
			b.WriteString("Trailer: " + k + "\r\n")
		}
		b.WriteString("\r\n")
		for c := range slices.Chunk([]byte(q.Body), max(7, len(q.Body)/1000)) {
			fmt.Fprintf(&b, "%x\r\n%s\r\n", len(c), c)
		}
		b.WriteString("0\r\n")
		for _, k := range slices.Sorted(maps.Keys(q.Trailer)) {
			b.WriteString(k + ": " + q.Trailer[k] + "\r\n")
		}
		b.WriteString("\r\n")
	case q.Body != "":
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(q.Body), q.Body)
	default:
		b.WriteString("\r\n")
	}
	conn, err := net.Dial("tcp", u.Host) // now: a server does not wait for ever for a head
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() { _, _ = conn.Write(b.Bytes()) }() // as clients do, who hear an early answer
	return look(conn, q.Method)
}

type fataler interface{ Fatal(args ...any) }

// look reads a response.
func look(conn io.Reader, method string) impression {
	r := bufio.NewReader(conn)
	var i impression
	for {
		res, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			i.Failed = true
			return i
		}
		if res.StatusCode < 200 {
			i.Informal++
			continue
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		i.Status, i.Header, i.Length, i.Body, i.Cut, i.Trailer = res.StatusCode, res.Header, res.ContentLength, string(body), err != nil, res.Trailer
		return i
	}
}

// framed leaves out how a body without a length is framed, which is between
// neighbours: one that ends with its connection can come in chunks.
func (i impression) framed(s script) impression {
	if s.Framing == "close" {
		i.Header.Del("Connection")
		i.Cut = false
	}
	return i
}
