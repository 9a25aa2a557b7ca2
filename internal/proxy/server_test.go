package proxy

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
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
		for c := range slices.Chunk([]byte(q.Body), 7) {
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
	if _, err := conn.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
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

var (
	names  = []string{"X-Api-Key", "Authorization", "Anthropic-Beta", "X-Unknown-Thing", "Accept-Encoding", "Accept", "Content-Type", "Cookie", "Via", "X-Forwarded-For"}
	values = rapid.SampledFrom([]string{"", "a", "Bearer sk-1", "gzip, br", "trailers", "ünï", `"quoted"; x=1`, strings.Repeat("long ", 2000)})
	texts  = rapid.SampledFrom([]string{"", "x", "{}", "data: {\"a\":1}\n\n", "\x00\xff\xfe", strings.Repeat("walk ", 3000), "\r\n\r\n", "0\r\n\r\n"})
)

func drawHeader(t *rapid.T, label string) http.Header {
	h := http.Header{}
	for range rapid.IntRange(0, 5).Draw(t, label+" headers") {
		h.Add(rapid.SampledFrom(names).Draw(t, "name"), strings.TrimSpace(values.Draw(t, "value")))
	}
	if rapid.Bool().Draw(t, "agent") {
		h.Set("User-Agent", "client/1 (x; y)") // once, not empty: Go sends no other
	}
	return h
}

func drawTrailer(t *rapid.T) map[string]string {
	if !rapid.Bool().Draw(t, "trailer") {
		return nil
	}
	return map[string]string{"X-Sum": "1", "X-Other": rapid.SampledFrom([]string{"", "two"}).Draw(t, "trailer value")}
}

func drawQuestion(t *rapid.T) question {
	q := question{
		Method: rapid.SampledFrom([]string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"}).Draw(t, "method"),
		Path: rapid.SampledFrom([]string{
			"", "/", "/v1/messages?beta=true", "/v1/messages", "/v1beta/models/gemini-3:streamGenerateContent?alt=sse&key=k", "/a%2Fb/c%20d", "//double", "/v1//messages",
			"/a/../b", "/?", "/?x", "/q?a=b;c=d&%zz=%", `/we"ird'<>|`, "/ü", "/http://elsewhere.example/", "/a:b@c",
		}).Draw(t, "path"),
		Header: drawHeader(t, "question"),
	}
	if rapid.Bool().Draw(t, "te") {
		q.Header["Te"] = []string{"trailers"}
	}
	if !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, q.Method) {
		q.Body = strings.Join(rapid.SliceOfN(texts, 0, 4).Draw(t, "body"), "")
		if q.Chunked = rapid.Bool().Draw(t, "chunked"); q.Chunked && q.Body != "" { // Go sends none after nothing
			q.Trailer = drawTrailer(t)
		}
	}
	return q
}

func drawScript(t *rapid.T) script {
	s := script{
		Status:   rapid.SampledFrom([]int{200, 200, 201, 204, 206, 301, 304, 307, 400, 401, 404, 413, 429, 500, 502, 529}).Draw(t, "status"),
		Header:   drawHeader(t, "script"),
		Chunks:   slices.DeleteFunc(rapid.SliceOfN(texts, 0, 4).Draw(t, "chunks"), func(c string) bool { return c == "" }),
		Framing:  rapid.SampledFrom([]string{"length", "chunked", "close"}).Draw(t, "framing"),
		Informal: rapid.Bool().Draw(t, "informal"),
		Cut:      -1,
	}
	if rapid.Bool().Draw(t, "located") {
		s.Header.Set("Location", "https://elsewhere.example/")
	}
	if s.Status == 304 {
		s.Header.Del("Content-Type") // Go sends none
	}
	if s.Framing == "chunked" {
		s.Trailer, s.Surprise = drawTrailer(t), rapid.Bool().Draw(t, "surprise")
	}
	if rapid.IntRange(0, 2).Draw(t, "cut or not") == 0 {
		s.Cut = rapid.IntRange(0, len(s.bytes())-1).Draw(t, "cut")
	}
	return s
}

// X1, X7: a client sees of the upstream, and the upstream of a client, what they
// see of one another without us, whether the request is read or not.
func TestX1TransparentBothWays(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	for name, keeper := range map[string]Keeper{"unread": nil, "read": newScribe()} {
		s := run(t, keeper, up.URL)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				q, s1 := drawQuestion(t), drawScript(t)
				if q.Method == http.MethodHead {
					s1.Framing, s1.Cut = "none", -1
				}
				up.play(s1)
				if k, ok := keeper.(*scribe); ok {
					for len(k.done) > 0 {
						<-k.done
					}
				}
				want, sent := q.ask(t, up.URL), up.asked()
				up.play(s1)
				got, forwarded := q.ask(t, s.base), up.asked()
				if d := diff.Diff(want.framed(s1), got.framed(s1)); d != "" {
					t.Fatalf("the client sees something else (-direct +through us):\n%s", d)
				}
				if d := diff.Diff(asSent(sent), asSent(forwarded)); d != "" {
					t.Fatalf("the upstream sees something else (-direct +through us):\n%s", d)
				}
			})
		})
	}
}

// asSent leaves out how a body is framed that was read whole.
func asSent(all []seen) []seen {
	for i := range all {
		all[i].Length, all[i].Coding = 0, nil
		all[i].Header.Del("Content-Length")
	}
	return all
}

// X1: a response of an upstream is cut where the upstream is, at every byte.
func TestX1CutAtEveryByte(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	keeper := newScribe()
	s := run(t, keeper, up.URL)
	for _, framing := range []string{"length", "chunked"} {
		one := script{Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Chunks: []string{"data: a\n\n", "data: b\n\n"}, Framing: framing}
		for one.Cut = range len(one.bytes()) + 1 {
			up.play(one)
			q := question{Method: "POST", Path: "/v1/messages", Body: "{}"}
			want, got := q.ask(t, up.URL), q.ask(t, s.base)
			if d := diff.Diff(want, got); d != "" {
				t.Fatalf("%s cut at %d (-direct +through us):\n%s", framing, one.Cut, d)
			}
			told := <-keeper.done
			if cut := strings.HasSuffix(told, "true"); cut != (want.Cut || want.Failed) {
				t.Fatalf("%s cut at %d: the Keeper hears %q", framing, one.Cut, told)
			}
		}
	}
}

// X1: every chunk is with the client before the next one leaves the vendor.
func TestX1ChunkByChunk(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", wire.Event)
		_ = http.NewResponseController(w).Flush()
		for i := range 50 {
			if !<-next {
				return
			}
			_, _ = io.WriteString(w, strconv.Itoa(i%10))
			_ = http.NewResponseController(w).Flush()
		}
	}))
	defer up.Close()
	defer close(next)
	keeper := newScribe()
	s := run(t, keeper, up.URL)
	res, err := http.Post(s.base+"/messages", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var one [1]byte
	for i := range 50 {
		next <- true
		if _, err := io.ReadFull(res.Body, one[:]); err != nil || string(one[:]) != strconv.Itoa(i%10) {
			t.Fatalf("chunk %d: %q, %v", i, one, err)
		}
	}
	if _, err := res.Body.Read(one[:]); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if told := <-keeper.done; told != "200 false" || keeper.heard[0] != strings.Repeat("0123456789", 5) {
		t.Fatalf("the Keeper hears %q, %q", told, keeper.heard)
	}
}
