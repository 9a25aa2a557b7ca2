// Package postgres keeps logs in a PostgreSQL database: the store for many
// machines.
//
// An append is one statement, which checks the version, leaves out what is
// known and writes the rest, under the lock of its conversation's row (L8,
// L9). Writers of different conversations do not wait for each other, and the
// server has those that commit at once share one fsync.
//
// Where a connection is lost, what may be done again is: reads, and appends,
// which are idempotent by entry id. A server that restarts is a pause of some
// seconds to its users, not an error.
//
// Stores tell each other of appends by NOTIFY, after the commit and not in
// it: see watch.go. That, and prepared statements, need connections of their
// own: a pooler in between must be in session mode.
//
// A [Database] is for many tenants, each of which has a [Store]: row level
// security keeps them apart, whatever a statement says. Entries are
// partitioned by the month in which their conversation was made, so that the
// rows of old ones can go at once.
package postgres

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"tenfold/store"
	"tenfold/store/internal/engine"
)

// Store is the store of one tenant in a PostgreSQL database.
type Store struct {
	reader
	caller
	db     *Database
	tenant int
	// setting is the number as PostgreSQL takes settings.
	setting string
	salt    []byte
	keys    atomic.Pointer[keys]
	owner   bool // of the database
	errors  engine.Errors
	grouper grouper // of appends
	doing   grouper // of those that do more
}

type reader = engine.Reader[int64]

var _ store.Store = (*Store)(nil)

// Open opens the database that the URL names, as OpenDatabase does, and gives
// the store of the tenant that its parameter tenant names, or of the tenant
// default. Closing the store closes the database.
func Open(ctx context.Context, url string, opts ...Option) (*Store, error) {
	d, tenant, err := openURL(ctx, url, opts)
	if err != nil {
		return nil, err
	}
	s, err := d.Tenant(ctx, tenant)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s.owner = true
	return s, nil
}

func newStore(d *Database, tenant int, salt []byte, errs engine.Errors) *Store {
	s := &Store{
		caller: newCaller(options{timeout: d.timeout, retry: d.retry, log: d.log}), db: d,
		tenant: tenant, setting: strconv.Itoa(tenant), salt: salt, errors: errs,
	}
	s.reader = engine.NewReader(engine.Backend[int64]{
		List: s.list, Find: s.find, Chunk: s.chunk, LookUp: s.searchIndex, Errors: s.errors,
		Hub: &d.hub, Poll: pollTime, Companion: func() (leave func()) { return d.listener.Join(d.listen) },
	})
	return s
}

// TenantID is the number of the store's tenant.
func (s *Store) TenantID() int { return s.tenant }

// Database is where the store is.
func (s *Store) Database() *Database { return s.db }

// Close implements [store.Store].
func (s *Store) Close() error {
	if s.close() {
		s.db.mu.Lock()
		delete(s.db.stores, s)
		s.db.mu.Unlock()
		s.db.hub.WakeAll() // its watches end
	}
	if s.owner {
		return s.db.Close()
	}
	return nil
}

// A querier runs one statement for the store's tenant and reads its rows. The
// statement may be done when it gives no error.
type querier func(ctx context.Context, read func(pgx.Rows) error, sql string, args ...any) error

// tenantSQL sets the tenant for the rest of the transaction.
const tenantSQL = "SELECT set_config('tenfold.tenant', $1, true)"

// query is a querier whose statement is a transaction: what is sent at once, in
// one round trip, is one.
func (s *Store) query(ctx context.Context, read func(pgx.Rows) error, sql string, args ...any) error {
	var b pgx.Batch
	b.Queue(tenantSQL, s.setting)
	b.Queue(sql, args...)
	return s.send(ctx, s.db.pool, &b, read)
}

// A sender is the pool, or a transaction.
type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send runs a batch, and reads the rows of its last statement. Sent to the pool, the
// end of the batch is the commit.
func (s *Store) send(ctx context.Context, to sender, b *pgx.Batch, read func(pgx.Rows) error) error {
	results := to.SendBatch(ctx, b)
	err := func() error {
		for range b.Len() - 1 {
			if _, err := results.Exec(); err != nil {
				return err
			}
		}
		rows, _ := results.Query()
		return readAll(rows, read)
	}()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

// within is a querier in a transaction of the caller's.
func within(tx pgx.Tx) querier {
	return func(ctx context.Context, read func(pgx.Rows) error, sql string, args ...any) error {
		rows, _ := tx.Query(ctx, sql, args...)
		return readAll(rows, read)
	}
}

// readAll reads rows, whose error that of their query is too.
func readAll(rows pgx.Rows, read func(pgx.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// oneRow reads the only row into values; none is pgx.ErrNoRows, which the
// caller learns by found.
func oneRow(found *bool, values ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		*found = true
		return rows.Scan(values...)
	}
}
