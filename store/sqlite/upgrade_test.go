package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tenfold"
	"tenfold/store"
)

// A store of an earlier release is brought to the newest schema, and keeps all
// it has.
func TestUpgrade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	first, err := migrations.ReadFile("schema/001_logs.sql")
	if err != nil {
		t.Fatal(err)
	}
	change(
		t, path, "PRAGMA journal_mode = WAL", string(first), fmt.Sprintf("PRAGMA user_version = 1; PRAGMA application_id = %d", applicationID),
		"INSERT INTO conversations (id, title, created, updated) VALUES ('a', 'kept', 5, 7)",
	)
	for range 2 { // the second finds it done
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Conversation(t.Context(), "a")
		if err != nil || c.Title != "kept" || c.Origin != (store.Origin{}) {
			t.Errorf("it became %+v, %v", c, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	batch := store.Batch{Conversation: "a", Entries: []tenfold.Entry{crashEntry(1)}, Origin: &store.Origin{Key: "k"}}
	if _, err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Imported(t.Context(), "k"); err != nil || len(found) != 1 || found[0].ID != "a" {
		t.Errorf("found %v, %v", found, err)
	}
}

// Looking for an origin uses its index: what it costs does not grow with the
// conversations of other origins.
func TestImportedUsesItsIndex(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var plan strings.Builder
	err = s.read(t.Context(), func(c *conn) error {
		return c.query(context.Background(), func(row []driver.Value) error {
			plan.WriteString(row[3].(string) + "\n")
			return nil
		}, "EXPLAIN QUERY PLAN SELECT "+columns+" FROM conversations "+fromOrigin+" ORDER BY updated DESC, id", "k")
	})
	if err != nil || !strings.Contains(plan.String(), "SEARCH conversations USING INDEX conversations_origin") {
		t.Errorf("the plan is\n%s%v", plan.String(), err)
	}
}
