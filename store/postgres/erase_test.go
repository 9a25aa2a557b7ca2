package postgres

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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

// While all wait that write to the audit log, an erasure does nothing that takes long, such as
// to count what is left among the rows of others.
func testEraseCountsBefore(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s := opened(t, tenant(t, url, "gone", nil))
	_, err := superuser(t, url).Exec(t.Context(), `
CREATE FUNCTION quiet() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
	IF EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'tenfold_audit'::regclass AND mode = 'ShareRowExclusiveLock') THEN
		RAISE EXCEPTION 'a table is read while others wait';
	END IF;
	RETURN false;
END $$;
CREATE TABLE tenfold_zoo (tenant_id integer);
INSERT INTO tenfold_zoo VALUES (1);
ALTER TABLE tenfold_zoo ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY quiet ON tenfold_zoo USING (quiet());
GRANT SELECT, INSERT, UPDATE, DELETE ON tenfold_zoo TO PUBLIC`)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := s.db.Erase(t.Context(), "gone", "a test", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range proof.Tables {
		names = append(names, table.Name)
	}
	if !slices.IsSorted(names) || !slices.Contains(names, "tenfold_zoo") || !slices.Contains(names, "tenfold_tokens") {
		t.Errorf("the proof tells of %v", names)
	}
}

// A key that is made while a tenant is erased is destroyed with the others, and none is
// made for one that is gone.
func testEraseRotated(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s := opened(t, tenant(t, url, "gone", masters(t, 1)), WithVault(masters(t, 1)))
	admin := superuser(t, url)
	waiting := func() { // somebody waits for another transaction
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			var waits bool
			err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
			if waits || err != nil || time.Now().After(end) {
				if err != nil || !waits {
					t.Errorf("nobody waits: %v", err)
				}
				return
			}
		}
	}
	type erased struct {
		Erased
		error
	}
	done := make(chan erased, 1)
	version, err := s.db.Rotate(t.Context(), s.tenant, func(context.Context, pgx.Tx) error {
		go func() {
			proof, err := s.db.Erase(context.Background(), "gone", "a test", nil)
			done <- erased{proof, err}
		}()
		waiting()
		return nil
	})
	if err != nil || version != 2 {
		t.Errorf("version %d, %v", version, err)
	}
	proof := <-done
	if proof.error != nil || !slices.Equal(proof.Keys, []int{0, 1, 2}) {
		t.Errorf("the keys %v are destroyed, %v", proof.Keys, proof.error)
	}
	if _, err := s.db.Rotate(t.Context(), s.tenant, nil); !errors.Is(err, ErrNoTenant) {
		t.Errorf("a key for nobody: %v", err)
	}
	var left int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM tenfold_keys WHERE wrapped <> ''").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d keys are left, %v", left, err)
	}
}
