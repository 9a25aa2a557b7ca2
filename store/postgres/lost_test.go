package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

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

// saying tells of the first line that is written with some words.
type saying struct {
	words string
	said  chan struct{}
	once  *sync.Once
}

func (s saying) Write(line []byte) (int, error) {
	if strings.Contains(string(line), s.words) {
		s.once.Do(func() { close(s.said) })
	}
	return len(line), nil
}

// What meets a standby, as servers do for a moment when it takes over, waits until that is
// the primary, and is done once.
func testStandby(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	told := saying{codeReadOnly, make(chan struct{}), new(sync.Once)}
	s, admin := opened(t, url, WithRetry(2*time.Minute), WithLog(slog.New(slog.NewTextHandler(told, nil)))), superuser(t, url)
	create(t, s, "a", say("hello")...)
	become := func(readOnly string) {
		t.Helper()
		conn, err := admin.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		for _, sql := range []string{
			"SET default_transaction_read_only = off", // of this connection
			"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = " + readOnly + "', current_database()); END $$",
			"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
		} {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	}
	become("on")
	done := make(chan error, 1)
	go func() {
		version, err := s.Append(context.Background(), store.Batch{Conversation: "a", Expected: 1, Entries: say("over there")})
		if err == nil && version != 2 {
			err = fmt.Errorf("version %d", version)
		}
		done <- err
	}()
	select {
	case <-told.said:
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	}
	become("off")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if all, err := logOf(t.Context(), s, "a"); err != nil || len(all) != 2 {
		t.Errorf("%d entries, %v", len(all), err)
	}
}
