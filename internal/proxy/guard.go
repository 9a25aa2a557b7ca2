package proxy

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold/internal/outfile"
	"tenfold/internal/proxy/wire"
	"tenfold/problem"
)

// NewToken makes the part of a base URL that only the client knows it was made for.
func NewToken() string {
	var b [20]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// same compares tokens in a time that does not depend on them.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// shortestToken is in characters: a token stands between a network and somebody's
// key.
const shortestToken = 20

// ReadToken reads the token of a file, which only its owner may read; a file that
// does not exist is made, with a new token. Of programs that make it at once, all have the
// token of the one that came first.
func ReadToken(name string) (string, error) {
	failed := func(what, hint string, err error) error {
		return &problem.Error{Op: "read token file", Subject: name, Problem: what, Hint: hint, Err: err}
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		token := NewToken()
		out, made := outfile.Create(name, 0o600)
		if made != nil {
			return "", failed("", "check that the directory "+filepath.Dir(name)+" exists and is yours", made)
		}
		defer out.Abandon()
		if _, err := out.Write([]byte(token + "\n")); err != nil {
			return "", failed("", "", err)
		}
		if made = out.CommitNew(); made == nil {
			return token, nil
		} else if !errors.Is(made, fs.ErrExist) {
			return "", failed("", "", made)
		}
		info, err = os.Stat(name)
	}
	if err != nil {
		return "", failed("", "check the file's permissions", err)
	}
	others := fs.FileMode(0o077)
	if d := os.Getenv("CREDENTIALS_DIRECTORY"); d != "" && filepath.Dir(name) == filepath.Clean(d) {
		others = 0o037 // systemd lets the service's user read by an ACL, which shows as the group's right
	}
	if info.Mode().Perm()&others != 0 && runtime.GOOS != "windows" {
		return "", failed("others may read or write the file", "run: chmod 600 "+name, nil)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", failed("", "check the file's permissions", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < shortestToken || strings.Trim(token, tokenLetters) != "" {
		return "", failed("expected a token of at least "+strconv.Itoa(shortestToken)+" letters and digits", "remove the file; a new token is made for you", nil)
	}
	return token, nil
}

const tokenLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"

// Listen listens at an address: this machine's loopback, or another one where a
// token is kept in a file, so that whoever opens a proxy to a network means it.
func Listen(ctx context.Context, address string, kept bool) (net.Listener, error) {
	failed := func(what, hint string, err error) error {
		return &problem.Error{Op: "listen at", Subject: address, Problem: what, Hint: hint, Err: err, Usage: err == nil}
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, failed("expected HOST:PORT", "for example 127.0.0.1:7434", nil)
	}
	if !isLoopback(host) && !kept {
		return nil, failed("others on the network could use it", "use 127.0.0.1, or pass --token-file FILE, so that only those who know its secret can", nil)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, failed("", "choose another port with --addr, or 0 for any that is free", err)
	}
	return l, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// refuse says why a request is refused, whatever its path; empty where it is not.
func (s *Server) refuse(r *http.Request) string {
	if r.Method == http.MethodConnect || r.URL.Host != "" {
		return "this is not a forward proxy; use a base URL as Tenfold printed it"
	}
	if len(r.Header["Origin"]) > 0 {
		return "requests of web pages are refused"
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	// A page of a stranger's can have its own name point here, but not a number.
	if _, err := netip.ParseAddr(host); err != nil && !isLoopback(host) && !slices.Contains(s.hosts, strings.ToLower(host)) {
		return "unknown host name; use a base URL as Tenfold printed it"
	}
	return ""
}

// refuse answers a request whose protocol nobody looked for.
func refuse(w http.ResponseWriter, status int, why string) { fail(w, "", status, why) }

// fail answers with an error in the shape of a protocol's own; where that is not
// known, in one whose message the clients of all vendors show.
func fail(w http.ResponseWriter, protocol string, status int, why string) {
	type failure struct {
		Code    int    `json:"code,omitzero"`
		Type    string `json:"type,omitzero"`
		Message string `json:"message"`
		Status  string `json:"status,omitzero"`
	}
	body := struct {
		Type  string  `json:"type,omitzero"`
		Error failure `json:"error"`
	}{Error: failure{Message: "tenfold proxy: " + why}}
	switch protocol {
	case wire.OpenAIResponses{}.Name(), wire.OpenAIChat{}.Name():
		body.Error.Type = "server_error"
	case wire.Gemini{}.Name():
		body.Error.Code, body.Error.Status = status, "UNAVAILABLE"
	case wire.Anthropic{}.Name():
		body.Type, body.Error.Type = "error", "api_error"
	default:
		body.Type, body.Error.Type = "error", "tenfold_proxy"
	}
	data, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// A guarded exchange survives an error of ours: whatever panics is as if nothing
// had been read (V7).
type guarded struct {
	Exchange
	server *Server
	body   []byte // as it came
	failed bool
}

// askKeeper asks the Keeper about a request.
func (s *Server) askKeeper(r *http.Request, in Incoming) *guarded {
	g := &guarded{server: s, body: in.Body}
	g.try(func() { g.Exchange = s.keeper.Take(r.Context(), in) })
	return g
}

// try runs f unless something failed before.
func (g *guarded) try(f func()) {
	if g.failed {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			g.failed = true
			// What was said is not logged: it may quote the conversation.
			g.server.log.Error("internal error; the request passes through", "stack", string(debug.Stack()))
		}
	}()
	f()
}

func (g *guarded) Body() []byte {
	out := g.body
	g.try(func() { out = g.Exchange.Body() })
	return out
}

func (g *guarded) Answer() (a *Answer) {
	g.try(func() { a = g.Exchange.Answer() })
	return a
}

func (g *guarded) Refused(status int, body []byte) (again []byte) {
	g.try(func() { again = g.Exchange.Refused(status, body) })
	return again
}

func (g *guarded) Heard() (l wire.Listener) {
	g.try(func() { l = g.Exchange.Heard() })
	return l
}

func (g *guarded) Done(status int, cut bool) {
	g.try(func() { g.Exchange.Done(status, cut) })
}
