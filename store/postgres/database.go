package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	neturl "net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/schema"
	"tenfold/store/internal/watch"
	"tenfold/store/vault"
)

// A Database holds the stores of many tenants, and what they share: the
// connections, and the word of appends from and to other processes.
//
// Every row belongs to a tenant. A transaction sets the tenant it is for, and
// row level security has its statements see and write that one's rows alone;
// one without a tenant fails.
type Database struct {
	caller
	pool *pgxpool.Pool
	conn *pgx.ConnConfig // of connections that are not the pool's

	unobserve func()

	// self tells this process's own notifications from those of others.
	self     string
	hub      watch.Hub[int64]
	listener watch.Companion
	told     notifier
	tidier   tidier

	mu     sync.Mutex
	stores map[*Store]struct{} // open ones
	errors engine.Errors
	vault  *vault.Vault // nil without a master key
}

// An Option changes how a database is opened.
type Option func(*options)

type options struct {
	timeout time.Duration
	retry   time.Duration
	vault   *vault.Vault
	log     *slog.Logger
	asItIs  bool
}

// WithTimeout says how long one statement may take; a minute by default. A
// statement_timeout in the URL goes before it on the server's side.
func WithTimeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// WithRetry says for how long a call tries again when the server is away; 15
// seconds by default. 0 has the first loss of a connection be an error.
func WithRetry(d time.Duration) Option { return func(o *options) { o.retry = d } }

// WithoutUpgrade leaves a database as it is whose schema is older, or that has no
// tables: that is a [store.ErrOlder].
func WithoutUpgrade() Option { return func(o *options) { o.asItIs = true } }

const (
	defaultTimeout = time.Minute
	defaultRetry   = 15 * time.Second
	connectTimeout = 10 * time.Second
	// maxConns is how many connections a database has at most, unless the URL
	// has a pool_max_conns. They wait for disks more than for processors, and
	// those who commit together share an fsync.
	maxConns = 16
	// defaultTenant is the tenant of URLs that name none.
	defaultTenant = "default"
)

// OpenDatabase opens the database that the URL names, such as
// postgres://user:password@host:5432/database, with the parameters of libpq
// and of pgxpool. Its tables, whose names begin with tenfold_, are made or
// brought to this program's schema; several processes may do so at once. A
// database of a newer schema is used as it is where that allows it.
//
// A user who is above row level security, such as a superuser, works as the
// role tenfold_app, which is not.
func OpenDatabase(ctx context.Context, url string, opts ...Option) (*Database, error) {
	d, _, err := openURL(ctx, url, opts)
	return d, err
}

// openURL gives the name of the tenant in the URL as well.
func openURL(ctx context.Context, url string, opts []Option) (*Database, string, error) {
	o := options{timeout: defaultTimeout, retry: defaultRetry}
	for _, opt := range opts {
		opt(&o)
	}
	url, tenant := cutTenant(url)
	config, err := parse(url, o)
	if err != nil {
		return nil, "", fmt.Errorf("open: %w", err)
	}
	d := &Database{
		caller: newCaller(o),
		conn:   config.ConnConfig.Copy(),
		self:   uuid.NewString(),
		told:   notifier{wake: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{})},
		tidier: tidier{months: map[int64]struct{}{}, wake: make(chan struct{}, 1), done: make(chan struct{})},
		stores: map[*Store]struct{}{},
		errors: errorsOf(config),
		vault:  o.vault,
	}
	if err := d.open(ctx, config, o.asItIs); err != nil {
		return nil, "", d.errors.Explain("open", err)
	}
	return d, tenant, nil
}

func (d *Database) open(ctx context.Context, config *pgxpool.Config, asItIs bool) error {
	// A server that starts is waited for; one that is not there, or does not
	// know the user, is told of at once.
	err := d.admin(ctx, starting, func(conn *pgx.Conn) error { return nil })
	if err != nil {
		return err
	}
	if err := prepare(ctx, config.ConnConfig, asItIs); err != nil {
		return err
	}
	config.AfterConnect = dropBypass
	if d.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	var held bool
	err = d.try(ctx, lost, func(ctx context.Context) error { return d.pool.QueryRow(ctx, monthsSQL).Scan(&held) })
	if err == nil && !held {
		err = errAbove
	}
	if err != nil {
		d.pool.Close()
		return err
	}
	d.unobserve = observe(d.pool)
	go d.notify()
	tidying, end := context.WithCancel(context.Background())
	d.tidier.end = end
	go d.tidy(tidying)
	return nil
}

// dropBypass has a connection that is above row level security go below it.
func dropBypass(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SELECT set_config('role', 'tenfold_app', false) FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)")
	if c := Code(err); c == codeNoRole || c == codeForbidden {
		err = fmt.Errorf("%w: %w", errNotBelow, err)
	}
	return err
}

var errNotBelow = errors.New("the user is above row level security and cannot become tenfold_app")

var errAbove = errors.New("the role tenfold_app is above row level security")

// monthsSQL makes the partitions of this month and of the next, and gives
// whether row level security holds for this user.
const monthsSQL = `
SELECT row_security_active('tenfold_entries') FROM (
	SELECT count(tenfold_add_month(tenfold_month() + n)) FROM generate_series(0, 2) AS n
) AS months`

// cutTenant takes the parameter tenant out of a URL.
func cutTenant(url string) (rest, tenant string) {
	u, err := neturl.Parse(url)
	if err != nil {
		return url, defaultTenant
	}
	query := u.Query()
	if !query.Has("tenant") {
		return url, defaultTenant
	}
	tenant = query.Get("tenant")
	query.Del("tenant")
	u.RawQuery = query.Encode()
	return u.String(), tenant
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
	c.Tracer = tracer{}
	if c.ConnectTimeout <= 0 || c.ConnectTimeout > connectTimeout {
		c.ConnectTimeout = connectTimeout
	}
	// Who gives up tells the server, which then does not do it later.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	// A migration that this program would not survive finds it by its name.
	c.RuntimeParams["application_name"] = programName(c.RuntimeParams["application_name"])
	millis := strconv.FormatInt(o.timeout.Milliseconds(), 10)
	for name, value := range map[string]string{
		"statement_timeout":                   millis,
		"idle_in_transaction_session_timeout": millis,
		"jit":                                 "off", // it takes longer than any statement of ours
		// Statements go by an index. A plan that was made while a table was small is
		// kept, and must not read all of it when it has grown.
		"enable_seqscan": "off",
		// Those plans are the same whatever is asked for, and planning takes longer than
		// most statements: for some, PostgreSQL would do it each time. A search says
		// otherwise (seekSQL).
		"plan_cache_mode": "force_generic_plan",
	} {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// programName is tenfold/SCHEMA, after the name that the URL gives. PostgreSQL
// keeps 63 bytes of it.
func programName(given string) string {
	own := "tenfold/" + strconv.FormatInt(schema.Newest(migrations), 10)
	if given == "" {
		return own
	}
	return given[:min(len(given), 62-len(own))] + " " + own
}

// errorsOf names the database of errors, without its password. No error of
// pgx names one, but for those of parse.
func errorsOf(config *pgxpool.Config) engine.Errors {
	c := config.ConnConfig
	place := "postgres://" + c.User + "@" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
	return engine.Errors{Place: place, Hint: hint}
}

// Pool gives the connections. They have no tenant: a statement on the tables
// of tenants fails unless its transaction sets one, as that of As does.
func (d *Database) Pool() *pgxpool.Pool { return d.pool }

// Operator is not a tenant: a transaction of the operator sees and writes
// tenfold_tenants, and no tenant's rows.
const Operator = 0

// As runs f in a transaction of a tenant, and commits it where f gives no
// error. It does so again where nothing was done: where the server says so, and where the
// connection was lost before the commit.
func (d *Database) As(ctx context.Context, tenant int, f func(ctx context.Context, tx pgx.Tx) error) error {
	return d.AsOn(ctx, d.pool, tenant, f)
}

// AsOn is As on the connections of a pool of the caller's to the same database.
func (d *Database) AsOn(ctx context.Context, pool *pgxpool.Pool, tenant int, f func(ctx context.Context, tx pgx.Tx) error) error {
	return d.try(ctx, undone, func(ctx context.Context) error { return beginOn(ctx, pool, tenant, f) })
}

// Again runs what does no more when it is done twice, such as a read, again while the
// database is away.
func (d *Database) Again(ctx context.Context, f func(ctx context.Context) error) error {
	return d.try(ctx, lost, f)
}

func (d *Database) begin(ctx context.Context, tenant int, f func(ctx context.Context, tx pgx.Tx) error) error {
	return beginOn(ctx, d.pool, tenant, f)
}

func beginOn(ctx context.Context, pool *pgxpool.Pool, tenant int, f func(ctx context.Context, tx pgx.Tx) error) error {
	begin := pgx.TxOptions{BeginQuery: "BEGIN; SELECT set_config('tenfold.tenant', '" + strconv.Itoa(tenant) + "', true)"}
	committing := false
	err := pgx.BeginTxFunc(ctx, pool, begin, func(tx pgx.Tx) error {
		err := f(ctx, tx)
		committing = err == nil
		return err
	})
	if err != nil && !committing {
		return uncommitted{err}
	}
	return err
}

// admin runs f on a connection of the URL's user, who made the tables: for what
// changes or drops them; again after troubles up to worst. No policy holds it where that user is above them.
func (d *Database) admin(ctx context.Context, worst trouble, f func(conn *pgx.Conn) error) error {
	return d.try(ctx, worst, func(ctx context.Context) (err error) {
		conn, err := pgx.ConnectConfig(ctx, d.conn)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
		return f(conn)
	})
}

// ErrNoTenant says that a database has no such tenant.
var ErrNoTenant = errors.New("no such tenant")

// Tenant opens the store of a tenant; a name that is not there is
// [ErrNoTenant]. Closing the store frees what is its own, and closing the
// database closes it.
func (d *Database) Tenant(ctx context.Context, name string) (*Store, error) {
	return d.tenant(ctx, d.errors, strconv.Quote(name), "name = $1", name)
}

// TenantNumbered is Tenant by the number. The tenant may be shown the errors of its store:
// they do not say where the database is.
func (d *Database) TenantNumbered(ctx context.Context, id int) (*Store, error) {
	errs := engine.Errors{Place: "of tenant " + strconv.Itoa(id), Hint: hint}
	return d.tenant(ctx, errs, strconv.Itoa(id), "id = $1", id)
}

func (d *Database) tenant(ctx context.Context, errs engine.Errors, shown, where string, value any) (*Store, error) {
	var id int
	var salt []byte
	err := d.try(ctx, lost, func(ctx context.Context) error {
		return d.begin(ctx, Operator, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT id, salt FROM tenfold_tenants WHERE "+where, value).Scan(&id, &salt)
		})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, &problem.Error{
			Op: "open", Subject: "tenant " + shown, Code: "not_found", Err: ErrNoTenant,
			Hint: "list the tenants with tenfold tenant ls, or create this one with tenfold tenant create",
		}
	}
	if err != nil {
		return nil, errs.Explain("open tenant "+shown, err)
	}
	s := newStore(d, id, salt, errs)
	err = d.try(ctx, lost, func(ctx context.Context) error {
		k, err := s.loadKeys(ctx)
		s.keys.Store(k)
		return err
	})
	if err != nil {
		return nil, errs.Explain("open tenant "+shown, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stores == nil {
		return nil, errs.Explain("open tenant "+shown, store.ErrClosed)
	}
	d.stores[s] = struct{}{}
	return s, nil
}

// Close closes the stores of all tenants, and the connections.
func (d *Database) Close() error {
	d.mu.Lock()
	stores := d.stores
	d.stores = nil
	d.mu.Unlock()
	for s := range stores {
		s.close()
	}
	if !d.close() {
		return nil
	}
	close(d.told.end)
	d.tidier.end()
	<-d.told.done
	<-d.tidier.done
	d.hub.WakeAll()
	d.listener.Close()
	d.unobserve()
	d.pool.Close()
	return nil
}
