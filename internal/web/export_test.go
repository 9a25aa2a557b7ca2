package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenfold"
)

// An export is saved and never shown as a page of this server, redacted unless the
// caller says otherwise.
func TestExport(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, `a/"b`, []tenfold.Entry{
		{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("mail bea@acme.io of Acme")}},
	})
	get := func(query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/conversations/a%2F%22b/export"+query, nil))
		return w
	}
	w := get("?to=html&word=Acme&word=mail")
	body := w.Body.String()
	if w.Code != 200 || !strings.HasPrefix(body, "<!DOCTYPE html>") || !strings.HasSuffix(body, "</html>\n") || strings.Contains(body, "acme.io") || !strings.Contains(body, "[redacted] [e-mail] of [redacted]") {
		t.Errorf("%d %s", w.Code, body)
	}
	if h := w.Header(); h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Disposition") != "attachment; filename=tenfold-a__b.html" {
		t.Error(h)
	}
	if body := get("?redact=false").Body.String(); !strings.Contains(body, "bea@acme.io") || !strings.Contains(body, "all that was said") {
		t.Error(body)
	}
	if body := get("?compacted=true").Body.String(); !strings.Contains(body, "<dd>what a model sees</dd>") {
		t.Error(body)
	}
	if w := get("?to=pdf"); w.Code != 422 {
		t.Error(w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/conversations/none/export", nil))
	if w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Error(w.Code, w.Header(), w.Body)
	}
}
