package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
)

// A store that others own can be read.
func TestReadOnlyFileIsRead(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may write everywhere")
	}
	dir := t.TempDir()
	mode := func(file, directory os.FileMode) {
		if err := os.Chmod(filepath.Join(dir, "store.db"), file); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, directory); err != nil {
			t.Fatal(err)
		}
	}
	onlyRead(t, dir, "check the permissions", func() { mode(0o400, 0o500) }, func() { mode(0o600, 0o700) })
	t.Run("directory", func(t *testing.T) {
		onlyRead(t, dir, "check the permissions", func() { mode(0o600, 0o500) }, func() { mode(0o600, 0o700) })
	})
}

// onlyRead closes a store in a directory, bars it from being written, and lifts that:
// what is there is read all the time, and nothing is put beside it.
func onlyRead(t *testing.T, dir, hint string, bar, lift func()) {
	t.Helper()
	path := filepath.Join(dir, "store.db")
	say := func(s *Store, id string) error {
		return s.Create(t.Context(), store.Conversation{ID: id}, tenfold.Entry{ID: id, Payload: tenfold.AssistantMessage{Text: "words of " + id}})
	}
	reads := func(s *Store, want ...string) {
		t.Helper()
		for range 2 { // with the connections that the first time left
			var got []string
			for c, err := range s.Conversations(t.Context()) {
				if err != nil {
					t.Error(err)
				}
				got = append(got, c.ID)
			}
			hits, err := s.Search(t.Context(), store.Query{Text: "words"})
			if slices.Sort(got); !slices.Equal(got, want) || len(hits) != len(want) || err != nil {
				t.Errorf("%v and %d hits of %v, %v", got, len(hits), want, err)
			}
			if found, err := s.WithHandle(t.Context(), store.Handle(want[0])); len(found) != 1 || err != nil {
				t.Errorf("by its handle: %v, %v", found, err)
			}
		}
	}
	_ = os.Remove(path)
	s, err := Open(t.Context(), path, WithoutIndex())
	if err != nil {
		t.Fatal(err)
	}
	if err := say(s, "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	bar()
	s, err = Open(t.Context(), path)
	if err != nil {
		lift()
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	reads(s, "a")
	for _, err := range []error{s.Writable(), say(s, "b")} {
		if err == nil || !strings.Contains(err.Error(), path+": the store can only be read: ") || !strings.Contains(err.Error(), hint) {
			t.Errorf("written: %v", err)
		}
	}
	if reading, writing := s.Ready(t.Context(), false), s.Ready(t.Context(), true); reading != nil || writing == nil || !strings.Contains(writing.Error(), hint) {
		t.Errorf("ready to be read: %v, to be written: %v", reading, writing)
	}
	lift()
	if err := s.Ready(t.Context(), true); err != nil || s.Writable() != nil {
		t.Errorf("lifted: %v, %v", err, s.Writable())
	}
	if err := say(s, "b"); err != nil || s.Writable() != nil {
		t.Errorf("lifted: %v, %v", err, s.Writable())
	}
	reads(s, "a", "b")
}

// What another process wrote last, and has not copied into the file, is read where
// nothing can be written; and a watcher gets what is written later.
func TestReadOnlyWithLog(t *testing.T) {
	path := newLog(t)
	other, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	append1 := func(seq int64) {
		if _, err := other.Append(t.Context(), store.Batch{Conversation: "a", Expected: seq - 1, Entries: []tenfold.Entry{crashEntry(seq)}}); err != nil {
			t.Error(err)
		}
	}
	append1(1)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	// As if it could not be opened for writing.
	s.mu.Lock()
	s.barred = errReadOnly
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.barred = nil
		s.mu.Unlock()
	}()
	seen := int64(0)
	for e, err := range s.Watch(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; e.Seq == 2 {
			break
		}
		time.AfterFunc(10*time.Millisecond, func() { append1(2) })
	}
	if seen != 2 {
		t.Errorf("%d entries", seen)
	}
}

// A store that was copied while it was in use, without the index of its log, says what to
// do where it can only be read.
func TestReadOnlyCopyWithoutItsIndex(t *testing.T) {
	path := newLog(t)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Append(t.Context(), store.Batch{Conversation: "a", Entries: []tenfold.Entry{crashEntry(1)}}); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "store.db")
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := readable(t.Context(), copied, errReadOnly); !errors.Is(err, errReadOnly) || !strings.Contains(err.Error(), "-wal file") || !strings.Contains(hint(err), "copy both files") {
		t.Errorf("it says %v: %s", err, hint(err))
	}
}

// While somebody tries to write again, which may take as long as another process has the
// file locked, others read, and writers wait no longer than they want to.
func TestReadOnlyIsReadMeanwhile(t *testing.T) {
	s, err := Open(t.Context(), newLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.mu.Lock()
	s.barred = errReadOnly
	s.mu.Unlock()
	s.lifting <- struct{}{}
	if err := s.Writable(); !errors.Is(err, errReadOnly) {
		t.Errorf("it is %v", err)
	}
	if c, err := s.Conversation(t.Context(), "a"); c.ID != "a" || err != nil {
		t.Errorf("it reads %+v, %v", c, err)
	}
	hasty, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.SetTitle(hasty, "a", "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a writer with a deadline hears %v", err)
	}
	s.mu.Lock()
	s.barred = nil // as if that one had done it
	s.mu.Unlock()
	<-s.lifting
	if err := s.SetTitle(t.Context(), "a", "x"); err != nil {
		t.Error(err)
	}
}
