package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/schema"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
)

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("there is no error with %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not say %q", err, part)
		}
	}
}

// changed gives the URL with something else in it.
func changed(t *testing.T, in string, change func(u *url.URL)) string {
	t.Helper()
	u, err := url.Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// An error says what to try, at once instead of trying again, and never the password.
func testOpenErrors(t *testing.T, server *pgtest.Server) {
	const secret = "hunter2"
	good := server.Database(t)
	for name, test := range map[string]struct{ url, want string }{
		"password":  {changed(t, good, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), secret) }), "check the user and the password"},
		"user":      {changed(t, good, func(u *url.URL) { u.User = url.UserPassword("nobody", secret) }), "check the user"},
		"database":  {changed(t, good, func(u *url.URL) { u.Path = "/nowhere" }), "createdb"},
		"schema":    {good + "&search_path=nowhere", "no schema of the search_path exists: create it"},
		"socket":    {"postgres://u:" + secret + "@/db?host=/nowhere", "no server listens there"},
		"port":      {"postgres://u:" + secret + "@127.0.0.1:1/db", "no server listens there"},
		"host":      {"postgres://u:" + secret + "@host.invalid/db", "check the host"},
		"odd port":  {"postgres://u:" + secret + "@host:port/db", "cannot be read"},
		"escape":    {"postgres://u:" + secret + "%zz@host/db", "%-escapes"},
		"slash":     {"postgres://u:" + secret + "/x@host/db", "%-escapes"},
		"parameter": {"postgres://u:" + secret + "@host/db?sslmode=sometimes", "sslmode"},
		"query":     {"postgres://u@host/db?sslmode=sometimes&password=" + secret, "cannot be read"},
		"words":     {"host=x password=" + secret + " port=y", "cannot be read"},
		"quotes":    {"host=x password='" + secret, "cannot be read"},
		"other":     {"mysql://u:" + secret + "@host/db", "cannot be read"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		s, err := Open(ctx, test.url, WithRetry(time.Hour))
		cancel()
		if err == nil {
			s.Close()
		}
		wantError(t, err, "open: ", test.want)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("without time Open gives %v", err)
	}
}

// Processes that start at once make one schema; one that is newer is left
// alone.
func testSchema(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	asItIs := func() error {
		s, err := Open(t.Context(), url, WithoutUpgrade())
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for range 2 { // the second finds no tables either
		wantError(t, asItIs(), store.ErrOlder.Error()+": it has no tables yet")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := asItIs(); err != nil {
		t.Error(err)
	}
	admin := superuser(t, url)
	if _, err := admin.Exec(t.Context(), "INSERT INTO tenfold_schema (version_id, is_applied) VALUES (99, true)"); err != nil {
		t.Fatal(err)
	}
	storetest.Conversations(t, opened(t, url), 1)
	if _, err := admin.Exec(t.Context(), "UPDATE tenfold_compat SET oldest = 98"); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), url)
	wantError(t, err, fmt.Sprintf("it has schema 99, for which a program must know 98, and this program knows %d: use a newer tenfold", schema.Newest(migrations)))
}

// Who waits for a lock may give up, or is told in time; nothing was written.
func testTimeouts(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, hasty := opened(t, url), opened(t, url, WithTimeout(5*time.Second))
	id := storetest.Conversations(t, s, 1)[0]
	tx, err := superuser(t, url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT key FROM tenfold_conversations FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	b := store.Batch{Conversation: id, Entries: []tenfold.Entry{{ID: "1", Payload: tenfold.TurnStart{}}}}
	_, err = hasty.Append(t.Context(), b)
	wantError(t, err, "append to conversation", "statement_timeout")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Append(ctx, b); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who gives up gets %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // for what would be written late
	if c, err := s.Conversation(t.Context(), id); err != nil || c.Version != 0 {
		t.Errorf("what was given up is there: version %d, %v", c.Version, err)
	}
	if v, err := hasty.Append(t.Context(), b); v != 1 || err != nil {
		t.Errorf("the next append gives %d, %v", v, err)
	}
}

// What an index could not hold is told apart all the same; and nothing is
// left of what is deleted.
func testLongIDs(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	s.salt = nil
	long := strings.Repeat("\x00long\xff", 1000)
	ids := []string{long, long + "1", long + "2", long[:maxShort], long[:maxShort+1], string(indexedID(long))}
	for _, id := range ids {
		if err := s.Create(t.Context(), store.Conversation{ID: id}); err != nil {
			t.Fatal(err)
		}
		for i, entry := range ids {
			e := tenfold.Entry{ID: entry, Payload: tenfold.AssistantMessage{Text: "liquid"}}
			for range 2 {
				v, err := s.Append(t.Context(), store.Batch{Conversation: id, Expected: int64(i), Entries: []tenfold.Entry{e, e}})
				if v != int64(i+1) || err != nil {
					t.Fatalf("version %d after %d, %v", v, i, err)
				}
			}
		}
	}
	w := s.wordHasher(s.keys.Load())
	if !slices.Equal(slices.Clone(w.hashesOf("liquid")), w.hashesOf("costarring")) {
		t.Error("these two were to have one hash")
	}
	for text, want := range map[string]int{"liquid": 36, "costarring": 0} {
		if hits, err := s.Search(t.Context(), store.Query{Text: text}); len(hits) != want || err != nil {
			t.Errorf("%s finds %d, %v", text, len(hits), err)
		}
	}
	for _, id := range ids {
		if err := s.Delete(t.Context(), id, store.AnyVersion); err != nil {
			t.Error(err)
		}
	}
	var n int
	err := admin.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM tenfold_entries) + (SELECT count(*) FROM tenfold_conversations)").Scan(&n)
	if n != 0 || err != nil {
		t.Errorf("%d rows are left, %v", n, err)
	}
}
