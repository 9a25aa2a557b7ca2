package session_test

import (
	"errors"
	"testing"

	"tenfold"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store/memory"
)

// No address names a conversation called ".", ".." or "/": whoever asks for one is told, and a
// transcript of such a name gets another.
func TestUnreachable(t *testing.T) {
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
	var told *problem.Error
	for _, id := range []string{".", "..", "/"} {
		if _, err := svc.Create(t.Context(), session.Create{ID: id}); !errors.As(err, &told) || !told.Usage || told.Hint == "" {
			t.Errorf("%q: %v", id, err)
		}
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		if _, err := l.Append(tenfold.Entry{ID: "1", Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}}); err != nil {
			t.Fatal(err)
		}
		at, err := svc.Locate(t.Context(), session.Import{ID: id, Named: true, Path: "/x/" + id, Log: l})
		if err != nil {
			t.Fatal(err)
		}
		if err := at.Store(t.Context()); err != nil || at.Session.ID() != id+"-2" {
			t.Errorf("%q is imported as %+v, %v", id, at.Session, err)
		}
	}
	for _, id := range []string{"...", ".a", "a.", "a/", "//"} {
		if _, err := svc.Create(t.Context(), session.Create{ID: id}); err != nil {
			t.Error(err)
		}
	}
}
