package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/schema"
)

// A store of an earlier release is brought to the newest schema, and keeps all
// it has.
func TestUpgrade(t *testing.T) {
	for version := range schema.Newest(migrations) {
		t.Run(fmt.Sprint(version+1), func(t *testing.T) { testUpgrade(t, version+1) })
	}
}

// The steps are those of a release that did without goose.
func testUpgrade(t *testing.T, version int64) {
	path := filepath.Join(t.TempDir(), "store.db")
	steps := []string{"PRAGMA journal_mode = WAL"}
	files, err := fs.Glob(migrations, "schema/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files[:version] {
		sql, err := migrations.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, beginSQL, string(sql), fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", i+1, applicationID), commitSQL)
	}
	change(t, path, append(steps, "INSERT INTO conversations (id, title, created, updated) VALUES ('a', 'kept', 5, 7)")...)
	newest := len(files)
	// Who asks for it finds it as it is.
	if s, err := Open(t.Context(), path, WithoutUpgrade()); int(version) == newest {
		if err != nil || s.Close() != nil {
			t.Error(err)
		}
	} else if !errors.Is(err, store.ErrOlder) || !strings.Contains(err.Error(), fmt.Sprintf("it has schema %d, and this program uses %d", version, newest)) {
		t.Errorf("as it is it gives %v", err)
	}
	var told []int
	for range 2 { // the second finds it done
		s, err := Open(t.Context(), path, WithUpgraded(func(from, to int) { told = append(told, from, to) }))
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
	var want []int
	if int(version) < newest {
		want = []int{int(version), newest}
	}
	if !slices.Equal(told, want) {
		t.Errorf("of the upgrade was told %v, want %v", told, want)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := s.Check(t.Context()); err != nil || got.Version != len(files) || got.Damage != nil {
		t.Errorf("after the upgrade it is %+v, %v", got, err)
	}
	batch := store.Batch{Conversation: "a", Entries: []tenfold.Entry{crashEntry(1)}, Origin: &store.Origin{Key: "k"}}
	if _, err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Imported(t.Context(), "k"); err != nil || len(found) != 1 || found[0].ID != "a" {
		t.Errorf("found %v, %v", found, err)
	}
	for range 2 { // those without a handle are given one
		if found, err := s.WithHandle(t.Context(), store.Handle("a")); err != nil || len(found) != 1 || found[0].ID != "a" {
			t.Errorf("by its handle %v are found, %v", found, err)
		}
		if found, err := s.WithHandle(t.Context(), "000001"); err != nil || len(found) != 0 {
			t.Errorf("by another handle %v are found, %v", found, err)
		}
	}
	if left, err := s.conversations(t.Context(), selectSQL+"WHERE handle IS NULL"); err != nil || len(left) != 0 {
		t.Errorf("without a handle are %v, %v", left, err)
	}
}

// What is not there is not made by a look.
func TestWithoutUpgradeMakesNothing(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{filepath.Join(dir, "sub", "none.db"): fs.ErrNotExist, empty: store.ErrOlder} {
		if _, err := Open(t.Context(), path, WithoutUpgrade()); !errors.Is(err, want) {
			t.Errorf("%s gives %v", path, err)
		}
	}
	var left []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, e := os.Stat(path); e == nil && (!info.IsDir() || path != dir) {
			left = append(left, fmt.Sprint(d.Name(), info.Size()))
		}
		return err
	})
	if err != nil || !slices.Equal(left, []string{"empty.db0"}) {
		t.Errorf("it left %v, %v", left, err)
	}
}

// A migration that fails leaves the file as it was, those before it included.
func TestFailedMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	steps := fstest.MapFS{
		"schema/001_one.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE TABLE one (a);")},
		"schema/002_two.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE TABLE two (a);\nCREATE TABLE one (a);")},
	}
	connector, err := connect(path, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = schema.Migrate(t.Context(), sql.OpenDB(connector), userVersion{}, steps, beginSQL, commitSQL)
	if err == nil || !strings.Contains(err.Error(), "migrate to schema 2") {
		t.Errorf("a migration that cannot run gives %v", err)
	}
	c, err := dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, query := range []string{"PRAGMA user_version", "SELECT count(*) FROM sqlite_schema"} {
		if n, _, err := c.number(t.Context(), query); n != 0 || err != nil {
			t.Errorf("%s gives %d, %v", query, n, err)
		}
	}
}

// Looking for an origin, or a handle, uses its index: what it costs does not grow with
// the other conversations.
func TestFilteredListsUseTheirIndexes(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for filter, test := range map[engine.Filter]struct {
		value any
		want  string
	}{
		engine.ByOrigin: {"k", "SEARCH conversations USING INDEX conversations_origin"},
		engine.ByHandle: {int64(417093), "SEARCH conversations USING INDEX conversations_handle (handle=?)"},
	} {
		var plan strings.Builder
		err = s.read(t.Context(), func(c *conn) error {
			return c.query(context.Background(), func(row []driver.Value) error {
				plan.WriteString(row[3].(string) + "\n")
				return nil
			}, "EXPLAIN QUERY PLAN "+listSQL[filter], test.value)
		})
		if err != nil || !strings.Contains(plan.String(), test.want) || strings.Contains(plan.String(), "SCAN") {
			t.Errorf("the plan is\n%s%v", plan.String(), err)
		}
	}
}
