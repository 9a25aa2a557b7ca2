package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

func TestOpenOrCreate(t *testing.T) {
	svc := newService(t)
	made, err := svc.OpenOrCreate(t.Context(), session.Create{ID: "chat", Title: "first", Entries: talk(1)})
	if err != nil || made.ID() != "chat" || made.Log().Version() != 5 {
		t.Fatalf("created %+v, %v", made, err)
	}
	opened, err := svc.OpenOrCreate(t.Context(), session.Create{ID: "chat", Title: "second", Entries: talk(2)})
	if err != nil || opened.Title() != "first" || opened.Log().Version() != 5 {
		t.Fatalf("opened %q with %d entries, %v", opened.Title(), opened.Log().Version(), err)
	}
	if s, err := svc.OpenOrCreate(t.Context(), session.Create{}); err != nil || s.ID() == "" {
		t.Fatalf("without an id: %+v, %v", s, err)
	}
}

// late hides a conversation from the first look, as if it were created meanwhile.
type late struct {
	store.Store
	hidden bool
}

func (l *late) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	if l.hidden {
		l.hidden = false
		return store.Conversation{}, store.ErrNotFound
	}
	return l.Store.Conversation(ctx, id)
}

func TestOpenOrCreateAfterAnotherWriter(t *testing.T) {
	st := memory.New()
	if _, err := session.NewService(st).Create(t.Context(), session.Create{ID: "chat", Title: "theirs", Entries: talk(1)}); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewService(&late{st, true}).OpenOrCreate(t.Context(), session.Create{ID: "chat", Title: "ours"})
	if err != nil || s.Title() != "theirs" || s.Log().Version() != 5 {
		t.Fatalf("%+v, %v", s, err)
	}
}

// L8: every entry of many writers is in the log once, and each session shows
// what it has read without further calls.
func TestL8AppendLatest(t *testing.T) {
	st := memory.New()
	svc := session.NewService(st)
	if _, err := svc.Create(t.Context(), session.Create{ID: "chat"}); err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s, err := svc.Open(t.Context(), "chat")
			for i := 0; i < each && err == nil; i++ {
				err = s.AppendLatest(t.Context(), tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprint(w, " ", i))}})
				if s.Projection().Version() != s.Log().Version() {
					err = errors.New("the projection is behind its log")
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := svc.Open(t.Context(), "chat")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for e := range s.Log().Entries() {
		said[tenfold.SearchText(e.Payload)]++
	}
	if len(said) != writers*each || s.Log().Version() != writers*each {
		t.Errorf("%d different entries of %d", len(said), s.Log().Version())
	}
}

func TestAppendLatestGivesUp(t *testing.T) {
	conflict := &store.ConflictError{Conversation: "chat"}
	for _, want := range []error{conflict, errDisk} {
		tries := 0
		st := &fickle{Store: memory.New(), fail: func() error { tries++; return want }}
		s, err := session.NewService(st).Create(t.Context(), session.Create{ID: "chat"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AppendLatest(t.Context(), talk(1)...); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if errors.Is(want, errDisk) && tries != 1 {
			t.Errorf("a broken store was asked %d times", tries)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		st.fail = func() error { return conflict }
		if err := s.AppendLatest(ctx, talk(1)...); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end of its context: %v", err)
		}
	}
}

// A race that is lost is run again, but not for ever.
func TestRetried(t *testing.T) {
	for _, tt := range []struct{ conflicts, calls int }{{0, 1}, {3, 4}, {100, 50}} {
		calls := 0
		err := session.Retried(t.Context(), func() error {
			if calls++; calls <= tt.conflicts {
				return &store.ConflictError{}
			}
			return nil
		})
		if calls != tt.calls || (err != nil) != (tt.conflicts > 50) {
			t.Errorf("%d conflicts: %d calls, %v", tt.conflicts, calls, err)
		}
	}
}
