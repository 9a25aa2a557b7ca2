package postgres

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/vault"
)

// canaries are texts in all that a conversation holds, its overlay too.
func canaries(t testing.TB, s store.Store, id, canary string) {
	t.Helper()
	err := s.Create(t.Context(), store.Conversation{
		ID: id, Title: canary, Origin: store.Origin{Key: canary, Mark: canary, Tool: canary, Directory: canary},
	},
		tenfold.Entry{ID: "1", Payload: tenfold.AssistantMessage{Text: "the " + canary}},
		tenfold.Entry{ID: "2", Source: canary, Payload: tenfold.ToolCall{CallID: "c", Name: canary, Arguments: `{}`}},
		tenfold.Entry{ID: "3", Payload: tenfold.AssistantMessage{Text: strings.Repeat(canary+" ", 2000)}},
		tenfold.Entry{ID: "4", Payload: tenfold.Compaction{Profile: canary}})
	if err == nil {
		_, err = s.Append(t.Context(), store.Batch{Conversation: id, Expected: 4, Entries: []tenfold.Entry{{ID: "5", Payload: tenfold.AssistantMessage{Text: canary}}}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// holding lists the files of directories that hold a text.
func holding(t testing.TB, text []byte, dirs ...string) (names []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if bytes.Contains(b, text) {
				names = append(names, name)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return names
}

// relations is the directory of a database's tables.
func relations(t testing.TB, server *pgtest.Server, url string) string {
	t.Helper()
	var oid uint32
	admin := superuser(t, url)
	if err := admin.QueryRow(t.Context(), "SELECT oid FROM pg_database WHERE datname = current_database()").Scan(&oid); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(server.Data(), "base", fmt.Sprint(oid))
}

func checkpoint(t testing.TB, url string, statements ...string) {
	t.Helper()
	for _, sql := range append(statements, "CHECKPOINT") {
		if _, err := superuser(t, url).Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// While keys are wrapped anew, a tenant is erased: its keys stay destroyed.
func testRewrapErased(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	tenant(t, url, "gone", masters(t, 1))
	d := opened(t, url, WithVault(masters(t, 2, 1))).db
	admin := superuser(t, url)
	erasing, err := admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = erasing.Rollback(context.Background()) }()
	if _, err := erasing.Exec(t.Context(), "UPDATE tenfold_keys SET wrapped = '', destroyed = now()"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := d.Rewrap(context.Background())
		done <- err
	}()
	for waiting := false; !waiting; time.Sleep(10 * time.Millisecond) {
		if err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := erasing.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	var left int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM tenfold_keys WHERE wrapped <> ''").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d keys are back, %v", left, err)
	}
}

// After an erasure nothing of a tenant is in the tables, in their files, in what is
// dumped then; and what was dumped before cannot be read without its key.
func testErase(t *testing.T, server *pgtest.Server) {
	const sealed, plain = "canaryOfTheSealed", "canaryInTheClear"
	url := server.Database(t)
	v := masters(t, 1)
	gone := opened(t, tenant(t, url, "gone", v), WithVault(v))
	stays := opened(t, tenant(t, url, "stays", v), WithVault(v))
	bare := opened(t, tenant(t, url, "clear", nil), WithVault(v))
	canaries(t, gone, "a", sealed)
	canaries(t, stays, "a", "another")
	canaries(t, bare, "a", plain)
	admin := superuser(t, url)
	dir := relations(t, server, url)
	checkpoint(t, url)
	if found := holding(t, []byte(sealed), dir, filepath.Join(server.Data(), "pg_wal")); len(found) > 0 {
		t.Errorf("what is sealed is in %v", found)
	}
	if found := holding(t, []byte(plain), dir); len(found) == 0 {
		t.Error("what is in the clear is in no file: the search finds nothing")
	}
	var wrapped []byte
	if err := admin.QueryRow(t.Context(), "SELECT wrapped FROM tenfold_keys WHERE tenant_id = $1 AND version = 1", gone.tenant).Scan(&wrapped); err != nil {
		t.Fatal(err)
	}
	if found := holding(t, wrapped, dir); len(found) == 0 {
		t.Error("a wrapped key is in no file: the search finds nothing")
	}
	before := filepath.Join(server.Directory(t), "before")
	server.Tool(t, "pg_dump", "--format=custom", "--exclude-table-data=tenfold_keys", "--file="+before, url)

	ended := make(chan error, 1)
	go func() {
		for _, err := range gone.Watch(context.Background(), "a", 5) {
			ended <- err
		}
	}()
	also := 0
	proof, err := gone.db.Erase(t.Context(), "gone", "a test", func(_ context.Context, _ pgx.Tx, tenant int) (ErasedTable, error) {
		also = tenant
		return ErasedTable{Name: "jobs", Before: 7}, nil
	})
	if err != nil || also != gone.tenant || proof.Tenant != gone.tenant || !proof.Rewritten || len(proof.Keys) != 2 || proof.Audit == "" {
		t.Fatalf("%+v, %v", proof, err)
	}
	counts := map[string]int64{}
	for _, table := range proof.Tables {
		name := table.Name
		if strings.HasPrefix(name, "tenfold_entries_") {
			name = "entries"
		}
		if counts[name] += table.Before; table.After != 0 {
			t.Errorf("%s has %d rows afterwards", table.Name, table.After)
		}
	}
	if counts["jobs"] != 7 || counts["entries"] != 5 || counts["tenfold_conversations"] != 1 {
		t.Errorf("it had %v", counts)
	}
	if err := <-ended; !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a watch ends with %v", err)
	}
	// As the superuser counts, too.
	for _, table := range []string{"tenfold_entries", "tenfold_conversations", "tenfold_tokens", "tenfold_audit"} {
		var left int
		if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", gone.tenant).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
	var destroyed int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM tenfold_keys WHERE tenant_id = $1 AND wrapped = '' AND destroyed IS NOT NULL", gone.tenant).Scan(&destroyed); err != nil || destroyed != 2 {
		t.Errorf("%d keys are marked as destroyed, %v", destroyed, err)
	}
	var action, subject string
	if err := admin.QueryRow(t.Context(), "SELECT action, convert_from(subject, 'UTF8') FROM tenfold_audit WHERE tenant_id = 0").Scan(&action, &subject); err != nil || subject != fmt.Sprint(gone.tenant) {
		t.Errorf("the audit log has %s of %s, %v", action, subject, err)
	}
	// A program that has it open writes nothing.
	if _, err := gone.Append(t.Context(), store.Batch{Conversation: "a", Expected: 5, Entries: say("late")}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an append: %v", err)
	}
	if err := gone.Create(t.Context(), store.Conversation{ID: "late"}); !errors.Is(err, ErrNoTenant) {
		t.Errorf("a conversation of a tenant that was erased: %v", err)
	}
	if _, err := gone.db.Erase(t.Context(), "gone", "a test", nil); !errors.Is(err, ErrNoTenant) {
		t.Errorf("a second time: %v", err)
	}
	if log, err := logOf(t.Context(), stays, "a"); err != nil || len(log) != 5 {
		t.Errorf("the other tenant has %d entries, %v", len(log), err)
	}
	if _, err := bare.db.Erase(t.Context(), "clear", "a test", nil); err != nil {
		t.Fatal(err)
	}
	checkpoint(t, url)
	if found := holding(t, wrapped, dir); len(found) > 0 {
		t.Errorf("the wrapped key is in %v", found)
	}
	// VACUUM keeps what some transaction may still see, such as that of an ANALYZE.
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		checkpoint(t, url, "VACUUM FULL")
		found := append(holding(t, []byte(sealed), dir), holding(t, []byte(plain), dir)...)
		if len(found) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the texts are in %v", found)
		}
	}
	after := server.Tool(t, "pg_dump", url)
	for _, text := range []string{sealed, plain} {
		if bytes.Contains(after, []byte(text)) || bytes.Contains(after, []byte(hex.EncodeToString([]byte(text)))) {
			t.Errorf("%s is in a new dump", text)
		}
	}
	// The dump from before, with the keys as they are now.
	keys := filepath.Join(server.Directory(t), "keys")
	server.Tool(t, "pg_dump", "--format=custom", "--data-only", "--table=tenfold_keys", "--file="+keys, url)
	restored := server.Database(t)
	for _, file := range []string{before, keys} {
		server.Tool(t, "pg_restore", "--exit-on-error", "--dbname="+restored, file)
	}
	if log, err := logOf(t.Context(), opened(t, restored+"&tenant=stays", WithVault(v)), "a"); err != nil || len(log) != 5 {
		t.Errorf("restored, the other tenant has %d entries, %v", len(log), err)
	}
	if _, err := Open(t.Context(), restored+"&tenant=gone", WithVault(v)); !errors.Is(err, vault.ErrNoKey) {
		t.Errorf("restored, the tenant that was erased: %v", err)
	}
	if hits, err := opened(t, restored+"&tenant=stays", WithVault(v)).Search(t.Context(), store.Query{Text: "another"}); err != nil || len(hits) == 0 {
		t.Errorf("restored, a search finds %d, %v", len(hits), err)
	}
}

// Retention goes by the database's clock and the last append, a batch at a time.
func testRetention(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	short := opened(t, tenant(t, url, "short", nil))
	keeps := opened(t, tenant(t, url, "keeps", nil))
	admin := superuser(t, url)
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	const old = 80 // September 2026
	run("SELECT tenfold_add_month($1)", old)
	n := expireBatch + 5
	for i := range n {
		for _, s := range []*Store{short, keeps} {
			err := s.Create(t.Context(), store.Conversation{ID: fmt.Sprint(i), Updated: time.Now().AddDate(1, 0, 0)}, say("text", "more")...)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	run("UPDATE tenfold_tenants SET retain_days = 30 WHERE name = 'short'")
	run("UPDATE tenfold_entries SET conversation = (($1::bigint << 40) | (conversation & ((1::bigint << 40) - 1))) WHERE tenant_id = $2", old, short.tenant)
	run("UPDATE tenfold_conversations SET key = (($1::bigint << 40) | (key & ((1::bigint << 40) - 1))), appended = now() - interval '31 days' WHERE tenant_id = $2", old, short.tenant)
	run("UPDATE tenfold_conversations SET appended = now() - interval '31 days' WHERE tenant_id = $1", keeps.tenant)
	run("UPDATE tenfold_conversations SET appended = now() - interval '29 days' WHERE tenant_id = $1 AND id = '0'", short.tenant)
	// One is appended to, by a program whose clock is a year behind.
	if _, err := short.Append(t.Context(), store.Batch{Conversation: "1", Expected: 2, Entries: say("again"), Now: time.Now().AddDate(-1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		called := 0
		m, err := short.db.Maintain(t.Context(), dry, func(context.Context, pgx.Tx, int, string) (int64, error) {
			called++
			return 0, nil
		})
		if err != nil || len(m.Expired) != 1 || m.Expired[0] != (Expired{short.tenant, "short", 30, n - 2}) || len(m.Dropped) > 0 {
			t.Fatalf("%+v, %v", m, err)
		}
		if want := map[bool]int{true: 0, false: n - 2}[dry]; called != want {
			t.Errorf("called %d times, not %d", called, want)
		}
	}
	count := func(s *Store) (conversations, entries int) {
		err := admin.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM tenfold_conversations WHERE tenant_id = $1), (SELECT count(*) FROM tenfold_entries WHERE tenant_id = $1)", s.tenant).Scan(&conversations, &entries)
		if err != nil {
			t.Fatal(err)
		}
		return conversations, entries
	}
	if c, e := count(short); c != 2 || e != 5 {
		t.Errorf("%d conversations with %d entries are left", c, e)
	}
	if c, e := count(keeps); c != n || e != 2*n {
		t.Errorf("a tenant that keeps everything has %d conversations with %d entries", c, e)
	}
	var told int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM tenfold_audit WHERE tenant_id = $1 AND action = 'delete' AND outcome = 'done'", short.tenant).Scan(&told); err != nil || told != n-2 {
		t.Errorf("the audit log tells of %d, %v", told, err)
	}
	// The month goes when the last of it does.
	run("UPDATE tenfold_conversations SET appended = now() - interval '31 days' WHERE tenant_id = $1", short.tenant)
	run("DROP TABLE " + partition(monthAfter(t, admin, 2)<<40))
	// PostgreSQL may not count yet that it is empty: connections tell it what they wrote when
	// they come to it, and a later run drops it then.
	var dropped []string
	for range 300 {
		m, err := short.db.Maintain(t.Context(), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if dropped = append(dropped, m.Dropped...); len(dropped) > 0 {
			break
		}
		run("DO $$ BEGIN ANALYZE tenfold_entries_2026_09; EXCEPTION WHEN undefined_table THEN NULL; END $$")
		time.Sleep(100 * time.Millisecond)
	}
	if !slices.Equal(dropped, []string{"tenfold_entries_2026_09"}) {
		t.Errorf("dropped %v", dropped)
	}
	var left, ahead bool
	if err := admin.QueryRow(t.Context(), "SELECT to_regclass('tenfold_entries_2026_09') IS NOT NULL, to_regclass(tenfold_partition(tenfold_month() + 2)) IS NOT NULL").Scan(&left, &ahead); err != nil || left || !ahead {
		t.Errorf("the old month is there: %v, that to come: %v, %v", left, ahead, err)
	}
}

// monthAfter gives the month that is so many after the database's.
func monthAfter(t testing.TB, admin interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, n int,
) (month int64) {
	t.Helper()
	if err := admin.QueryRow(t.Context(), "SELECT tenfold_month() + $1", n).Scan(&month); err != nil {
		t.Fatal(err)
	}
	return month
}

// What fails for one tenant, and a retention of longer than there is time, does not keep
// what others have.
func testRetentionFails(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	admin := superuser(t, url)
	var last *Store
	for _, name := range []string{"aeons", "fails", "short"} {
		last = opened(t, tenant(t, url, name, nil))
		create(t, last, name)
	}
	for _, sql := range []string{
		"UPDATE tenfold_tenants SET retain_days = CASE name WHEN 'aeons' THEN 2147483647 ELSE 1 END WHERE name <> 'default'",
		"UPDATE tenfold_conversations SET appended = now() - interval '9 days'",
	} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	why := errors.New("its jobs cannot be deleted")
	m, err := last.db.Maintain(t.Context(), false, func(_ context.Context, _ pgx.Tx, _ int, conversation string) (int64, error) {
		if conversation == "fails" {
			return 0, why
		}
		return 0, nil
	})
	if !errors.Is(err, why) || !strings.Contains(err.Error(), "tenant fails: ") || strings.Contains(err.Error(), "aeons") || !slices.Equal(m.Expired, []Expired{{last.tenant, "short", 1, 1}}) {
		t.Errorf("%+v, %v", m, err)
	}
}

// A month of which nothing is left stays while somebody reads for long, and goes another
// day: that is no reason to do all of it again.
func testMonthIsRead(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	if _, err := admin.Exec(t.Context(), "SELECT tenfold_add_month(80)"); err != nil {
		t.Fatal(err)
	}
	reader, err := admin.Begin(t.Context())
	if err == nil {
		_, err = reader.Exec(t.Context(), "SELECT FROM tenfold_entries")
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.db.Maintain(t.Context(), false, nil)
	if err != nil || len(m.Dropped) > 0 {
		t.Errorf("while it is read: %+v, %v", m, err)
	}
	if err := reader.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // autovacuum may have it just now
		m, err := s.db.Maintain(t.Context(), false, nil)
		if err != nil || time.Now().After(end) {
			t.Fatalf("afterwards: %+v, %v", m, err)
		}
		if len(m.Dropped) == 1 {
			return
		}
	}
}

// A conversation of a month that was dropped, as it has no entry, is like any other.
func testDroppedMonth(t *testing.T, server *pgtest.Server) {
	const old = 79 // August 2026
	url := server.Database(t)
	admin := superuser(t, url)
	v := masters(t, 1)
	for name, v := range map[string]*vault.Vault{"clear": nil, "sealed": v} {
		s := opened(t, tenant(t, url, name, v), WithVault(masters(t, 1)))
		for what, do := range map[string]func(id string) error{
			"deleted": func(id string) error { return s.Delete(t.Context(), id, 0) },
			"read": func(id string) error {
				log, err := logOf(t.Context(), s, id)
				return errors.Join(err, wantLen(len(log), 0))
			},
			"appended to": func(id string) error {
				v, err := s.Append(t.Context(), store.Batch{Conversation: id, Entries: say("x", "y")})
				return errors.Join(err, wantLen(int(v), 2))
			},
			"appended to, whatever its version": func(id string) error {
				v, err := s.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: say("x", "y")})
				return errors.Join(err, wantLen(int(v), 2))
			},
			"appended nothing to": func(id string) error {
				v, err := s.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion})
				return errors.Join(err, wantLen(int(v), 0))
			},
			"in conflict": func(id string) error {
				_, err := s.Append(t.Context(), store.Batch{Conversation: id, Expected: 7, Entries: say("x", "y")})
				if _, conflict := errors.AsType[*store.ConflictError](err); conflict {
					return nil
				}
				return fmt.Errorf("it gives %w", err)
			},
		} {
			create(t, s, what)
			for _, sql := range []string{
				"UPDATE tenfold_conversations SET key = ((79::bigint << 40) | (key & ((1::bigint << 40) - 1))) WHERE id = '" + what + "'",
				"DROP TABLE IF EXISTS " + partition(old<<40),
			} {
				if _, err := admin.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			if err := do(what); err != nil {
				t.Errorf("a %s one is %s: %v", name, what, err)
			}
		}
	}
}

func wantLen(got, want int) error {
	if got != want {
		return fmt.Errorf("%d, not %d", got, want)
	}
	return nil
}
