package proxy

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// Live §4: Codex keeps one base URL; its ChatGPT sign-in goes to ChatGPT, where the
// route has it.
func TestCodexSignInHasAVendorOfItsOwn(t *testing.T) {
	vendor := func(name string) *url.URL {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(name + r.URL.Path)) }))
		t.Cleanup(h.Close)
		u, _ := url.Parse(h.URL + "/" + name)
		return u
	}
	s := NewServer(Options{})
	both := s.Add("", Route{Upstreams: map[string]*url.URL{"openai": vendor("key"), "chatgpt": vendor("sign-in")}})
	one := s.Add("", Route{Upstreams: map[string]*url.URL{"openai": vendor("own")}})
	for _, c := range []struct{ token, account, want string }{{both, "", "key/key/responses"}, {both, "a", "sign-in/sign-in/responses"}, {one, "a", "own/own/responses"}} {
		r := httptest.NewRequest(http.MethodGet, "/t/"+c.token+"/openai/responses", nil)
		r.Host = "127.0.0.1"
		r.Header.Set("Chatgpt-Account-Id", c.account)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if got := w.Body.String(); got != c.want {
			t.Errorf("account %q: %q, want %q", c.account, got, c.want)
		}
	}
	s.transport.(*http.Transport).CloseIdleConnections()
}
