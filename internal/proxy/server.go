package proxy

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"tenfold/internal/graceful"
	"tenfold/internal/proxy/wire"
)

// Options are what a [Server] is made of.
type Options struct {
	// Keeper decides about the requests that the protocols know; nil lets them all
	// pass unread.
	Keeper Keeper
	// Transport sends requests on; nil is [NewTransport].
	Transport http.RoundTripper
	// Log hears of every request (info) and of vendors that cannot be reached
	// (warn), never of a header, a query or a body (X8). Nil is silent.
	Log *slog.Logger
	// Hosts are names, beside those of this machine's own loopback, by which
	// clients may address the server.
	Hosts []string
}

// A Route says where requests go that carry a token. Each client that is started
// has one of its own.
type Route struct {
	// Client and Dir are passed on to the [Keeper].
	Client, Dir string
	// Upstreams are the base URLs by the name that stands behind the token in a
	// path: each the one that a client would be given without us.
	Upstreams map[string]*url.URL
}

// A Server forwards the requests of its routes. Outside of what its Keeper changes,
// a client sees what it would see without it (X1).
type Server struct {
	keeper    Keeper
	transport http.RoundTripper
	log       *slog.Logger
	hosts     []string
	find      func(method, path string) (wire.Protocol, wire.Kind, bool)
	// status is the token of the address that tells of the conversations.
	status string
	limits limits

	mu     sync.RWMutex
	routes map[string]Route
	// heard counts the responses that are still being read beside the way.
	heard sync.WaitGroup
}

// limits are in bytes, except for errorWait.
type limits struct {
	// read is the longest request body that is read before it goes on; more than a
	// vendor takes. What is longer streams through.
	read int64
	// decoded is the most that is unpacked of one body: what comes from a vendor or
	// a client may be a bomb.
	decoded int64
	// behind is how far the reader of a response may be behind the client. The
	// client never waits for it: it loses the rest then.
	behind int
	// Of an error's body so much is read, for so long, before the client gets it:
	// until then the request can be tried again (X6).
	errorBytes int
	errorWait  time.Duration
}

func usualLimits() limits {
	return limits{read: 128 << 20, decoded: 256 << 20, behind: 32 << 20, errorBytes: 256 << 10, errorWait: 2 * time.Second}
}

// NewServer makes a server without routes.
func NewServer(o Options) *Server {
	s := &Server{
		keeper: o.Keeper, transport: o.Transport, log: o.Log, hosts: o.Hosts,
		find: wire.Of, status: NewToken(), limits: usualLimits(), routes: map[string]Route{},
	}
	if s.transport == nil {
		s.transport = NewTransport()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// NewTransport gives the connections to vendors. It follows no redirect, unpacks
// nothing and gives up on nothing by itself: how long to wait is the client's own
// decision. HTTPS_PROXY and its like count, as they do for the client.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:              http.ProxyFromEnvironment,
		DialContext:        (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext,
		ForceAttemptHTTP2:  true,
		DisableCompression: true, // Accept-Encoding is the client's
		// As many as there are streams: a new connection costs a handshake.
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
		// As long as clients wait that say "Expect: 100-continue" to one that is silent.
		ExpectContinueTimeout: time.Second,
		// Many clients share one connection of HTTP/2: a dead one must not hold up
		// those that come later.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// Add adds a route and gives its token. A token that is given is kept, so that
// addresses stay the same from one start to the next; empty makes a new one.
func (s *Server) Add(token string, r Route) string {
	if token == "" {
		token = NewToken()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.routes[token] = r
	return token
}

// Remove removes the route of a token. Requests under way go on.
func (s *Server) Remove(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.routes, token)
}

// Base is the base URL for a client that reaches the server at an address: requests
// under it go to the upstream of the name.
func Base(address, token, name string) string {
	return "http://" + address + routePath + token + "/" + url.PathEscape(name)
}

const (
	routePath  = "/t/"
	statusPath = "/status/"
	// longestHeader is in bytes. Beyond it a client is told 431.
	longestHeader = 4 << 20
	// goodbye is how long streams may go on once the server is told to stop.
	goodbye = 3 * time.Second
)

// Serve answers requests until the context ends; then streams under way have a few
// seconds to come to their end, and are cut. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	err := graceful.Serve(ctx, &http.Server{
		Handler: s, MaxHeaderBytes: longestHeader, ReadHeaderTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}, l, goodbye)
	s.heard.Wait()
	if t, ok := s.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
	return err
}

// ServeHTTP forwards one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := s.refuse(r); why != "" {
		refuse(w, http.StatusForbidden, why)
		return
	}
	path, query, asked := strings.Cut(r.RequestURI, "?")
	if token, ok := strings.CutPrefix(path, statusPath); ok && same(token, s.status) {
		s.writeStatus(w)
		return
	}
	if token, ok := strings.CutPrefix(path, routePath); ok && r.Method == http.MethodGet && !strings.Contains(token, "/") {
		if route, ok := s.route(token); ok {
			writeRoute(w, route)
			return
		}
	}
	t, why := s.locate(path)
	// Codex has one base URL, and where its user signed in to ChatGPT another vendor.
	if why == "" && t.name == "openai" && r.Header.Get("Chatgpt-Account-Id") != "" {
		if other, missing := s.locate(strings.Replace(path, "/openai", "/chatgpt", 1)); missing == "" {
			t = other
		}
	}
	switch {
	case why != "":
		refuse(w, http.StatusForbidden, why)
	case r.Header.Get("Upgrade") != "" && strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		// Codex then says the same over HTTP.
		w.Header().Set("Upgrade", "HTTP/1.1")
		w.Header().Set("Connection", "Upgrade")
		refuse(w, http.StatusUpgradeRequired, "WebSocket is not supported; use HTTP")
	default:
		t.url.RawQuery, t.url.ForceQuery = query, asked
		s.forward(w, r, t)
	}
}

// A target is where a request goes.
type target struct {
	route Route
	// name is that of the upstream.
	name string
	url  *url.URL
	// path is that of url, as the upstream will read it.
	path string
}

// locate finds the route of a path by its token, and where the rest of the path
// leads. What a request names otherwise, such as its Host, never counts: this is
// not an open proxy.
func (s *Server) locate(path string) (target, string) {
	const unknown = "unknown address; use a base URL as Tenfold printed it"
	rest, ok := strings.CutPrefix(path, routePath)
	if !ok {
		return target{}, unknown
	}
	token, rest, _ := strings.Cut(rest, "/")
	route, ok := s.route(token)
	if !ok {
		return target{}, unknown
	}
	name, rest, more := strings.Cut(rest, "/")
	if more {
		rest = "/" + rest
	}
	base := route.Upstreams[name]
	if base == nil {
		return target{}, "unknown upstream; use a base URL as Tenfold printed it"
	}
	t := target{route: route, name: name, path: strings.TrimSuffix(base.EscapedPath(), "/") + rest}
	t.path = cmp.Or(t.path, "/")
	t.url = &url.URL{Scheme: base.Scheme, Host: base.Host, User: base.User, Opaque: t.path}
	if strings.HasPrefix(t.path, "//") { // would be read as a host
		t.url.Opaque, t.url.RawPath = "", t.path
		t.url.Path, _ = url.PathUnescape(t.path)
	}
	return t, ""
}

// route finds a route by its token; how long that takes does not tell how much of
// a wrong token was right.
func (s *Server) route(token string) (Route, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found Route
	ok := false
	for t, r := range s.routes {
		if same(t, token) {
			found, ok = r, true
		}
	}
	return found, ok
}
