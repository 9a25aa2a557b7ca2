package postgres

import (
	"context"
	"embed"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/database"

	"tenfold/store/internal/schema"
)

//go:embed schema/*.sql
var migrations embed.FS

const (
	// versions is goose's table of the migrations that ran.
	versions = "tenfold_schema"
	// lockSQL waits for the advisory lock "tenfold", under which schemas
	// change, and unlockSQL gives it back.
	lockSQL   = "SELECT pg_advisory_lock(x'74656e666f6c64'::bigint)"
	unlockSQL = "SELECT pg_advisory_unlock(x'74656e666f6c64'::bigint)"
)

// prepare brings the database to the newest schema. Of processes that find an
// old one at once, one migrates and the others wait and find it done.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	var version int64
	err := pool.QueryRow(ctx, "SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM "+versions).Scan(&version)
	if err == nil && version == schema.Newest(migrations) || err != nil && code(err) != codeNoTable {
		return err
	}
	applied, err := database.NewStore(database.DialectPostgres, versions)
	if err != nil {
		return err
	}
	// Changing a schema may take long: the caller's context is the limit.
	config := pool.Config().ConnConfig
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	return schema.Migrate(ctx, stdlib.OpenDB(*config), applied, migrations, lockSQL, unlockSQL)
}
