package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
)

// crew is what works on jobs in this process.
type crew struct {
	queue  *Queue
	worker Worker
	client *river.Client[pgx.Tx]
	keeper *keeper
	end    func()
	done   sync.WaitGroup
}

// Start has this process work on jobs, until Stop or Close.
func (q *Queue) Start(ctx context.Context, w Worker) error {
	c := &crew{queue: q, worker: w}
	workers := river.NewWorkers()
	if err := errors.Join(river.AddWorkerSafely(workers, &worker{crew: c}), river.AddWorkerSafely(workers, &maintainer{queue: q})); err != nil {
		return err
	}
	config := q.config()
	config.Workers, config.PeriodicJobs = workers, daily()
	config.Queues = map[string]river.QueueConfig{
		queueName: {MaxWorkers: max(w.Jobs, 1)}, maintenanceName: {MaxWorkers: 1, FetchPollInterval: time.Minute, FetchCooldown: time.Second},
	}
	var err error
	if c.client, err = river.NewClient(q.driver, config); err != nil {
		return fmt.Errorf("start the workers: %w", err)
	}
	events, unsubscribe := c.client.Subscribe(river.EventKindJobCancelled, river.EventKindJobCompleted, river.EventKindJobFailed, river.EventKindJobSnoozed)
	c.end = unsubscribe
	c.keeper = keep(q, c.announceRoom)
	c.done.Go(func() {
		for range events {
			c.announceRoom() // the job of the event has made room
		}
	})
	q.crew = c
	q.driver.hands.Store(int64(max(w.Jobs, 1)))
	if err := c.client.Start(context.WithoutCancel(ctx)); err != nil {
		q.Stop()
		return fmt.Errorf("start the workers: %w", err)
	}
	return nil
}

// Stop stops the work. What runs has a moment to end, and is run again elsewhere
// where it does not.
func (q *Queue) Stop() {
	c := q.crew
	if c == nil {
		return
	}
	q.crew = nil
	q.driver.hands.Store(0)
	_ = c.client.Stop(context.Background()) // it has a limit: Config.SoftStopTimeout
	c.end()
	c.keeper.stop()
	c.done.Wait()
}

// announceRoom has all processes look for jobs, where a limit of a tenant kept some from
// being taken: there is room now.
func (c *crew) announceRoom() {
	if c.queue.driver.more.Load() {
		c.queue.announce()
	}
}

// worker is River's.
type worker struct {
	river.WorkerDefaults[arguments]
	crew *crew
}

// Work implements [river.Worker].
func (w *worker) Work(ctx context.Context, j *river.Job[arguments]) error {
	q := w.crew.queue
	defer q.work(j.ID)()
	done, err := w.try(ctx, j)
	switch {
	case done:
		w.crew.announceRoom()
		return nil
	case q.lost(ctx, j):
		q.driver.lost.Store(j.ID, nil)
		return nil
	}
	return err
}

// try makes an attempt, and reports whether the job has ended by it.
func (w *worker) try(ctx context.Context, j *river.Job[arguments]) (done bool, err error) {
	q, a := w.crew.queue, j.Args
	t, st, err := q.opened(ctx, a.Tenant)
	if err != nil {
		return false, shownError(err)
	}
	now := &attempt{Store: q.Store(st), job: j, overlay: overlays(t.publicID(j.ID))}
	how, err := w.crew.worker.work(ctx, now, task{
		id: t.publicID(j.ID), conversation: a.Conversation, prefix: a.Prefix, last: j.Attempt >= j.MaxAttempts,
		created: j.CreatedAt, due: j.ScheduledAt, trace: traceOf(j.Metadata),
		spent: func(ctx context.Context, u tenfold.Usage) error { return q.recordUsage(ctx, j, u) },
	})
	busy := &session.BusyError{}
	switch {
	case now.ended:
		return true, nil
	case errors.As(err, &busy):
		return false, river.JobSnooze(pauseFor(busy, q.clock.Now()))
	case ctx.Err() != nil:
		return false, ctx.Err() // River knows why
	case err != nil:
		return false, shownError(err)
	}
	if q.endNow(ctx, j, how) {
		return true, nil
	}
	if err := river.RecordOutput(ctx, how); err != nil {
		return false, err
	}
	if stateOf(how) == Cancelled {
		return false, river.JobCancel(errors.New(how.Outcome))
	}
	return false, nil
}

// lost reports whether an attempt of a job is none any more, as this process had been taken for one
// that ended: another one runs, or may before River ends this one.
func (q *Queue) lost(ctx context.Context, j *river.Job[arguments]) (lost bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	err := q.pool.QueryRow(ctx, q.sql("SELECT attempt <> $2 OR state <> 'running' FROM ~.river_job WHERE id = $1"), j.ID, j.Attempt).Scan(&lost)
	return err == nil && lost
}

// endNow ends a job that wrote no overlay, and reports whether it did. River ends jobs
// together every quarter of a second, and until then they take up their tenant's room.
func (q *Queue) endNow(ctx context.Context, j *river.Job[arguments], how ended) bool {
	output, err := json.Marshal(how)
	if err != nil {
		return false
	}
	state := rivertype.JobStateCompleted
	if stateOf(how) == Cancelled {
		state = rivertype.JobStateCancelled
	}
	did := false
	err = q.db.Again(ctx, func(ctx context.Context) error {
		tag, err := q.pool.Exec(ctx, q.sql(endNowSQL), j.ID, string(state), output, j.Attempt)
		did = tag.RowsAffected() == 1
		return err
	})
	return err == nil && did
}

const endNowSQL = `
UPDATE ~.river_job SET state = $2::text::~.river_job_state, finalized_at = now(), metadata = metadata || jsonb_build_object('output', $3::jsonb)
WHERE id = $1 AND state = 'running' AND attempt = $4`

// shownError is an error as it is kept with a job.
func shownError(err error) error {
	what, hint := reason(err)
	return errors.New(what + "\n" + hint)
}

// attempt is the store of one attempt at a job: it ends the job in the transaction
// of its overlays.
type attempt struct {
	*Store
	job     *river.Job[arguments]
	overlay string
	ended   bool
	read    int64 // the last entry that it has read, until it appends
}

// Entries implements [store.Store]. An attempt reads the log once, and whether somebody
// has appended since is left to its own append to find out (L8). Then it reads on.
func (s *attempt) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		if after > 0 && after == s.read {
			return
		}
		for e, err := range s.Store.Entries(ctx, id, after) {
			s.read = e.Seq
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// overlays is how the ids of a job's overlays begin.
func overlays(id string) string { return "cmp_" + request(id) + "/" }

var errNotRunning = errors.New("the job was ended by somebody else")

// Append implements [store.Store].
func (s *attempt) Append(ctx context.Context, b store.Batch) (int64, error) {
	s.read = 0
	how, ends := s.end(b)
	if !ends {
		return s.Store.Append(ctx, b)
	}
	output, err := json.Marshal(how)
	if err != nil {
		return 0, err
	}
	version, err := s.AppendIn(ctx, b, postgres.More{Statements: []postgres.Statement{{
		SQL: s.queue.sql(endSQL), Args: []any{s.job.ID, output, []byte(s.job.Args.Conversation)},
	}}})
	if postgres.Code(err) == codeNull {
		err = fmt.Errorf("%w: %w", errNotRunning, err)
	}
	// Where nothing was written, the overlays are known, and the job ended with them.
	s.ended = s.ended || err == nil
	return version, err
}

// endSQL ends a job, and records the compaction in the log of its tenant, as package
// tenant does those that somebody asks for; without an actor, and so not at all, where
// the job does not run. Output is what River calls what came of it.
const endSQL = `
WITH ended AS (
	UPDATE ~.river_job SET state = 'completed', finalized_at = now(), metadata = metadata || jsonb_build_object('output', $2::jsonb)
	WHERE id = $1 AND state = 'running' RETURNING id
)
INSERT INTO tenfold_audit (actor, action, subject, outcome) VALUES ((SELECT 'background ' FROM ended), 'compact', $3, 'done')`

// codeNull is the database's of a column that has to have a value.
const codeNull = "23502"

// end tells whether a batch holds the overlays of the job, and what comes of it.
func (s *attempt) end(b store.Batch) (how ended, ends bool) {
	how.Outcome = Compacted
	for _, e := range b.Entries {
		if c, ok := e.Payload.(tenfold.Compaction); ok && len(e.ID) > len(s.overlay) && e.ID[:len(s.overlay)] == s.overlay {
			if !ends {
				how.Before = c.TokensBefore
			}
			how.Compactions, how.After, ends = append(how.Compactions, e.ID), c.TokensAfter, true
		}
	}
	return how, ends
}

// recordUsage keeps what an attempt's calls of models cost, under when the attempt began,
// before anything comes of it: each is counted once, whatever happens next. Its number
// would not do: River gives that of an attempt that Stop ended to the next one.
func (q *Queue) recordUsage(ctx context.Context, j *river.Job[arguments], u tenfold.Usage) error {
	if u == (tenfold.Usage{}) {
		return nil
	}
	// Input and the like are numbers, and the model is the configuration's.
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	key := spentKey + strconv.FormatInt(j.AttemptedAt.UnixMicro(), 10)
	return q.db.Again(context.WithoutCancel(ctx), func(ctx context.Context) error {
		_, err := q.pool.Exec(ctx, q.sql("UPDATE ~.river_job SET metadata = jsonb_set(metadata, ARRAY[$2], $3) WHERE id = $1"), j.ID, key, data)
		return err
	})
}

const spentKey = "spent/"
