package redact_test

import (
	"os"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/internal/redact"
)

// The open corpus holds hardly a secret: what looks like one there is nearly always
// something else. Most of what is found are the keys that its transcripts made up
// for tests, and the public ones of analytics.
func TestHitsInTheCorpus(t *testing.T) {
	t.Parallel()
	if !corpustest.All() {
		t.Skip("set TENFOLD_TEST_ALL")
	}
	r := redact.New()
	size := 0
	for _, f := range corpustest.Files(t) {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
		r.Text(string(data))
	}
	c := r.Counts
	t.Logf("%d MB: %v", size>>20, c)
	secrets := c[redact.Key] + c[redact.Password] + c[redact.Authorization] + c[redact.PrivateKey]
	if secrets > 4*size>>20 {
		t.Errorf("%d secrets in %d MB", secrets, size>>20)
	}
	if c[redact.User] < 1000 || c[redact.Email] < 100 {
		t.Errorf("names of people are not found: %v", c)
	}
}
