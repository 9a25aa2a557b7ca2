package providertest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenfold/provider"
)

// server serves on this machine. Its address is a base URL; the client's idle
// connections are closed before the suite looks for goroutines left behind.
func server(t *testing.T, h http.HandlerFunc) (base string, c *http.Client) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, s.Client()
}

// requests looks at what is sent.
func (v Vendor) requests(t *testing.T) {
	var path, secret string
	var body []byte
	base, c := server(t, func(w http.ResponseWriter, r *http.Request) {
		path, secret = r.URL.Path, r.Header.Get(v.Header)
		if strings.Contains(r.URL.String(), Key) {
			t.Error("the key is in the address")
		}
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, v.Answers[0].Stream)
	})
	m := v.model(t, provider.Options{Client: c, BaseURL: base})
	for want, r := range map[string]provider.Request{
		v.Body:  {View: View(t)},
		v.Asked: {View: View(t), MaxTokens: 1000, NoTools: true, Schema: Schema},
	} {
		got, err := listen(t.Context(), m, r)
		ok(t, err)
		v.Answers[0].check(t, got)
		same(t, want, body)
		if path != v.Path {
			t.Errorf("path %s", path)
		}
		if secret != v.Secret {
			t.Errorf("%s: %s", v.Header, secret)
		}
	}
	with := v.model(t, provider.Options{Client: c, BaseURL: base, Extra: `{"temperature":0.5,"model":"other"}`})
	_, err := listen(t.Context(), with, provider.Request{View: View(t)})
	ok(t, err)
	if !strings.Contains(string(body), `"temperature":0.5`) {
		t.Errorf("no extra member in %s", body)
	}
	for _, extra := range []string{"[]", "{", "no"} {
		if _, err := v.Open(provider.Options{Key: Key, Extra: extra}); provider.KindOf(err) != provider.Invalid {
			t.Errorf("extra %q: %v", extra, err)
		}
	}
	for _, r := range []provider.Request{{}, {View: View(t), Schema: "no"}} {
		if _, err := listen(t.Context(), m, r); provider.KindOf(err) != provider.Invalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// addresses looks at where requests go.
func (v Vendor) addresses(t *testing.T) {
	for base, want := range v.Addresses {
		got := ""
		c := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return nil, errors.New("offline")
		})}
		m := v.model(t, provider.Options{Client: c, BaseURL: base})
		if _, err := listen(t.Context(), m, provider.Request{View: View(t)}); provider.KindOf(err) != provider.Unreachable || got != want {
			t.Errorf("%q: %s, want %s (%v)", base, got, want, err)
		}
	}
}

func (v Vendor) counts(t *testing.T) {
	asked := ""
	c := respond(200, http.Header{"Content-Type": {"application/json"}}, func() io.Reader { return strings.NewReader(v.Count) })
	inner := c.Transport
	c.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.Path
		return inner.RoundTrip(r)
	})
	got, err := v.model(t, provider.Options{Client: c}).Count(t.Context(), provider.Request{View: View(t)})
	ok(t, err)
	if want := (provider.Count{Tokens: v.Counted, Exact: v.CountPath != ""}); got != want || asked != v.CountPath {
		t.Errorf("got %+v of %q, want %+v of %q", got, asked, want, v.CountPath)
	}
}

// environment sets what the vendors' own libraries look for, and expects that nothing comes of it.
func (v Vendor) environment(t *testing.T) {
	for name, value := range v.Environment {
		t.Setenv(name, value)
	}
	var seen *http.Request
	c := answer(v.Answers[0].Stream)
	inner := c.Transport
	c.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		seen = r
		return inner.RoundTrip(r)
	})
	got, err := v.hear(t, c)
	ok(t, err)
	v.Answers[0].check(t, got)
	for name, value := range v.Environment {
		if strings.Contains(seen.URL.String(), value) {
			t.Errorf("%s changes the address: %s", name, seen.URL)
		}
		for header, values := range seen.Header {
			if strings.Contains(strings.Join(values, " "), value) {
				t.Errorf("%s changes the header %s", name, header)
			}
		}
	}
	// Without a key none is found elsewhere.
	seen = nil
	m, err := v.Open(provider.Options{Client: c})
	if err != nil {
		if provider.KindOf(err) != provider.Authentication {
			t.Error(err)
		}
		return
	}
	_, err = listen(t.Context(), m, provider.Request{View: View(t)})
	ok(t, err)
	for _, header := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		if value := seen.Header.Get(header); value != "" {
			t.Errorf("%s: %s", header, value)
		}
	}
}

// deadline has servers say nothing, or begin and say no more.
func (v Vendor) deadline(t *testing.T) {
	begun := v.Answers[0].Stream[:len(v.Answers[0].Stream)/2]
	for name, say := range map[string]string{"nothing": "", "a beginning": begun} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			base, c := server(t, func(w http.ResponseWriter, r *http.Request) {
				if say != "" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, say)
					_ = http.NewResponseController(w).Flush()
				}
				select {
				case <-r.Context().Done():
				case <-done:
				}
			})
			defer close(done)
			m := v.model(t, provider.Options{Client: c, BaseURL: base, Timeout: 50 * time.Millisecond})
			_, err := listen(t.Context(), m, provider.Request{View: View(t)})
			if provider.KindOf(err) != provider.TimedOut {
				t.Errorf("the error is %v", err)
			}
			checkError(t, err)
		})
	}
}

// cancel leaves in the middle, by leaving the loop and by the context, and
// looks for what is left behind.
func (v Vendor) cancel(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	begun := v.Answers[0].Stream[:len(v.Answers[0].Stream)*3/4]
	gone := make(chan struct{}, 8)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server sees a caller leave only then
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, begun)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer s.Close()
	defer s.Client().CloseIdleConnections()
	m := v.model(t, provider.Options{Client: s.Client(), BaseURL: s.URL})
	left := func() {
		t.Helper()
		select {
		case <-gone:
		case <-time.After(2 * time.Minute):
			t.Fatal("the server still waits")
		}
	}
	for _, err := range m.Stream(t.Context(), provider.Request{View: View(t)}) {
		ok(t, err)
		break
	}
	left()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range m.Stream(ctx, provider.Request{View: View(t)}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the error is %v", last)
	}
	left()
	for _, err := range m.Stream(ctx, provider.Request{View: View(t)}) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("after the end the error is %v", last)
	}
}

func (v Vendor) unreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	base := s.URL
	s.Close()
	m := v.model(t, provider.Options{BaseURL: base})
	_, err := listen(t.Context(), m, provider.Request{View: View(t)})
	if provider.KindOf(err) != provider.Unreachable {
		t.Errorf("the error is %v", err)
	}
	checkError(t, err)
}

// redirect expects that the key goes nowhere else.
func (v Vendor) redirect(t *testing.T) {
	other, _ := server(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	base, c := server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusTemporaryRedirect) })
	m := v.model(t, provider.Options{Client: c, BaseURL: base})
	_, err := listen(t.Context(), m, provider.Request{View: View(t)})
	if provider.KindOf(err) != provider.Invalid || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("the error is %v", err)
	}
	checkError(t, err)
}
