package summary_test

import (
	"strings"
	"testing"

	"tenfold/summary"
)

// Redacting ends, and redacts nothing more the second time.
func FuzzRedact(f *testing.F) {
	f.Add("api_key=abcdefghij0123456789 Bearer x://u:p@h -----BEGIN RSA PRIVATE KEY-----\n-----END")
	f.Add("eyJhbGciOi.eyJ.x ghp_0123456789abcdefghijABCDEFGHIJ ://:@ a:@b")
	f.Fuzz(func(t *testing.T, text string) {
		once := summary.Redact(text)
		if n := strings.Count(once, "[redacted]"); n == strings.Count(text, "[redacted]") && once != text {
			t.Errorf("%q became %q", text, once)
		}
		if !strings.Contains(text, "[redacted]") && len(once) > len(text)+10*strings.Count(once, "[redacted]") {
			t.Errorf("%q grew to %q", text, once)
		}
	})
}
