package session_test

import (
	"errors"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// A session that was read before a backup was restored says so, and does not go on with
// what others appended since behind entries that are gone.
func TestReplacedLog(t *testing.T) {
	st := memory.New()
	said := func(turns int) []tenfold.Entry {
		all := talk(turns)
		for i := range all {
			all[i].ID = "" // each has its own
		}
		return all
	}
	svc := session.NewService(st)
	s, err := svc.Create(t.Context(), session.Create{ID: "chat", Entries: said(2)})
	if err != nil {
		t.Fatal(err)
	}
	before := s.Log().Version()
	replace := func(turns int) *session.Session {
		t.Helper()
		if err := st.Delete(t.Context(), "chat", store.AnyVersion); err != nil {
			t.Fatal(err)
		}
		other, err := svc.Create(t.Context(), session.Create{ID: "chat", Entries: said(turns)})
		if err != nil {
			t.Fatal(err)
		}
		return other
	}
	other := replace(3)
	if err := s.Refresh(t.Context()); !errors.Is(err, session.ErrReplaced) || s.Log().Version() != before {
		t.Errorf("%d entries, %v", s.Log().Version(), err)
	}
	if err := s.AppendLatest(t.Context(), said(1)...); !errors.Is(err, session.ErrReplaced) {
		t.Errorf("appended: %v", err)
	}
	if err := other.AppendLatest(t.Context(), said(1)...); err != nil {
		t.Error(err)
	}
}
