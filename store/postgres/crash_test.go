package postgres

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
)

// D2: a server killed in between loses no acknowledged entry, and its writers
// and watchers go on.
func TestCrash(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.Database(t)
	again := WithRetry(5 * time.Minute) // however long it takes to start
	stores := []*Store{opened(t, url, again), opened(t, url, again)}
	ids := storetest.Conversations(t, stores[0], 5)
	stop := make(chan struct{})
	more := func(int) bool {
		select {
		case <-stop:
			return false
		default:
			return true
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var wins []storetest.Win
	var writing, watching sync.WaitGroup
	seen := make(chan int64, 100_000)
	watching.Go(func() {
		defer close(seen)
		for e, err := range stores[1].Watch(ctx, ids[0], 0) {
			if err != nil {
				t.Error(err)
				return
			}
			seen <- e.Seq
		}
	})
	for i, s := range stores {
		writing.Go(func() {
			won, err := storetest.Contend(t.Context(), s, fmt.Sprint(i), 4, ids, more)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			wins = append(wins, won...)
		})
	}
	for range 3 {
		time.Sleep(400 * time.Millisecond)
		server.Kill(t)
		time.Sleep(100 * time.Millisecond)
		server.Restart(t)
	}
	time.Sleep(200 * time.Millisecond)
	close(stop)
	writing.Wait()
	storetest.CheckWins(t, stores[0], ids, wins)
	t.Logf("%d appends came through", len(wins))
	c, err := stores[0].Conversation(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	for want := int64(1); want <= c.Version; want++ {
		select {
		case got := <-seen:
			if got != want {
				t.Fatalf("the watch gave %d, not %d", got, want)
			}
		case <-time.After(5 * time.Minute):
			t.Fatalf("the watch stopped before %d of %d", want, c.Version)
		}
	}
	cancel()
	watching.Wait()
}

// Connections that the server ends are a pause, to a watch as well.
func testLostConnections(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, other, admin := opened(t, url), opened(t, url), superuser(t, url)
	id := storetest.Conversations(t, s, 1)[0]
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	next := func(n int) {
		err := other.try(ctx, lost, func(ctx context.Context) error {
			_, err := admin.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range []*Store{s, other} {
			e := tenfold.Entry{ID: fmt.Sprint(n, i), Payload: tenfold.TurnStart{}}
			if _, err := s.Append(ctx, store.Batch{Conversation: id, Expected: int64(2*n + i), Entries: []tenfold.Entry{e}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	next(0)
	for e, err := range s.Watch(ctx, id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 20 {
			break
		}
		if e.Seq%2 == 0 {
			next(int(e.Seq / 2))
		}
	}
	if ctx.Err() != nil {
		t.Error("the watch did not come to its end")
	}
}

// Who watches is told, and does not wait until it looks for itself.
func testTold(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, other := opened(t, url), opened(t, url)
	id := storetest.Conversations(t, s, 1)[0]
	add := func(seq int64) {
		e := tenfold.Entry{ID: fmt.Sprint(seq), Payload: tenfold.TurnStart{}}
		if _, err := other.Append(t.Context(), store.Batch{Conversation: id, Expected: seq - 1, Entries: []tenfold.Entry{e}}); err != nil {
			t.Error(err)
		}
	}
	const rounds = 20
	add(1)
	begun := time.Now()
	for e, err := range s.Watch(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == rounds {
			break
		}
		time.AfterFunc(time.Millisecond, func() { add(e.Seq + 1) })
	}
	if took := time.Since(begun); took > rounds*pollTime/2 {
		t.Errorf("%d entries came in %v", rounds, took)
	}
}

// A server that does not come back is an error, in time.
func TestServerGone(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := opened(t, server.Database(t), WithRetry(2*time.Second))
	id := storetest.Conversations(t, s, 1)[0]
	server.Kill(t)
	b := store.Batch{Conversation: id, Expected: store.AnyVersion}
	var begun time.Time
	var err error
	for i := 0; err == nil && i < 1000; i++ { // its processes end a moment after it
		begun = time.Now()
		b.Entries = []tenfold.Entry{{ID: fmt.Sprint(i), Payload: tenfold.TurnStart{}}}
		_, err = s.Append(t.Context(), b)
	}
	if took := time.Since(begun); err == nil || took < 50*time.Millisecond || took > 2*time.Minute {
		t.Errorf("after %v an append gives %v", took, err)
	}
	wantError(t, err, "append to conversation "+id, "no server listens there")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, err := range s.Watch(ctx, id, 0) {
		if err == nil {
			t.Error("a watch gives entries of no server")
		}
	}
	server.Restart(t)
	if v, err := s.Append(t.Context(), b); v == 0 || err != nil {
		t.Errorf("the same append then gives %d, %v", v, err)
	}
}
