package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	driverpkg "modernc.org/sqlite"
)

// busyTimeout is how long a process waits for another one's write.
const busyTimeout = 10 * time.Second

// waitForLocks has a connection wait for locks, no longer than the context of
// a call lasts. The writer does not: it waits on behalf of many callers.
var waitForLocks = fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())

const dontWaitForLocks = "busy_timeout(0)"

// A conn is one connection, used by one goroutine at a time. It speaks to the
// driver without database/sql, which would copy every row once more (T7) and
// hand writes through a pool (T8).
type conn struct {
	c     connection
	once  bool // to a file that can only be read: it does not see what others write later
	stmts map[string]statement
	args  []driver.NamedValue
	row   []driver.Value
}

// What the driver's connections and statements are beside what database/sql asks
// of every driver.
type (
	connection interface {
		driver.Conn
		driver.ConnPrepareContext
		driver.ExecerContext
	}
	statement interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
)

// dial opens a connection to the file. It waits for locks, and has a commit on
// disk before it says so (D2).
func dial(ctx context.Context, path string, pragmas ...string) (*conn, error) {
	return dialAs(ctx, path, "", pragmas...)
}

// dialAs is dial with the query of a URI, which says how to open the file.
func dialAs(ctx context.Context, path, how string, pragmas ...string) (*conn, error) {
	connector, err := connect(path, how)
	if err != nil {
		return nil, err
	}
	dc, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	made, ok := dc.(connection)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's connection is a %T", dc), dc.Close())
	}
	c := &conn{c: made, stmts: map[string]statement{}}
	// Not in the URL: there the driver would wait for locks without ctx.
	for _, pragma := range append([]string{
		waitForLocks,
		"synchronous(FULL)",
		"fullfsync(1)", // on macOS, fsync alone leaves it in the drive's cache
		"trusted_schema(0)",
	}, pragmas...) {
		if err := c.script(ctx, "PRAGMA "+pragma); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

// connect says how to open the file at path.
func connect(path, how string) (driver.Connector, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // Windows: file:///C:/…
	}
	file := url.URL{Scheme: "file", Path: abs, RawQuery: how}
	return driverpkg.NewConnector(file.String())
}

// close frees the connection.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.c.Close())...)
}

// stmt prepares sql, once. Every sql text is a constant of this package, and
// values travel as arguments only.
func (c *conn) stmt(ctx context.Context, sql string, args []any) (statement, error) {
	s, ok := c.stmts[sql]
	if !ok {
		made, err := c.c.PrepareContext(ctx, sql)
		if err != nil {
			return nil, err
		}
		if s, ok = made.(statement); !ok {
			return nil, errors.Join(fmt.Errorf("the driver's statement is a %T", made), made.Close())
		}
		c.stmts[sql] = s
	}
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return s, nil
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(sql string, args ...any) (int64, error) {
	ctx := context.Background() // with another the driver starts a goroutine for each call
	s, err := c.stmt(ctx, sql, args)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(ctx, c.args)
	clear(c.args)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// errStop ends a query early, without an error.
var errStop = errors.New("stop")

// query runs a statement and hands each row to f. The row's slice is used
// again; the values in it are the caller's.
func (c *conn) query(ctx context.Context, f func(row []driver.Value) error, sql string, args ...any) error {
	s, err := c.stmt(ctx, sql, args)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, c.args)
	clear(c.args)
	if err != nil {
		return err
	}
	n := len(rows.Columns())
	if cap(c.row) < n {
		c.row = make([]driver.Value, n)
	}
	row := c.row[:n]
	for {
		if err = rows.Next(row); err != nil {
			break
		}
		if err = f(row); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errStop) {
		err = nil
	}
	if e := rows.Close(); err == nil {
		err = e
	}
	clear(row)
	return err
}

// number runs a query that gives one integer; ok is false for no row.
func (c *conn) number(ctx context.Context, sql string, args ...any) (n int64, ok bool, err error) {
	err = c.query(ctx, func(row []driver.Value) error {
		n, ok = row[0].(int64)
		return nil
	}, sql, args...)
	return n, ok, err
}
