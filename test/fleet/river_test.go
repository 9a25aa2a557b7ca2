//go:build unix

package fleet

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

type nothing struct{}

// Kind implements river.JobArgs.
func (nothing) Kind() string { return "nothing" }

type idler struct {
	river.WorkerDefaults[nothing]
	done *atomic.Int64
}

// Work implements river.Worker.
func (w *idler) Work(context.Context, *river.Job[nothing]) error {
	w.done.Add(1)
	return nil
}

// rivers has River do as many jobs that do nothing: enqueued one by one by as many
// writers, worked by as many clients, which are all in this process. It is the machine's
// limit of jobs: ours also append, open a conversation, plan, and append what they made.
func (l *load) rivers() {
	ctx := l.t.Context()
	var done atomic.Int64
	var clients []*river.Client[pgx.Tx]
	for range l.machines {
		workers := river.NewWorkers()
		river.AddWorker(workers, &idler{done: &done})
		c, err := river.NewClient(riverpgxv5.New(l.pool), &river.Config{
			Schema: "tenfold_jobs", Workers: workers, Queues: map[string]river.QueueConfig{"default": {MaxWorkers: 4}},
			FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 500 * time.Millisecond,
		})
		if err == nil {
			err = c.Start(ctx)
		}
		if err != nil {
			l.t.Fatal(err)
		}
		clients = append(clients, c)
	}
	mark, used := l.now(), l.processors()
	l.each(func(w int) error {
		for i := w; i < l.conversations; i += l.writers {
			if _, err := clients[w%len(clients)].Insert(ctx, nothing{}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	eventually(ctx, l.t, "end of the empty jobs", func() error {
		var left int64
		err := l.pool.QueryRow(ctx, "SELECT count(*) FROM tenfold_jobs.river_job WHERE kind = 'nothing' AND finalized_at IS NULL").Scan(&left)
		if err == nil && (left > 0 || done.Load() != int64(l.conversations)) {
			err = fmt.Errorf("%d are left, %d are done", left, done.Load())
		}
		return err
	})
	l.addf("empty jobs of River", "%s", l.jobsSince(mark))
	l.addf("  processor", "%s", used(l.conversations))
	for _, c := range clients {
		if err := c.Stop(context.WithoutCancel(ctx)); err != nil {
			l.t.Error(err)
		}
	}
}
