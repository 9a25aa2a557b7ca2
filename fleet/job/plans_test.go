package job

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
)

// What it costs to enqueue and to take jobs does not depend on how many wait, run or ran
// lately: each conversation is looked up by its own key of an index.
func TestPlans(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := pgtest.Start(t).Database(t)
	db, err := postgres.OpenDatabase(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	q, err := Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	const both = ` on river_job.*\n *Index Cond: \(\(\(\(args ->> 'tenant'::text\)\)::integer = .*\) AND \(\(args ->> 'conversation'::text\) = `
	take := []any{4, queueName, usualJobsAtOnce, "here", 100}
	tests := []struct {
		name, sql, want string
		args            []any
	}{
		{"enqueue", q.sql(openSQL), "Index Scan using tenfold_open" + both, []any{1, []string{"7", "x"}, []string{"p", "p"}, []string{"fit", "fit"}}},
		{"who waits", q.driver.fetch, `CTE waiting\n *->  Recursive Union\n *->  Limit\n *->  Index Scan using tenfold_queued on river_job\n`, take},
		{"who is next", q.driver.fetch, `->  Limit\n *->  Index Scan using tenfold_queued on river_job a\n *Index Cond`, take},
		{"does its conversation have one", q.driver.fetch, "Index Scan using tenfold_worked" + both, take},
		{"lock", q.driver.fetch, `CTE locked\n.*LockRows\n(?:.*\n){2} *->  Index Scan using river_job_pkey on river_job j_\d\n *Index Cond: \(id = ANY`, take},
	}
	for _, sql := range []string{
		`INSERT INTO ~.river_job (args, kind, max_attempts, queue, state, attempt)
			SELECT jsonb_build_object('tenant', 1, 'conversation', n::text, 'prefix', 'p', 'policy', 'fit'), 'compact', 5, 'compact', (CASE WHEN n % 10 = 0 THEN 'running' ELSE 'available' END)::~.river_job_state, 1
			FROM generate_series(1, 3000) AS n`,
		"ANALYZE ~.river_job",
	} {
		if _, err := q.pool.Exec(ctx, q.sql(sql)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range tests {
		if plan := q.plan(t, test.sql, test.args); strings.Contains(plan, "Seq Scan") || !regexp.MustCompile(test.want).MatchString(plan) {
			t.Errorf("%s: it reads a whole table, or there is no %s in\n%s", test.name, test.want, plan)
		}
	}
	// By some statistics it costs as little to read all of a state in River's index: it
	// would be taken here if it could be.
	owner, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(ctx))
	if _, err := owner.Exec(ctx, q.sql("DROP INDEX ~.tenfold_queued, ~.tenfold_worked")); err != nil {
		t.Fatal(err)
	}
	if plan := q.plan(t, q.driver.fetch, take); regexp.MustCompile(`Index Cond: \(+state = `).MatchString(plan) {
		t.Errorf("it takes jobs by their states:\n%s", plan)
	}
	// A database of the version before has the indexes that were missing now.
	if _, err := owner.Exec(ctx, q.sql("CREATE INDEX tenfold_waiting ON ~.river_job (id); COMMENT ON SCHEMA ~ IS 'jobs of Tenfold, version 1.99'")); err != nil {
		t.Fatal(err)
	}
	again, err := Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	var names []string
	if err := owner.QueryRow(ctx, "SELECT array_agg(indexname::text ORDER BY 1) FROM pg_indexes WHERE schemaname = $1 AND indexname LIKE 'tenfold%'", q.schema).Scan(&names); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, []string{"tenfold_all", "tenfold_open", "tenfold_queued", "tenfold_worked"}) {
		t.Errorf("after the upgrade there are %s", names)
	}
}

// plan is how the database does what a statement says.
func (q *Queue) plan(t *testing.T, sql string, args []any) string {
	t.Helper()
	rows, err := q.pool.Query(t.Context(), "EXPLAIN (COSTS OFF) "+sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
