package provider_test

import (
	"strings"
	"testing"

	"tenfold/provider"
)

// The address of an API is one behind which a path can be written, and shows
// where that goes.
func TestCheckBaseURL(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:11434/v1": "", "https://api.example": "", "http://127.0.0.1": "", "https://[::1]:8080/": "",
		"HTTPS://proxy.example/openai/v1/": "", "http://host/a%20b/v1": "plain path", "http://host/~me/v1": "", "http://host/a..b": "",
		"http://127.0.0.1:1/admin/x?y=": "query", "http://127.0.0.1:1/x?": "query", "http://127.0.0.1:1/#": "fragment", "http://127.0.0.1:1#x": "fragment",
		"http://host/x%3Fy=": "plain path", "http://host/x%23": "plain path", "http://host/a\\b": "plain path", "http://host/%0d%0a": "plain path",
		"http://host/v1/../admin": "..", "http://host/v1/%2e%2e/admin": "..", "http://host/./v1": "..", "http://host/..": "..",
		"http://me@host/": "password", "http://me:hunter2@host/": "password", "http://@host/": "password", "http://localhost@evil.example/": "password",
		"": "begin", "host": "begin", "//host/v1": "begin", "ftp://host": "begin", "http:host": "begin", "http:///v1": "begin", "http://:80/": "begin",
		"file:///etc/passwd": "begin", "http://ho st/": "begin", "http://host\n/": "begin", ":": "begin", "http://host:x/": "begin",
	} {
		err := provider.CheckBaseURL(address)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", address, err, want)
		case err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "host/")):
			t.Errorf("%q is shown: %v", address, err)
		}
	}
}
