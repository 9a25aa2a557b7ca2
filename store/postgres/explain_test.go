package postgres

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/postgres/pgtest"
)

// testPlans holds the plan of each main query to the indexes that make what it
// costs independent of what else is in the database, where that is much: many
// conversations in partitions of several months, and one long conversation.
func testPlans(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	const months = 6
	for _, sql := range []string{
		fmt.Sprintf("SELECT tenfold_add_month(n) FROM generate_series(0, %d) AS n", months-1),
		// In each month a thousand conversations of two entries, with keys 1 to
		// 1000; the first of them has twenty thousand.
		fmt.Sprintf(`INSERT INTO tenfold_conversations (tenant_id, key, name, id, title, origin, origin_hash, version, updated)
			SELECT 1, month::bigint << 40 | n, name, name, '', name, sha256(name), 2, (month * 1000 + n) * 20000000000 -- three a minute
			FROM generate_series(0, %d) AS month, generate_series(1, 1000) AS n, LATERAL (SELECT (month || ' ' || n)::bytea AS name) AS b`, months-1),
		`INSERT INTO tenfold_entries (tenant_id, conversation, seq, id, meta, words)
			SELECT 1, key, n, n::text::bytea, '\x01', ARRAY[n, (key & 1023)::integer + 100000] FROM tenfold_conversations, generate_series(1, 2) AS n`,
		`INSERT INTO tenfold_entries (tenant_id, conversation, seq, id, meta, words)
			SELECT 1, 1, n, n::text::bytea, '\x01', ARRAY[n, n % 100 + 200000] FROM generate_series(3, 20000) AS n`,
		"VACUUM ANALYZE tenfold_entries",
		"ANALYZE tenfold_conversations",
	} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	const key = 3<<40 | 500
	c, err := newColumns([]tenfold.Entry{{ID: "new", Payload: tenfold.UserMessage{Parts: tenfold.Text("new words")}}})
	if err != nil {
		t.Fatal(err)
	}
	c.words = make([]*string, 1)
	b := store.Batch{Conversation: "3 500", Expected: 2}
	appending, err := newMember(&keys{}, b, c)
	if err != nil {
		t.Fatal(err)
	}
	name := indexedID(b.Conversation)
	repeating := []any{name, int64(2), int64(0), nil, nil, nil, c.ids, c.metas, c.texts, c.words, nil, nil, nil, nil, nil, nil, nil, int64(key), c.sizes}
	const entries = `tenfold_entries_\w+_`
	const byKey = `Index Scan using ` + entries + `pkey on .*\n *Index Cond: \(\(tenant_id = \$\d\) AND \(conversation = `
	const byName = `Index Scan using tenfold_conversations_name .*\n *Index Cond: \(\(tenant_id = \$\d\) AND \(name = `
	const byWords = `Bitmap Index Scan on ` + entries + `words\w*\n *Index Cond: \(words @> `
	const byPlace = `Tid Scan on ` + entries + `.*\n *TID Cond: \(ctid = found\.at\)`
	for _, test := range []struct {
		name, sql  string
		args       []any
		words      string
		want       []string
		partitions int
	}{
		{"append", appendSQL, appendArgs(appending), "", []string{byName}, 0},
		{"repeat", repeatSQL(key), repeating, "", []string{byName, `Index Scan using ` + entries + `\w*id_idx on .*\n *Index Cond: \(\(tenant_id = \$\d+\) AND \(conversation = log\w*\.key\) AND \(id = `}, 1},
		{"chunk", chunkSQL(key, false), []any{int64(key), 0, 2, chunkEntries, chunkBytes}, "", []string{byKey}, 1},
		{"window", chunkSQL(1, false), []any{int64(1), 19000, 19010, chunkEntries, chunkBytes}, "", []string{byKey + `.* AND \(seq > `}, 1},
		{"by id", listSQL[engine.ByID], []any{name}, "", []string{byName}, 0},
		{"page", pageSQL, []any{int64(600), int64(600 * 60e9), []byte("1 800"), 50}, "", []string{`->  Incremental Sort\n.*\n *Presorted Key: tenfold_conversations.minute\n.*tenfold_conversations_minute .*\n *Index Cond: \(\(tenant_id = .*\(minute <= `}, 0},
		{"by prefix", prefixSQL, []any{[]byte("3 5"), engine.AfterPrefix([]byte("3 5")), 100}, "", []string{`tenfold_conversations_name .*\n *Index Cond: \(\(tenant_id = \$\d\) AND \(name >= .*\(name < `}, 0},
		{"by handle", listSQL[engine.ByHandle], []any{int64(417093)}, "", []string{`tenfold_conversations_handle.*\n *Index Cond: \(\(tenant_id = \$\d\) AND \(handle = `}, 0},
		{"by origin", listSQL[engine.ByOrigin], []any{[][]byte{originHash(b.Conversation)}}, "", []string{`tenfold_conversations_origin`, `Index Cond: .*origin_hash = ANY`}, 0},
		{"search one", searchOneSQL, []any{int64(1), int64(math.MaxInt64), mostRanked}, "{200042}", []string{byWords, byPlace}, 1},
		{"search one short", searchOneSQL, []any{int64(key), int64(math.MaxInt64), mostRanked}, "{1}", []string{`Index Cond: .*\(conversation = '` + fmt.Sprint(key)}, 1},
		{"search all", searchSQL, []any{int64(math.MaxInt64), int64(math.MaxInt64), mostRanked}, "{100500}", []string{byWords, byPlace, `tenfold_conversations_pkey.*\n *Index Cond: .*\(key = found\.conversation\)`}, months + 3},
		{"delete", "DELETE FROM " + partition(key) + " WHERE conversation = $1", []any{int64(key)}, "", []string{`Index Cond: \(\(tenant_id = \$\d\) AND \(conversation = `}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := explain(t, s, test.words, "", test.sql, test.args...)
			if strings.Contains(plan, "Seq Scan") {
				t.Errorf("it reads a whole table:\n%s", plan)
			}
			for _, want := range test.want {
				if !regexp.MustCompile(want).MatchString(plan) {
					t.Errorf("there is no %s in\n%s", want, plan)
				}
			}
			if found := partitionsOf(plan); len(found) != test.partitions {
				t.Errorf("it reads %q, not %d partitions:\n%s", found, test.partitions, plan)
			}
		})
	}
	t.Run("page reads no more", func(t *testing.T) {
		plan := explain(t, s, "", ", ANALYZE, TIMING OFF, SUMMARY OFF", pageSQL, int64(600), int64(600*60e9), []byte("1 800"), 50)
		found := regexp.MustCompile(`tenfold_conversations_minute .*\(actual rows=(\d+)`).FindStringSubmatch(plan)
		if len(found) != 2 {
			t.Fatalf("there is no such scan in\n%s", plan)
		}
		// 50, what is left of the minute of the last one, and those before the place.
		if n, _ := strconv.Atoi(found[1]); n < 50 || n > 100 {
			t.Errorf("for 50 of 6000 conversations it reads %d:\n%s", n, plan)
		}
	})
	t.Run("appends change no index", func(t *testing.T) {
		var names []string
		err := admin.QueryRow(t.Context(), `SELECT array_agg(a.attname::text) FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
			WHERE i.indrelid = 'tenfold_conversations'::regclass AND a.attname IN ('version', 'updated', 'turns', 'tokens_before', 'tokens_after', 'bytes', 'ended', 'appended')`).Scan(&names)
		if len(names) > 0 || err != nil {
			t.Errorf("each append would write to all indexes, because of one of %q; %v", names, err)
		}
	})
	t.Run("locks", func(t *testing.T) { locks(t, s, key) })
}

// testPlansOfNew holds a search to reading each text by itself where nothing was analysed
// yet: the planner takes a long conversation for a short one then, and read all of it for
// each of its entries.
func testPlansOfNew(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	for _, sql := range []string{
		"SELECT tenfold_add_month(0)",
		"ALTER TABLE tenfold_entries_2020_01 SET (autovacuum_enabled = off)",
		"INSERT INTO tenfold_conversations (tenant_id, key, name, id, title, version) VALUES (1, 1, 'a', 'a', '', 5000)",
		`INSERT INTO tenfold_entries (tenant_id, conversation, seq, id, meta, words)
			SELECT 1, 1, n, n::text::bytea, '\x01', ARRAY[7] FROM generate_series(1, 5000) AS n`,
	} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for name, plan := range map[string]string{
		"one": explain(t, s, "{7}", "", searchOneSQL, int64(1), int64(math.MaxInt64), mostRanked),
		"all": explain(t, s, "{7}", "", searchSQL, int64(math.MaxInt64), int64(math.MaxInt64), mostRanked),
	} {
		if !strings.Contains(plan, "TID Cond: (ctid = found.at)") || strings.Contains(plan, "Materialize") || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// explain gives the plan of a statement as it is kept for all arguments, or that of a
// search for words.
func explain(t *testing.T, s *Store, words, options, sql string, args ...any) string {
	t.Helper()
	var plan strings.Builder
	err := s.db.As(t.Context(), s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		if words != "" {
			if _, err := tx.Exec(ctx, seekSQL, words); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, "PREPARE explained AS "+sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		execute := "EXPLAIN (COSTS OFF" + options + ") EXECUTE explained"
		if len(args) > 0 {
			execute += "($1"
			for i := range args[1:] {
				execute += ", $" + strconv.Itoa(i+2)
			}
			execute += ")"
		}
		err := within(tx)(ctx, func(rows pgx.Rows) error {
			var line string
			err := rows.Scan(&line)
			plan.WriteString(line + "\n")
			return err
		}, execute, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		if err == nil {
			_, err = tx.Exec(ctx, "DEALLOCATE explained")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// partitionsOf names the partitions that a plan reads.
func partitionsOf(plan string) []string {
	found := regexp.MustCompile(`(?:on|Scan using \S+ on) (tenfold_entries_\d+_\d+)\b`).FindAllStringSubmatch(plan, -1)
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f[1]
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A plan that is kept does not lock the partitions of other months.
func locks(t *testing.T, s *Store, key int64) {
	err := s.db.As(t.Context(), s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		if err := within(tx)(ctx, func(pgx.Rows) error { return nil }, chunkSQL(key, false), key, 0, 2, chunkEntries, chunkBytes); err != nil {
			return err
		}
		var locked []string
		err := within(tx)(ctx, func(rows pgx.Rows) error {
			var name string
			err := rows.Scan(&name)
			locked = append(locked, name)
			return err
		}, `SELECT c.relname FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation WHERE l.pid = pg_backend_pid() AND c.relkind = 'r' AND c.relname LIKE 'tenfold_entries%'`)
		if !slices.Equal(locked, []string{partition(key)}) {
			t.Errorf("it locks %q", locked)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
