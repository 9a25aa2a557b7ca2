package job

import (
	"regexp"
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
	db, err := postgres.OpenDatabase(ctx, pgtest.Start(t).Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	q, err := Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
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
	const both = ` on river_job.*\n *Index Cond: \(\(\(\(args ->> 'tenant'::text\)\)::integer = .*\) AND \(\(args ->> 'conversation'::text\) = `
	for _, test := range []struct {
		name, sql, want string
		args            []any
	}{
		{"enqueue", q.sql(openSQL), "Index Scan using tenfold_open" + both, []any{1, []string{"7", "x"}, []string{"p", "p"}, []string{"fit", "fit"}}},
		{"take", q.driver.fetch, "Index Scan using tenfold_running" + both, []any{4, queueName, usualJobsAtOnce, "here", 100}},
		{"pick", q.driver.fetch, `->  Limit\n *->  Index Scan using tenfold_waiting on river_job a\n *Index Cond`, []any{4, queueName, usualJobsAtOnce, "here", 100}},
		{"lock", q.driver.fetch, `CTE locked\n.*LockRows\n(?:.*\n){2} *->  Index Scan using river_job_pkey on river_job j_\d\n *Index Cond: \(id = ANY`, []any{4, queueName, usualJobsAtOnce, "here", 100}},
	} {
		rows, err := q.pool.Query(ctx, "EXPLAIN (COSTS OFF) "+test.sql, test.args...)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(lines, "\n")
		if strings.Contains(plan, "Seq Scan") || !regexp.MustCompile(test.want).MatchString(plan) {
			t.Errorf("%s: it reads a whole table, or there is no %s in\n%s", test.name, test.want, plan)
		}
	}
}
