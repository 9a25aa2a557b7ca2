// Package schema brings the tables of a store to the newest form: with goose,
// and by one process at a time.
package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

// Newest is the version that migrations, one file each, lead to.
func Newest(migrations fs.FS) int64 {
	files, _ := fs.Glob(migrations, "schema/*.sql") // an embedded directory can be listed
	return int64(len(files))
}

// Migrate runs the migrations that a database lacks, and closes db. lock is a
// statement that waits until no other process migrates; it lasts until commit
// is run, or db is closed. Before is the version that the database had by then.
func Migrate(ctx context.Context, db *sql.DB, versions database.Store, migrations fs.FS, lock, commit string) (before int64, err error) {
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // the lock is its session's
	if _, err := db.ExecContext(ctx, lock); err != nil {
		return 0, fmt.Errorf("wait for others that migrate: %w", err)
	}
	files, err := fs.Sub(migrations, "schema")
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(goose.DialectCustom, db, files, goose.WithStore(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return 0, err
	}
	before, err = provider.GetDBVersion(ctx)
	if err != nil {
		return 0, err
	}
	newest := Newest(migrations)
	if before > newest {
		return before, fmt.Errorf("it has schema %d and this program knows %d: use a newer tenfold", before, newest)
	}
	if _, err := provider.Up(ctx); err != nil {
		return before, fmt.Errorf("migrate to schema %d: %w", newest, err)
	}
	_, err = db.ExecContext(ctx, commit)
	return before, err
}
