package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold"
	"tenfold/store"
)

// A check finds a whole file whole, and pages that were overwritten.
func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []tenfold.Entry
	for range 2000 {
		entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("e%d", len(entries)), Payload: tenfold.AssistantMessage{Text: "some text that takes room in the file"}})
	}
	for i := range entries {
		entries[i].Seq = int64(i) + 1
	}
	if err := s.Create(t.Context(), store.Conversation{ID: "c"}, entries...); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Check(t.Context()); err != nil || found.Damage != nil || found.Version < 1 {
		t.Fatalf("a whole file: %v, %v", found, err)
	}
	// Rows that SQLite itself finds nothing wrong with.
	for _, sql := range []string{"UPDATE entries SET meta = x'' WHERE key & 0xffffffff IN (3, 5)", "DELETE FROM entries WHERE key & 0xffffffff = 1000"} {
		if err := s.write(t.Context(), 0, func(tx *tx) (_, err error) {
			_, err = tx.exec(sql)
			return nil, err
		}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := s.Check(t.Context())
	if err != nil || len(found.Damage) != 3 || found.Damage[1] != "conversation c: entry 5: the row is damaged" || !strings.Contains(found.Damage[2], "entries are missing") {
		t.Errorf("%q, %v", found.Damage, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 2; i < len(data)/2+8192; i++ {
		data[i] = 0xff
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Check(t.Context()); err == nil && found.Damage == nil {
		t.Error("damage is not found")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A search leaves out entries that are damaged and says so, whether the index knew them
// before or never did.
func TestSearchPassesDamage(t *testing.T) {
	for name, indexed := range map[string]bool{"by the index": true, "entry by entry": false} {
		path := filepath.Join(t.TempDir(), "t.db")
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var entries []tenfold.Entry
		for i := range 5 {
			entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("e%d", i), Payload: tenfold.AssistantMessage{Text: "an oven"}})
		}
		for _, id := range []string{"a", "b"} {
			if err := s.Create(t.Context(), store.Conversation{ID: id}, entries...); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		err = s.write(t.Context(), 0, func(tx *tx) (_, err error) {
			_, err = tx.exec("UPDATE entries SET meta = x'' WHERE key & 0xffffffff IN (1, 3)")
			return nil, err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.noIndex = !indexed
		for of, want := range map[string]int{"": 6, "a": 3} {
			hits, err := s.Search(t.Context(), store.Query{Text: "oven", Conversation: of})
			unread, ok := errors.AsType[*store.UnreadError](err)
			if !ok || len(hits) != want || unread.Entries != want*2/3 || !strings.Contains(err.Error(), ", entry ") {
				t.Errorf("%s, in %q: %d hits, %v", name, of, len(hits), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What was damaged before the index saw it, or is missing, is told by every search, also
// once the index knows the rest.
func TestSearchTellsOfWhatWasNeverIndexed(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), WithoutIndex())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var entries []tenfold.Entry
	for i := range 5 {
		entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("e%d", i), Payload: tenfold.AssistantMessage{Text: "an oven"}})
	}
	for _, id := range []string{"a", "b"} {
		if err := s.Create(t.Context(), store.Conversation{ID: id}, entries...); err != nil {
			t.Fatal(err)
		}
	}
	change := func(sql string) {
		t.Helper()
		if err := s.write(t.Context(), 0, func(tx *tx) (_, err error) {
			_, err = tx.exec(sql)
			return nil, err
		}); err != nil {
			t.Fatal(err)
		}
	}
	const ofA = " AND key >> 32 = (SELECT key FROM conversations WHERE id = 'a')"
	change("UPDATE entries SET meta = x'' WHERE key & 0xffffffff = 1" + ofA)
	change("DELETE FROM entries WHERE key & 0xffffffff IN (3, 5)" + ofA)
	s.noIndex = false
	searched := func(of, text string, hits, unread int) {
		t.Helper()
		for range 2 {
			found, err := s.Search(t.Context(), store.Query{Text: text, Conversation: of})
			told, _ := errors.AsType[*store.UnreadError](err)
			if len(found) != hits || (told == nil) != (unread == 0) || told != nil && told.Entries != unread {
				t.Errorf("%q in %q: %d hits, %v", text, of, len(found), err)
			}
		}
	}
	searched("", "oven", 7, 3)
	searched("a", "oven", 2, 3)
	searched("a", "kettle", 0, 3) // they may have had it
	searched("b", "oven", 5, 0)
	searched("", strings.Repeat("unread", 20), 0, 3)
	change("DELETE FROM entries WHERE key & 0xffffffff = 4" + ofA)
	searched("a", "oven", 1, 4)
	if err := s.Delete(t.Context(), "a", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	searched("", "oven", 5, 0)
}
