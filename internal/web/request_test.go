package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenfold/internal/logtest"
	"tenfold/internal/web/shape"
)

// What a server would pass over of a query, it refuses.
func TestAQueryIsReadWhole(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(5))
	for query, location := range map[string]string{
		"limt=1": "query.limt", "Limit=1": "query.Limit", "limit=1&limit=2": "query.limit", "sort=updated&sort=updated": "query.sort",
		"limit=": "query.limit", "limit": "query.limit", "totals": "query.totals", "totals=&limit=1": "query.totals", "totals&limit=1": "query.totals",
		"limt=1;x=2": "query.limt", "x;y": "query.x;y", "%zz=1": "query", "q=%zz": "query", "limit=x": "query.limit",
	} {
		p := get[shape.Problem](t, s, "/api/conversations?"+query, http.StatusUnprocessableEntity)
		if p.Code != "usage" || p.Hint == "" || len(p.Errors) == 0 || p.Errors[0].Location != location {
			t.Errorf("%s: %+v", query, p)
		}
	}
	for _, query := range []string{"q=a;b", "q=&tool=", "limit=1&", "q=a%3Bb&totals=true"} {
		get[shape.Conversations](t, s, "/api/conversations?"+query, http.StatusOK)
	}
	get[shape.Problem](t, s, "/api/conversations/c/lab?strategy=strip-tools&strategy=nobody", http.StatusBadRequest) // a list may be repeated
}

// A body is JSON, or said to be nothing, wherever one is taken.
func TestBodiesAreJSON(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(5))
	for _, path := range []string{"/api/conversations", "/api/conversations/c/entries", toPlan, toCompact, "/api/conversations/c/undo"} {
		for kind, refused := range map[string]bool{
			"application/x-www-form-urlencoded": true, "text/plain; charset=utf-8": true, "application/jsonx": true, "json": true, ";": true,
			"application/json": false, "application/json; charset=utf-8": false, "application/vnd.a+json": false, "": false,
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(`{"entries":[`+one+`]}`))
			if kind != "" {
				r.Header.Set("Content-Type", kind)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if (w.Code == http.StatusUnsupportedMediaType) != refused {
				t.Errorf("%s with %q: %d %s", path, kind, w.Code, w.Body)
			}
			if !refused {
				continue
			}
			if p := answerOf[shape.Problem](t, w, w.Code); p.Code != "usage" || !strings.Contains(p.Detail, kind) {
				t.Errorf("%s with %q: %+v", path, kind, p)
			}
		}
	}
}

// Whoever asks for the head of a stream gets it, and does not wait for a body.
func TestStreamsHaveHeads(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(5))
	for path, kind := range map[string]string{"events": "text/event-stream", "lab": "text/event-stream", "export": "text/html; charset=utf-8"} {
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodHead, "/api/conversations/c/"+path, nil))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind || w.Body.Len() > 0 || ctx.Err() != nil {
			t.Errorf("%s: %d %v, %d bytes, %v", path, w.Code, w.Header(), w.Body.Len(), ctx.Err())
		}
		end()
	}
}

func TestPathsSayWhatTheyTake(t *testing.T) {
	t.Parallel()
	s, _ := server(t, nil)
	for _, at := range []struct{ path, allowed string }{
		{"/api/conversations", "GET, HEAD, POST"}, {"/api/conversations/c", "GET, HEAD"}, {"/api/conversations/c/undo", "POST"}, {"/api/conversations/c/pins/1", "PUT, DELETE"},
	} {
		for method, want := range map[string]int{http.MethodOptions: http.StatusNoContent, http.MethodPatch: http.StatusMethodNotAllowed} {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, at.path, nil))
			if w.Code != want || w.Header().Get("Allow") != at.allowed {
				t.Errorf("%s %s: %d, allowed %q, not %q", method, at.path, w.Code, w.Header().Get("Allow"), at.allowed)
			}
		}
	}
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/api/nothing", nil)); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
}
