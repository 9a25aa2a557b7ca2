package proxy

import (
	"net/url"
	"testing"
)

// A base URL of a proxy of ours leads where that one's upstream is, and all others stay: those of
// upstreams with passwords too, which a client is not told.
func TestBehind(t *testing.T) {
	t.Parallel()
	parse := func(text string) *url.URL {
		u, err := ParseBase(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	s := run(t, nil, "http://127.0.0.1:1/v1")
	token := s.Add("", Route{Upstreams: map[string]*url.URL{
		"anthropic": parse("https://api.example.com/"), "openai": parse("https://api.example.com/v1"), "chatgpt": parse("https://chat.example.com/codex"),
		"secret": parse("https://kim:secret@example.com"),
	}})
	inner := Base(s.address, s.Add("", Route{Upstreams: Behind(t.Context(), map[string]*url.URL{"up": parse(s.base)})}), "up")
	stays := Base(s.address, token, "secret")
	for base, want := range map[string]string{
		s.base:                              "http://127.0.0.1:1/v1",
		inner:                               "http://127.0.0.1:1/v1",
		Base(s.address, token, "anthropic"): "https://api.example.com/",
		Base(s.address, token, "anthropic") + "/v1/": "https://api.example.com/v1/",
		stays:                               stays,
		Base(s.address, token, "other"):     Base(s.address, token, "other"),
		Base(s.address, "unknown", "up"):    Base(s.address, "unknown", "up"),
		Base("127.0.0.1:1", token, "up"):    Base("127.0.0.1:1", token, "up"),
		"http://api.example.com/t/x/openai": "http://api.example.com/t/x/openai",
		"https://api.example.com/v1":        "https://api.example.com/v1",
	} {
		if got := Behind(t.Context(), map[string]*url.URL{"vendor": parse(base)}); len(got) != 1 || got["vendor"].String() != want {
			t.Errorf("%s leads to %v, want %s", base, got, want)
		}
	}
	// Codex has one base URL, and with a sign-in to ChatGPT another vendor behind it.
	if got := Behind(t.Context(), map[string]*url.URL{"openai": parse(Base(s.address, token, "openai"))}); len(got) != 2 || got["openai"].Host != "api.example.com" || got["chatgpt"].Host != "chat.example.com" {
		t.Errorf("leads to %v", got)
	}
}
