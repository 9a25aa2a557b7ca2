package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/store"
)

// change runs SQL on a file behind the store's back.
func change(t *testing.T, path string, sql ...string) {
	t.Helper()
	c, err := dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range sql {
		if err := c.script(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
}

// What cannot be opened says what, where, and what to try.
func TestOpenErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(t *testing.T, path string) string
		want []string
	}{
		{"empty path", func(*testing.T, string) string { return "" }, []string{"empty", "use the path of a file"}},
		{"directory", func(_ *testing.T, path string) string { return filepath.Dir(path) }, []string{"not a regular file", "use the path of a file"}},
		{"below a file", func(t *testing.T, path string) string {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(path, "store.db")
		}, []string{"not a directory"}},
		{"no database", func(t *testing.T, path string) string {
			if err := os.WriteFile(path, []byte(strings.Repeat("my shopping list\n", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, []string{"not a database", "use another path"}},
		{"another program's", func(t *testing.T, path string) string {
			change(t, path, "CREATE TABLE songs (title TEXT)")
			return path
		}, []string{"another program", "use another path"}},
		{"newer", func(t *testing.T, path string) string {
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			change(t, path, "PRAGMA user_version = 99")
			return path
		}, []string{"schema 99", "use a newer tenfold"}},
		{"read-only directory", func(t *testing.T, path string) string {
			if os.Geteuid() == 0 || runtime.GOOS == "windows" {
				t.Skip("this user may write everywhere")
			}
			if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
				t.Fatal(err)
			}
			return path
		}, []string{"permission denied", "check the permissions"}},
		{"read-only file", func(t *testing.T, path string) string {
			if os.Geteuid() == 0 || runtime.GOOS == "windows" {
				t.Skip("this user may write everywhere")
			}
			if err := os.WriteFile(path, nil, 0o400); err != nil {
				t.Fatal(err)
			}
			return path
		}, []string{"permission denied", "check the permissions"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := test.make(t, filepath.Join(t.TempDir(), "store.db"))
			s, err := Open(t.Context(), path)
			if err == nil {
				t.Fatal("it opens", s.Close())
			}
			for _, want := range append(test.want, "open: store "+path) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is not an error of one line", err)
			}
		})
	}
}

// A damaged file gives an error that says so, and no panic.
func TestDamaged(t *testing.T) {
	path := newLog(t)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		if _, err := s.Append(t.Context(), store.Batch{Conversation: "a", Expected: i, Entries: []tenfold.Entry{crashEntry(i + 1)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []struct {
		sql  string
		left int // of the beginning
	}{
		{"DELETE FROM entries WHERE key & 0xffffffff = 20", 19},
		{"DELETE FROM entries WHERE key & 0xffffffff = 7", 6},
		{"UPDATE entries SET meta = x'' WHERE key & 0xffffffff = 3", 2},
		{"UPDATE entries SET meta = x'01ff' WHERE key & 0xffffffff = 2", 1},
		{"UPDATE entries SET text = 5 WHERE key & 0xffffffff = 1", 0},
	} {
		sql := damage.sql
		change(t, path, sql)
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var got error
		left := -1
		for _, err := range s.Entries(t.Context(), "a", 0) {
			got = err
			left++
		}
		if left != damage.left {
			t.Errorf("after %s, %d entries can be read, not %d", sql, left, damage.left)
		}
		if got == nil || !strings.Contains(got.Error(), "damaged") {
			t.Errorf("after %s, reading gives %v", sql, got)
		}
		if _, err := s.Search(t.Context(), store.Query{Text: "9"}); err != nil && !errors.As(err, new(*store.UnreadError)) {
			t.Errorf("after %s, searching gives %v", sql, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	// Nobody has to keep it.
	s, err = Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Delete(t.Context(), "a", 20); err != nil {
		t.Errorf("deleting it gives %v", err)
	}
	for _, table := range []string{"ids", "entries", "conversations", "search"} {
		if err := s.read(t.Context(), func(c *conn) error {
			n, _, err := c.number(t.Context(), "SELECT count(*) FROM "+table)
			if n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x", "y", "store.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): os.ModeDir | 0o700, filepath.Join(dir, "x"): os.ModeDir | 0o700,
	} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// A path is a path, whatever SQLite's own file names mean.
func TestOddPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{":memory:", "file:x?mode=memory", "a?_pragma=synchronous(OFF)", "50% #1 & 'more'.db", "日本.db", "dir with space/x"} {
		if runtime.GOOS == "windows" && strings.ContainsAny(path, ":?") {
			continue
		}
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, err := s.Conversation(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", path, err)
		}
	}
}

// Many may open, and so create, one file at once.
func TestOpenTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := Open(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			id := fmt.Sprint(i)
			err = errors.Join(s.Create(context.Background(), store.Conversation{ID: id}))
			if _, e := s.Append(context.Background(), store.Batch{Conversation: id, Entries: []tenfold.Entry{crashEntry(1)}}); err != nil || e != nil {
				t.Error(err, e)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if hits, err := s.Search(t.Context(), store.Query{Text: "1"}); err != nil || len(hits) != 8 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

// A file that another process is making a store of is never taken for another program's:
// the hooks of an agent begin at once. Many rounds, as one meets it seldom.
func TestCreateTogether(t *testing.T) {
	t.Parallel()
	for round := range max(20, corpustest.Tries(100)) {
		path := filepath.Join(t.TempDir(), "store.db")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s, err := Open(context.Background(), path)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				if err := s.Close(); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Wait()
	}
}

// Close ends every goroutine, and waits for appends under way.
func TestClose(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				_, err := s.Append(context.Background(), store.Batch{
					Conversation: "a", Expected: store.AnyVersion,
					Entries: []tenfold.Entry{{ID: fmt.Sprintf("%d.%d", w, i), Payload: tenfold.TurnStart{}}},
				})
				if errors.Is(err, store.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if w == 0 && i == 20 {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
