package postgres

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// untilOneWaits is until a session waits for a lock of a table.
func untilOneWaits(t *testing.T, admin *pgxpool.Pool, table string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var waits bool
		err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relation = $1::regclass)", table).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		if waits {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody waits for %s", table)
		}
	}
}

// What is recorded while a tenant is erased does not outlive it: the erasure waits for
// whoever writes, and what comes after it, of those who use the token too, finds nothing.
func testEraseWaits(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s := opened(t, tenant(t, url, "gone", nil))
	admin := superuser(t, url)
	canaries(t, s, "a", "a text")
	if _, err := admin.Exec(t.Context(), "INSERT INTO tenfold_tokens (tenant_id, id, hash, label, scopes) VALUES ($1, 'id', '', 'l', '{}')", s.tenant); err != nil {
		t.Fatal(err)
	}
	late, err := admin.Begin(t.Context())
	if err == nil {
		_, err = late.Exec(t.Context(), "INSERT INTO tenfold_audit (tenant_id, actor, action, outcome) VALUES ($1, 'a', 'b', 'c')", s.tenant)
	}
	if err != nil {
		t.Fatal(err)
	}
	type erased struct {
		Erased
		error
	}
	done := make(chan erased, 1)
	go func() {
		proof, err := s.db.Erase(context.Background(), "gone", "a test", nil)
		done <- erased{proof, err}
	}()
	untilOneWaits(t, admin, "tenfold_audit")
	// Who has the table of tokens is not waited for by one for whose row it waits.
	if _, err := late.Exec(t.Context(), "UPDATE tenfold_tokens SET used = now() WHERE tenant_id = $1", s.tenant); err != nil {
		t.Error(err)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	proof := <-done
	if proof.error != nil {
		t.Fatal(proof.error)
	}
	for _, table := range proof.Tables {
		if want := map[string]int64{"tenfold_audit": 1, "tenfold_tokens": 1, "tenfold_conversations": 1}[table.Name]; want > 0 && table.Before != want {
			t.Errorf("the proof says %+v", table)
		}
	}
	for _, table := range []string{"tenfold_audit", "tenfold_tokens", "tenfold_conversations", "tenfold_entries"} {
		var left int
		if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", s.tenant).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
}

// An erasure that the database ended for the sake of others is made again.
func testEraseAgain(t *testing.T, server *pgtest.Server) {
	s := opened(t, tenant(t, server.Database(t), "gone", nil))
	canaries(t, s, "a", "a text")
	attempts := 0
	proof, err := s.db.Erase(t.Context(), "gone", "a test", func(ctx context.Context, tx pgx.Tx, _ int) (ErasedTable, error) {
		if attempts++; attempts < 3 {
			_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '"+codeDeadlock+"'; END $$")
			return ErasedTable{}, err
		}
		return ErasedTable{Name: "jobs"}, nil
	})
	if err != nil || attempts != 3 {
		t.Fatal(attempts, err)
	}
	seen := map[string]int64{}
	for _, table := range proof.Tables {
		if _, twice := seen[table.Name]; twice {
			t.Errorf("the proof tells of %s twice", table.Name)
		}
		seen[table.Name] = table.Before
	}
	if seen["tenfold_conversations"] != 1 {
		t.Errorf("the proof is %+v", proof)
	}
}

// A transaction whose connection is lost before its commit is made again, for nothing of
// it was done; one that may have been committed is not.
func testLostTransactions(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	attempts := 0
	err := s.db.As(t.Context(), s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO tenfold_audit (actor, action, outcome) VALUES ('a', 'b', 'c')")
		if attempts++; err == nil && attempts == 1 {
			_, err = admin.Exec(ctx, "SELECT pg_terminate_backend($1)", int64(tx.Conn().PgConn().PID()))
			for err == nil {
				_, err = tx.Exec(ctx, "SELECT pg_sleep(0.01)")
			}
		}
		return err
	})
	if err != nil || attempts != 2 {
		t.Fatalf("%d attempts, %v", attempts, err)
	}
	var n int
	err = s.db.As(t.Context(), s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(*) FROM tenfold_audit").Scan(&n)
	})
	if err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
	over := &pgconn.PgError{Code: codeShutdown}
	if troubleOf(over) != lost || troubleOf(uncommitted{over}) != undone || troubleOf(uncommitted{ErrNoTenant}) != final {
		t.Error("what is lost with a commit may not be done again, and without one it may")
	}
	for _, err := range []error{over, uncommitted{over}} {
		if !errors.Is(Unavailable(err), store.ErrUnavailable) {
			t.Errorf("%v is not a database that is away", err)
		}
	}
	if before, after := hint(uncommitted{io.EOF}), hint(io.EOF); !strings.Contains(before, "nothing was done") || !strings.Contains(after, "check whether") {
		t.Errorf("the hints are %q and %q", before, after)
	}
	if errors.Is(Unavailable(&pgconn.PgError{Code: codeDeadlock}), store.ErrUnavailable) {
		t.Error("a deadlock is taken for a database that is away")
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
