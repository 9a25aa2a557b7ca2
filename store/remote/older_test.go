package remote

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
)

// Clients once said no version in a deletion, and left 0 out of an append; a version that
// is said holds, also 0.
func TestExpectedVersionOfOlderClients(t *testing.T) {
	t.Parallel()
	st := memory.New()
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	s, err := Open("https://h", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var sent []string
	s.client.Transport = transport(func(r *http.Request) *http.Response {
		sent = append(sent, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		return served(Handler(st), r)
	})
	conflicts := func(what string, err error, want bool) {
		t.Helper()
		if got := errors.As(err, new(*store.ConflictError)); got != want || !want && err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	zero := int64(0)
	call := func(path string, expected *int64, entries ...tenfold.Entry) error {
		return s.call(t.Context(), path, parameters{ID: "a", Expected: expected}, nil, entries...)
	}
	conflicts("a first append", call(pathAppend, nil, tenfold.Entry{ID: "1", Payload: tenfold.TurnStart{}}), false)
	conflicts("an append that expects nothing", call(pathAppend, nil, tenfold.Entry{ID: "2", Payload: tenfold.TurnStart{}}), true)
	conflicts("a deletion of what is empty", call(pathDelete, &zero), true)
	conflicts("the same by the client", s.Delete(t.Context(), "a", 0), true)
	conflicts("any deletion", call(pathDelete, nil), false)
	if _, err := st.Conversation(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) || len(sent) != 5 {
		t.Errorf("after %v it is there: %v", sent, err)
	}
}
