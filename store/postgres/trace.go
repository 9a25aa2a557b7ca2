package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold/internal/telemetry"
	"tenfold/store/internal/schema"
)

// tracer tells of each statement how long it took, what kind it was and how it
// failed: neither its text nor what it was given.
type tracer struct{}

var (
	_ pgx.QueryTracer = tracer{}
	_ pgx.BatchTracer = tracer{}
)

// TraceQueryStart implements [pgx.QueryTracer].
func (tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	return telemetry.BeginStatement(ctx, q.SQL)
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	telemetry.EndStatement(ctx, Code(q.Err), q.Err != nil)
}

// TraceBatchStart implements [pgx.BatchTracer]: of a batch, the last statement is what
// it is for; those before it set the tenant.
func (tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	sql := ""
	if b.Batch != nil && len(b.Batch.QueuedQueries) > 0 {
		sql = b.Batch.QueuedQueries[len(b.Batch.QueuedQueries)-1].SQL
	}
	return telemetry.BeginStatement(ctx, sql)
}

// TraceBatchQuery implements [pgx.BatchTracer].
func (tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements [pgx.BatchTracer].
func (tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchEndData) {
	telemetry.EndStatement(ctx, Code(b.Err), b.Err != nil)
}

// observe has the connections of a pool be counted until the function is called that
// it gives.
func observe(pool *pgxpool.Pool) (stop func()) {
	return telemetry.ObserveConnections(func(context.Context) []telemetry.Reading {
		s := pool.Stat()
		return []telemetry.Reading{{State: "used", Value: int64(s.AcquiredConns())}, {State: "idle", Value: int64(s.IdleConns())}}
	}, int64(pool.Config().MaxConns))
}

// WithLog has the log told when the server is away and a call is tried again: the
// code of the server's error, and nothing of what was asked.
func WithLog(log *slog.Logger) Option { return func(o *options) { o.log = log } }

// retrying tells that a call is tried again.
func (c *caller) retrying(ctx context.Context, err error) {
	telemetry.Retried(ctx, Code(err))
	if c.log != nil {
		c.log.WarnContext(ctx, "the database is away: trying again", "code", Code(err))
	}
}

// Ready reports whether the database answers, has a schema that this program knows and,
// if it is for writing, can be written. It does not wait for a server that is away.
func (d *Database) Ready(ctx context.Context, writing bool) error {
	var version, oldest int64
	var readOnly bool
	err := d.pool.QueryRow(ctx, "SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0), (SELECT oldest FROM tenfold_compat), "+
		"current_setting('transaction_read_only')::bool FROM "+versions).Scan(&version, &oldest, &readOnly)
	newest := schema.Newest(migrations)
	switch {
	case err != nil:
		return d.errors.Explain("ask", err)
	case version < newest || oldest > newest:
		return fmt.Errorf("the database has schema %d, for which a program must know %d, and this program knows %d", version, oldest, newest)
	case writing && readOnly: // as a standby is
		return errors.New(hints[codeReadOnly])
	}
	return nil
}

// Ready reports whether the store can be used: see [Database.Ready].
func (s *Store) Ready(ctx context.Context, writing bool) error {
	return s.Database().Ready(ctx, writing)
}
