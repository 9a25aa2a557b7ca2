package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tenfold"
	"tenfold/internal/pause"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/internal/engine"
)

// Store is a client of a store that a server keeps. It keeps nothing itself.
type Store struct {
	base   string
	token  string
	client *http.Client
	gate   engine.Gate
	closed context.Context // done when the store is closed
	close  context.CancelFunc
	errors engine.Errors
	// silence is after how long a watch that says nothing is taken for dead.
	silence time.Duration
	// patience is [Patience], but in tests of a machine that may be slower.
	patience time.Duration
	// waiting is told, once, why the first answer takes long, and once that one does not
	// come though the server was reached.
	waiting func(most time.Duration, why error)
	told    atomic.Bool // or there was an answer
	silent  atomic.Bool // that was told
	// slow is [silentAfter], but in tests.
	slow time.Duration
}

var _ store.Store = (*Store)(nil)

// Patience is how long a method that may be tried again goes on where the server
// cannot be reached: as long as one takes to start again.
const Patience = 10 * time.Second

// waitingAfter is after how long whoever waits for a server is told so.
const waitingAfter = time.Second

// An Option changes a [Store].
type Option func(*Store)

// WithWaiting has a function called where the server has not been reached for a second and
// is tried again, and where it does not answer a request for four, each of them once: with
// how long it is waited for, and why.
func WithWaiting(tell func(most time.Duration, why error)) Option {
	return func(s *Store) { s.waiting = tell }
}

// answerWithin is how long an answer may take to begin. A server gives up within it, so that who
// hears nothing by then hears nothing any more: the machine is gone, and the connection
// would not know for a quarter of an hour.
const answerWithin = 2 * time.Minute

// Open gives a client of the server at an address, such as
// https://sessions.example.com. Token is what the server asks for, as a bearer
// token; it goes nowhere else, and to another machine only over TLS. Nothing is
// sent before the first method is called.
func Open(address, token string, options ...Option) (*Store, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return nil, &problem.Error{
			Op: "open the store", Subject: address, Code: "store", Problem: "is not the address of a server",
			Hint: "write https://HOST or, on this machine, http://127.0.0.1:PORT",
		}
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, &problem.Error{
			Op: "open the store", Subject: u.Redacted(), Code: "store", Problem: "says more than where the server is",
			Hint: "give the token in TENFOLD_TOKEN, where no list of processes shows it",
		}
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, &problem.Error{
			Op: "open the store", Subject: address, Code: "store", Problem: "would send the token and every conversation unencrypted",
			Hint: "use https://",
		}
	}
	s := &Store{base: strings.TrimSuffix(u.String(), "/") + "/api/store/", token: token, silence: 3 * beatEvery, patience: Patience, slow: silentAfter}
	s.closed, s.close = context.WithCancel(context.Background())
	s.errors = engine.Errors{Place: u.Host, Hint: hint}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DisableCompression: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: 10 * time.Second,
		ResponseHeaderTimeout: answerWithin,
		WriteBufferSize:       32 << 10, // most requests are one piece then
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
	}
	s.client = &http.Client{
		Transport: transport,
		// A token is for the server that was named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, o := range options {
		o(s)
	}
	return s, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// An exchange is a request under way.
type exchange struct {
	body io.ReadCloser
	in   *reader
	id   string
}

func (x *exchange) close() {
	_ = x.body.Close()
	x.in.free()
}

// next gives the next frame; kind is end after the last.
func (x *exchange) next() (kind byte, content []byte, err error) {
	kind, content, err = x.in.next()
	switch {
	case err != nil && !errors.Is(err, errInvalid):
		return 0, nil, connectionError{err}
	case err != nil || kind != failed:
		return kind, content, err
	}
	var f failure
	if err := decode(content, &f); err != nil {
		return 0, nil, err
	}
	return 0, nil, f.err(x.id)
}

// object gives the next frame of JSON.
func (x *exchange) object() (a answer, more bool, err error) {
	kind, content, err := x.next()
	switch {
	case err != nil || kind == end:
		return a, false, err
	case kind != object:
		return a, false, fmt.Errorf("%w: frame %d", errInvalid, kind)
	}
	return a, true, decode(content, &a)
}

// entry gives the next entry.
func (x *exchange) entry() (e tenfold.Entry, more bool, err error) {
	kind, content, err := x.next()
	switch {
	case err != nil || kind == end:
		return e, false, err
	case kind != entry:
		return e, false, fmt.Errorf("%w: frame %d", errInvalid, kind)
	}
	e, err = x.in.entry(content)
	return e, true, err
}

// ask sends a request. Who gets no error closes the exchange.
func (s *Store) ask(ctx context.Context, path string, p parameters, entries ...tenfold.Entry) (*exchange, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body := &strings.Builder{} // sent with its length, and again where the connection was stale
	w := newWriter(body)
	defer w.free()
	w.json(object, p)
	for _, e := range entries {
		w.entry(e)
	}
	w.frame(end)
	if err := w.flush(); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+path, strings.NewReader(body.String()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.send(r)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			_ = answer.Body.Close()
		}
		return nil, ctx.Err()
	case err != nil:
		return nil, connectionError{err}
	case answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != contentType:
		defer func() { _ = answer.Body.Close() }()
		err := refusal(answer)
		if slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, answer.StatusCode) {
			return nil, connectionError{err}
		}
		return nil, err
	}
	s.told.Store(true)
	return &exchange{answer.Body, newReader(answer.Body), string(p.ID)}, nil
}

// again does what may be done twice until the server answers.
func (s *Store) again(ctx context.Context, do func() error) error { return s.try(ctx, true, do) }

// once does what may not.
func (s *Store) once(ctx context.Context, do func() error) error { return s.try(ctx, false, do) }

func (s *Store) try(ctx context.Context, twice bool, do func() error) error {
	if err := s.gate.Enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	begun := time.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := do()
		if err == nil {
			return nil
		}
		before, may := delay(err, wait, twice)
		if !may || time.Since(begun) > s.patience {
			return err
		}
		if s.waiting != nil && time.Since(begun)+before > waitingAfter && s.told.CompareAndSwap(false, true) {
			s.waiting(s.patience, err)
		}
		if err := pause.For(ctx, before); err != nil {
			return err
		}
	}
}

// call asks, and takes the answer's objects.
func (s *Store) call(ctx context.Context, path string, p parameters, take func(*exchange, answer) error, entries ...tenfold.Entry) error {
	x, err := s.ask(ctx, path, p, entries...)
	if err != nil {
		return err
	}
	defer x.close()
	for {
		a, more, err := x.object()
		if err == nil && more && take != nil {
			err = take(x, a)
		}
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil || !more {
			return err
		}
	}
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	return s.errors.ExplainFor("create", c.ID, s.once(ctx, func() error {
		return s.call(ctx, pathCreate, parameters{Conversation: newConversation(c)}, nil, entries...)
	}))
}

// Conversation implements [store.Store].
func (s *Store) Conversation(ctx context.Context, id string) (c store.Conversation, err error) {
	found := false
	err = s.again(ctx, func() error {
		return s.call(ctx, pathConversation, parameters{ID: text(id)}, func(_ *exchange, a answer) error {
			if found = a.Conversation != nil; found {
				c = a.Conversation.value()
			}
			return nil
		})
	})
	if err == nil && !found {
		err = fmt.Errorf("%w: an answer without the conversation", errInvalid)
	}
	return c, s.errors.ExplainFor("look up", id, err)
}

func (s *Store) list(ctx context.Context, path string, p parameters) (all []store.Conversation, err error) {
	err = s.again(ctx, func() error {
		all = nil
		return s.call(ctx, path, p, func(_ *exchange, a answer) error {
			if a.Conversation != nil {
				all = append(all, a.Conversation.value())
			}
			return nil
		})
	})
	return all, err
}

// Conversations implements [store.Store].
func (s *Store) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return func(yield func(store.Conversation, error) bool) {
		all, err := s.list(ctx, pathConversations, parameters{})
		for _, c := range all {
			if err == nil && !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(store.Conversation{}, s.errors.Explain("list conversations", err))
		}
	}
}

// Page implements [store.Store].
func (s *Store) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	p := parameters{Limit: limit}
	if after != nil {
		p.Place = &place{after.Updated, text(after.ID)}
	}
	all, err := s.list(ctx, pathPage, p)
	return all, s.errors.Explain("list conversations", err)
}

// WithPrefix implements [store.Store].
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]store.Conversation, error) {
	all, err := s.list(ctx, pathPrefix, parameters{ID: text(prefix), Limit: limit})
	return all, s.errors.Explain("list conversations", err)
}

// WithHandle implements [store.Store].
func (s *Store) WithHandle(ctx context.Context, handle string) ([]store.Conversation, error) {
	all, err := s.list(ctx, pathHandle, parameters{Key: text(handle)})
	return all, s.errors.Explain("list conversations", err)
}

// Imported implements [store.Store].
func (s *Store) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	all, err := s.list(ctx, pathImported, parameters{Key: text(key)})
	return all, s.errors.Explain("look up imports", err)
}

// SetTitle implements [store.Store].
func (s *Store) SetTitle(ctx context.Context, id, title string) error {
	return s.errors.ExplainFor("rename", id, s.again(ctx, func() error {
		return s.call(ctx, pathTitle, parameters{ID: text(id), Title: text(title)}, nil)
	}))
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string, expected int64) error {
	return s.errors.ExplainFor("delete", id, s.once(ctx, func() error {
		return s.call(ctx, pathDelete, parameters{ID: text(id), Expected: &expected}, nil)
	}))
}

// Append implements [store.Store]. Where the answer is lost it is tried again: what
// the log holds already is left out (L9).
func (s *Store) Append(ctx context.Context, b store.Batch) (version int64, err error) {
	p := parameters{ID: text(b.Conversation), Expected: &b.Expected, Now: b.Now, Stats: (*stats)(b.Stats), Origin: newOrigin(b.Origin)}
	err = s.again(ctx, func() error {
		return s.call(ctx, pathAppend, p, func(_ *exchange, a answer) error {
			version = a.Version
			return nil
		}, b.Entries...)
	})
	return version, s.errors.ExplainFor("append to", b.Conversation, err)
}

// Search implements [store.Store].
func (s *Store) Search(ctx context.Context, q store.Query) (hits []store.Hit, err error) {
	p := parameters{ID: text(q.Conversation), Text: text(q.Text), Limit: q.Limit}
	err = s.again(ctx, func() error {
		hits = nil
		return s.call(ctx, pathSearch, p, func(x *exchange, a answer) error {
			e, more, err := x.entry()
			if err == nil && !more {
				err = errCut
			}
			hits = append(hits, store.Hit{Conversation: string(a.ID), Entry: e, Snippet: string(a.Snippet)})
			return err
		})
	})
	if q.Conversation != "" {
		return hits, s.errors.ExplainFor("search", q.Conversation, err)
	}
	return hits, s.errors.Explain("search", err)
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.close() // ends watches; appends go on
	s.gate.Close()
	s.client.CloseIdleConnections()
	return nil
}
