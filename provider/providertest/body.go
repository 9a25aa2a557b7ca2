package providertest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/provider"
)

// Published reads a stream from the testdata of the package under test. It has
// the events and members of the vendor's published examples, in their order;
// texts and ids are made up.
func Published(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	ok(t, err)
	return string(raw)
}

// Asks reports that a model's request holds a text, whatever comes of it.
func Asks(t *testing.T, open Open, r provider.Request, want string) {
	t.Helper()
	body := ""
	c := &http.Client{Transport: roundTrip(func(q *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(q.Body)
		body = string(raw)
		return nil, errors.Join(errors.New("offline"), err)
	})}
	m, err := open(provider.Options{Key: Key, Client: c})
	ok(t, err)
	r.View = View(t)
	if _, err := provider.Collect(t.Context(), m, r); provider.KindOf(err) != provider.Unreachable {
		t.Errorf("%s: %v", m.Name(), err)
	}
	if !strings.Contains(body, want) {
		t.Errorf("%s: no %s in %s", m.Name(), want, body)
	}
}
