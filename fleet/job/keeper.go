package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/internal/pause"
)

// keeper tells other processes that this one lives, and takes the jobs of those that
// do not. A process that works holds an advisory lock, by a connection of its own,
// for as long as it lives: PostgreSQL gives it back when the process is killed. That
// needs no clock, and takes no time that a model's answer might take too.
type keeper struct {
	queue   *Queue
	rescued func()
	end     context.CancelFunc
	done    sync.WaitGroup
}

const (
	// heartbeat is how often jobs of processes that ended are looked for.
	heartbeat = time.Second
	// patience is how long after its own beginning a process leaves the jobs of
	// others alone: when the database comes back, all of them have to.
	patience = 3 * time.Second
	// unheard is how long after a process took a job it has begun to work on it, or
	// has never heard of it.
	unheard = 10 * time.Second
)

// holdSQL holds the lock of a process. A connection whose other end is gone without a
// word, such as that of a machine without power, is given up in half a minute.
const holdSQL = `SELECT pg_try_advisory_lock(hashtextextended($1, 0)), set_config('tcp_keepalives_idle', '10', false),
	set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '4', false)`

// rescueSQL gives the jobs of processes that ended back, those at their last attempt
// as failed. What they did not end, they did not write. So it does with those that this
// process took and does not work on: the answer to its look for jobs was lost.
const rescueSQL = `
WITH alive AS (
	SELECT (classid::bigint << 32) | objid::bigint AS key FROM pg_locks
	WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), lost AS (
	SELECT id FROM ~.river_job
	WHERE state = 'running' AND attempted_at < now() - make_interval(secs => $1)
		AND (hashtextextended(attempted_by[cardinality(attempted_by)], 0) NOT IN (SELECT key FROM alive)
			OR attempted_by[cardinality(attempted_by)] = $3 AND attempted_at < now() - make_interval(secs => $5) AND id <> ALL ($4::bigint[]))
	FOR UPDATE SKIP LOCKED
)
UPDATE ~.river_job AS j SET
	state = (CASE WHEN metadata ? 'cancel_attempted_at' THEN 'cancelled' WHEN attempt >= max_attempts THEN 'discarded' ELSE 'available' END)::~.river_job_state,
	finalized_at = CASE WHEN metadata ? 'cancel_attempted_at' OR attempt >= max_attempts THEN now() END,
	scheduled_at = now(),
	errors = array_append(errors, jsonb_build_object('at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'attempt', attempt, 'error', $2::text, 'trace', ''))
FROM lost WHERE j.id = lost.id`

// errHeld is that of a process whose connection before is not gone yet. Without the lock others
// would take its jobs from it as they run.
var errHeld = errors.New("the lock of this process is held by another connection")

const lostError = "the process that ran it ended"

// keep begins; rescued is called when there are jobs to do again.
func keep(q *Queue, rescued func()) *keeper {
	ctx, end := context.WithCancel(context.Background())
	k := &keeper{queue: q, rescued: rescued, end: end}
	k.done.Go(func() {
		var said time.Time
		for ctx.Err() == nil {
			if err := k.hold(ctx); err != nil && ctx.Err() == nil && time.Since(said) > time.Minute { // not at each attempt
				said = time.Now()
				q.log.WarnContext(ctx, "the queue lost its connection", slog.String("error", kindOf(err)))
			}
			_ = pause.For(ctx, q.heartbeat/4)
		}
	})
	return k
}

func (k *keeper) stop() {
	k.end()
	k.done.Wait()
}

// hold holds the lock while the connection lasts.
func (k *keeper) hold(ctx context.Context) error {
	q := k.queue
	conn, err := pgx.ConnectConfig(ctx, q.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if err := q.pool.Config().AfterConnect(ctx, conn); err != nil {
		return err
	}
	var held bool
	if err := conn.QueryRow(ctx, holdSQL, q.name).Scan(&held, nil, nil, nil); err != nil {
		return err
	}
	if !held {
		return errHeld
	}
	rescue := q.sql(rescueSQL)
	for began := time.Now(); pause.For(ctx, q.heartbeat) == nil; {
		if time.Since(began) < q.patience {
			if err := conn.Ping(ctx); err != nil {
				return err
			}
			continue
		}
		done, err := conn.Exec(ctx, rescue, q.heartbeat.Seconds(), lostError, q.name, q.worked(), unheard.Seconds())
		if err != nil {
			return err
		}
		if n := done.RowsAffected(); n > 0 {
			q.log.WarnContext(ctx, "took over the jobs of a process that ended", slog.Int64("jobs", n))
			k.rescued()
		}
		if err := q.clock.synchronise(ctx, q.pool); err != nil {
			return err
		}
	}
	return nil
}

// work notes that this process works on a job, until done is called.
func (q *Queue) work(id int64) (done func()) {
	q.working.Store(id, nil)
	q.driver.busy.Add(1)
	return func() {
		q.working.Delete(id)
		q.driver.busy.Add(-1)
	}
}

// worked gives the jobs that this process works on.
func (q *Queue) worked() []int64 {
	ids := []int64{}
	for id := range q.working.Range {
		ids = append(ids, id.(int64)) //nolint:forcetypeassert // of work
	}
	return ids
}
