package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/store"
)

// locked gives a store that holds conversation "a", and a connection of another
// process, as far as SQLite can tell, that has the file's lock.
func locked(t *testing.T) (s *Store, other *conn) {
	t.Helper()
	s = opened(t)
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	other, err := dial(t.Context(), s.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.close(); err != nil {
			t.Error(err)
		}
	})
	if err := other.begin(); err != nil {
		t.Fatal(err)
	}
	return s, other
}

func oneEntry(id string) store.Batch {
	return store.Batch{
		Conversation: "a", Expected: store.AnyVersion,
		Entries: []tenfold.Entry{{ID: id, Payload: tenfold.TurnStart{}}},
	}
}

// However many wait for a busy database, each waits no longer than its own
// deadline, and without one no longer than for the lock; and nothing is written
// late. The time is synctest's: it passes only while all wait.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, other := locked(t)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 2 * maxGroup {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				arrived := time.Now()
				ctx, limit, want := context.Background(), busyTimeout, "another process held the write lock"
				if i%3 > 0 { // shorter and longer than the wait for the lock
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, time.Duration(i%3)*8*time.Second)
					defer cancel()
				}
				if i%3 == 1 {
					limit, want = 8*time.Second, "context deadline exceeded"
				}
				_, err := s.Append(ctx, oneEntry(fmt.Sprint(i)))
				took := time.Since(arrived)
				if err == nil || !strings.Contains(err.Error(), want) || took < limit || took > limit+2*maxPause {
					t.Errorf("caller %d has %v after %v, want %q after %v", i, err, took, want, limit)
				}
			})
		}
		// Whoever reads is not held up.
		if _, err := s.Conversation(t.Context(), "a"); err != nil || time.Since(start) > 0 {
			t.Errorf("a reader has %v after %v", err, time.Since(start))
		}
		wg.Wait()
		if err := other.rollback(); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Append(t.Context(), oneEntry("last")); v != 1 || err != nil {
			t.Errorf("with the lock free again an append gives version %d, %v", v, err)
		}
	})
}

// A database that is free again in time serves all who still wait, and nobody
// else.
func TestServedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, other := locked(t)
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+i%2*8)*time.Second)
				defer cancel()
				_, err := s.Append(ctx, oneEntry(fmt.Sprint(i)))
				if served := err == nil; served != (i%2 == 1) || (!served && !errors.Is(err, context.DeadlineExceeded)) {
					t.Errorf("caller %d has %v", i, err)
				}
			})
		}
		time.Sleep(busyTimeout / 2)
		if err := other.rollback(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if c, err := s.Conversation(t.Context(), "a"); c.Version != 32 || err != nil {
			t.Errorf("the log is at version %d, %v", c.Version, err)
		}
	})
}

// A job whose group failed is tried again by itself, and only while its caller
// waits: here another process takes the lock in between.
func TestDeadlineOfRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, other := locked(t)
		if err := other.rollback(); err != nil {
			t.Fatal(err)
		}
		c, err := dial(t.Context(), s.path, dontWaitForLocks)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		w := &writer{s: s, c: c} // run by this test, step by step
		start := time.Now()
		var answered sync.WaitGroup
		for i := range 8 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i+1)*time.Second)
			defer cancel()
			j := &job{ctx: ctx, reply: make(chan error, 1), do: func(*tx) (refusal, err error) {
				if i == 7 { // the last: the others have run by then
					err = errors.New("trouble")
				}
				return nil, err
			}}
			w.queue = append(w.queue, j)
			answered.Go(func() {
				err := <-j.reply
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > time.Duration(i+1)*time.Second+maxPause {
					t.Errorf("caller %d has %v after %v", i, err, took)
				}
			})
		}
		if err := w.lock(); err != nil {
			t.Fatal(err)
		}
		w.commit(nil)
		if err := other.begin(); err != nil {
			t.Fatal(err)
		}
		w.serve()
		answered.Wait()
	})
}

// A large change has a transaction of its own, and so does each that failed
// with others: nobody's deadline passes while somebody else's rows are written.
func TestGroups(t *testing.T) {
	const alone = maxGroupBytes + 1
	for _, tt := range []struct{ jobs, want []int }{
		{[]int{0}, []int{1}},
		{[]int{1, 2, 3}, []int{3}},
		{[]int{1, 2, alone, 3, 4}, []int{2, 1, 2}},
		{[]int{alone, alone, 0}, []int{1, 1, 1}},
		{[]int{maxGroupBytes / 2, maxGroupBytes / 2, 1}, []int{2, 1}},
		{make([]int, maxGroup+1), []int{maxGroup, 1}},
	} {
		w := writer{s: &Store{}}
		for _, bytes := range tt.jobs {
			w.queue = append(w.queue, &job{bytes: bytes})
		}
		var got []int
		for len(w.queue) > 0 {
			var g group
			for w.next(&g) != nil {
			}
			got = append(got, len(g.jobs))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("jobs of %d bytes make groups of %d, want %d", tt.jobs, got, tt.want)
		}
	}
}

// A caller whose context ends while its own rows are written has nothing
// written.
func TestDeadlineWithin(t *testing.T) {
	s := opened(t)
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := oneEntry("0")
	for i := range 2000 {
		b.Entries = append(b.Entries, crashEntry(int64(i+1)))
	}
	rows, err := newRows(b.Entries)
	if err != nil {
		t.Fatal(err)
	}
	err = s.write(ctx, bytesOf(rows), func(tx *tx) (refusal, err error) {
		cancel()
		_, refusal, err = tx.append(ctx, b, rows)
		return refusal, err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled append gives %v", err)
	}
	if c, err := s.Conversation(t.Context(), "a"); c.Version != 0 || err != nil {
		t.Errorf("the log is at version %d, %v", c.Version, err)
	}
	for i := range 3 { // the same for deleting
		if _, err := s.Append(t.Context(), oneEntry(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	err = s.write(ctx, maxGroupBytes, func(tx *tx) (refusal, err error) {
		cancel()
		return nil, tx.delete(ctx, 1)
	})
	if c, e := s.Conversation(t.Context(), "a"); !errors.Is(err, context.Canceled) || c.Version != 3 || e != nil {
		t.Errorf("a cancelled delete gives %v, and the log is at version %d, %v", err, c.Version, e)
	}
}

// A file that another process keeps for itself holds up Open no longer than its
// context lasts.
func TestDeadlineOfOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, other := locked(t)
		if err := other.rollback(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		// The only connection may keep everybody out.
		if err := other.script(t.Context(), "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT"); err != nil {
			t.Fatal(err)
		}
		for _, limit := range []time.Duration{time.Second, time.Minute} {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err := Open(ctx, s.path)
			want := "another process held the write lock"
			if limit < busyTimeout {
				want = "context deadline exceeded"
			}
			if took := time.Since(start); err == nil || !strings.Contains(err.Error(), want) || took > min(limit, busyTimeout) {
				t.Errorf("Open has %v after %v", err, took)
			}
		}
	})
}
