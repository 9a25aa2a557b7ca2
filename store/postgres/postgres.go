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
package postgres

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/watch"
)

// Store is a store in a PostgreSQL database.
type Store struct {
	reader
	pool    *pgxpool.Pool
	timeout time.Duration
	retry   time.Duration

	// self tells this store's own notifications from those of others.
	self     string
	hub      watch.Hub[int64]
	listener watch.Companion
	told     notifier

	quit   chan struct{} // closed when Close begins
	ending sync.Once

	gate   engine.Gate
	errors engine.Errors
}

type reader = engine.Reader[int64]

var _ store.Store = (*Store)(nil)

// An Option changes how a store is opened.
type Option func(*options)

type options struct {
	timeout time.Duration
	retry   time.Duration
}

// WithTimeout says how long one statement may take; a minute by default. A
// statement_timeout in the URL goes before it on the server's side.
func WithTimeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// WithRetry says for how long a call tries again when the server is away; 15
// seconds by default. 0 has the first loss of a connection be an error.
func WithRetry(d time.Duration) Option { return func(o *options) { o.retry = d } }

const (
	defaultTimeout = time.Minute
	defaultRetry   = 15 * time.Second
	connectTimeout = 10 * time.Second
	// maxConns is how many connections a store opens at most, unless the URL
	// has a pool_max_conns. They wait for disks more than for processors, and
	// those who commit together share an fsync.
	maxConns = 16
)

// Open opens the store in the database that the URL names, such as
// postgres://user:password@host:5432/database, with the parameters of libpq
// and of pgxpool. Its tables, whose names begin with tenfold_, are made if
// they are not there; several processes may do so at once.
func Open(ctx context.Context, url string, opts ...Option) (*Store, error) {
	o := options{timeout: defaultTimeout, retry: defaultRetry}
	for _, opt := range opts {
		opt(&o)
	}
	config, err := parse(url, o)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	s, err := open(ctx, config, o)
	if err != nil {
		return nil, explained(config).Explain("open", err)
	}
	return s, nil
}

func open(ctx context.Context, config *pgxpool.Config, o options) (*Store, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &Store{
		pool:    pool,
		timeout: o.timeout,
		retry:   o.retry,
		self:    uuid.NewString(),
		told:    notifier{wake: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{})},
		quit:    make(chan struct{}),
		errors:  explained(config),
	}
	s.reader = engine.NewReader(engine.Backend[int64]{
		List: s.list, Find: s.find, Chunk: s.chunk, LookUp: s.lookUp, Errors: s.errors,
		Hub: &s.hub, Poll: pollTime, Companion: func() (leave func()) { return s.listener.Join(s.listen) },
	})
	// A server that starts is waited for; one that is not there, or does not
	// know the user, is told of at once.
	if err = s.try(ctx, starting, s.pool.Ping); err == nil {
		err = prepare(ctx, pool)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	go s.notify()
	return s, nil
}

// parse reads the URL, and sets what it leaves open.
func parse(url string, o options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, unreadable(url, err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = maxConns
	}
	c := config.ConnConfig
	if c.ConnectTimeout <= 0 || c.ConnectTimeout > connectTimeout {
		c.ConnectTimeout = connectTimeout
	}
	// Who gives up tells the server, which then does not do it later.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	millis := strconv.FormatInt(o.timeout.Milliseconds(), 10)
	for name, value := range map[string]string{
		"application_name":                    "tenfold",
		"statement_timeout":                   millis,
		"idle_in_transaction_session_timeout": millis,
	} {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// explained names the database of errors, without its password. No error of
// pgx names one, but for those of parse.
func explained(config *pgxpool.Config) engine.Errors {
	c := config.ConnConfig
	place := "postgres://" + c.User + "@" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
	return engine.Errors{Place: place, Hint: hint}
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.ending.Do(func() { close(s.quit) }) // nobody waits any more for the server to come back
	if !s.gate.Close() {
		return nil
	}
	close(s.told.end)
	<-s.told.done
	s.hub.WakeAll()
	s.listener.Close()
	s.pool.Close()
	return nil
}
