package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store/memory"
)

// An id that is used again is another conversation.
func TestAConversationMadeAgainIsAnother(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	for _, n := range []int{30, 12, 50} {
		created(t, service, "one", logtest.Long(n))
		if rows := get[shape.Rows](t, s, "/api/conversations/one/rows", http.StatusOK); len(rows.Items) != n || rows.Version != int64(n) {
			t.Errorf("%d rows at %d, of %d", len(rows.Items), rows.Version, n)
		}
		if o := get[shape.Outline](t, s, "/api/conversations/one/outline", http.StatusOK); len(o.Kind) != n {
			t.Errorf("an outline of %d, of %d", len(o.Kind), n)
		}
		if err := service.Delete(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		get[shape.Problem](t, s, "/api/conversations/one/rows", http.StatusNotFound)
	}
	if s.sessions.Holds("one") {
		t.Error("what is gone is still in memory")
	}
}

// Many ask at once while another writes: nobody sees a log that shrinks, and the
// detector of races sees nothing.
func TestManyAskAtOnce(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	open := created(t, service, "one", logtest.Long(60))
	created(t, service, "two", logtest.Long(60))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			version := int64(0)
			for range 15 {
				rows := get[shape.Rows](t, s, "/api/conversations/one/rows?from=50", http.StatusOK)
				if rows.Version < version {
					t.Errorf("version %d after %d", rows.Version, version)
				}
				version = rows.Version
				get[shape.View](t, s, "/api/conversations/"+[]string{"one", "two"}[i%2]+"/view?limit=5", http.StatusOK)
			}
		})
	}
	for range 20 {
		if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "more"}}); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}

// The page of a conversation has it opened.
func TestAPageOpensItsConversation(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", logtest.Long(60))
	s.page = http.NotFoundHandler()
	for _, path := range []string{"/", "/c/", "/money", "/c/nobody", "/c/one/view"} {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	}
	for !s.sessions.Holds("one") {
		runtime.Gosched()
	}
}

// Whatever is asked for, the answer is one that the document has, and never our
// fault.
func FuzzRequests(f *testing.F) {
	st := session.NewService(memory.New())
	s := New(Options{Backend: &lent{service: st}})
	f.Cleanup(func() { _ = s.Close() })
	created(f, st, "one", logtest.Long(40))
	for _, seed := range [][2]string{
		{"conversations", "limit=3&sort=ended&since=2d&until=2026-01-31&q=a+b&project=/x&cursor=2"},
		{"conversations/one", ""},
		{"conversations/one/outline", "from=9999999999999"},
		{"conversations/one/rows", "from=-1&limit=201"},
		{"conversations/one/entries/3", "offset=5&limit=2"},
		{"conversations/one/entries/-3", ""},
		{"conversations/one/entries/9223372036854775808", ""},
		{"conversations/one/search", `q="a b&limit=0`},
		{"search", "q=%00%ff*(NEAR"},
		{"conversations/one/view", "provider=gemini&body=true&from=999999"},
		{"conversations/o%2fe/../one", ""},
		{"conversations//rows", ""},
		{"openapi.json", ""},
		{"conversations/one/entries/1/", "offset=1e3"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		u := url.URL{Path: "/api/" + path, RawQuery: query}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
		if err != nil {
			return
		}
		h, pattern := s.mux.Handler(r)
		if h == nil || pattern == "GET /api/conversations/{id}/events" { // it does not end
			return
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%s: %d %s", r.URL, w.Code, w.Body)
		}
		if w.Code < 300 || w.Code >= 400 {
			if !strings.HasPrefix(pattern, "GET /api/openapi") {
				keepsContract(t, r, pattern, w)
			}
		}
	})
}
