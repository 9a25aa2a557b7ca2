package attack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// noPolicy are tables with rows of tenants that row level security does not guard, and
// what does instead.
var noPolicy = map[string]string{
	// River's own: its indexes would not be used under row level security. Package
	// fleet/job asks for the tenant in each query; tenants have no SQL.
	"river_job": "fleet/job",
}

// refused tells a right that is missing from other errors.
func refused(err error) bool {
	return err != nil && strings.Contains(err.Error(), "permission denied")
}

// errBack takes back what a transaction did.
var errBack = errors.New("taken back")

// sqlPaths has the attacker's transactions go for every table that has rows of
// tenants: they see and change one's own alone, and none without a tenant.
func sqlPaths(t *testing.T, w *world, mine, theirs secrets) {
	as := func(number int, query string, args ...any) (n int64, text string, err error) {
		err = w.db.As(t.Context(), number, func(ctx context.Context, tx pgx.Tx) error {
			// Without words to look for tenfold_found shows nothing to anybody.
			if _, err := tx.Exec(ctx, "SELECT set_config('tenfold.words', '{}', true)"); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, query, args...)
			if err != nil {
				return err
			}
			for rows.Next() {
				values, err := rows.Values()
				if err != nil {
					return err
				}
				text += fmt.Sprintf("%q\n", values)
			}
			if n = rows.CommandTag().RowsAffected(); rows.Err() != nil {
				return rows.Err()
			}
			return errBack
		})
		if errors.Is(err, errBack) {
			err = nil
		}
		return n, text, err
	}
	tried := 0
	for _, table := range w.tables(t, true) {
		name := table.name[strings.LastIndexByte(table.name, '.')+1:]
		if noPolicy[name] != "" {
			continue
		}
		var enabled, forced bool
		if err := w.super.QueryRow(t.Context(), "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = $1::regclass", table.name).Scan(&enabled, &forced); err != nil || !enabled || !forced {
			t.Errorf("%s: row level security is enabled %v, forced %v, %v", table.name, enabled, forced, err)
		}
		tried++
		where := strings.ReplaceAll(table.where, "$1", fmt.Sprint(w.victim.ID))
		own, _, err := as(w.attacker.ID, "SELECT 1 FROM "+table.name)
		var all int64
		if refused(err) {
			own, err = -1, nil
		}
		if err != nil {
			t.Errorf("%s: %v", table.name, err)
		}
		if err := w.super.QueryRow(t.Context(), "SELECT count(*) FROM "+table.name+" WHERE "+table.where, w.attacker.ID).Scan(&all); err != nil || own >= 0 && all != own && name != "tenfold_found" { // which shows what a search looks for
			t.Errorf("%s: the attacker sees %d of its own %d, %v", table.name, own, all, err)
		}
		for _, query := range []string{
			"SELECT t FROM " + table.name + " t WHERE " + where,
			"DELETE FROM " + table.name + " WHERE " + where,
			"SELECT count(*) FROM " + table.name + " WHERE " + where + " HAVING count(*) > 0",
		} {
			// A right that is missing is as good as a row that is not seen.
			if n, text, err := as(w.attacker.ID, query); err == nil && n != 0 {
				t.Errorf("%s gives %d rows: %.300s", query, n, text)
			} else if err != nil && !refused(err) {
				t.Errorf("%s: %v", query, err)
			}
		}
		if strings.HasPrefix(table.where, "tenant_id") {
			for _, query := range []string{
				"UPDATE " + table.name + " SET tenant_id = tenant_id WHERE " + where,
				"UPDATE " + table.name + fmt.Sprintf(" SET tenant_id = %d", w.victim.ID), // one's own into the victim's hands
				fmt.Sprintf("INSERT INTO %s SELECT (jsonb_populate_record(t, jsonb_build_object('tenant_id', %d))).* FROM %s t", table.name, w.victim.ID, table.name),
			} {
				if n, _, err := as(w.attacker.ID, query); err == nil && n != 0 {
					t.Errorf("%s changes %d rows", query, n)
				}
			}
		}
		// The operator sees the list of tenants and nothing of theirs; nobody sees
		// nothing, loudly.
		if n, text, err := as(0, "SELECT t FROM "+table.name+" t WHERE "+where); err == nil && n != 0 && name != "tenfold_tenants" {
			t.Errorf("the operator sees %d rows of %s: %.300s", n, table.name, text)
		}
		if rows, err := w.db.Pool().Query(t.Context(), "SELECT t FROM "+table.name+" t"); err == nil {
			seen := rows.Next()
			rows.Close()
			if seen || rows.Err() == nil {
				t.Errorf("%s is read without a tenant: %v", table.name, rows.Err())
			}
		}
	}
	if tried < 5 {
		t.Errorf("only %d tables were tried", tried)
	}
	// No view and no function lends the rights of whoever made it.
	var lent []string
	rows, err := w.super.Query(t.Context(), `SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
			WHERE p.prosecdef AND n.nspname !~ '^pg_|^information_schema' AND has_function_privilege('tenfold_app', p.oid, 'execute')
		UNION ALL SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('v', 'm') AND n.nspname !~ '^pg_|^information_schema' AND has_table_privilege('tenfold_app', c.oid, 'select')`)
	if err != nil {
		t.Fatal(err)
	}
	if lent, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	for _, name := range lent {
		// These make and drop empty partitions, sort an index, and give no row of anybody's.
		if !slices.Contains([]string{"tenfold_add_month(bigint)", "tenfold_drop_month(bigint)", "tenfold_tidy(bigint[])"}, name) {
			t.Errorf("%s runs with the rights of its owner, for any tenant", name)
		}
	}
	var unsafe int
	if err := w.super.QueryRow(t.Context(), `SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE p.prosecdef AND n.nspname !~ '^pg_|^information_schema' AND NOT coalesce(array_to_string(p.proconfig, ' ') ~ 'search_path=', false)`).Scan(&unsafe); err != nil || unsafe != 0 {
		t.Errorf("%d functions run with their owner's rights where the caller says what names mean, %v", unsafe, err)
	}
	// An error of the database says nothing of what others have.
	_, _, err = as(w.attacker.ID, "SELECT 1/0 FROM tenfold_entries")
	if err == nil || strings.Contains(err.Error(), theirs.word) {
		t.Errorf("%v", err)
	}
	_ = mine
}
