package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
)

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
