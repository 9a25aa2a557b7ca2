package redact_test

import (
	"strings"
	"testing"

	"tenfold/internal/redact"
)

// Redacting ends, and redacts nothing more the second time.
func FuzzRedact(f *testing.F) {
	f.Add("api_key=abcdefghij0123456789 Bearer x://u:p@h -----BEGIN RSA PRIVATE KEY-----\n-----END")
	f.Add("kind: Secret\ndata:\n  a: aHVudGVyMg==\ntoken \\\n sk-0123456789abcdefghijAB\\\nCDEF _auth=YW5uOmh1bnRlcjI= ZXhwb3J0IEFQSV9LRVk9cTlacjRUa1gyYkxtOFZ3RTVuWWM3SGRB\n  ZXhwb3J0")
	f.Add("eyJhbGciOi.eyJ.x ghp_0123456789abcdefghijABCDEFGHIJ ://:@ a:@b")
	f.Fuzz(func(t *testing.T, text string) {
		once := redact.Secrets(text)
		if n := strings.Count(once, "[redacted]"); n == strings.Count(text, "[redacted]") && once != text {
			t.Errorf("%q became %q", text, once)
		}
		if !strings.Contains(text, "[redacted]") && len(once) > len(text)+10*strings.Count(once, "[redacted]") {
			t.Errorf("%q grew to %q", text, once)
		}
	})
}

// Redacting a redacted text changes nothing, and everything that is replaced is
// counted.
func FuzzText(f *testing.F) {
	f.Add("kind: Secret\\ndata:\\n  a: aHVudGVyMg==\\ntoken \\\\\\n sk-0123456789abcdefghijAB _auth=YW5uOmh1bnRlcjI=")
	f.Add("/home/ann/x ann@acme.io C:\\Users\\ann\\x -home-ann-x curl -u a:b1c2d3 password=\"abc123\" Cookie: a=abcdefghij0123456789")
	f.Fuzz(func(t *testing.T, text string) {
		r := redact.New()
		once := r.Text(text)
		if r.Counts.All() == 0 && once != text {
			t.Errorf("%q became %q, not counted", text, once)
		}
		marks := strings.Count(once, "[redacted]") + strings.Count(once, "[e-mail]") + strings.Count(once, "[user]")
		if marks < r.Counts.All() {
			t.Errorf("%q became %q: %v", text, once, r.Counts)
		}
	})
}
