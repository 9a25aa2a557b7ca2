package job

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// driver is River's, which takes jobs fairly (fetchSQL).
type driver struct {
	*riverpgxv5.Driver
	pool  *pgxpool.Pool
	fetch string
	// more tells that there were jobs that a tenant's limit kept from being taken.
	more atomic.Bool
	// hands is how many jobs this process works on at once, busy how many it does.
	hands, busy atomic.Int64
	ear         ear
	// lost are the jobs, by id, of which an attempt of this process ended behind another one,
	// until River has asked to end them for it.
	lost sync.Map
	// full is called when as many jobs were taken as were asked for.
	full func()
}

func (d *driver) GetExecutor() riverdriver.Executor { return &executor{d.Driver.GetExecutor(), d} }

func (d *driver) UnwrapExecutor(tx pgx.Tx) riverdriver.ExecutorTx {
	return &inserter{d.Driver.UnwrapExecutor(tx)}
}

// An inserter has a job due when the database says, by the context's dueKey. River's
// driver goes by the clock of the process: where that is an hour ahead, nobody would take
// the job for an hour.
type inserter struct{ riverdriver.ExecutorTx }

type dueKey struct{}

// NotifyMany implements riverdriver.ExecutorTx. Of new jobs the queue tells itself, after
// the commit: see announce.
func (i *inserter) NotifyMany(ctx context.Context, p *riverdriver.NotifyManyParams) error {
	if p.Topic == insertTopic {
		return nil
	}
	return i.ExecutorTx.NotifyMany(ctx, p)
}

// JobInsertFastMany implements riverdriver.Executor.
func (i *inserter) JobInsertFastMany(ctx context.Context, p *riverdriver.JobInsertFastManyParams) ([]*riverdriver.JobInsertFastResult, error) {
	if now, ok := ctx.Value(dueKey{}).(time.Time); ok {
		for _, j := range p.Jobs {
			j.CreatedAt, j.ScheduledAt = &now, &now
		}
	}
	return i.ExecutorTx.JobInsertFastMany(ctx, p)
}

type executor struct {
	riverdriver.Executor
	driver *driver
}

// JobSetStateIfRunningMany implements riverdriver.Executor. River's ends jobs whichever attempt
// of them runs.
func (e *executor) JobSetStateIfRunningMany(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	own, lost := *p, []int64(nil)
	own.ID, own.Attempt, own.ErrData, own.FinalizedAt, own.MetadataDoMerge, own.MetadataUpdates, own.ScheduledAt, own.State = nil, nil, nil, nil, nil, nil, nil, nil
	for i, id := range p.ID {
		if _, is := e.driver.lost.Load(id); is {
			lost = append(lost, id)
			continue
		}
		own.ID, own.Attempt, own.ErrData, own.FinalizedAt = append(own.ID, id), append(own.Attempt, p.Attempt[i]), append(own.ErrData, p.ErrData[i]), append(own.FinalizedAt, p.FinalizedAt[i])
		own.MetadataDoMerge, own.MetadataUpdates = append(own.MetadataDoMerge, p.MetadataDoMerge[i]), append(own.MetadataUpdates, p.MetadataUpdates[i])
		own.ScheduledAt, own.State = append(own.ScheduledAt, p.ScheduledAt[i]), append(own.State, p.State[i])
	}
	var rows []*rivertype.JobRow
	if len(own.ID) > 0 {
		var err error
		if rows, err = e.Executor.JobSetStateIfRunningMany(ctx, &own); err != nil {
			return nil, err // it is asked again
		}
	}
	for _, id := range lost { // a later attempt may be this process's own
		e.driver.lost.Delete(id)
	}
	return rows, nil
}

// usualJobsAtOnce is how many jobs of a tenant run at once that has no limit of its
// own.
const usualJobsAtOnce = 4

// fetchLockSQL has one process at a time take jobs, so that what it counts is so.
// The transaction of a look is short: both statements go in one message, and nobody
// waits for the disk, since a job whose taking a crash undoes is taken again, and ends
// only while it is taken.
const fetchLockSQL = "SELECT pg_advisory_xact_lock(x'74656e666f6c6466'::bigint), set_config('synchronous_commit', 'off', true)"

// fetchSQL takes jobs, and tells whether there are more than limits allow. Of each
// tenant that has any it takes no more than it may have running at once, in all
// processes; of each conversation one. Tenants take turns, beginning with those that
// have the fewest running, so that who has ten thousand waiting does not keep others
// waiting.
//
// It costs as much as there are tenants with jobs that wait, however many jobs. Whether
// one of a conversation runs is looked up for each, as a scalar subquery: a join would
// read all that run, and what the index has of those that did lately. Those that were
// picked are locked by their ids: as a text, their state does not have the planner take
// the index of all that wait.
const fetchSQL = `
WITH RECURSIVE waiting (tenant) AS (
	(SELECT (args->>'tenant')::integer FROM ~.river_job WHERE (state = 'available') IS TRUE ORDER BY (args->>'tenant')::integer LIMIT 1)
	UNION ALL
	SELECT (
		SELECT (j.args->>'tenant')::integer FROM ~.river_job AS j
		WHERE (j.state = 'available') IS TRUE AND (j.args->>'tenant')::integer > w.tenant ORDER BY (j.args->>'tenant')::integer LIMIT 1
	) FROM waiting AS w WHERE w.tenant IS NOT NULL
), room AS (
	SELECT w.tenant, r.running, coalesce(t.jobs_at_once, $3::integer) - r.running AS free
	FROM waiting AS w LEFT JOIN tenfold_tenants AS t ON t.id = w.tenant,
	LATERAL (SELECT count(*)::integer AS running FROM ~.river_job AS j WHERE (j.state = 'running') IS TRUE AND (j.args->>'tenant')::integer = w.tenant) AS r
	WHERE w.tenant IS NOT NULL
), candidate AS (
	SELECT c.id, room.running, room.free,
		row_number() OVER (PARTITION BY room.tenant ORDER BY c.same, c.priority, c.scheduled_at, c.id) AS nth, c.same
	FROM room, LATERAL (
		SELECT j.id, j.priority, j.scheduled_at, row_number() OVER (PARTITION BY j.conversation ORDER BY j.priority, j.scheduled_at, j.id) AS same
		FROM (
			SELECT a.id, a.priority, a.scheduled_at, a.args->>'conversation' AS conversation FROM ~.river_job AS a
			WHERE (a.state = 'available') IS TRUE AND (a.args->>'tenant')::integer = room.tenant AND a.scheduled_at <= now() AND a.queue = $2
				AND (
					SELECT b.id FROM ~.river_job AS b
					WHERE (b.state = 'running') IS TRUE AND (b.args->>'tenant')::integer = room.tenant AND b.args->>'conversation' = a.args->>'conversation' LIMIT 1
				) IS NULL
			ORDER BY a.priority, a.scheduled_at, a.id
			LIMIT greatest(least(room.free, $1::integer), 0) + 1
		) AS j
	) AS c
), picked AS (
	SELECT id FROM candidate WHERE nth <= free AND same = 1 ORDER BY running + nth, random() LIMIT $1::integer
), locked AS (
	SELECT j.id FROM ~.river_job AS j WHERE j.id = ANY (ARRAY(SELECT id FROM picked)) AND j.state::text = 'available' FOR UPDATE SKIP LOCKED
), taken AS (
	UPDATE ~.river_job AS j SET state = 'running', attempt = j.attempt + 1, attempted_at = now(),
		attempted_by = array_append(j.attempted_by[greatest(cardinality(j.attempted_by) - $5::integer + 2, 1):], $4::text)
	FROM locked WHERE j.id = locked.id
	RETURNING j.id, j.args, j.attempt, j.attempted_at, j.attempted_by, j.created_at, j.kind, j.max_attempts, j.metadata, j.priority, j.queue, j.scheduled_at, j.state::text, j.tags
)
SELECT more, taken.* FROM (SELECT coalesce(bool_or(nth > free OR same > 1), false) AS more FROM candidate) AS left_over LEFT JOIN taken ON true`

// JobGetAvailable implements riverdriver.Executor.
func (e *executor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	if p.Queue != queueName {
		return e.Executor.JobGetAvailable(ctx, p)
	}
	out := &riverdriver.JobGetAvailableResult{}
	var more bool
	var b pgx.Batch
	b.Queue(fetchLockSQL)
	b.Queue(e.driver.fetch, p.MaxToLock, p.Queue, usualJobsAtOnce, p.ClientID, p.MaxAttemptedBy).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			j := &rivertype.JobRow{} // without how attempts before failed, which no worker reads
			into := []any{
				&j.ID, &j.EncodedArgs, &j.Attempt, &j.AttemptedAt, &j.AttemptedBy, &j.CreatedAt, &j.Kind, &j.MaxAttempts, &j.Metadata,
				&j.Priority, &j.Queue, &j.ScheduledAt, &j.State, &j.Tags,
			}
			if rows.RawValues()[1] == nil { // none was taken
				clear(into)
			} else {
				out.Jobs = append(out.Jobs, j)
			}
			if err := rows.Scan(append([]any{&more}, into...)...); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err := e.driver.pool.SendBatch(ctx, &b).Close(); err != nil {
		return nil, err
	}
	e.driver.more.Store(more)
	if len(out.Jobs) == p.MaxToLock { // there may be more than this process has hands
		e.driver.full()
	}
	return out, nil
}
