package job_test

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"tenfold/fleet/job"
	"tenfold/problem"
	"tenfold/store/postgres"
)

// A user who may not create schemas is told which one to ask for, and makes do with it.
func testGiven(t *testing.T, address string) {
	ctx := t.Context()
	owner, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(ctx))
	if _, err := owner.Exec(ctx, "CREATE ROLE lowly LOGIN PASSWORD 'lowly'; GRANT CREATE ON SCHEMA public TO lowly"); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("lowly", "lowly")
	db, err := postgres.OpenDatabase(ctx, u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	const ask = "CREATE SCHEMA tenfold_jobs AUTHORIZATION "
	var told *problem.Error
	if _, err := job.Open(ctx, db); !errors.As(err, &told) || told.Hint != "grant the user CREATE on the database, or have an administrator run: "+ask+"the_user" {
		t.Fatalf("without the right: %v", err)
	}
	if _, err := owner.Exec(ctx, ask+"lowly"); err != nil {
		t.Fatal(err)
	}
	q, err := job.Open(ctx, db)
	if err != nil {
		t.Fatalf("with the schema: %v", err)
	}
	q.Close()
}
