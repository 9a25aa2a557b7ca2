package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/internal/proxy/wire"
)

// upstream serves a handler until the test ends.
func upstream(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	up := httptest.NewUnstartedServer(h)
	up.Config.ErrorLog = log.New(io.Discard, "", 0)
	up.Start()
	t.Cleanup(up.Close)
	return up
}

// until waits for a channel, and fails where nothing comes.
func until[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(5 * time.Minute):
		t.Fatal("never: " + what)
		panic("")
	}
}

// X9: 200 streams at once, all of them alive until the last has begun, some of
// them read slowly; each client has its own answer, and nobody waits for another.
func TestX9TwoHundredStreams(t *testing.T) {
	t.Parallel()
	const streams = 200
	var begun sync.WaitGroup
	begun.Add(streams)
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		flush := http.NewResponseController(w).Flush
		_, _ = w.Write(body)
		_ = flush()
		begun.Done()
		begun.Wait()
		for i := range 20 {
			_, _ = fmt.Fprintf(w, "%s%d", body, i)
			_ = flush()
		}
	})
	k := newScribe()
	s := run(t, k, up.URL)
	var all sync.WaitGroup
	for i := range streams {
		all.Go(func() {
			own := fmt.Sprintf("<%d>", i)
			res, err := http.Post(s.base+"/messages", "application/json", strings.NewReader(own))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = res.Body.Close() }()
			r := io.Reader(res.Body)
			if i%10 == 0 {
				r = &slow{r}
			}
			got, err := io.ReadAll(r)
			want := own
			for j := range 20 {
				want += own + strconv.Itoa(j)
			}
			if err != nil || string(got) != want {
				t.Errorf("%d: %q, %v", i, got, err)
			}
		})
	}
	all.Wait()
	for range streams {
		if told := until(t, "done", k.done); told != "200 false" {
			t.Error(told)
		}
	}
}

// slow reads a byte at a time.
type slow struct{ io.Reader }

func (s *slow) Read(p []byte) (int, error) { return s.Reader.Read(p[:1]) }

// X1: a client that goes away takes its request with it, before a response and in
// the middle of one, read or not.
func TestX1ClientsGoAway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path string
		told string
		sent bool
	}{{"/messages", "0 true", false}, {"/messages", "200 true", true}, {"/other", "", false}, {"/other", "", true}} {
		came, gone := make(chan bool, 1), make(chan bool, 1)
		up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if tt.sent {
				_, _ = io.WriteString(w, "a start")
				_ = http.NewResponseController(w).Flush()
			}
			came <- true
			<-r.Context().Done()
			gone <- true
		})
		k := newScribe()
		s := run(t, k, up.URL)
		ctx, leave := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.base+tt.path, strings.NewReader("{}"))
		answered := make(chan *http.Response, 1)
		go func() {
			res, _ := http.DefaultClient.Do(r) //nolint:bodyclose // closed below
			answered <- res
		}()
		until(t, "a request", came)
		if tt.sent {
			res := until(t, "a response", answered)
			if _, err := io.ReadFull(res.Body, make([]byte, len("a start"))); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
		}
		leave()
		until(t, "the upstream hears of it", gone)
		if tt.told != "" {
			if told := until(t, "done", k.done); told != tt.told {
				t.Errorf("%v: %q", tt, told)
			}
		}
	}
}

// X1: of a request that is cut at any byte no piece is taken for a whole.
func TestX1RequestsCutAtEveryByte(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	up := upstream(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			mu.Lock()
			bodies = append(bodies, string(body))
			mu.Unlock()
		}
	})
	k := newScribe()
	s := run(t, k, up.URL)
	for _, path := range []string{"/messages", "/other"} {
		for _, framing := range []string{"Content-Length: 9\r\n\r\nthe whole", "Transfer-Encoding: chunked\r\n\r\n4\r\nthe \r\n5\r\nwhole\r\n0\r\n\r\n"} {
			whole := fmt.Sprintf("POST /t/%s/up%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s", s.token, path, s.address, framing)
			for cut := range len(whole) + 1 {
				conn, err := net.Dial("tcp", s.address)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.WriteString(conn, whole[:cut])
				if cut < len(whole) {
					_ = conn.(*net.TCPConn).CloseWrite()
				}
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(bodies) != 4 {
		t.Errorf("%d requests came through: %q", len(bodies), bodies)
	}
	for _, b := range bodies {
		if b != "the whole" {
			t.Errorf("%q came through", b)
		}
	}
	if len(k.in) != 2 {
		t.Errorf("the Keeper was asked about %d requests", len(k.in))
	}
}

// X1: who hangs up without a word on a connection that was idle is asked once more,
// as a client would that had a connection of its own.
func TestX1IdleConnectionsThatEnded(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Status: 200, Framing: "length", Chunks: []string{"ok"}, Cut: -1})
	s := NewServer(Options{Keeper: newScribe()})
	s.find = onlyMessages
	r := serve(t, s, up.URL)
	for i := range 100 {
		q := question{Method: http.MethodPost, Path: "/messages", Body: "{}"}
		if got := q.ask(t, r.base); got.Failed || got.Body != "ok" {
			t.Fatalf("request %d: %v", i, got)
		}
	}
	for _, one := range up.asked() {
		if len(one.Header["Idempotency-Key"]) > 0 {
			t.Fatal("a header is sent that the client did not send")
		}
	}
}

// X1: the same where the upstream hangs up after it had the whole request: nobody can
// tell whether it was read, and a client on a new connection would have had an answer.
func TestX1IdleConnectionsThatEndLate(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(Options{Keeper: newScribe()})
	s.find = onlyMessages
	r := serve(t, s, "http://"+l.Addr().String())
	served := make(chan bool)
	go func() {
		defer close(served)
		for i := range 2 {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := bufio.NewReader(conn)
			for j := range 2 - i {
				req, err := http.ReadRequest(b)
				if err != nil {
					t.Error(err)
					break
				}
				_, _ = io.Copy(io.Discard, req.Body)
				if len(req.Header["Idempotency-Key"]) > 0 {
					t.Error("a header is sent that the client did not send")
				}
				if j == 0 {
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			}
			_ = conn.Close()
		}
	}()
	for i := range 2 {
		if got := (question{Method: http.MethodPost, Path: "/messages", Body: "{}"}).ask(t, r.base); got.Failed || got.Body != "ok" {
			t.Errorf("request %d: %v", i, got)
		}
	}
	_ = l.Close()
	until(t, "the upstream ends", served)
}

// X1: an upstream that is half open looks so to the client: it waits as long as the
// client waits.
func TestX1UpstreamsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	k := newScribe()
	s := run(t, k, "http://"+silent.Addr().String())
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(conn, "POST /t/%s/up/messages HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}", s.token, s.address)
	up, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.ReadRequest(bufio.NewReader(up)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the client hears %v", err)
	}
	_ = conn.Close()
	if _, err := up.Read(make([]byte, 1)); err == nil {
		t.Error("the upstream hears nothing of it")
	}
	_ = up.Close()
	if told := until(t, "done", k.done); told != "0 true" {
		t.Error(told)
	}
}

// X1: where no connection can be made nothing was sent: the client hears why in the
// shape of its vendor's errors, and may try again.
func TestX1UpstreamsThatAreNotThere(t *testing.T) {
	t.Parallel()
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS() // by an authority that nobody knows
	t.Cleanup(unknown.Close)
	for up, why := range map[string]string{"http://127.0.0.1:1": "connection refused", unknown.URL: "unknown authority", "http://no-such-host.invalid": "lookup"} {
		host := strings.TrimPrefix(strings.TrimPrefix(up, "http://"), "https://")
		for path, shape := range map[string]string{
			"/v1/messages":                     `{"type":"error","error":{"type":"api_error","message":%q}}`,
			"/v1/responses":                    `{"error":{"type":"server_error","message":%q}}`,
			"/v1/chat/completions":             `{"error":{"type":"server_error","message":%q}}`,
			"/v1beta/models/x:generateContent": `{"error":{"code":502,"message":%q,"status":"UNAVAILABLE"}}`,
			"/v1/files":                        `{"type":"error","error":{"type":"tenfold_proxy","message":%q}}`,
		} {
			for _, k := range []Keeper{nil, newScribe()} {
				s := run(t, k, up)
				s.find = wire.Of
				if path != "/v1/messages" && why != "connection refused" {
					continue // each vendor's shape once, each reason once
				}
				got := question{Method: http.MethodPost, Path: path, Body: strings.Repeat("x", 1<<20), Chunked: true}.ask(t, s.base)
				var body struct {
					Error struct {
						Message string `json:"message"`
					} `json:"error"`
				}
				_ = json.Unmarshal([]byte(got.Body), &body)
				says := body.Error.Message
				if got.Status != http.StatusBadGateway || got.Body != fmt.Sprintf(shape, says) || !strings.HasPrefix(says, "tenfold proxy: cannot connect to "+host+": ") || !strings.Contains(says, why) {
					t.Errorf("%s%s: %v", up, path, got)
				}
			}
		}
	}
}

// X1: a client that is still sending hears that no connection can be made, and that
// this one ends.
func TestX1AnUploadToNowhere(t *testing.T) {
	t.Parallel()
	s := run(t, nil, "http://no-such-host.invalid")
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "POST /t/%s/up/other HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\n{", s.token, s.address)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusBadGateway || !res.Close {
		t.Errorf("%s, close: %v", res.Status, res.Close)
	}
}

// X1: bodies of any size go both ways; a response is not read further than the
// client reads.
func TestX1LargeBodies(t *testing.T) {
	t.Parallel()
	const size = 50 << 20
	block := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MB
	sum := func(r io.Reader) string {
		h := sha256.New()
		n, err := io.Copy(h, r)
		return fmt.Sprintf("%d %x %v", n, h.Sum(nil), err)
	}
	blocks := func() io.Reader {
		readers := make([]io.Reader, size>>20)
		for i := range readers {
			readers[i] = bytes.NewReader(block)
		}
		return io.MultiReader(readers...)
	}
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Sum", sum(r.Body))
		for range size >> 20 {
			_, _ = w.Write(block)
		}
	})
	k := newScribe()
	s := run(t, k, up.URL)
	s.limits.behind = 1 << 20
	k.listen = func([]byte) { time.Sleep(time.Millisecond) } // cannot keep up
	want := sum(blocks())
	for _, path := range []string{"/messages", "/other"} {
		res, err := http.Post(s.base+path, "application/octet-stream", blocks())
		if err != nil {
			t.Fatal(err)
		}
		got := sum(res.Body)
		_ = res.Body.Close()
		if got != want || res.Header.Get("X-Sum") != want {
			t.Errorf("%s: up %s, down %s, want %s", path, res.Header.Get("X-Sum"), got, want)
		}
	}
	if told := until(t, "done", k.done); told != "200 true" {
		t.Errorf("who cannot keep up is told %q", told)
	}
}

// X1, V7: a reader that stands still holds up nobody.
func TestX1AListenerThatStands(t *testing.T) {
	t.Parallel()
	up := upstream(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the whole") })
	k := newScribe()
	stand := make(chan bool)
	k.listen = func([]byte) { <-stand }
	s := run(t, k, up.URL)
	for range 3 {
		if got := (question{Method: http.MethodPost, Path: "/messages", Body: "{}"}).ask(t, s.base); got.Body != "the whole" || got.Cut {
			t.Fatal(got)
		}
	}
	close(stand)
	for range 3 {
		until(t, "done", k.done)
	}
}
