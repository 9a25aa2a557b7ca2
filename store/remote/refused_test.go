package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/memory"
)

type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func refusing(status int, after, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Retry-After": {after}, "Content-Type": {"application/problem+json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

// A server that has too many requests is asked again when it says so, and not before;
// whatever was asked for, for nothing was done.
func TestAClientComesBackWhenItMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		defer st.Close()
		var asked []time.Time
		s, err := Open("https://h", "token")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		behind, refuse := Handler(st), 2
		s.client.Transport = transport(func(r *http.Request) *http.Response {
			asked = append(asked, time.Now())
			if len(asked) <= refuse {
				return refusing(http.StatusTooManyRequests, "3", `{"code":"limit_requests","detail":"too many requests","hint":"send fewer"}`)
			}
			return served(behind, r)
		})
		for name, do := range map[string]func() error{
			"create": func() error { return s.Create(t.Context(), store.Conversation{ID: "a"}) },
			"append": func() error {
				_, err := s.Append(t.Context(), store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: "1", Payload: tenfold.TurnStart{}}}})
				return err
			},
			"read": func() error {
				for _, err := range s.Entries(t.Context(), "a", 0) {
					return err
				}
				return nil
			},
		} {
			if name != "create" {
				_ = st.Create(t.Context(), store.Conversation{ID: "a"})
			} else {
				_ = st.Delete(t.Context(), "a", store.AnyVersion)
			}
			asked = nil
			if err := do(); err != nil || len(asked) != 3 {
				t.Errorf("%s: after %d requests %v", name, len(asked), err)
			}
			for i := range len(asked) - 1 {
				if pause := asked[i+1].Sub(asked[i]); pause < 3*time.Second || pause > 4*time.Second {
					t.Errorf("%s: asked again after %s", name, pause)
				}
			}
		}
		refuse, asked = 1000, nil
		begun := time.Now()
		_, err = s.Conversation(t.Context(), "a")
		var p *problem.Error
		if !errors.As(err, &p) || p.Code != "limit_requests" || !strings.Contains(err.Error(), "too many requests: send fewer") {
			t.Errorf("in the end: %v", err)
		}
		if took := time.Since(begun); took < Patience || len(asked) > 5 {
			t.Errorf("it asked %d times in %s", len(asked), took)
		}
	})
}

func served(h http.Handler, r *http.Request) *http.Response {
	w := &recorder{header: http.Header{}}
	h.ServeHTTP(w, r)
	return &http.Response{StatusCode: http.StatusOK, Header: w.header, Body: io.NopCloser(strings.NewReader(w.body.String()))}
}

type recorder struct {
	header http.Header
	body   strings.Builder
}

func (w *recorder) Header() http.Header            { return w.header }
func (w *recorder) Write(text []byte) (int, error) { return w.body.Write(text) }
func (w *recorder) WriteHeader(int)                {}

// What is refused for good is asked for once, and the person reads what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status            int
		after, body, want string
		code              string
	}{
		{429, "60", `{"code":"limit_entries","detail":"the tenant's limit of 10 entries is reached","hint":"delete conversations"}`, "10 entries is reached: delete conversations", "limit_entries"},
		{429, "", `{}`, "429 Too Many Requests: try again later", "store"},
		{429, "-1", `{}`, "try again later", "store"},
		{429, "9999999999999", `{}`, "try again later", "store"},
		{401, "", `{"code":"token_expired","detail":"the token has expired","hint":"ask for another"}`, "has expired: check TENFOLD_TOKEN: ask for another", "token_expired"},
		{403, "", `{"code":"scope","detail":"the token lacks the scope admin","hint":"use another"}`, "scope admin: use another", "scope"},
		{403, "", `{"code":"read_only","detail":"this server only reads","hint":"start it otherwise"}`, "only reads: start it otherwise", "read_only"},
		{403, "", `not JSON`, "set TENFOLD_TOKEN", "store"},
		{200, "", `<html>`, "200 OK: check the address", "store"},
	} {
		s, err := Open("https://h", "token")
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		s.client.Transport = transport(func(*http.Request) *http.Response {
			asked++
			return refusing(c.status, c.after, c.body)
		})
		err = s.SetTitle(t.Context(), "a", "b")
		var p *problem.Error
		if asked != 1 || !errors.As(err, &p) || p.Code != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d %s: asked %d times: %v", c.status, c.body, asked, err)
		}
		_ = s.Close()
	}
}

// A refusal of the store behind the server keeps its code and its hint.
func TestAFailureKeepsItsHint(t *testing.T) {
	t.Parallel()
	s, err := Open("https://h", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	refused := &problem.Error{Op: "append", Code: "limit_bytes", Problem: "the limit is reached", Hint: "delete some"}
	s.client.Transport = transport(func(r *http.Request) *http.Response { return served(Handler(failing{memory.New(), refused}), r) })
	err = s.SetTitle(t.Context(), "a", "b")
	var p *problem.Error
	if !errors.As(err, &p) || p.Code != "limit_bytes" || !strings.HasSuffix(err.Error(), "append: the limit is reached: delete some") {
		t.Errorf("%v", err)
	}
}

// What the store behind the server could not do is told without where that is.
func TestAFailureHasNoPlace(t *testing.T) {
	t.Parallel()
	s, err := Open("https://h", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	full := &store.FailedError{Op: "append", Place: "/home/op/store.db", Err: errors.New("it is full"), Hint: "free some disk space; nothing was written", Full: true}
	s.client.Transport = transport(func(r *http.Request) *http.Response { return served(Handler(failing{memory.New(), full}), r) })
	err = s.SetTitle(t.Context(), "a", "b")
	if !errors.Is(err, store.ErrFull) || strings.Contains(err.Error(), "/home") || !strings.HasSuffix(err.Error(), "append: it is full: free some disk space; nothing was written") {
		t.Errorf("%v", err)
	}
}

// A server that cannot reach its database says so, without its address, and is asked
// again where that does no harm.
func TestAServerWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	s, err := Open("https://h", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	away, asked := fmt.Errorf("connect to db.internal: %w", store.ErrUnavailable), 0
	s.client.Transport = transport(func(r *http.Request) *http.Response {
		asked++
		st := store.Store(memory.New())
		if asked == 1 || strings.HasSuffix(r.URL.Path, pathTitle) {
			st = failing{st, away}
		}
		return served(Handler(st), r)
	})
	if all, err := s.Page(t.Context(), nil, 1); err != nil || len(all) > 0 || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	s.patience = 0
	if err := s.SetTitle(t.Context(), "a", "b"); !errors.Is(err, errAway) || !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "db.internal") || !strings.Contains(err.Error(), "no answer in time") || !strings.HasSuffix(err.Error(), "tell whoever runs the server") {
		t.Errorf("%v", err)
	}
}

// What may not be done twice is tried again while nothing can be sent, and not where the
// connection broke: it may have been done.
func TestCreateWaitsForAServerThatStarts(t *testing.T) {
	t.Parallel()
	s, err := Open("https://h", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	st := memory.New()
	defer st.Close()
	s.patience = 5 * time.Minute
	for op, want := range map[string]int{"dial": 3, "read": 1} {
		asked := 0
		s.client.Transport = broken(func(r *http.Request) (*http.Response, error) {
			if asked++; asked < 3 {
				return nil, &net.OpError{Op: op, Err: errors.New("connection refused")}
			}
			return served(Handler(st), r), nil
		})
		err := s.Create(t.Context(), store.Conversation{ID: op})
		if asked != want || (err == nil) != (want == 3) || err != nil && !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: asked %d times, %v", op, asked, err)
		}
	}
}

type broken func(*http.Request) (*http.Response, error)

func (f broken) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A server whose store another process holds says so: the same may be tried again.
func TestAServerWhoseStoreIsLocked(t *testing.T) {
	t.Parallel()
	s, err := Open("https://h", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.client.Transport = transport(func(r *http.Request) *http.Response {
		return served(Handler(failing{memory.New(), fmt.Errorf("rename: %w: busy", store.ErrLocked)}), r)
	})
	if err := s.SetTitle(t.Context(), "a", "b"); !errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "busy") {
		t.Errorf("%v", err)
	}
}

// A server that is not reached is a store that cannot be reached, as a database is.
func TestAServerThatIsNotReached(t *testing.T) {
	t.Parallel()
	s, err := Open("http://127.0.0.1:1", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.patience = 0
	if err := s.Delete(t.Context(), "a", 1); !errors.Is(err, store.ErrUnavailable) || !strings.HasSuffix(err.Error(), "reaches it") {
		t.Errorf("%v", err)
	}
	for e, err := range s.Entries(t.Context(), "a", 0) {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v, %v", e, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Delete(ended, "a", 1); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

type failing struct {
	store.Store
	err error
}

func (f failing) SetTitle(context.Context, string, string) error { return f.err }

func (f failing) Page(context.Context, *store.Place, int) ([]store.Conversation, error) {
	return nil, f.err
}

// A server that does not know what is asked may be of an earlier release.
func TestAServerThatDoesNotKnowWhatIsAsked(t *testing.T) {
	t.Parallel()
	s, err := Open("https://h", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.client.Transport = transport(func(*http.Request) *http.Response { return refusing(http.StatusNotFound, "", "404 page not found") })
	if _, err := s.Page(t.Context(), nil, 1); err == nil || !strings.Contains(err.Error(), "earlier release") {
		t.Errorf("it says %v", err)
	}
}
