package web

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"tenfold/internal/web/door"
	"tenfold/store/memory"
)

// logged is what one request puts into the log.
func logged(t *testing.T, h http.Handler, method, target string, header http.Header) map[string]any {
	t.Helper()
	var out bytes.Buffer
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(`{"canary":"canary"}`))
	if header != nil {
		r.Header = header
	}
	r.Host = "localhost"
	door.Observe(h, slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))).ServeHTTP(httptest.NewRecorder(), r)
	line := map[string]any{}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || strings.Contains(out.String(), "canary") {
		t.Fatalf("%s %s: %v in %s", method, target, err, &out)
	}
	return line
}

// A request is logged by what it fits, never by what it says.
func TestRequestsAreLogged(t *testing.T) {
	s, _ := server(t, memory.New())
	guarded := door.NewGuard(door.Access{Token: "canary-token-of-a-program"}).Handler(door.Traced(s))
	signed := http.Header{"Authorization": {"Bearer canary-token-of-a-program"}}
	for _, c := range []struct {
		method, target string
		header         http.Header
		want           map[string]any
	}{
		{"GET", "/api/conversations/canary", signed, map[string]any{"method": "GET", "route": "/api/conversations/{id}", "status": 404.0, "code": "not_found", "level": "INFO"}},
		{"GET", "/api/conversations?limit=canary", signed, map[string]any{"route": "/api/conversations", "status": 422.0}},
		{"GET", "/canary/canary?token=canary", nil, map[string]any{"route": "none", "status": 401.0}},
		{"GET", "/api/canary", nil, map[string]any{"route": "none", "status": 401.0, "code": "signed_out"}},
		{"GET", "/api/canary", signed, map[string]any{"route": "none", "status": 404.0, "code": "not_found"}},
		{"CANARY", "/", nil, map[string]any{"method": "_OTHER", "route": "none", "status": 405.0}},
	} {
		line := logged(t, guarded, c.method, c.target, c.header)
		for key, want := range c.want {
			if line[key] != want {
				t.Errorf("%s %s: %s is %v", c.method, c.target, key, line[key])
			}
		}
	}
	full := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(door.Noted(r.Context(), &pgconn.PgError{Code: "53100", Message: "canary"}).Status)
	})
	if line := logged(t, full, "GET", "/canary", nil); line["level"] != "ERROR" || line["code"] != "53100" {
		t.Errorf("a database whose disk is full: %v", line)
	}
	failing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		door.Note(r.Context(), "acme", "t1")
		w.WriteHeader(http.StatusInternalServerError)
	})
	if line := logged(t, failing, "GET", "/canary", nil); line["level"] != "ERROR" || line["tenant"] != "acme" || line["token"] != "t1" {
		t.Errorf("a failure of ours: %v", line)
	}
	probed := door.NewHealth(nil).Handler(guarded)
	if line := logged(t, probed, "GET", "/healthz", nil); line["level"] != "DEBUG" || line["route"] != "/healthz" {
		t.Errorf("a probe: %v", line)
	}
}

// A panic is answered with a problem, counted as a failure, and logged with its place and
// without its words. An answer that has begun is broken off.
func TestPanicsAreFailures(t *testing.T) {
	for _, begun := range []bool{false, true} {
		var out bytes.Buffer
		s := httptest.NewServer(door.Observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if begun {
				_, _ = w.Write([]byte("half"))
				_ = http.NewResponseController(w).Flush()
			}
			panic("canary")
		}), slog.New(slog.NewJSONHandler(&out, nil))))
		r, err := s.Client().Get(s.URL + "/canary")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		s.Close() // and with it ends what writes the log
		switch {
		case begun && err == nil:
			t.Errorf("half an answer looks whole: %s", body)
		case !begun && (r.StatusCode != http.StatusInternalServerError || !strings.Contains(string(body), `"code":"internal"`)):
			t.Errorf("%d %s", r.StatusCode, body)
		}
		if log := out.String(); strings.Contains(log, "canary") || !strings.Contains(log, "TestPanicsAreFailures") || !strings.Contains(log, `"panic":"string"`) {
			t.Errorf("logged %s", log)
		}
		if !begun && !strings.Contains(out.String(), `"status":500`) {
			t.Errorf("logged %s", &out)
		}
	}
}
