package job

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"tenfold/internal/pause"
	"tenfold/internal/telemetry"
	"tenfold/store"
	"tenfold/store/postgres"
)

// Queue is the queue of all tenants of a database.
type Queue struct {
	db      *postgres.Database
	pool    *pgxpool.Pool // as the operator
	schema  string
	name    string // of this process, in the rows of the jobs that it runs
	clock   clock
	driver  *driver
	client  *river.Client[pgx.Tx]
	log     *slog.Logger
	warned  atomic.Int64  // when the log was told of a limit, in seconds
	news    chan struct{} // has room for one
	telling sync.WaitGroup
	silence context.CancelFunc

	mu      sync.Mutex
	tenants map[int]*tenant

	crew      *crew    // while jobs are worked
	working   sync.Map // ids of those that are
	unobserve func()

	heartbeat, patience time.Duration // of the keeper
	mostShortened       int
	asItIs              bool
}

// tenant is what is known of one.
type tenant struct {
	ids   cipher.Block
	store *postgres.Store // of the workers; nil until there is a job
}

// An Option changes how a queue is opened.
type Option func(*Queue)

// WithLog has trouble of the queue logged; nil is silent, as is the default. No line
// holds anything of what was said: what River would log, errors as they come, is not.
func WithLog(l *slog.Logger) Option {
	return func(q *Queue) {
		if l != nil {
			q.log = l
		}
	}
}

// WithoutUpgrade leaves a database as it is whose tables of jobs are older, or that has
// none: that is a [store.ErrOlder], the latter [ErrNone].
func WithoutUpgrade() Option { return func(q *Queue) { q.asItIs = true } }

// poolConns is how many connections the queue has for itself: to fetch, to end jobs
// in batches, to lead, and to listen.
const poolConns = 5

// Open opens the queue of a database. Its tables are made if they are not there;
// several processes may do so at once.
func Open(ctx context.Context, db *postgres.Database, options ...Option) (*Queue, error) {
	q := &Queue{db: db, log: slog.New(slog.DiscardHandler), tenants: map[int]*tenant{}, news: make(chan struct{}, 1), silence: func() {}, heartbeat: heartbeat, patience: patience, mostShortened: mostShortened}
	for _, o := range options {
		o(q)
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // which never fails
	q.name = "tenfold-" + hex.EncodeToString(id[:])
	if err := q.open(ctx); err != nil {
		q.Close()
		return nil, fmt.Errorf("open the queue of jobs: %w", err)
	}
	return q, nil
}

func (q *Queue) open(ctx context.Context) error {
	var err error
	if q.schema, err = prepare(ctx, q.db.Pool(), q.asItIs); err != nil {
		return err
	}
	config := q.db.Pool().Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = poolConns, 0, 0
	// River has its listener stop waiting by ending a context, which is to take no time.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
	}
	connected := config.AfterConnect
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if connected != nil {
			if err := connected(ctx, conn); err != nil {
				return err
			}
		}
		// The operator. Statements here are few and are planned once; a plan made
		// while the table was small must not read all of it later, nor sort all that
		// wait to take the first.
		_, err := conn.Exec(ctx, "SELECT set_config('tenfold.tenant', '0', false), set_config('plan_cache_mode', 'force_generic_plan', false), "+
			"set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false)")
		return err
	}
	if q.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	if err := q.clock.synchronise(ctx, q.pool); err != nil {
		return err
	}
	q.unobserve = telemetry.ObserveJobs(q.depth)
	telling, silence := context.WithCancel(context.WithoutCancel(ctx))
	q.silence = silence
	q.telling.Go(func() { q.notify(telling) })
	q.driver = &driver{
		Driver: riverpgxv5.New(q.pool), pool: q.pool, fetch: strings.ReplaceAll(fetchSQL, "~", pgx.Identifier{q.schema}.Sanitize()), full: q.call,
	}
	q.client, err = river.NewClient(q.driver, q.config())
	return err
}

// The times of the queue.
const (
	// cooldown is how long a process waits between two looks for jobs at least: what
	// becomes due meanwhile is taken together.
	cooldown = 5 * time.Millisecond
	// poll is how often it looks where nobody told it to.
	poll = 500 * time.Millisecond
	// longest is how long an attempt may take. It is longer than a controller allows.
	longest = 12 * time.Minute
	// stuck is when River takes a job away from a worker, by the clock of a process,
	// which may be wrong: far above what an attempt may take. Jobs of workers that ended
	// are taken away at once (keeper).
	stuck = 24 * time.Hour
	// kept is how long jobs stay that ended: as long as what they found is not looked
	// at again, and as they are listed.
	kept = 24 * time.Hour
	// goodbye is how long attempts may take once the program is to end.
	goodbye = 2 * time.Second
)

const queueName = "compact"

func (q *Queue) config() *river.Config {
	return &river.Config{
		ID: q.name, Schema: q.schema, Logger: slog.New(slog.DiscardHandler), Test: river.TestConfig{Time: &q.clock}, MaxAttempts: maxAttempts,
		FetchCooldown: cooldown, FetchPollInterval: poll, JobTimeout: longest, RescueStuckJobsAfter: stuck, RetryPolicy: &retry{&q.clock},
		CompletedJobRetentionPeriod: kept, CancelledJobRetentionPeriod: kept, DiscardedJobRetentionPeriod: 7 * kept,
		SoftStopTimeout: goodbye, SkipUnknownJobCheck: true,
		// Our role does not own the indexes, and autovacuum does well by them.
		ReindexerSchedule: never{},
	}
}

type never struct{}

// Next implements [river.PeriodicSchedule].
func (never) Next(now time.Time) time.Time { return now.AddDate(100, 0, 0) }

type retry struct{ clock *clock }

// NextRetry implements [river.ClientRetryPolicy].
func (r *retry) NextRetry(j *rivertype.JobRow) time.Time {
	return r.clock.Now().Add(pauseAfter(j.Attempt))
}

// announce has this process look for jobs, or all where it has no hand free, after a
// transaction that added some. One that told of them itself would hold a lock of the
// whole database until its commit is on disk, and all others that do would wait for that.
func (q *Queue) announce() {
	if !q.driver.toOwn() {
		q.call()
	}
}

// What River's workers are told of new jobs, and where.
const (
	insertTopic = "river_insert"
	newJobs     = `{"queue": "` + queueName + `"}`
)

// call has all processes look for jobs.
func (q *Queue) call() {
	select {
	case q.news <- struct{}{}:
	default:
	}
}

// notify tells of jobs, no more often than processes look.
func (q *Queue) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.news:
		}
		_, _ = q.pool.Exec(ctx, "SELECT pg_notify($1, $2)", q.schema+"."+insertTopic, newJobs) // else they look by themselves
		_ = pause.For(ctx, cooldown)
	}
}

// Close stops the work and frees what the queue holds. The database stays open.
func (q *Queue) Close() {
	q.Stop()
	q.silence()
	q.telling.Wait()
	if q.unobserve != nil {
		q.unobserve()
	}
	if q.pool != nil {
		q.pool.Close()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tenants {
		if t.store != nil {
			_ = t.store.Close()
		}
	}
	q.tenants = map[int]*tenant{}
}

// arguments are those of a job in River.
type arguments struct {
	Tenant       int    `json:"tenant" river:"unique"`
	Conversation string `json:"conversation" river:"unique"`
	Prefix       string `json:"prefix" river:"unique"`
	Policy       string `json:"policy" river:"unique"`
	Step         int    `json:"step" river:"unique"`
	Version      int64  `json:"version"`
	Tokens       int    `json:"tokens"`
	Limit        int    `json:"limit"`
}

// Kind implements [river.JobArgs].
func (arguments) Kind() string { return Kind }

// insertion says that a job is there once, whatever came of it: what a person
// cancelled or what failed for good does not begin again with the next entry.
func insertion(ctx context.Context) *river.InsertOpts {
	o := &river.InsertOpts{Queue: queueName, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()}}
	if trace := telemetry.Carry(ctx); trace != "" {
		o.Metadata = []byte(`{"` + traceKey + `": "` + trace + `"}`) // hexadecimal digits and dashes
	}
	return o
}

// traceKey is where a job notes the trace of the append that made it due.
const traceKey = "traceparent"

// traceOf is that trace; empty if there was none.
func traceOf(metadata []byte) string {
	var m map[string]json.RawMessage
	var trace string
	if json.Unmarshal(metadata, &m) != nil || json.Unmarshal(m[traceKey], &trace) != nil {
		return ""
	}
	return trace
}

// Store wraps a tenant's store so that its appends enqueue what they make due.
func (q *Queue) Store(st *postgres.Store) *Store { return &Store{st, q} }

// Store is a tenant's store whose appends enqueue what they make due. All else is
// the store's that it wraps.
type Store struct {
	*postgres.Store
	queue *Queue
}

var _ store.Store = (*Store)(nil)

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, b store.Batch) (int64, error) {
	return s.AppendIn(ctx, b, postgres.More{})
}

// errNotEnqueued says that an append failed because of the queue.
var errNotEnqueued = errors.New("enqueue a job")

// AppendIn is that of [postgres.Store]. A message is not lost for the queue's sake:
// where the job cannot be enqueued, the entries are appended without it, and a later
// append makes it due again.
func (s *Store) AppendIn(ctx context.Context, b store.Batch, more postgres.More) (int64, error) {
	if b.Due == nil {
		return s.Store.AppendIn(ctx, b, more)
	}
	with := more
	with.Queue, with.Due = s.queue, newDue(ctx, s.TenantID(), b)
	version, err := s.Store.AppendIn(ctx, b, with)
	if err == nil {
		s.queue.announce()
	}
	if errors.Is(err, errNotEnqueued) && ctx.Err() == nil {
		s.queue.log.WarnContext(ctx, "a compaction that is due was not enqueued", slog.String("error", kindOf(err)))
		return s.Store.AppendIn(ctx, b, more)
	}
	return version, err
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string, expected int64) error {
	return s.DeleteIn(ctx, id, expected, nil)
}

// DeleteIn is that of [postgres.Store], and deletes the jobs of the conversation too.
func (s *Store) DeleteIn(ctx context.Context, id string, expected int64, also func(ctx context.Context, tx pgx.Tx) error) error {
	return s.Store.DeleteIn(ctx, id, expected, func(ctx context.Context, tx pgx.Tx) error {
		_, err := s.queue.Erase(ctx, tx, s.TenantID(), id)
		if err == nil && also != nil {
			err = also(ctx, tx)
		}
		return err
	})
}

// openSQL tells which conversations have no job yet that will do the same, the time, and
// how many more jobs the tenant may have. Conversations are looked up one by one, as a
// scalar subquery: a join would read all jobs of the tenant that have not ended.
const openSQL = `
SELECT now(),
	(SELECT CASE WHEN max_jobs IS NOT NULL THEN max_jobs - (SELECT count(*) FROM ~.river_job WHERE finalized_at IS NULL AND (args->>'tenant')::integer = $1) END
		FROM tenfold_tenants WHERE id = $1),
	ARRAY(SELECT nth FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (conversation, prefix, policy, nth)
		WHERE (
			SELECT id FROM ~.river_job
			WHERE finalized_at IS NULL AND (args->>'tenant')::integer = $1 AND args->>'conversation' = w.conversation AND args->>'prefix' = w.prefix AND args->>'policy' = w.policy
			LIMIT 1
		) IS NULL ORDER BY nth)`

// newDue is the job that a batch makes due.
func newDue(ctx context.Context, tenant int, b store.Batch) river.InsertManyParams {
	version := b.Expected + int64(len(b.Entries))
	if b.Expected == store.AnyVersion {
		version = 0
	}
	w := b.Due
	return river.InsertManyParams{InsertOpts: insertion(ctx), Args: arguments{
		Tenant: tenant, Conversation: b.Conversation, Prefix: w.Prefix, Policy: w.Policy, Step: w.Step,
		Version: version, Tokens: w.Tokens, Limit: w.Limit,
	}}
}

// Enqueue implements [postgres.Queue]. It adds jobs in the transaction of their entries:
// the locks of the conversations' rows have one append to each at a time do so.
func (q *Queue) Enqueue(ctx context.Context, tx pgx.Tx, tenant int, due []any) error {
	if err := q.enqueue(ctx, tx, tenant, due); err != nil {
		return fmt.Errorf("%w: %w", errNotEnqueued, err)
	}
	return nil
}

func (q *Queue) enqueue(ctx context.Context, tx pgx.Tx, tenant int, due []any) error {
	jobs := make([]river.InsertManyParams, len(due))
	names, prefixes, policies := make([]string, len(due)), make([]string, len(due)), make([]string, len(due))
	for i, d := range due {
		jobs[i], _ = d.(river.InsertManyParams)
		a, _ := jobs[i].Args.(arguments)
		names[i], prefixes[i], policies[i] = a.Conversation, a.Prefix, a.Policy
	}
	var now time.Time
	var room *int64
	var fresh []int64
	if err := tx.QueryRow(ctx, q.sql(openSQL), tenant, names, prefixes, policies).Scan(&now, &room, &fresh); err != nil {
		return err
	}
	if room != nil && *room < int64(len(fresh)) { // later appends make the rest due again
		if last := q.warned.Load(); now.Unix()-last >= 60 && q.warned.CompareAndSwap(last, now.Unix()) { // not for every append
			q.log.WarnContext(ctx, "a compaction that is due was not enqueued: the limit of jobs that wait is reached", slog.Int("tenant", tenant))
		}
		fresh = fresh[:max(*room, 0)]
	}
	if len(fresh) == 0 {
		return nil
	}
	wanted := make([]river.InsertManyParams, len(fresh))
	for i, nth := range fresh {
		wanted[i] = jobs[nth-1]
	}
	_, err := q.client.InsertManyTx(context.WithValue(ctx, dueKey{}, now), tx, wanted)
	return err
}

// sql puts the schema into a statement.
func (q *Queue) sql(text string) string {
	return strings.ReplaceAll(text, "~", pgx.Identifier{q.schema}.Sanitize())
}

// of gives what is known of a tenant.
func (q *Queue) of(ctx context.Context, id int) (*tenant, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t := q.tenants[id]; t != nil {
		return t, nil
	}
	var salt []byte
	err := q.db.Again(ctx, func(ctx context.Context) error {
		return q.pool.QueryRow(ctx, "SELECT salt FROM tenfold_tenants WHERE id = $1", id).Scan(&salt)
	})
	if err != nil {
		return nil, fmt.Errorf("look up tenant %d: %w", id, err)
	}
	key := sha256.Sum256(append([]byte("tenfold ids of jobs\x00"), salt...))
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		return nil, err
	}
	t := &tenant{ids: block}
	q.tenants[id] = t
	return t, nil
}

// opened gives the store of a tenant, for the workers.
func (q *Queue) opened(ctx context.Context, id int) (*tenant, *postgres.Store, error) {
	t, err := q.of(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.store == nil {
		st, err := q.db.TenantNumbered(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		t.store = st
	}
	return t, t.store, nil
}

var idCode = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// publicID is the id that a tenant sees in the place of River's, which counts the jobs
// of all tenants.
func (t *tenant) publicID(id int64) string {
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint64(b[8:], uint64(id)) //nolint:gosec // an id is positive
	t.ids.Encrypt(b[:], b[:])
	return idCode.EncodeToString(b[:])
}

// riverID is River's id of one that a tenant was shown.
func (t *tenant) riverID(shown string) (int64, bool) {
	b, err := idCode.DecodeString(strings.ToLower(shown))
	if err != nil || len(b) != aes.BlockSize {
		return 0, false
	}
	t.ids.Decrypt(b, b)
	id := binary.BigEndian.Uint64(b[8:])
	return int64(id), binary.BigEndian.Uint64(b[:8]) == 0 && id>>63 == 0 //nolint:gosec // checked
}
