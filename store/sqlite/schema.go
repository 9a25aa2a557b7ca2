package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3/database"
	sqlite3 "modernc.org/sqlite/lib"

	"tenfold/internal/pause"
	"tenfold/store"
	"tenfold/store/internal/schema"
)

// applicationID marks a SQLite file as a store: "tnfd".
const applicationID = 0x746e6664

//go:embed schema/*.sql
var migrations embed.FS

// prepare brings a fresh connection's file to the newest schema. All of it is
// one transaction, so that of two processes that create a file at once, one
// migrates and the other finds it done. It tells of it where the file had an
// older one.
func prepare(ctx context.Context, c *conn, path string, o options) error {
	version, err := check(ctx, c)
	newest := schema.Newest(migrations)
	if err != nil || version == newest {
		return err
	}
	if o.asItIs && version < newest {
		return store.Older(version, newest)
	}
	if err := useWAL(ctx, c); err != nil {
		return err
	}
	connector, err := connect(path, "")
	if err != nil {
		return err
	}
	lock := "PRAGMA " + waitForLocks + "; " + beginSQL
	version, err = schema.Migrate(ctx, sql.OpenDB(connector), userVersion{}, migrations, lock, commitSQL)
	if err == nil && version > 0 && version < newest && o.upgraded != nil {
		o.upgraded(int(version), int(newest))
	}
	return err
}

// userVersion has goose count in the file's user_version, where a program of
// any release looks.
type userVersion struct{}

func (userVersion) Tablename() string { return "user_version" }

func (userVersion) CreateVersionTable(context.Context, database.DBTxConn) error { return nil }

func (userVersion) Insert(ctx context.Context, db database.DBTxConn, r database.InsertRequest) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", r.Version))
	return err
}

func (userVersion) Delete(context.Context, database.DBTxConn, int64) error {
	return database.ErrNotImplemented
}

func (v userVersion) GetMigration(ctx context.Context, db database.DBTxConn, version int64) (*database.GetMigrationResult, error) {
	newest, err := v.GetLatestVersion(ctx, db)
	if err == nil && version > newest {
		err = database.ErrVersionNotFound
	}
	return &database.GetMigrationResult{IsApplied: true}, err
}

func (userVersion) GetLatestVersion(ctx context.Context, db database.DBTxConn) (version int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func (v userVersion) ListMigrations(ctx context.Context, db database.DBTxConn) (list []*database.ListMigrationsResult, err error) {
	newest, err := v.GetLatestVersion(ctx, db)
	for version := newest; version >= 0; version-- {
		list = append(list, &database.ListMigrationsResult{Version: version, IsApplied: true})
	}
	return list, err
}

// check gives the file's schema version, 0 for an empty file, and an error for a database
// of something else. It looks once: another process may be making a store of the file.
func check(ctx context.Context, c *conn) (int64, error) {
	var version, id, tables int64
	err := c.query(ctx, func(row []driver.Value) error {
		version, _ = row[0].(int64)
		id, _ = row[1].(int64)
		tables, _ = row[2].(int64)
		return nil
	}, "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version, pragma_application_id")
	if err != nil {
		return 0, err
	}
	if id != applicationID && (id != 0 || version != 0 || tables != 0) {
		return 0, errors.New("the file is the database of another program: use another path")
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
		if err := pause.For(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// script runs statements once, without keeping them.
func (c *conn) script(ctx context.Context, sql string) error {
	_, err := c.c.ExecContext(ctx, sql, nil)
	return err
}

// beginSQL takes the write lock at once, so that what the transaction reads is
// what it changes.
const (
	beginSQL  = "BEGIN IMMEDIATE"
	commitSQL = "COMMIT"
)

func (c *conn) begin() error {
	_, err := c.exec(beginSQL)
	return err
}

func (c *conn) commit() error {
	_, err := c.exec(commitSQL)
	return err
}

// rollback undoes a transaction; SQLite may have done so already.
func (c *conn) rollback() error {
	if _, err := c.exec("ROLLBACK"); err != nil && code(err) != sqlite3.SQLITE_ERROR {
		return err
	}
	return nil
}
