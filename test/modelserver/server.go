package modelserver

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A Server plays the vendors. It is an [http.Handler], safe for concurrent use.
type Server struct {
	script  Script
	now     func() time.Time
	foreign bool

	mu         sync.Mutex
	requests   []Request
	cache      cache
	signatures signatures
	ids        int
}

// An Option sets up a server.
type Option func(*Server)

// WithClock makes the server's caches age by now.
func WithClock(now func() time.Time) Option { return func(s *Server) { s.now = now } }

// WithForeignThinking takes thinking that other servers signed for granted:
// for sessions that were recorded elsewhere.
func WithForeignThinking() Option { return func(s *Server) { s.foreign = true } }

// New makes a server that answers by a script.
func New(script Script, options ...Option) *Server {
	s := &Server{
		script: script, now: time.Now,
		cache:      cache{alive: map[[32]byte]time.Time{}},
		signatures: signatures{made: map[string]birth{}},
	}
	for _, o := range options {
		o(s)
	}
	return s
}

// Requests lists what came, in the order it came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Main lists the requests of conversations with a person ([Request.Main]).
func (s *Server) Main() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return !r.Main() })
}

// Problems lists the requests that were refused.
func (s *Server) Problems() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Problem == nil })
}

// Reset forgets the requests, and keeps the caches and signatures.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	if strings.EqualFold(h.Header.Get("Upgrade"), "websocket") {
		s.record(&Request{Method: h.Method, Path: masked(h), Header: public(h.Header), Purpose: Other})
		w.WriteHeader(http.StatusUpgradeRequired) // Codex falls back to HTTP at once
		return
	}
	body, err := decoded(h)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r := &Request{Method: h.Method, Path: masked(h), Header: public(h.Header), Body: body}
	r.Wire, r.Purpose = route(h)
	a := &answer{w: w, request: r, now: s.now(), server: s}
	if r.Purpose == Other {
		s.record(r)
		a.other(h)
		return
	}
	if r.Wire == Gemini { // which says in its path what others say in the body
		_, model, _ := strings.Cut(h.URL.Path, "/models/")
		r.Model, _, _ = strings.Cut(model, ":")
		r.Stream = strings.HasSuffix(h.URL.Path, ":streamGenerateContent")
	}
	r.Problem = read(r)
	usage := Usage{}
	s.mu.Lock()
	if r.Problem == nil {
		r.Dropped, r.Problem = s.signatures.bindings(r.bindings, s.foreign, r.drop)
	}
	if r.Problem == nil && r.Purpose == Generate {
		usage = s.cache.bill(r.Wire, r.prefix.units, s.now())
	}
	s.mu.Unlock()
	switch {
	case r.Problem != nil:
		s.record(r)
		a.fail(r.Problem)
	case r.Purpose == Count:
		s.record(r)
		a.count()
	default:
		s.answer(a, usage)
	}
}

// answer plays what the script says.
func (s *Server) answer(a *answer, usage Usage) {
	reply := s.script(*a.request)
	s.finish(a, &reply, usage)
	s.record(a.request)
	if reply.Delay > 0 {
		time.Sleep(reply.Delay)
	}
	if reply.Error != nil {
		a.fail(reply.Error)
		return
	}
	a.cut = reply.Cut
	switch a.request.Wire {
	case Anthropic:
		a.writeAnthropic()
	case Responses:
		a.writeResponses()
	case Chat:
		a.writeChat()
	case Gemini:
		a.writeGemini()
	}
}

// finish gives a reply what the vendor adds: ids of calls, signatures, usage.
func (s *Server) finish(a *answer, reply *Reply, usage Usage) {
	prefixes := map[Wire]string{Anthropic: "toolu_", Responses: "call_", Chat: "call_", Gemini: "call_"}
	under := sums(a.request.prefix.units, a.request.said)
	a.blocks = slices.Clone(reply.Blocks)
	for i := range a.blocks {
		b := &a.blocks[i]
		if b.Kind == KindCall && b.ID == "" {
			b.ID = a.id(prefixes[a.request.Wire])
		}
		if reply.Usage == nil {
			usage.Output += tokens(b.Text) + tokens(b.Arguments)
		}
		signed := b.Kind == KindThinking || b.Kind == KindCall && a.request.Wire == Gemini
		if signed && b.Signature == "" {
			s.mu.Lock()
			b.Signature = s.signatures.sign(under, a.request.thoughts)
			s.mu.Unlock()
		}
	}
	if reply.Usage != nil {
		usage = *reply.Usage
	}
	a.usage, a.request.Usage = usage, usage
}

func (s *Server) record(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.N = len(s.requests)
	s.requests = append(s.requests, *r)
}

// route tells the wire and the purpose from the path alone.
func route(h *http.Request) (Wire, Purpose) {
	path := h.URL.Path
	post := h.Method == http.MethodPost
	switch {
	case post && strings.HasSuffix(path, "/messages/count_tokens"):
		return Anthropic, Count
	case post && strings.HasSuffix(path, "/messages"):
		return Anthropic, Generate
	case post && strings.HasSuffix(path, "/responses"):
		return Responses, Generate
	case post && strings.HasSuffix(path, "/chat/completions"):
		return Chat, Generate
	case post && strings.HasSuffix(path, ":countTokens"):
		return Gemini, Count
	case post && (strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")):
		return Gemini, Generate
	}
	return "", Other
}

// decoded reads a body, gzip and zstd unpacked.
func decoded(h *http.Request) ([]byte, error) {
	switch h.Header.Get("Content-Encoding") {
	case "zstd":
		z, err := zstd.NewReader(h.Body)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return io.ReadAll(z)
	case "gzip":
		z, err := gzip.NewReader(h.Body)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	}
	body, err := io.ReadAll(h.Body)
	return bytes.TrimSpace(body), err
}

// credentials are headers that are never recorded.
var credentials = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Cookie"}

func public(h http.Header) http.Header {
	out := maps.Clone(h)
	for _, name := range credentials {
		if out.Get(name) != "" {
			out.Set(name, "(masked)")
		}
	}
	return out
}

func masked(h *http.Request) string {
	u := *h.URL
	q := u.Query()
	if q.Has("key") {
		q.Set("key", "(masked)")
		u.RawQuery = q.Encode()
	}
	return u.RequestURI()
}
