package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
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

	diff "github.com/google/go-cmp/cmp"

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
	case <-time.After(20 * time.Second):
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

// X1: what is meant for a neighbour stays with it, both ways.
func TestX1HopByHop(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Raw: "HTTP/1.1 200 OK\r\nConnection: X-One\r\nX-One: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: x\r\nX-Kept: 1\r\nContent-Length: 0\r\n\r\n", Cut: -1})
	s := run(t, newScribe(), up.URL)
	for _, path := range []string{"/messages", "/other"} {
		got := question{Method: http.MethodPost, Path: path, Body: "{}", Header: http.Header{
			"Connection": {"keep-alive, X-Two", "x-three"}, "X-Two": {"1"}, "X-Three": {"1"}, "Keep-Alive": {"5"}, "Proxy-Authorization": {"x"},
			"Proxy-Connection": {"x"}, "Upgrade": {"h2c"}, "Te": {"gzip, trailers"}, "X-Kept": {"1"},
		}}.ask(t, s.base)
		if d := diff.Diff(http.Header{"X-Kept": {"1"}, "Content-Length": {"0"}}, got.Header); d != "" {
			t.Errorf("%s: the client sees (-want +got):\n%s", path, d)
		}
	}
	for _, asked := range up.asked() {
		if d := diff.Diff(http.Header{"X-Kept": {"1"}, "Te": {"trailers"}, "Content-Length": {"2"}}, asked.Header); d != "" {
			t.Errorf("the upstream sees (-want +got):\n%s", d)
		}
	}
}

// X1: over HTTP/2 too streams come chunk by chunk, and are cut where they are cut.
func TestX1HTTP2(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("asked by %s", r.Proto)
		}
		_, _ = io.Copy(w, r.Body)
		for range 3 {
			_ = http.NewResponseController(w).Flush()
			<-next
			_, _ = io.WriteString(w, "!")
		}
		if r.URL.Path == "/cut/messages" {
			panic(http.ErrAbortHandler)
		}
	}))
	up.EnableHTTP2 = true
	up.StartTLS()
	defer up.Close()
	transport := NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	transport.TLSClientConfig.RootCAs.AddCert(up.Certificate())
	k := newScribe()
	s := NewServer(Options{Keeper: k, Transport: transport})
	s.find = onlyMessages
	r := serve(t, s, up.URL)
	for path, cut := range map[string]bool{"/messages": false, "/cut/messages": true} {
		res, err := http.Post(r.base+path, "", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 7)
		_, err = io.ReadFull(res.Body, got[:4])
		for i := range 3 {
			next <- true
			if err == nil && (!cut || i < 2) { // the last is lost with the stream, or not
				_, err = io.ReadFull(res.Body, got[4+i:5+i])
			}
		}
		if err != nil || !strings.HasPrefix("body!!!", strings.TrimRight(string(got), "\x00")) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
		if _, err := io.ReadAll(res.Body); (err != nil) != cut {
			t.Errorf("%s ends with %v", path, err)
		}
		_ = res.Body.Close()
		if told := until(t, "done", k.done); told != "200 "+strconv.FormatBool(cut) {
			t.Errorf("%s: %s", path, told)
		}
	}
}

// X1: an upstream that is half open, or not there, looks so to the client: it waits
// as long as the client waits, or the connection breaks.
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
	_ = silent.Close()
	for _, path := range []string{"/messages", "/other"} {
		q := question{Method: http.MethodPost, Path: path, Body: "{}"}
		if got := q.ask(t, s.base); !got.Failed {
			t.Errorf("%s, of an upstream that is not there: %v", path, got)
		}
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

// X1: requests that come before the last is answered are answered in order.
func TestX1Pipelining(t *testing.T) {
	t.Parallel()
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	s := run(t, newScribe(), up.URL)
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for i, path := range []string{"/messages", "/other", "/messages"} {
		_, _ = fmt.Fprintf(conn, "POST /t/%s/up%s HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\n%d", s.token, path, s.address, i)
	}
	r := bufio.NewReader(conn)
	for i := range 3 {
		if got := look(r, http.MethodPost); got.Body != strconv.Itoa(i) {
			t.Fatalf("%d: %v", i, got)
		}
	}
}

// X1: "Expect: 100-continue" asks the upstream where the body is not read, and an
// upstream that answers early is heard early.
func TestX1EarlyAnswers(t *testing.T) {
	t.Parallel()
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		if r.Header.Get("Expect") != "" && strings.HasSuffix(r.URL.Path, "/messages") {
			t.Error("the upstream is asked for a body that is here")
		}
		if r.Header.Get("X-Wanted") != "" {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	})
	s := run(t, newScribe(), up.URL)
	s.limits.read = 1000
	for _, tt := range []struct {
		path, header  string
		first, second string
	}{
		{"/other", "Expect: 100-continue\r\n", "HTTP/1.1 413", ""},
		{"/other", "Expect: 100-continue\r\nX-Wanted: yes\r\n", "HTTP/1.1 100", "HTTP/1.1 413"},
		{"/messages", "Expect: 100-continue\r\nX-Wanted: yes\r\n", "HTTP/1.1 100", "HTTP/1.1 413"},
		{"/other", "", "HTTP/1.1 413", ""},    // while the body is not here yet
		{"/messages", "", "HTTP/1.1 413", ""}, // which is too long to be read
	} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		length := 4
		if tt.header == "" {
			length = 1001
		}
		_, _ = fmt.Fprintf(conn, "POST /t/%s/up%s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n", s.token, tt.path, s.address, length, tt.header)
		r := bufio.NewReader(conn)
		if line, _ := r.ReadString('\n'); !strings.HasPrefix(line, tt.first) {
			t.Errorf("%v: first %q", tt, line)
		}
		if tt.second != "" {
			_, _ = r.ReadString('\n')
			_, _ = io.WriteString(conn, "body")
			if line, _ := r.ReadString('\n'); !strings.HasPrefix(line, tt.second) {
				t.Errorf("%v: then %q", tt, line)
			}
		}
		_ = conn.Close()
	}
}

// X1: an early answer comes to its end without the rest of the request, and what
// comes of the request then is not read as another one.
func TestX1EarlyAnswersEnd(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				b := bufio.NewReader(conn)
				if _, err := http.ReadRequest(b); err == nil {
					_, _ = io.WriteString(conn, "HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n")
					_, _ = io.Copy(io.Discard, b)
				}
			}()
		}
	}()
	s := run(t, newScribe(), "http://"+l.Addr().String())
	s.limits.read = 50
	for _, framing := range []string{"Content-Length: 1000\r\n\r\nstart", "Transfer-Encoding: chunked\r\n\r\n5\r\nstart\r\n"} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(conn, "POST /t/%s/up/other HTTP/1.1\r\nHost: %s\r\n%s", s.token, s.address, framing)
		var came bytes.Buffer
		b := bufio.NewReader(io.TeeReader(conn, &came))
		if got := look(b, http.MethodPost); got.Status != 413 || got.Body != "no" || got.Cut || !strings.Contains(came.String(), "Connection: close\r\n") {
			t.Errorf("%s: %v", framing, got)
		}
		_, _ = fmt.Fprintf(conn, "GET /t/%s/up/other HTTP/1.1\r\nHost: %s\r\n\r\n", s.token, s.address)
		if got := look(b, http.MethodGet); !got.Failed {
			t.Errorf("%s: the rest is read as a request: %v", framing, got)
		}
		_ = conn.Close()
	}
}

// X1: headers of a megabyte go both ways.
func TestX1HugeHeaders(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("h", 900<<10)
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Huge", r.Header.Get("X-Huge")) })
	s := run(t, newScribe(), up.URL)
	got := question{Method: http.MethodPost, Path: "/messages", Body: "{}", Header: http.Header{"X-Huge": {huge}}}.ask(t, s.base)
	if got.Header.Get("X-Huge") != huge {
		t.Error(got.Status, len(got.Header.Get("X-Huge")))
	}
}

// X6: an error waits for the Keeper, once; what it does not try again reaches the
// client as it came.
func TestX6RefusalsAreTriedAgainOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
		if string(body) == "broken" {
			panic(http.ErrAbortHandler)
		}
		if string(body) == "the original" {
			_, _ = io.WriteString(w, "ok")
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, packed(t, "gzip", "refused: "+string(body)))
	})
	k := newScribe()
	s := run(t, k, up.URL)
	k.edit = func([]byte) []byte { return []byte("edited") }
	q := question{Method: http.MethodPost, Path: "/messages", Body: "the original"}

	k.again = func(_ int, came []byte) []byte { return came }
	if got := q.ask(t, s.base); got.Status != 200 || got.Body != "ok" {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "200 false" || k.heard[0] != "ok" {
		t.Error(told, k.heard)
	}
	k.again = func(int, []byte) []byte { return []byte("edited again") }
	if got := q.ask(t, s.base); got.Status != 400 || got.Body != packed(t, "gzip", "refused: edited again") || got.Header.Get("Retry-After") != "7" {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "400 false" {
		t.Error(told)
	}
	k.again = func(int, []byte) []byte { return []byte("broken") }
	if got := q.ask(t, s.base); !got.Failed {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "0 true" {
		t.Error(told)
	}
	k.again = nil
	if got := q.ask(t, s.base); got.Status != 400 || got.Body != packed(t, "gzip", "refused: edited") {
		t.Error(got)
	}
	until(t, "done", k.done)
	if want := "edited, the original, edited, edited again, edited, broken, edited"; strings.Join(bodies, ", ") != want {
		t.Errorf("asked %q, want %s", bodies, want)
	}
	if want := "400 refused: edited, 400 refused: edited, 400 refused: edited, 400 refused: edited"; strings.Join(k.refused, ", ") != want {
		t.Errorf("refused %q, want %s", k.refused, want)
	}
}

// X6: an error that is long, or does not end, is not waited for.
func TestX6EndlessErrors(t *testing.T) {
	t.Parallel()
	end := make(chan bool)
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(529)
		_, _ = io.WriteString(w, strings.Repeat("e", 100))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-end:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "nd")
	})
	k := newScribe()
	s := run(t, k, up.URL)
	for i, most := range []limits{{errorBytes: 10, errorWait: time.Hour}, {errorBytes: 1000, errorWait: time.Millisecond}} {
		most.read = 100
		most.decoded = 100
		s.limits = most
		res, err := http.Post(s.base+"/messages", "", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			end <- true
			if rest, err := io.ReadAll(res.Body); string(rest) != "nd" || err != nil {
				t.Error(string(rest), err)
			}
		}
		_ = res.Body.Close()
		want := "529 " + strconv.FormatBool(i > 0)
		if told := until(t, "done", k.done); told != want {
			t.Errorf("%q, want %q", told, want)
		}
	}
}

// X4: an answer of ours is the whole response; nothing is sent on.
func TestX4Answers(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	k := newScribe()
	k.answer = &Answer{ContentType: "text/event-stream", Body: []byte("data: ours\n\n")}
	s := run(t, k, up.URL)
	got := question{Method: http.MethodPost, Path: "/messages", Body: "{}"}.ask(t, s.base)
	if got.Status != 200 || got.Body != "data: ours\n\n" || got.Header.Get("Content-Type") != "text/event-stream" || len(up.asked()) > 0 {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "200 false" {
		t.Error(told)
	}
}

// V7: whatever of a Keeper panics, the client sees what it would see without one.
func TestV7PanicsPass(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	for _, where := range []string{"Take", "Body", "Answer", "Refused", "Heard", "Write", "Done"} {
		s := run(t, &breaking{Keeper: newScribe(), where: where}, up.URL)
		for _, status := range []int{200, 400} {
			up.play(script{Status: status, Framing: "length", Chunks: []string{"said"}, Cut: -1})
			got := question{Method: http.MethodPost, Path: "/messages", Body: "{}"}.ask(t, s.base)
			if asked := up.asked(); got.Status != status || got.Body != "said" || len(asked) != 1 || asked[0].Body != "{}" {
				t.Errorf("%s: %v, asked %v", where, got, asked)
			}
		}
	}
}

// breaking is a Keeper that panics in one place.
type breaking struct {
	Keeper
	where string
}

func (b *breaking) at(where string) {
	if b.where == where {
		panic("broken")
	}
}

func (b *breaking) Take(ctx context.Context, in Incoming) Exchange {
	b.at("Take")
	x, _ := b.Keeper.Take(ctx, in).(*scribbled)
	return &brokenExchange{x, b}
}

type brokenExchange struct {
	*scribbled
	b *breaking
}

func (x *brokenExchange) Body() []byte    { x.b.at("Body"); return x.scribbled.Body() }
func (x *brokenExchange) Answer() *Answer { x.b.at("Answer"); return x.scribbled.Answer() }
func (x *brokenExchange) Refused(status int, body []byte) []byte {
	x.b.at("Refused")
	return x.scribbled.Refused(status, body)
}
func (x *brokenExchange) Heard() wire.Listener { x.b.at("Heard"); return x }
func (x *brokenExchange) Write(p []byte) (int, error) {
	x.b.at("Write")
	return x.scribbled.Write(p)
}
func (x *brokenExchange) Done(int, bool) { x.b.at("Done") }
