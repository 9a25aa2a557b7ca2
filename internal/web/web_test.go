package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/logtest"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// lent is a Backend for tests.
type lent struct {
	service *session.Service
	active  string
	// readOnly, model and prepare are for what writes (write_test.go).
	readOnly bool
	model    string
	prepare  func(*session.Session, *Prepared)
}

func (l *lent) Service() *session.Service { return l.service }
func (l *lent) Active() (string, error)   { return l.active, nil }
func (l *lent) Meta() shape.Meta          { return shape.Meta{Version: "test", ReadOnly: l.readOnly} }

func (l *lent) Live(*session.Session) (session.Live, error) {
	return session.Live{}, nil
}

func (l *lent) Agent(context.Context, *session.Session, string, agent.Approver) (*agent.Agent, io.Closer, error) {
	return nil, nil, nil
}

// server is one over a store, in memory where none is given.
func server(t testing.TB, st store.Store) (*Server, *session.Service) {
	t.Helper()
	if st == nil {
		st = memory.New()
		t.Cleanup(func() { _ = st.Close() })
	}
	service := session.NewService(st)
	s := New(Options{Backend: &lent{service: service}})
	t.Cleanup(func() { _ = s.Close() })
	return s, service
}

// created stores a conversation.
func created(t testing.TB, service *session.Service, id string, entries []tenfold.Entry) *session.Session {
	t.Helper()
	s, err := service.Create(t.Context(), session.Create{ID: id, Title: "about " + id, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks a server and reads its answer; the status has to be the one wanted.
func get[T any](t testing.TB, s http.Handler, path string, status int) (out T) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	s.ServeHTTP(w, r)
	if s, ok := s.(*Server); ok {
		_, pattern := s.mux.Handler(r)
		keepsContract(t, r, pattern, w)
	}
	if w.Code != status {
		t.Fatalf("GET %s: %d, not %d: %.300s", path, w.Code, status, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("GET %s: %v: %.300s", path, err, w.Body)
	}
	return out
}

func TestAConversationIsDescribed(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	long := created(t, service, "long", logtest.Long(300))
	c := get[shape.Conversation](t, s, "/api/conversations/lon", http.StatusOK)
	if c.ID != "long" || c.Title != "about long" || c.Entries != 300 || c.Tokens.Before != long.Projection().Totals().All().Before {
		t.Errorf("%+v", c)
	}
	if err := long.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("more")}}); err != nil {
		t.Fatal(err)
	}
	if c := get[shape.Conversation](t, s, "/api/conversations/long", http.StatusOK); c.Entries != 302 {
		t.Errorf("%d entries after an append", c.Entries)
	}
	if p := get[shape.Problem](t, s, "/api/conversations/nobody", http.StatusNotFound); p.Code != "not_found" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := get[shape.Problem](t, s, "/api/conversations?limit=0", http.StatusUnprocessableEntity); p.Hint == "" || len(p.Errors) != 1 {
		t.Errorf("%+v", p)
	}
	if p := get[shape.Problem](t, s, "/api/nothing", http.StatusNotFound); p.Hint == "" {
		t.Errorf("%+v", p)
	}
}
