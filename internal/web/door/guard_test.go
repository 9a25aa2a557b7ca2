package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// guarded is a server behind a guard: it answers with what was asked.
type guarded struct {
	*Guard
	t   *testing.T
	url string
}

func newGuarded(t *testing.T, a Access) *guarded {
	t.Helper()
	g := NewGuard(a)
	s := httptest.NewServer(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d", r.Method, r.URL, len(body))
	})))
	t.Cleanup(s.Close)
	return &guarded{g, t, s.URL}
}

// asked is what to ask: "METHOD PATH", then headers as "Name: value"; "Host: x" is
// the host.
func (g *guarded) ask(client *http.Client, asked string, headers ...string) (said, string) {
	g.t.Helper()
	method, path, _ := strings.Cut(asked, " ")
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, http.NoBody)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Add(name, value)
		}
	}
	return g.send(client, r)
}

// said is a response whose body was read.
type said struct {
	StatusCode int
	Status     string
	Header     http.Header
	Cookies    []*http.Cookie
}

func (g *guarded) send(client *http.Client, r *http.Request) (said, string) {
	g.t.Helper()
	got, err := client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return said{got.StatusCode, got.Status, got.Header, got.Cookies()}, string(body)
}

// browser is a client that keeps cookies and follows no redirect.
func browser() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// signedIn is a browser that opened the address printed.
func (g *guarded) signedIn() *http.Client {
	g.t.Helper()
	b := browser()
	if got, _ := g.ask(b, "GET "+g.Invite()); got.StatusCode != http.StatusSeeOther {
		g.t.Fatalf("opening the invitation gives %s", got.Status)
	}
	return b
}

func TestAnInvitationSignsInOneBrowserOnce(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{})
	first := g.Invite()
	invitation := g.Invite()
	if got, _ := g.ask(browser(), "GET "+first); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("an invitation before the last gives %s", got.Status)
	}
	if got, _ := g.ask(browser(), "HEAD "+invitation); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("HEAD gives %s", got.Status)
	}
	b := browser()
	got, _ := g.ask(b, "GET "+invitation)
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/" || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("the invitation gives %s, %v", got.Status, got.Header)
	}
	c := got.Cookies
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Path != "/" || c[0].Domain != "" || c[0].MaxAge != 0 {
		t.Fatalf("the cookies are %v", got.Header["Set-Cookie"])
	}
	if got, body := g.ask(b, "GET /api/x?y=1"); body != "GET /api/x?y=1 0" {
		t.Errorf("then the API gives %s, %q", got.Status, body)
	}
	if got, body := g.ask(b, "GET /c/1"); body != "GET /c/1 0" {
		t.Errorf("and the page gives %s, %q", got.Status, body)
	}
	if got, _ := g.ask(b, "GET "+invitation); got.StatusCode != http.StatusSeeOther || len(got.Cookies) > 0 {
		t.Errorf("the same browser again gets %s, %v", got.Status, got.Header)
	}
	if got, body := g.ask(browser(), "GET "+invitation); got.StatusCode != http.StatusUnauthorized || len(got.Cookies) > 0 || !strings.Contains(body, "works once") {
		t.Errorf("another browser gets %s, %v, %s", got.Status, got.Header, body)
	}
}

func TestWhoIsNotSignedInGetsNothing(t *testing.T) {
	t.Parallel()
	const token = "a-token-that-is-long-enough"
	g := newGuarded(t, Access{Token: token})
	other, without := newGuarded(t, Access{Token: token + "2"}), newGuarded(t, Access{})
	theirs := func(of *guarded) string { return g.name + "=" + of.sign(random()) }
	valid := g.sign(random())
	// What is no sign-in, as headers.
	for name, header := range map[string]string{
		"nothing": "X-None: 1", "no token": "Authorization: Bearer", "an empty one": "Authorization: Bearer ",
		"a wrong one": "Authorization: Bearer " + token + "2", "a beginning": "Authorization: Bearer " + token[:len(token)-1],
		"another scheme": "Authorization: Basic " + token, "the token alone": "Authorization: " + token,
		"another server's cookie": "Cookie: " + theirs(other), "that of one without a token": "Cookie: " + theirs(without),
		"the token as a cookie": "Cookie: " + g.name + "=" + token, "a cookie without a signature": "Cookie: " + g.name + "=abc",
		"an empty signature": "Cookie: " + g.name + "=abc.", "no value": "Cookie: " + g.name + "=.", "an empty cookie": "Cookie: " + g.name + "=",
		"half a signature": "Cookie: " + g.name + "=" + valid[:len(valid)-4], "a changed value": "Cookie: " + g.name + "=x" + valid,
		"another name": "Cookie: tenfold=" + valid,
	} {
		for _, asked := range []string{"GET /api/meta", "POST /api/conversations", "GET /", "GET /c/1", "GET /assets/a.js", "GET /?token=", "GET /?token=" + valid, "GET /?token=" + token, "GET /?token=%zz"} {
			got, body := g.ask(browser(), asked, header)
			if got.StatusCode != http.StatusUnauthorized || strings.Contains(body, "GET") || len(got.Cookies) > 0 {
				t.Errorf("%s: %s gives %s, %q", name, asked, got.Status, body)
			}
			if api := strings.Contains(asked, "/api"); api != (got.Header.Get("Content-Type") == "application/problem+json") || api != strings.Contains(body, `"hint"`) {
				t.Errorf("%s: %s gives %v, %q", name, asked, got.Header, body)
			}
		}
	}
	got, _ := g.ask(browser(), "GET /api/meta", "Authorization: Bearer "+token, "Authorization: Bearer "+token)
	if got.StatusCode != http.StatusUnauthorized {
		t.Errorf("two headers give %s", got.Status)
	}
	if got, _ = g.ask(g.signedIn(), "GET /api/meta", "Authorization: Bearer no"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong token in a browser that is signed in gives %s", got.Status)
	}
	if got, _ = without.ask(browser(), "GET /api/meta", "Authorization: Bearer "); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("an empty token where there is none gives %s", got.Status)
	}
	if twice := "GET " + g.Invite() + "&token=x"; true {
		if got, _ = g.ask(browser(), twice); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("two tokens give %s", got.Status)
		}
	}
	for _, scheme := range []string{"Bearer ", "bearer "} {
		if _, body := g.ask(browser(), "POST /api/x", "Authorization: "+scheme+token); body != "POST /api/x 0" {
			t.Errorf("a program gets %q", body)
		}
	}
}

// With a token that is kept a browser stays signed in when the server starts again;
// without one it does not, and neither does it on another server.
func TestACookieIsGoodForOneServer(t *testing.T) {
	t.Parallel()
	const token = "a-token-that-is-long-enough"
	g := newGuarded(t, Access{Token: token})
	cookie := func(of *guarded) string { return "Cookie: " + of.name + "=" + of.sign("value") }
	again := newGuarded(t, Access{Token: token})
	if got, _ := again.ask(browser(), "GET /api/x", cookie(g)); got.StatusCode != http.StatusOK {
		t.Errorf("started again, the same token: %s", got.Status)
	}
	for _, of := range []*guarded{newGuarded(t, Access{}), newGuarded(t, Access{Token: token + "x"})} {
		if got, _ := of.ask(browser(), "GET /api/x", cookie(g)); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("another server: %s", got.Status)
		}
		if of.name == g.name {
			t.Errorf("two servers overwrite each other's cookies: %s", g.name)
		}
	}
}

func TestOtherPagesAreRefused(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{Token: "a-token-that-is-long-enough"})
	b := g.signedIn()
	for _, foreign := range []string{
		"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://evil.example", "Origin: null",
		"Origin: http://127.0.0.1:1", "Origin: https://evil.example:" + g.url[strings.LastIndex(g.url, ":")+1:],
	} {
		for _, asked := range []string{"GET /api/conversations", "POST /api/conversations", "PUT /api/x", "DELETE /api/x"} {
			got, body := g.ask(b, asked, foreign)
			if got.StatusCode != http.StatusForbidden || !strings.Contains(body, `"origin"`) || got.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s with %s gives %s, %s", asked, foreign, got.Status, body)
			}
		}
	}
	for _, own := range []string{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Origin: " + g.url, "X-None: 1"} {
		if got, _ := g.ask(b, "POST /api/x", own); got.StatusCode != http.StatusOK {
			t.Errorf("with %s it gives %s", own, got.Status)
		}
	}
	// A link on another page leads in: the browser holds the cookie back, and sends it
	// when our own page asks again.
	navigation := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"}
	if got, body := g.ask(browser(), "GET /c/1", navigation...); got.StatusCode != http.StatusUnauthorized || !strings.Contains(body, `http-equiv="refresh"`) {
		t.Errorf("a link gives %s, %s", got.Status, body)
	}
	if _, body := g.ask(browser(), "GET /c/1", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate"); strings.Contains(body, "refresh") {
		t.Errorf("our own page asks again and again: %s", body)
	}
	if got, _ := g.ask(b, "GET /c/1", navigation...); got.StatusCode != http.StatusOK {
		t.Errorf("a link with the cookie gives %s", got.Status)
	}
}

func TestHostsAreNamesOfTheServer(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{Hosts: []string{"box.lan"}})
	b := g.signedIn()
	cookie := "Cookie: " + g.name + "=" + g.sign("v")
	for _, host := range []string{
		"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:80", "10.0.0.1", "10.0.0.1:8080", "0.0.0.0", "[::]", "box", "other.box.lan",
		"localhost.", "[localhost]", "127.1", "0x7f000001", "2130706433", "127.0.0.1:80:80", "127.0.0.1:x", "[::1", "::1", "user@localhost", "localhost:-1", "[127.0.0.1]", "[::ffff:10.0.0.1]", " ",
	} {
		got, body := g.ask(b, "GET /api/x", cookie, "Host: "+host)
		if got.StatusCode < 400 || got.StatusCode == http.StatusForbidden && !strings.Contains(body, `"host"`) {
			t.Errorf("Host %q gives %s, %s", host, got.Status, body)
		}
		if got, _ := g.ask(browser(), "GET "+g.Invite(), "Host: "+host); got.StatusCode < 400 {
			t.Errorf("an invitation with Host %q gives %s", host, got.Status)
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:8080", "127.8.8.8", "box.lan", "Box.lan:9"} {
		if got, body := g.ask(b, "GET /api/x", cookie, "Host: "+host); got.StatusCode != http.StatusOK {
			t.Errorf("Host %q gives %s, %s", host, got.Status, body)
		}
	}
	// A program may come by a proxy that has a name of its own; a browser may not.
	const token = "a-token-that-is-long-enough"
	p := newGuarded(t, Access{Token: token})
	for header, want := range map[string]int{
		"Authorization: Bearer " + token: http.StatusOK, "Authorization: Bearer " + token + "x": http.StatusForbidden, "Authorization: Bearer ": http.StatusForbidden,
		"Cookie: " + p.name + "=" + p.sign("v"): http.StatusForbidden,
	} {
		if got, _ := p.ask(browser(), "GET /api/x", "Host: tenfold.example", header); got.StatusCode != want {
			t.Errorf("by another name, %s: %s", header, got.Status)
		}
	}
	// Where it listens to a network, the address that the connection came to counts.
	for host, want := range map[string]bool{"192.0.2.7": true, "192.0.2.7:80": true, "192.0.2.8": false} {
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
			net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.7:80"))), http.MethodGet, "/", http.NoBody)
		r.Host = host
		if g.knows(r) != want {
			t.Errorf("on a network, Host %s: %v", host, !want)
		}
	}
}

func TestMethodsAndForms(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{})
	b := g.signedIn()
	for asked, want := range map[string]int{
		"GET /": 200, "HEAD /": 200, "POST /": 405, "PUT /c/1": 405, "DELETE /assets/a.js": 405, "PATCH /api/x": 200, "TRACE /": 405, "OPTIONS /": 405, "OPTIONS /api/x": 200,
		"PROPFIND /": 405, "POST /api/x": 200, "PUT /api/x": 200, "DELETE /api": 200, "POST /apix": 405, "POST //api/x": 405, "POST /API/x": 405, "get /": 405,
	} {
		if got, _ := g.ask(b, asked); got.StatusCode != want {
			t.Errorf("%s gives %s", asked, got.Status)
		}
	}
	if got, _ := g.ask(b, "GET /api/x", "X-HTTP-Method-Override: DELETE"); got.StatusCode != http.StatusOK {
		t.Errorf("an override gives %s", got.Status)
	}
	for request, want := range map[string]string{
		"GET http://evil.example/api/x HTTP/1.1\r\nHost: localhost":   "403",
		"GET http://localhost/api/x HTTP/1.1\r\nHost: evil.example":   "403",
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443": "403",
		"GET / HTTP/1.1": "400",
		"GET / HTTP/1.1\r\nHost: localhost\r\nHost: a": "400",
		"GET / HTTP/1.0": "403",
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2<<20):                      "431",
		"POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked": "401",
	} {
		if got := raw(t, g.url, request+"\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 "+want) && !strings.HasPrefix(got, "HTTP/1.0 "+want) {
			t.Errorf("%.60q gives %.60q", request, got)
		}
	}
}

// raw sends bytes, and gives the first line of the answer.
func raw(t *testing.T, address, request string) string {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() { _, _ = io.WriteString(c, request) }()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	return line
}

func TestEveryAnswerIsHardened(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{})
	b := g.signedIn()
	for _, asked := range []string{"GET /", "GET /api/x", "GET /nothing.js", "POST /", "GET " + g.Invite()} {
		for _, client := range []*http.Client{b, browser()} {
			got, _ := g.ask(client, asked)
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got.Header.Get(name) != want {
					t.Errorf("%s: %s is %q", asked, name, got.Header.Get(name))
				}
			}
			policy := strings.Split(got.Header.Get("Content-Security-Policy"), "; ")
			for _, want := range []string{
				"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
				"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
			} {
				if !slices.Contains(policy, want) {
					t.Errorf("%s: the policy lacks %s", asked, want)
				}
			}
			if strings.Contains(asked, "/api") && got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s may be cached", asked)
			}
		}
	}
}

func TestReadOnlyRefusesWhatWrites(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{ReadOnly: true})
	b := g.signedIn()
	for asked, want := range map[string]int{
		"GET /api/x": 200, "HEAD /api/x": 200, "OPTIONS /api/x": 200, "PATCH /api/x": 403, "POST /api/conversations/1/plan": 200, "POST /api/conversations/1/compactions": 403,
		"PUT /api/conversations/1/pins/2": 403, "DELETE /api/x": 403, "POST /api/plan/x": 403, "POST /api/conversations/1/plan/": 403,
	} {
		if got, body := g.ask(b, asked); got.StatusCode != want || want == 403 && !strings.Contains(body, `"read_only"`) {
			t.Errorf("%s gives %s, %s", asked, got.Status, body)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, Access{})
	b := g.signedIn()
	for length, want := range map[int]int{0: 200, longestBody: 200, longestBody + 1: 413} {
		for _, chunked := range []bool{false, true} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/api/x", io.LimitReader(zeros{}, int64(length)))
			if err != nil {
				t.Fatal(err)
			}
			if !chunked {
				r.ContentLength = int64(length)
			}
			if got, body := g.send(b, r); got.StatusCode != want || want == 200 && body != fmt.Sprint("POST /api/x ", length) {
				t.Errorf("%d bytes give %s, %s", length, got.Status, body)
			}
		}
	}
	// Who is not signed in has none read.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/api/x", io.LimitReader(zeros{}, longestBody))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := g.send(browser(), r); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's body gives %s", got.Status)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Whoever sends slowly is cut off; an answer that takes long is not.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewGuard(Access{Token: "a-token-that-is-long-enough"})
		l := &pipes{conns: make(chan net.Conn)}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- Serve(ctx, l, g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(5 * time.Second)) // as huma does
				select {
				case <-time.After(time.Hour):
					_, _ = io.WriteString(w, "an hour later")
				case <-r.Context().Done():
					_, _ = io.WriteString(w, "cancelled")
				}
			})), log.New(io.Discard, "", 0))
		}()
		const head = "POST /api/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-that-is-long-enough\r\n"
		for _, c := range []struct {
			name, said, want string
			after            time.Duration
		}{
			{"half a head", "GET / HT", "HTTP/1.1 400", headerWait},
			{"no head", "", "", headerWait}, // until the first byte of a connection it is the head that is waited for
			{"a huge head", "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + strings.Repeat("x", longestHeader+8<<10) + "\r\n\r\n", "HTTP/1.1 431", 0},
			{"half a body", head + "Content-Length: 9\r\n\r\nhalf", "HTTP/1.1 408", BodyWait},
			{"a chunk without a length", head + "Transfer-Encoding: chunked\r\n\r\nhalf\r\n", "HTTP/1.1 400", 0},
			{"a compressed one", head + "Content-Encoding: gzip\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhalf", "HTTP/1.1 415", 0},
			{"a whole one", head + "Content-Length: 4\r\nConnection: close\r\n\r\nhalf", "HTTP/1.1 200", time.Hour},
			{"none", head + "Content-Length: 0\r\nConnection: close\r\n\r\n", "HTTP/1.1 200", time.Hour},
		} {
			began := time.Now()
			conn := l.dial()
			go func() { _, _ = io.WriteString(conn, c.said) }()
			got, _ := io.ReadAll(conn)
			if took := time.Since(began); took < c.after || took > c.after+2*time.Second || !strings.HasPrefix(string(got), c.want) || c.want == "" && len(got) > 0 {
				t.Errorf("%s: after %s it gives %.200q", c.name, took, got)
			}
			if c.after == time.Hour && !strings.HasSuffix(string(got), "an hour later") {
				t.Errorf("%s gives %q", c.name, got)
			}
		}
		conn := l.dial()
		_, _ = io.WriteString(conn, head+"Content-Length: 0\r\n\r\n")
		synctest.Wait()
		cancel()
		if got, _ := io.ReadAll(conn); !strings.HasSuffix(string(got), "cancelled") {
			t.Errorf("a request under way at the end gives %q", got)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// pipes is a listener without a network.
type pipes struct{ conns chan net.Conn }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p *pipes) Close() error   { close(p.conns); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func FuzzHost(f *testing.F) {
	for _, host := range []string{"localhost", "127.0.0.1:80", "[::1]:80", "[::1%25lo]", "[::1%0]", "evil.example", "", ":", "[", "a:b", "127.0.0.1:0x"} {
		f.Add(host)
	}
	g := NewGuard(Access{})
	f.Fuzz(func(t *testing.T, host string) {
		if !g.knows(&http.Request{Host: host}) {
			return
		}
		// A browser that takes the same text for an authority goes to this machine.
		u, err := url.Parse("http://" + host + "/")
		if err != nil {
			t.Fatalf("%q is not a host: %v", host, err)
		}
		name := strings.ToLower(u.Hostname())
		if ip, err := netip.ParseAddr(name); name != "localhost" && (err != nil || !ip.IsLoopback()) || u.User != nil || u.Path != "/" {
			t.Errorf("%q is let in: %q", host, name)
		}
	})
}

func FuzzSignIn(f *testing.F) {
	g := NewGuard(Access{Token: "a-token-that-is-long-enough"})
	valid := g.sign("value")
	f.Add("Bearer a-token-that-is-long-enough", g.name+"="+valid, "token=x")
	f.Add("Bearer", g.name+"=.", "token=%00&token")
	f.Add("", g.name+"=\""+valid+"\"; "+g.name+"=x", "token="+valid)
	f.Fuzz(func(t *testing.T, authorization, cookie, query string) {
		g.Invite()
		r := &http.Request{Method: http.MethodGet, Host: "localhost", URL: &url.URL{Path: "/", RawQuery: query}, Header: http.Header{}}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		g.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })).ServeHTTP(w, r)
		bearer := len(authorization) == len("Bearer ")+len(g.access.Token) && strings.HasSuffix(authorization, " "+g.access.Token)
		if in := w.Code != http.StatusUnauthorized; in && !bearer && (authorization != "" || !strings.Contains(cookie, valid)) {
			t.Errorf("%q, %q, %q is let in: %d", authorization, cookie, query, w.Code)
		}
	})
}

func TestServeTellsOfAListenerThatFails(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := Serve(t.Context(), l, http.NotFoundHandler(), nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("it gives %v", err)
	}
}

// Whatever a client says of its length, the operation gets the body whole.
func TestABodyOfAnyLengthComesWhole(t *testing.T) {
	t.Parallel()
	const token = "a-token-that-is-long-enough"
	g := newGuarded(t, Access{Token: token})
	for _, n := range []int{1, 511, 512, maxAtOnce - 1, maxAtOnce, maxAtOnce + 1, 3 * maxAtOnce} {
		for _, said := range []int64{int64(n), -1} { // -1: in chunks
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/api/x", io.LimitReader(strings.NewReader(strings.Repeat("x", n)), int64(n)))
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = said
			r.Header.Set("Authorization", "Bearer "+token)
			if got, body := g.send(browser(), r); body != fmt.Sprintf("POST /api/x %d", n) {
				t.Errorf("%d bytes, said %d: %s, %q", n, said, got.Status, body)
			}
		}
	}
}
