package postgres

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

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
