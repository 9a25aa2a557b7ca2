package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
)

// An error says once what was tried on which conversation: the store says it,
// and the session does not say it again.
func TestErrorsSayItOnce(t *testing.T) {
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "t.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for name, st := range map[string]store.Store{"memory": memory.New(), "sqlite": file} {
		svc := session.NewService(st)
		s, err := svc.Create(t.Context(), session.Create{ID: "x", Entries: talk(1)})
		if err != nil {
			t.Fatal(err)
		}
		other, err := svc.Open(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		_, again := svc.Create(t.Context(), session.Create{ID: "x"})
		_, bad := svc.Create(t.Context(), session.Create{ID: "y", Entries: []tenfold.Entry{{}}})
		_, missing := svc.Open(t.Context(), "gone")
		empty := s.Append(t.Context(), tenfold.Entry{})
		if err := other.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}); err != nil {
			t.Fatal(err)
		}
		conflict := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}})
		over, cancel := context.WithCancel(t.Context())
		cancel()
		stopped := s.Append(over, tenfold.Entry{Payload: tenfold.TurnStart{}})
		unread := s.Refresh(over)
		removed := svc.Delete(t.Context(), "gone")
		for op, err := range map[string]error{
			"create": again, "create with an empty entry": bad, "open": missing, "append": empty, "append in a race": conflict,
			"append in vain": stopped, "refresh": unread, "delete": removed,
		} {
			if err == nil || strings.Count(err.Error(), "conversation x")+strings.Count(err.Error(), "conversation y")+strings.Count(err.Error(), "conversation gone") != 1 {
				t.Errorf("%s: %s gives %v", name, op, err)
			}
		}
		if !errors.Is(again, store.ErrExists) || !errors.Is(missing, store.ErrNotFound) || !errors.Is(stopped, context.Canceled) {
			t.Errorf("%s: the causes are %v, %v and %v", name, again, missing, stopped)
		}
	}
}
