package job

import (
	"context"
	"testing"

	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// A job that is cancelled when it was just taken, and before it runs, is cancelled.
func TestLocalCancelledAsItBegins(t *testing.T) {
	t.Parallel()
	st := memory.New()
	defer st.Close()
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	l := NewLocal()
	l.add("a", 1, store.Work{Prefix: "p"}, "")
	j, _ := l.next()
	if j == nil {
		t.Fatal("there is no job")
	}
	if got, err := l.Cancel(t.Context(), j.ID); err != nil || got.Waits != ending {
		t.Errorf("%+v, %v", got, err)
	}
	l.run(t.Context(), st, &Worker{
		Service: func(st store.Store) *session.Service { return session.NewService(st) },
		Live: func(*session.Session, store.Store) (session.Live, error) {
			t.Error("it was worked on")
			return session.Live{}, context.Canceled
		},
	}, j)
	page, err := l.List(t.Context(), Filter{})
	if err != nil || len(page.Jobs) != 1 || page.Jobs[0].State != Cancelled || page.Jobs[0].Error != byPerson {
		t.Errorf("%+v, %v", page.Jobs, err)
	}
}
