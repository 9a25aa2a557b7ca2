package postgres

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tenfold/store"
)

// However many callers wait for a server that starts, or that vanished without a
// word, each waits no longer than its own deadline, and without one no longer
// than the store tries again. The time is synctest's.
func TestDeadlines(t *testing.T) {
	const retry, timeout = 15 * time.Second, time.Minute
	const long = 3100 * time.Millisecond // ends with no deadline
	away := map[string]func(context.Context) error{
		"starting": func(context.Context) error { return &pgconn.PgError{Code: codeStarting} },
		"slow": func(context.Context) error {
			time.Sleep(long)
			return &pgconn.PgError{Code: codeShutdown}
		},
		"silent": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
	}
	for name, attempt := range away {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newCaller(options{timeout: timeout, retry: retry})
				var wg sync.WaitGroup
				for i := range 200 {
					wg.Go(func() {
						time.Sleep(time.Duration(i) * time.Millisecond)
						ctx, limit := context.Background(), retry
						if name == "silent" {
							limit = timeout + grace
						}
						if i%2 == 0 {
							limit = time.Duration(1+i%9) * time.Second
							var cancel context.CancelFunc
							ctx, cancel = context.WithTimeout(ctx, limit)
							defer cancel()
						}
						arrived := time.Now()
						err := s.try(ctx, lost, attempt)
						took := time.Since(arrived)
						if name == "slow" { // an attempt under way is not cut short here, as pgx would
							took -= long
						}
						if err == nil || took > limit {
							t.Errorf("caller %d has %v after %v, want an error after %v", i, err, took, limit)
						}
						if name == "silent" && strings.Count(err.Error(), context.DeadlineExceeded.Error()) > 1 {
							t.Errorf("caller %d is told twice: %v", i, err)
						}
						if i%2 == 0 && !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("caller %d has %v", i, err)
						}
						if i%2 == 1 && !errors.Is(err, store.ErrUnavailable) {
							t.Errorf("caller %d, who waited to the end, has %v", i, err)
						}
					})
				}
				wg.Wait()
			})
		})
	}
}

// What the server refuses, or what writers make of each other, is not its being away.
func TestWhatIsUnavailable(t *testing.T) {
	s := newCaller(options{timeout: time.Minute, retry: time.Nanosecond})
	for code, want := range map[string]bool{
		codeStarting: true, codeConnections: true, codeReadOnly: true, codeShutdown: true, codeTimeout: true, "08006": true,
		codeSerialize: false, codeDeadlock: false, codeUnique: false, "53100": false,
	} {
		err := s.try(t.Context(), lost, func(context.Context) error { return &pgconn.PgError{Code: code} })
		if Code(err) != code || errors.Is(err, store.ErrUnavailable) != want {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// Close does not wait for those who wait for a server to come back.
func TestCloseWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCaller(options{timeout: time.Minute, retry: time.Hour})
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				err := s.try(context.Background(), lost, func(context.Context) error { return &pgconn.PgError{Code: codeStarting} })
				if Code(err) != codeStarting {
					t.Errorf("a caller has %v", err)
				}
			})
		}
		time.Sleep(time.Minute)
		start := time.Now()
		close(s.quit) // as Close does first
		wg.Wait()
		if took := time.Since(start); took > 0 {
			t.Errorf("callers go on for %v", took)
		}
	})
}

// Nobody comes in while Close waits for others.
func TestEnterWhileClosing(t *testing.T) {
	s := newCaller(options{})
	if err := s.gate.Enter(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.gate.Close() })
	for s.gate.Enter() == nil { // until it waits
		s.gate.Leave()
		runtime.Gosched()
	}
	if err := s.try(t.Context(), lost, nil); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a caller that comes late has %v", err)
	}
	s.gate.Leave()
	wg.Wait()
}
