// Package door is what stands before the API and the page: how connections are served
// (serve.go), what is told of requests (observe.go), who asks whether the server is
// alive (health.go), and who may come in (guard.go). It reads no conversation.
package door

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tenfold/fleet/tenant"
	"tenfold/internal/telemetry"
	"tenfold/internal/web/shape"
	"tenfold/problem"
	"tenfold/store/remote"
)

// Access says who may use a server.
type Access struct {
	// Hosts are names by which a browser may address the server, in lower case,
	// beside localhost and the addresses that connections come to.
	Hosts []string
	// Token is what programs send as "Authorization: Bearer TOKEN"; empty lets no
	// program in. It also keeps browsers signed in when the server starts again:
	// without it each start signs them out.
	Token string
	// ReadOnly refuses whatever writes.
	ReadOnly bool
	// Tenants lets the tokens of tenants in; nil lets in none.
	Tenants Tenants
}

// Tenants are the tenants whose programs a guard lets in.
type Tenants interface {
	// Admit says whose a token is, and counts the request.
	Admit(ctx context.Context, token string) (*tenant.Identity, error)
	// Handler answers the requests of a token that was let in.
	Handler(token string) http.Handler
}

// A Guard stands before the API and the page. A stranger's page in the same
// browser, another user of the machine and, where the server listens to one, the
// network get nothing from it.
type Guard struct {
	access Access
	// secret signs cookies. name is the cookie's: browsers send cookies to all ports
	// of a host, so servers must not overwrite each other's.
	secret [sha256.Size]byte
	name   string
	origin *http.CrossOriginProtection

	mu     sync.Mutex
	invite string
}

// NewGuard makes a guard that nobody is invited past.
func NewGuard(a Access) *Guard {
	g := &Guard{access: a, origin: http.NewCrossOriginProtection()}
	if a.Token == "" {
		_, _ = rand.Read(g.secret[:]) // which never fails
	} else {
		g.secret = sha256.Sum256([]byte("tenfold serve\x00" + a.Token))
	}
	name := sha256.Sum256(append([]byte("name\x00"), g.secret[:]...))
	g.name = "tenfold-" + hex.EncodeToString(name[:4])
	return g
}

// inviteParam is the query parameter of the page's address that signs a browser in.
const inviteParam = "token"

// Invite gives the path, with a token, that signs in the one browser that opens it
// first. Earlier invitations end.
func (g *Guard) Invite() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.invite = random()
	return "/?" + inviteParam + "=" + g.invite
}

func random() string {
	var b [24]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// redeem uses an invitation up, and reports whether it was the one given last.
func (g *Guard) redeem(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.invite == "" || !same(token, g.invite) {
		return false
	}
	g.invite = ""
	return true
}

// same compares secrets in a time that does not depend on them.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(x[:], y[:])
}

// The cookie is a random value and its signature.
func (g *Guard) sign(value string) string {
	m := hmac.New(sha256.New, g.secret[:])
	m.Write([]byte(value))
	return value + "." + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (g *Guard) signed(cookie string) bool {
	value, _, ok := strings.Cut(cookie, ".")
	return ok && same(cookie, g.sign(value))
}

// contentPolicy allows what the page itself is made of, and keeps its scripts from
// making HTML of text.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const (
	// LongestBatch is how many bytes a body of entries may have, longestBody another: a
	// message may have a file pasted into it.
	LongestBatch = 32 << 20
	longestBody  = 4 << 20
	// BodyWait is how long a body may take to come.
	BodyWait = 30 * time.Second
)

// Handler lets through to next who may use it.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		api := IsAPI(r.URL.Path)
		if api || r.URL.RawQuery != "" {
			h.Set("Cache-Control", "no-store")
		}
		reading := r.Method == http.MethodGet || r.Method == http.MethodHead
		next, who, err := next, (*tenant.Identity)(nil), error(nil)
		if token := g.shown(r); token != "" && !g.bears(r) {
			if who, err = g.admit(r.Context(), token); err == nil {
				Note(r.Context(), who.Name, who.Token)
				r = r.WithContext(tenant.With(telemetry.InTenant(r.Context(), who.Name), who))
				next = Traced(g.access.Tenants.Handler(token))
			}
		}
		switch {
		case r.URL.Host != "" || r.Method == http.MethodConnect:
			deny(w, http.StatusForbidden, "proxy", "this is not a proxy", "ask for a path of this server")
		case err != nil:
			RefuseToken(w, err)
		case !g.knows(r) && who == nil && !g.bears(r): // a proxy with a certificate has a name of its own
			deny(w, http.StatusForbidden, "host", "unknown host", `use the address that "tenfold serve" prints`)
		case !api && !reading: // the API says itself what its paths take
			h.Set("Allow", "GET, HEAD")
			deny(w, http.StatusMethodNotAllowed, "method", "the method is not allowed here", "the document at /api/openapi.json lists what is")
		case api && g.foreign(r):
			deny(w, http.StatusForbidden, "origin", "requests from other pages are refused", "open the page itself")
		case r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.Query().Has(inviteParam):
			g.welcome(w, r)
		case who == nil && !g.admits(r) || IsStore(r.URL.Path) && r.Header.Get("Authorization") == "": // a store is for programs alone
			g.turnAway(w, r)
		case !reading && r.Method != http.MethodOptions && g.access.ReadOnly && !OnlyReads(r.URL.Path):
			deny(w, http.StatusForbidden, "read_only", "this server only reads", `start "tenfold serve" without --read-only`)
		case IsStore(r.URL.Path):
			next.ServeHTTP(w, r) // batches are long, and come as they are read
		default:
			serveWhole(w, r, next)
		}
	})
}

// bodyLimit is how long a body may be: entries come in batches.
func bodyLimit(path string) int64 {
	if path == "/api/conversations" || strings.HasSuffix(path, "/entries") {
		return LongestBatch
	}
	return longestBody
}

// IsAPI tells the paths of the API.
func IsAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// StorePath is where the store itself is, for the programs of other machines.
const StorePath = "/api/store/"

// IsStore tells the paths of the store itself.
func IsStore(path string) bool { return strings.HasPrefix(path, StorePath) }

// OnlyReads reports whether a POST writes nothing.
func OnlyReads(path string) bool {
	return strings.HasSuffix(path, "/plan") || strings.HasSuffix(path, "/plans") || IsStore(path) && remote.OnlyReads(path)
}

// knows reports whether the Host of a request is a name of this server. A page of a
// stranger's can have its own name point here (DNS rebinding), but not one of these.
func (g *Guard) knows(r *http.Request) bool {
	host, ok := hostOf(r.Host)
	if !ok {
		return false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost" || slices.Contains(g.access.Hosts, host)
	}
	if ip.IsLoopback() && ip.Zone() == "" {
		return true
	}
	to, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && to.AddrPort().Addr().Unmap().WithZone("") == ip
}

// hostOf is the name or number in a Host, without the port, in lower case. Any port
// will do: one may be forwarded here, as by "ssh -L".
func hostOf(header string) (host string, ok bool) {
	host = header
	if strings.HasSuffix(host, "]") || !strings.Contains(host, ":") {
		host += ":80"
	}
	host, port, err := net.SplitHostPort(host)
	if err != nil || host == "" || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	if strings.Contains(host, ":") != strings.HasPrefix(header, "[") { // brackets are for IPv6 alone
		return "", false
	}
	return strings.ToLower(host), true
}

// foreign reports whether a browser says that another page sent the request, reading
// or writing.
func (g *Guard) foreign(r *http.Request) bool {
	as := *r
	as.Method = http.MethodPost // what reads is not looked at otherwise
	return g.origin.Check(&as) != nil
}

// admits reports whether a request shows that it may come in.
func (g *Guard) admits(r *http.Request) bool {
	if len(r.Header.Values("Authorization")) > 0 {
		return g.bears(r)
	}
	return slices.ContainsFunc(r.CookiesNamed(g.name), func(c *http.Cookie) bool { return g.signed(c.Value) })
}

// bears reports whether a request has the token of programs, which no page can send
// for somebody else.
func (g *Guard) bears(r *http.Request) bool {
	said := r.Header.Values("Authorization")
	if len(said) != 1 || g.access.Token == "" {
		return false
	}
	scheme, token, _ := strings.Cut(said[0], " ")
	return strings.EqualFold(scheme, "Bearer") && same(token, g.access.Token)
}

// shown is the token of a tenant that a request shows; empty for none.
func (g *Guard) shown(r *http.Request) string {
	said := r.Header.Values("Authorization")
	if len(said) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(said[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(token, tenant.Prefix) {
		return ""
	}
	return token
}

// admit says whose the token of a tenant is.
func (g *Guard) admit(ctx context.Context, token string) (*tenant.Identity, error) {
	if g.access.Tenants == nil {
		return nil, &problem.Error{
			Code: "token_unknown", Problem: "this server has no tenants", Err: tenant.ErrDenied,
			Hint: "tokens of tenants are for servers over PostgreSQL; this one takes the token of its --token-file",
		}
	}
	return g.access.Tenants.Admit(ctx, token)
}

// RefuseToken says why a token is not let in.
func RefuseToken(w http.ResponseWriter, err error) {
	p := shape.ProblemOf(err)
	w.Header().Set("Cache-Control", "no-store")
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	p.Write(w)
}

// welcome signs in a browser that was invited, and cleans its address.
func (g *Guard) welcome(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()[inviteParam]
	if !g.admits(r) { // who is in already needs no token
		if len(q) != 1 || !g.redeem(q[0]) {
			g.turnAway(w, r)
			return
		}
		// Not Secure: the server speaks plain HTTP, and some browsers would drop it.
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // as just said
			Name: g.name, Value: g.sign(random()), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// turnAway answers who is not signed in.
func (g *Guard) turnAway(w http.ResponseWriter, r *http.Request) {
	if IsAPI(r.URL.Path) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		deny(w, http.StatusUnauthorized, "signed_out", "not signed in", `open the address that "tenfold serve" prints; a program sends the token of --token-file as "Authorization: Bearer TOKEN"`)
		return
	}
	head := ""
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		// A link on another page: the browser held the cookie back. Asked by this page,
		// it sends it.
		head = `<meta http-equiv="refresh" content="0">`
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = io.WriteString(w, `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`+
		head+`<title>Signed out · Tenfold</title></head><body><h1>This browser is not signed in</h1><p>Open the address that <code>tenfold serve</code> prints. Each one works once: `+
		`press Enter where the command runs to get a new one.</p></body></html>`)
}

// maxAtOnce is for how many bytes of a body there is room before they come.
const maxAtOnce = 64 << 10

// serveWhole answers a request whose body has come whole, so that whoever sends it
// slowly holds nothing up. What answers it later may take as long as it needs.
func serveWhole(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.ContentLength == 0 {
		next.ServeHTTP(withoutDeadline{w}, r)
		return
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		deny(w, http.StatusUnsupportedMediaType, "encoding", "the body has the Content-Encoding "+strconv.Quote(coding), "send it as it is")
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(BodyWait)) // until it has come
	most := bodyLimit(r.URL.Path)
	// In one piece where it is short; who announces a long one sends it first.
	body := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), maxAtOnce)+bytes.MinRead))
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, most))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		deny(w, http.StatusRequestEntityTooLarge, "too_long", "the body is longer than "+strconv.FormatInt(most>>20, 10)+" MB", "send less")
		return
	case err != nil:
		w.Header().Set("Connection", "close")
		if errors.Is(err, os.ErrDeadlineExceeded) {
			deny(w, http.StatusRequestTimeout, "timeout", "the body was not complete within 30 seconds", "try again")
		} else {
			deny(w, http.StatusBadRequest, "usage", "the body ended early, or its chunks are invalid", "send it whole, with its length or in chunks")
		}
		return
	}
	r.Body = io.NopCloser(body)
	next.ServeHTTP(withoutDeadline{w}, r)
}

// withoutDeadline lets nobody set a deadline for reading: there is nothing left to
// read, and net/http ends the context of a request whose deadline passes.
type withoutDeadline struct{ http.ResponseWriter }

// SetReadDeadline does nothing.
func (withoutDeadline) SetReadDeadline(time.Time) error { return nil }

// Unwrap is for [http.ResponseController].
func (w withoutDeadline) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// deny answers with a problem, as the operations do.
func deny(w http.ResponseWriter, status int, code, detail, hint string) {
	w.Header().Set("Cache-Control", "no-store")
	shape.NewProblem(status, code, detail, hint).Write(w)
}
