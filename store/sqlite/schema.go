package sqlite

import (
	"context"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks a SQLite file as a store: "tnfd".
const applicationID = 0x746e6664

//go:embed schema/*.sql
var migrations embed.FS

// prepare brings a fresh connection's file to the newest schema. It needs no
// migration library: SQLite counts versions itself and changes schemas in
// transactions, so that of two processes that create a file at once, one
// migrates and the other finds it done.
func prepare(ctx context.Context, c *conn) error {
	version, err := check(ctx, c)
	if err != nil {
		return err
	}
	files, err := fs.Glob(migrations, "schema/*.sql")
	if err != nil {
		return err
	}
	if version > int64(len(files)) {
		return fmt.Errorf("it has schema %d and this program knows %d: use a newer tenfold", version, len(files))
	}
	if version == int64(len(files)) {
		return nil
	}
	if err := useWAL(ctx, c); err != nil {
		return err
	}
	if err := c.script(ctx, beginSQL); err != nil {
		return err
	}
	if version, err = check(ctx, c); err != nil { // another process may have come first
		return errors.Join(err, c.rollback())
	}
	for i := version; i < int64(len(files)); i++ {
		sql, err := migrations.ReadFile(files[i])
		if err == nil {
			err = c.script(ctx, string(sql))
		}
		if err == nil {
			err = c.script(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", i+1, applicationID))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("migrate to schema %d: %w", i+1, err), c.rollback())
		}
	}
	return c.commit()
}

// check gives the file's schema version, 0 for an empty file, and an error
// for a database of something else.
func check(ctx context.Context, c *conn) (int64, error) {
	version, _, err := c.number(ctx, "PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	id, _, err := c.number(ctx, "PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	tables, _, err := c.number(ctx, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return 0, err
	}
	if id != applicationID && (id != 0 || version != 0 || tables != 0) {
		return 0, errors.New("this is a database of another program: give another path")
	}
	return version, nil
}

// useWAL turns the write-ahead log on, for good. SQLite does not wait for
// locks while it does that, so this does.
func useWAL(ctx context.Context, c *conn) error {
	for start := time.Now(); ; {
		var mode driver.Value
		err := c.query(ctx, func(row []driver.Value) error {
			mode = row[0]
			return nil
		}, "PRAGMA journal_mode = WAL")
		if err == nil && mode != "wal" {
			return fmt.Errorf("the journal is %q, and write-ahead logging is needed: use a local disk", mode)
		}
		if err == nil || code(err) != sqlite3.SQLITE_BUSY || time.Since(start) > busyTimeout {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// script runs statements once, without keeping them.
func (c *conn) script(ctx context.Context, sql string) error {
	_, err := c.c.(driver.ExecerContext).ExecContext(ctx, sql, nil)
	return err
}

// beginSQL takes the write lock at once, so that what the transaction reads is
// what it changes.
const beginSQL = "BEGIN IMMEDIATE"

func (c *conn) begin() error {
	_, err := c.exec(beginSQL)
	return err
}

func (c *conn) commit() error {
	_, err := c.exec("COMMIT")
	return err
}

// rollback undoes a transaction; SQLite may have done so already.
func (c *conn) rollback() error {
	if _, err := c.exec("ROLLBACK"); err != nil && code(err) != sqlite3.SQLITE_ERROR {
		return err
	}
	return nil
}
