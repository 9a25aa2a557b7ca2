package door

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// probe is what /healthz or /readyz answers to somebody who has not signed in.
func probe(t *testing.T, h http.Handler, method, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Host = "a.name.of.the.balancer:80"
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, away := 0, error(nil)
		h := NewHealth(func(ctx context.Context) error {
			asked++
			if away != nil && away.Error() == "hangs" {
				<-ctx.Done()
				return ctx.Err()
			}
			return away
		})
		behind := h.Handler(NewGuard(Access{}).Handler(http.NotFoundHandler()))
		for _, c := range []struct {
			method, path string
			status       int
			body         string
		}{
			{"GET", "/healthz", 200, "ok\n"},
			{"HEAD", "/healthz", 200, "ok\n"},
			{"GET", "/readyz", 200, "ok\n"},
			{"POST", "/readyz", 403, ""},
			{"GET", "/readyz/x", 403, ""},
			{"GET", "/api/conversations", 403, ""},
		} {
			status, body := probe(t, behind, c.method, c.path)
			if status != c.status || c.body != "" && body != c.body {
				t.Errorf("%s %s: %d %q", c.method, c.path, status, body)
			}
		}
		for range 50 { // a store is not asked by everybody
			probe(t, behind, "GET", "/readyz")
		}
		if asked != 1 {
			t.Errorf("the store was asked %d times at once", asked)
		}
		away = errors.New("postgres://secret@host is away")
		time.Sleep(2 * time.Second)
		if status, body := probe(t, behind, "GET", "/readyz"); status != 503 || body != "not ready\n" {
			t.Errorf("while the store is away: %d %q", status, body)
		}
		if status, _ := probe(t, behind, "GET", "/healthz"); status != 200 {
			t.Errorf("while the store is away the process is not alive: %d", status)
		}
		away = errors.New("hangs")
		time.Sleep(2 * time.Second)
		start := time.Now()
		if status, _ := probe(t, behind, "GET", "/readyz"); status != 503 || time.Since(start) > 3*time.Second {
			t.Errorf("a store that hangs: %d after %s", status, time.Since(start))
		}
		away = nil
		time.Sleep(2 * time.Second)
		if status, _ := probe(t, behind, "GET", "/readyz"); status != 200 {
			t.Errorf("when the store is back: %d", status)
		}
		h.Ending()
		h.Ending()
		status, _ := probe(t, behind, "GET", "/readyz")
		if alive, _ := probe(t, behind, "GET", "/healthz"); status != 503 || alive != 200 {
			t.Errorf("while it ends: ready %d, alive %d", status, alive)
		}
	})
}
