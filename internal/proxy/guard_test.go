package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"tenfold/problem"
)

// X8: only who knows the token comes through, and only to where it leads.
func TestX8OnlyThroughTheToken(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Status: 200, Framing: "length", Cut: -1})
	s := run(t, newScribe(), up.URL)
	elsewhere := strings.TrimPrefix(up.URL, "http://")
	for _, tt := range []struct {
		name, line, host, more string
		want                   int
	}{
		{"as printed", "GET /t/TOKEN/up/x", s.address, "", 200},
		{"by name", "GET /t/TOKEN/up/x", "LocalHost:1", "", 200},
		{"by number", "GET /t/TOKEN/up/x", "[::1]:1", "", 200},
		{"by a number of the network", "GET /t/TOKEN/up/x", "192.0.2.1", "", 200},
		{"no token", "GET /v1/messages", s.address, "", 403},
		{"an empty token", "GET /t//up/x", s.address, "", 403},
		{"another token", "GET /t/" + NewToken() + "/up/x", s.address, "", 403},
		{"half a token", "GET /t/" + s.token[:20] + "/up/x", s.address, "", 403},
		{"a longer token", "GET /t/TOKEN0/up/x", s.address, "", 403},
		{"the token elsewhere", "GET /x/t/TOKEN/up/x", s.address, "", 403},
		{"an unknown upstream", "GET /t/TOKEN/other/x", s.address, "", 403},
		{"no upstream", "GET /t/TOKEN/", s.address, "", 403},
		{"where it leads", "GET /t/TOKEN", s.address, "", 200},
		{"where it leads for a web page", "GET /t/TOKEN", s.address, "Origin: null\r\n", 403},
		{"where another token leads", "GET /t/" + NewToken(), s.address, "", 403},
		{"another name", "GET /t/TOKEN/up/x", "evil.example", "", 403},
		{"another name and our port", "GET /t/TOKEN/up/x", "127.0.0.1.evil.example:7434", "", 403},
		{"no name", "GET /t/TOKEN/up/x", "", "", 403},
		{"a web page", "POST /t/TOKEN/up/x", s.address, "Origin: https://evil.example\r\n", 403},
		{"a web page of no origin", "POST /t/TOKEN/up/x", s.address, "Origin: null\r\n", 403},
		{"an absolute address", "GET http://" + elsewhere + "/t/TOKEN/up/x", s.address, "", 403},
		{"an absolute address of ours", "GET http://" + s.address + "/t/TOKEN/up/x", s.address, "", 403},
		{"a tunnel", "CONNECT " + elsewhere, elsewhere, "", 403},
		{"a socket", "GET /t/TOKEN/up/responses", s.address, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", 426},
		{"a socket of a stranger", "GET /t/x/up/responses", s.address, "Connection: Upgrade\r\nUpgrade: websocket\r\n", 403},
		{"the token as a status", "GET /status/TOKEN", s.address, "", 403},
		{"the status", "GET /status/" + s.status, s.address, "", 200},
		{"the status for a web page", "GET /status/" + s.status, s.address, "Origin: null\r\n", 403},
		{"the status as a token", "GET /t/" + s.status + "/up/x", s.address, "", 403},
	} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.ReplaceAll(tt.line, "TOKEN", s.token)
		_, _ = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", line, tt.host, tt.more)
		got := look(conn, http.MethodGet)
		_ = conn.Close()
		if got.Status != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got.Status, tt.want)
		}
		if asked := len(up.asked()); tt.want != 200 && asked > 0 {
			t.Errorf("%s: the upstream was asked", tt.name)
		}
		up.play(up.script)
	}
}

// X8: a token that was taken away opens nothing.
func TestX8ARouteEnds(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Status: 200, Framing: "length", Cut: -1})
	s := run(t, nil, up.URL)
	q := question{Method: http.MethodGet, Path: "/x"}
	if got := q.ask(t, s.base); got.Status != 200 {
		t.Fatal(got)
	}
	s.Remove(s.token)
	if got := q.ask(t, s.base); got.Status != 403 {
		t.Fatal(got)
	}
}

// X8: a network needs a secret that was chosen to be kept.
func TestX8Listen(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "127.0.0.2:0": true,
		"0.0.0.0:0": false, ":0": false, "192.0.2.1:0": false, "example.com:0": false, "127.0.0.1": false, "": false, "[::]:0": false,
	} {
		l, err := Listen(t.Context(), address, false)
		if (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
		if l != nil {
			_ = l.Close()
		}
		var p *problem.Error
		if err != nil && (!errors.As(err, &p) || p.Hint == "") {
			t.Errorf("%q: no hint: %v", address, err)
		}
	}
	l, err := Listen(t.Context(), "0.0.0.0:0", true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := Listen(t.Context(), l.Addr().String(), true); err == nil {
		t.Error("a port that is taken")
	}
}

// Of servers that start at once with one file, all have the same token.
func TestX8TokenFileIsMadeOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		dir := t.TempDir()
		name := filepath.Join(dir, "token")
		var all [8]string
		var begun sync.WaitGroup
		start := make(chan struct{})
		for i := range all {
			begun.Go(func() {
				<-start
				var err error
				if all[i], err = ReadToken(name); err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		begun.Wait()
		kept, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range all {
			if token+"\n" != string(kept) {
				t.Fatalf("the file has %q, and a server %q", kept, token)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Fatalf("left behind are %v, %v", left, err)
		}
	}
}

func TestX8TokenFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "token")
	first, err := ReadToken(name)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ReadToken(name); err != nil || again != first || len(first) < 40 {
		t.Fatalf("%q, then %q, %v", first, again, err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	for text, want := range map[string]bool{
		strings.Repeat("a", 20) + "\r\n": true, strings.Repeat("a", 19): false, "": false,
		strings.Repeat("a", 20) + "/../..": false, strings.Repeat("ä", 20): false, strings.Repeat("a", 20) + "\nb": false,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadToken(name); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if runtime.GOOS != "windows" {
		_ = os.WriteFile(name, []byte(first), 0o600)
		if err := os.Chmod(name, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadToken(name); err == nil {
			t.Error("others can read the file")
		}
	}
}

// A credential that systemd hands over has the mode 0440 from its version 254 on: an ACL
// of the service's user alone.
func TestTokenOfSystemd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no systemd")
	}
	dir := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	for mode, want := range map[fs.FileMode]bool{0o440: true, 0o460: false, 0o444: false} {
		name := filepath.Join(dir, mode.String())
		if err := errors.Join(os.WriteFile(name, []byte(NewToken()), 0o600), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadToken(name); (err == nil) != want {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// X8: nothing of headers, queries and bodies is logged, whatever happens.
func TestX8NothingIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	up := newPlayer(t)
	u, _ := url.Parse(up.URL)
	k := newScribe()
	k.listen = func([]byte) { panic("secret-panic") }
	transport := NewTransport()
	transport.MaxIdleConnsPerHost = -1
	s := NewServer(Options{Keeper: k, Transport: transport, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	s.find = onlyMessages
	base := s.Add("", Route{Client: "fake", Upstreams: map[string]*url.URL{"up": u}})
	server := httptest.NewServer(s)
	for _, one := range []script{
		{Status: 200, Header: http.Header{"X-Secret": {"secret-header"}}, Chunks: []string{"secret-body"}, Framing: "length", Cut: -1},
		{Status: 401, Header: http.Header{"X-Secret": {"secret-header"}}, Chunks: []string{"secret-body"}, Framing: "length", Cut: -1},
		{Raw: "secret-line\r\n\r\n", Cut: -1},
		{Raw: "HTTP/1.1 200 OK\r\nsecret header\r\n\r\n", Cut: -1},
		{Status: 200, Header: http.Header{"X-Secret": {"secret-header"}}, Framing: "length", Cut: 40},
	} {
		up.play(one)
		question{
			Method: http.MethodPost, Path: "/secret-path/messages?key=secret-query", Body: "secret-body",
			Header: http.Header{"Authorization": {"Bearer secret-key"}, "Content-Encoding": {"secret-coding"}},
		}.ask(t, Base(strings.TrimPrefix(server.URL, "http://"), base, "up"))
		question{Method: http.MethodPost, Path: "/secret-path/messages?key=secret-query", Body: "secret-body"}.ask(t, Base(strings.TrimPrefix(server.URL, "http://"), base, "up"))
	}
	server.Close()
	s.heard.Wait()
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "secret") || strings.Contains(line, base) || strings.Contains(line, s.status) {
			t.Errorf("logged: %s", line)
		}
	}
	for _, want := range []string{"status=200", "status=401", "cannot be reached", "internal error"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("not logged: %s", want)
		}
	}
}

// A path is joined to the upstream's own and stays what it is, byte for byte.
func FuzzLocate(f *testing.F) {
	for _, path := range []string{"", "/", "/v1/messages", "//x", "/%2f..", "/?", "x", "/..//", "/\x00", "/ü%"} {
		f.Add("/v1", path)
		f.Add("", path)
	}
	f.Fuzz(func(t *testing.T, own, path string) {
		if strings.ContainsAny(path, "? \r\n") || path != "" && path[0] != '/' {
			t.Skip()
		}
		base, err := url.Parse("https://vendor.example" + own)
		if err != nil || base.Host != "vendor.example" || strings.Contains(own, "?") {
			t.Skip()
		}
		s := NewServer(Options{})
		token := s.Add("", Route{Upstreams: map[string]*url.URL{"up": base}})
		got, why := s.locate("/t/" + token + "/up" + path)
		if why != "" {
			t.Fatal(why)
		}
		var b bytes.Buffer
		r := (&passage{Server: s, r: httptest.NewRequest(http.MethodGet, "/", nil), target: got, ctx: t.Context()}).outgoing()
		if err := r.Write(&b); err != nil {
			return // a host of the vendor's that cannot be
		}
		line, _ := bufio.NewReader(&b).ReadString('\n')
		want := strings.TrimSuffix(base.EscapedPath(), "/") + path
		if want == "" {
			want = "/"
		}
		if !strings.HasPrefix(want, "//") && line != "GET "+want+" HTTP/1.1\r\n" {
			t.Fatalf("%q, want %q", line, want)
		}
		if r.Host != "vendor.example" || r.URL.Host != "vendor.example" {
			t.Fatalf("goes to %q, %q", r.Host, r.URL.Host)
		}
	})
}
