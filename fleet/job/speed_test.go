package job_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"tenfold/fleet/job"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

type nothing struct{}

func (nothing) Kind() string { return "nothing" }

type idler struct {
	river.WorkerDefaults[nothing]
	done *atomic.Int64
}

func (w *idler) Work(context.Context, *river.Job[nothing]) error {
	w.done.Add(1)
	return nil
}

// TestSpeed measures, beside River with empty jobs in the same database: how many
// deterministic compactions a second a process makes of conversations of some hundred
// entries, and how long one takes from the append that makes it due to its overlay.
func TestSpeed(t *testing.T) {
	if os.Getenv("TENFOLD_TEST_ALL") != "1" {
		t.Skip("it takes a minute: TENFOLD_TEST_ALL=1")
	}
	const conversations, entries, workers, empty = 1000, 300, 8, 5000
	server := pgtest.Start(t, "fsync=on", "full_page_writes=on")
	f := open(t, server.Database(t))
	ctx := t.Context()
	if err := f.db.As(ctx, 0, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE tenfold_tenants SET jobs_at_once = 100")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	long := logtest.Long(entries)
	plain := session.NewService(f.st)
	for i := range 2 * conversations {
		if _, err := plain.Create(ctx, session.Create{ID: fmt.Sprint("c", i), Entries: long}); err != nil {
			t.Fatal(err)
		}
	}
	due := func(i int) {
		work := &store.Work{Prefix: "", Policy: "fit", Tokens: 1, Limit: 1}
		if _, err := f.st.Append(ctx, store.Batch{Conversation: fmt.Sprint("c", i), Expected: store.AnyVersion, Entries: logtest.Long(entries + 1)[entries:], Due: work, Now: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range conversations {
		due(i)
	}
	open := func() (n int) {
		page, err := f.jobs.List(ctx, job.Filter{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return page.Counts[job.Queued] + page.Counts[job.Running] + page.Counts[job.Retrying]
	}
	if n := open(); n != conversations {
		t.Fatalf("%d jobs wait", n)
	}
	began := time.Now()
	if err := f.queue.Start(ctx, worker(workers)); err != nil {
		t.Fatal(err)
	}
	for open() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	drained := time.Since(began)
	took := func(from int) []time.Duration {
		var all []time.Duration
		for cursor := ""; ; {
			page, err := f.jobs.List(ctx, job.Filter{Limit: 500, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range page.Jobs {
				if j.Outcome != job.Compacted {
					t.Fatalf("%+v", j)
				}
				if j.Version >= int64(from) {
					all = append(all, j.Ended.Sub(j.Created))
				}
			}
			if cursor = page.Next; cursor == "" {
				slices.Sort(all)
				return all
			}
		}
	}
	took(0)
	const each = 300
	tick := time.NewTicker(20 * time.Millisecond)
	for i := range each {
		due(conversations + i)
		<-tick.C
	}
	tick.Stop()
	for open() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	page, err := f.jobs.List(ctx, job.Filter{Limit: each})
	if err != nil {
		t.Fatal(err)
	}
	var waits, lasts []time.Duration
	for _, j := range page.Jobs {
		waits, lasts = append(waits, j.Began.Sub(j.Created)), append(lasts, j.Ended.Sub(j.Created))
	}
	slices.Sort(waits)
	slices.Sort(lasts)
	f.queue.Stop()

	var done atomic.Int64
	all := river.NewWorkers()
	river.AddWorker(all, &idler{done: &done})
	pool := f.db.Pool().Config()
	pool.AfterConnect = nil
	bare, err := river.NewClient(riverpgxv5.New(f.db.Pool()), &river.Config{
		Schema: "tenfold_jobs", Workers: all, Queues: map[string]river.QueueConfig{"default": {MaxWorkers: workers}}, FetchCooldown: 5 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range empty / 1000 {
		if _, err := bare.InsertMany(ctx, slices.Repeat([]river.InsertManyParams{{Args: nothing{}}}, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	began = time.Now()
	if err := bare.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for done.Load() < empty {
		time.Sleep(5 * time.Millisecond)
	}
	idle := time.Since(began)
	if err := bare.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	p := func(all []time.Duration, share float64) time.Duration {
		return all[int(share*float64(len(all)-1))].Round(100 * time.Microsecond)
	}
	t.Logf("%d cores, %d workers, conversations of %d entries", runtime.NumCPU(), workers, entries)
	t.Logf("compactions: %.0f a second; River with empty jobs: %.0f a second", conversations/drained.Seconds(), empty/idle.Seconds())
	t.Logf("append to overlay: p50 %v, p99 %v; append to the worker's beginning: p50 %v", p(lasts, 0.5), p(lasts, 0.99), p(waits, 0.5))
}
