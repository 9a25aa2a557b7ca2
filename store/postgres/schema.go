package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/database"

	"tenfold/internal/pause"
	"tenfold/store"
	"tenfold/store/internal/schema"
)

//go:embed schema/*.sql
var migrations embed.FS

const (
	// versions is goose's table of the migrations that ran.
	versions = "tenfold_schema"
	// lockSQL takes the advisory lock "tenfold", under which schemas change,
	// and unlockSQL gives it back.
	lockSQL   = "SELECT pg_try_advisory_lock(x'74656e666f6c64'::bigint)"
	unlockSQL = "SELECT pg_advisory_unlock(x'74656e666f6c64'::bigint)"
	// lockPause is how long to wait between attempts to take it.
	lockPause = 20 * time.Millisecond
)

// prepare brings the database to the newest schema. Of processes that find an
// old one at once, one migrates and the others wait and find it done.
func prepare(ctx context.Context, config *pgx.ConnConfig, asItIs bool) error {
	newest := schema.Newest(migrations)
	version, oldest, err := schemaOf(ctx, config)
	switch {
	case err != nil:
		return err
	case version == newest, version > newest && oldest <= newest: // what is newer in it may be left alone
		return nil
	case version > newest:
		return fmt.Errorf("it has schema %d, for which a program must know %d, and this program knows %d: use a newer tenfold", version, oldest, newest)
	case asItIs:
		return store.Older(version, newest)
	}
	applied, err := database.NewStore(database.DialectPostgres, versions)
	if err != nil {
		return err
	}
	// Changing a schema may take long: the caller's context is the limit.
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1) // the lock is its session's
	if err := lockSchema(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	_, err = schema.Migrate(ctx, db, applied, migrations, "SELECT 1", unlockSQL)
	return err
}

// lockSchema asks again and again: who waits in a statement would have an index
// that is made CONCURRENTLY wait for it.
func lockSchema(ctx context.Context, db *sql.DB) error {
	for {
		var locked bool
		if err := db.QueryRowContext(ctx, lockSQL).Scan(&locked); err != nil || locked {
			return err
		}
		if err := pause.For(ctx, lockPause); err != nil {
			return fmt.Errorf("wait for others that migrate: %w", err)
		}
	}
}

var errNoSchema = errors.New("no schema of the search_path exists")

// schemaOf gives the schema of a database, 0 for none, and the oldest that a
// program must know.
func schemaOf(ctx context.Context, config *pgx.ConnConfig) (version, oldest int64, err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM "+versions).Scan(&version)
	if Code(err) == codeNoTable {
		var home *string
		if err = conn.QueryRow(ctx, "SELECT current_schema()").Scan(&home); err == nil && home == nil {
			err = errNoSchema
		}
		return 0, 0, err
	}
	if err == nil && version > schema.Newest(migrations) {
		err = conn.QueryRow(ctx, "SELECT oldest FROM tenfold_compat").Scan(&oldest)
	}
	return version, oldest, err
}
