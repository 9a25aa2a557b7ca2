package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

//go:embed schema/*.sql
var migrations embed.FS

const (
	// versions is goose's table of the migrations that ran.
	versions = "tenfold_schema"
	// lockID is the advisory lock under which schemas change: "tenfold".
	lockID = 0x74656e666f6c64
)

// prepare brings the database to the newest schema. Of processes that find an
// old one at once, one migrates and the others wait and find it done.
func prepare(ctx context.Context, pool *pgxpool.Pool) (err error) {
	files, err := fs.Sub(migrations, "schema")
	if err != nil {
		return err
	}
	// Changing a schema may take long: the caller's context is the limit.
	config := pool.Config().ConnConfig
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(database.DialectPostgres, db, files,
		goose.WithTableName(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if done, err := check(ctx, db, newest); done || err != nil {
		return err
	}
	// The lock is a session's: closing the connection gives it back too.
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(lockID)); err != nil {
		return fmt.Errorf("wait for others that migrate: %w", err)
	}
	if done, err := check(ctx, db, newest); done || err != nil { // another process may have come first
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate to schema %d: %w", newest, err)
	}
	return nil
}

// check reports whether the schema is the newest, and gives an error for one
// that is newer than this program.
func check(ctx context.Context, db *sql.DB, newest int64) (bool, error) {
	var there bool
	if err := db.QueryRowContext(ctx, "SELECT to_regclass('"+versions+"') IS NOT NULL").Scan(&there); err != nil || !there {
		return false, err
	}
	var version int64
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM "+versions).Scan(&version); err != nil {
		return false, err
	}
	if version > newest {
		return false, fmt.Errorf("it has schema %d and this program knows %d: use a newer tenfold", version, newest)
	}
	return version == newest, nil
}
