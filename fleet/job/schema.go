package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/postgres"
)

// indexes are those that our statements need beside River's: by tenant, those that
// wait, those that run, those that have not ended, and all; and who may use the tables. River's index over the
// arguments is as large as all others together, and no statement uses it.
//
// IS TRUE is there for the planner: where few waited when it last counted, River's index
// of states looks as good to it, of which it then reads all that wait to take one.
//
// There is no row level security here: the conditions of River's own statements are
// not leakproof, so that they would read the whole table. Every statement about one
// tenant's jobs names it.
const indexes = `
CREATE INDEX IF NOT EXISTS tenfold_queued ON ~.river_job (((args->>'tenant')::integer), priority, scheduled_at, id) WHERE (state = 'available') IS TRUE;
CREATE INDEX IF NOT EXISTS tenfold_worked ON ~.river_job (((args->>'tenant')::integer), (args->>'conversation')) WHERE (state = 'running') IS TRUE;
CREATE INDEX IF NOT EXISTS tenfold_open ON ~.river_job (((args->>'tenant')::integer), (args->>'conversation')) WHERE finalized_at IS NULL;
CREATE INDEX IF NOT EXISTS tenfold_all ON ~.river_job (((args->>'tenant')::integer), id);
DROP INDEX IF EXISTS ~.tenfold_waiting, ~.tenfold_running; -- of version 1
DROP INDEX IF EXISTS ~.river_job_args_index;
DROP INDEX IF EXISTS ~.river_job_metadata_index;
ALTER TABLE ~.river_job SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'tenfold_app') THEN
		GRANT USAGE ON SCHEMA ~ TO tenfold_app;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ~ TO tenfold_app;
		GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ~ TO tenfold_app;
		GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ~ TO tenfold_app;
	END IF;
END $$;
`

// The version of all that is a comment on the schema, which is written last: that of
// the indexes, and River's.
const (
	comment = "jobs of Tenfold, version %d.%d"
	version = 2
)

// lockSQL waits for the advisory lock "tenfoldj", under which the schema changes.
const lockSQL = "SELECT pg_advisory_lock(x'74656e666f6c646a'::bigint)"

// prepare makes the tables, or brings them to this program's version, and gives
// their schema. Of processes that come at once, one does and the others wait and
// find it done.
func prepare(ctx context.Context, pool *pgxpool.Pool, asItIs bool) (string, error) {
	config := pool.Config().ConnConfig.Copy()
	// Changing a schema may take long: the caller's context is the limit.
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // and with it goes the lock
	var home string
	if err := conn.QueryRow(ctx, "SELECT current_schema()").Scan(&home); err != nil {
		return "", err
	}
	schema := home + "_jobs"
	if home == "public" {
		schema = "tenfold_jobs"
	}
	newest, err := newestOfRiver()
	if err != nil {
		return "", err
	}
	if done, err := prepared(ctx, conn, schema, newest); err != nil || done {
		return schema, err
	}
	if asItIs {
		return schema, older(ctx, conn, schema)
	}
	if _, err := conn.Exec(ctx, lockSQL); err != nil {
		return "", err
	}
	if done, err := prepared(ctx, conn, schema, newest); err != nil || done {
		return schema, err
	}
	quoted := pgx.Identifier{schema}.Sanitize()
	// IF NOT EXISTS would have PostgreSQL ask for a right that who was given the schema
	// need not have.
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regnamespace($1) IS NOT NULL", quoted).Scan(&exists); err != nil {
		return "", err
	}
	if !exists {
		if _, err := conn.Exec(ctx, "CREATE SCHEMA "+quoted); err != nil {
			return "", denied(err, schema)
		}
	}
	own, err := pgxpool.ParseConfig("")
	if err != nil {
		return "", err
	}
	own.ConnConfig, own.MaxConns = config, 2
	migrating, err := pgxpool.NewWithConfig(ctx, own)
	if err != nil {
		return "", err
	}
	defer migrating.Close()
	m, err := rivermigrate.New(riverpgxv5.New(migrating), &rivermigrate.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return "", denied(err, schema)
	}
	said := fmt.Sprintf(comment, version, newest)
	_, err = conn.Exec(ctx, strings.ReplaceAll(indexes, "~", quoted)+"COMMENT ON SCHEMA "+quoted+" IS '"+said+"'")
	return schema, denied(err, schema)
}

// ErrNone says that a database has no tables of jobs yet, and so no jobs.
var ErrNone = fmt.Errorf("%w: it has no tables of jobs yet", store.ErrOlder)

// older is why tables that are not this program's stay as they are.
func older(ctx context.Context, conn *pgx.Conn, schema string) error {
	var exist bool
	err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", pgx.Identifier{schema, "river_job"}.Sanitize()).Scan(&exist)
	switch {
	case err != nil:
		return err
	case !exist:
		return ErrNone
	}
	return fmt.Errorf("%w: its tables of jobs are older", store.ErrOlder)
}

// newestOfRiver is the newest version of River's tables that this program knows.
func newestOfRiver() (int, error) {
	m, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return 0, err
	}
	all := m.AllVersions()
	return all[len(all)-1].Version, nil
}

// prepared tells whether there is nothing to do: a newer program may have been here.
func prepared(ctx context.Context, conn *pgx.Conn, schema string, newest int) (done bool, err error) {
	var said *string
	err = conn.QueryRow(ctx, "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1", schema).Scan(&said)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && said == nil {
		return false, nil
	}
	var ours, rivers int
	if err == nil {
		_, err = fmt.Sscanf(*said, comment, &ours, &rivers)
	}
	return err == nil && ours >= version && rivers >= newest, err
}

// denied says what to grant.
func denied(err error, schema string) error {
	if postgres.Code(err) == "42501" {
		return &problem.Error{
			Code: "store", Op: "create the tables of jobs", Err: err,
			Hint: "grant the user CREATE on the database, or have an administrator run: CREATE SCHEMA " + schema + " AUTHORIZATION the_user",
		}
	}
	return err
}
