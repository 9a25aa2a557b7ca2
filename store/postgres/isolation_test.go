package postgres

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

const codeNoTenant = "TF002"

// open are the tables that hold nothing of a tenant.
var open = []string{"tenfold_compat", "tenfold_schema"}

// A guarded table, as the catalog has it.
type guardedTable struct {
	name    string
	columns []string // that a row must be given, and their values
	values  []string
	month   bool // has a conversation's entries
}

// guardedTables finds every table of ours but the open ones, partitions
// included, and fails for one that is not guarded.
func guardedTables(t *testing.T, admin *pgxpool.Pool) (tables []guardedTable) {
	t.Helper()
	rows, err := admin.Query(t.Context(), `
SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid),
	(SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''),
	(SELECT array_agg(CASE WHEN a.attname = 'tenant_id' THEN '1' WHEN t.typname IN ('int4', 'int8') THEN '1' WHEN t.typname = 'bytea' THEN '''\x01''' WHEN t.typname = 'timestamptz' THEN 'now()' WHEN t.typcategory = 'A' THEN '''{}''' ELSE '''x''' END ORDER BY a.attnum)
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''),
	EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'seq')
FROM pg_class AS c WHERE c.relkind IN ('r', 'p') AND c.relname LIKE 'tenfold%' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var table guardedTable
		var guarded bool
		if err := rows.Scan(&table.name, &guarded, &table.columns, &table.values, &table.month); err != nil {
			t.Fatal(err)
		}
		switch {
		case slices.Contains(open, table.name):
		case !guarded:
			t.Errorf("%s is not held to the tenant: call tenfold_guard in its migration", table.name)
		default:
			tables = append(tables, table)
		}
	}
	if rows.Err() != nil || len(tables) < 10 {
		t.Fatalf("there are %d tables, %v", len(tables), rows.Err())
	}
	return tables
}

// testIsolation has tenant B, and nobody, try every table by SQL: as a
// superuser's program and as the plain owner's.
func testIsolation(t *testing.T, server *pgtest.Server) {
	for _, who := range []string{"superuser", "owner"} {
		t.Run(who, func(t *testing.T) {
			base := server.Database(t)
			admin := superuser(t, base)
			at := base
			if who == "owner" {
				for _, sql := range []string{"CREATE ROLE plain LOGIN PASSWORD 'plain'", "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO plain', current_database()); END $$"} {
					if _, err := admin.Exec(t.Context(), sql); err != nil {
						t.Fatal(err)
					}
				}
				at = changed(t, base, func(u *url.URL) { u.User = url.UserPassword("plain", "plain") })
			}
			isolation(t, at, admin)
		})
	}
}

func isolation(t *testing.T, at string, admin *pgxpool.Pool) {
	a := opened(t, at)
	d := a.Database()
	const secret = "quincunx"
	e := tenfold.Entry{ID: "1", Payload: tenfold.UserMessage{Parts: tenfold.Text(secret)}}
	if err := a.Create(t.Context(), store.Conversation{ID: "x", Origin: store.Origin{Key: "o"}}, e); err != nil {
		t.Fatal(err)
	}
	var key int64
	if err := admin.QueryRow(t.Context(), "SELECT key FROM tenfold_conversations").Scan(&key); err != nil {
		t.Fatal(err)
	}
	other := addTenant(t, d, "other")
	b, err := d.TenantNumbered(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	tables := guardedTables(t, admin)
	for _, table := range tables {
		insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table.name, strings.Join(table.columns, ", "), strings.Join(table.values, ", "))
		var filled bool
		if err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM "+table.name+")").Scan(&filled); err != nil {
			t.Fatal(err)
		}
		if !filled && !table.month {
			insert := insert
			if !slices.Contains(table.columns, "tenant_id") {
				insert = strings.Replace(strings.Replace(insert, "(", "(tenant_id, ", 1), "VALUES (", "VALUES (1, ", 1)
			}
			if _, err := admin.Exec(t.Context(), insert); err != nil {
				t.Fatalf("give this test a row of %s: %v", table.name, err)
			}
		}
		t.Run(table.name, func(t *testing.T) {
			statements(t, d, other, table, key, insert)
		})
		if !filled && !table.month {
			if _, err := admin.Exec(t.Context(), "DELETE FROM "+table.name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if hits, err := b.Search(t.Context(), store.Query{Text: secret}); len(hits) != 0 || err != nil {
		t.Errorf("another tenant finds %v, %v", hits, err)
	}
	if c, err := a.Conversation(t.Context(), "x"); err != nil || c.Version != 1 {
		t.Errorf("the conversation is then %+v, %v", c, err)
	}
	if hits, err := a.Search(t.Context(), store.Query{Text: secret}); len(hits) != 1 || err != nil {
		t.Errorf("its tenant finds %v, %v", hits, err)
	}
}

// statements tries a table without a tenant, as the operator and as a tenant to
// whom no row of it belongs.
func statements(t *testing.T, d *Database, other int, table guardedTable, key int64, insert string) {
	if table.month { // a partition takes rows of its own months only
		insert = fmt.Sprintf("INSERT INTO %s (tenant_id, conversation, seq, id, meta) VALUES (1, %d, 2, '2', '\\x01')", table.name, key)
	} else if !slices.Contains(table.columns, "tenant_id") {
		insert = strings.Replace(strings.Replace(insert, "(", "(tenant_id, ", 1), "VALUES (", "VALUES (1, ", 1)
	}
	column := "tenant_id"
	if table.name == "tenfold_tenants" {
		column, insert = "id", "INSERT INTO tenfold_tenants (name) VALUES ('mine')"
	}
	reads := "SELECT count(*) FROM " + table.name + " WHERE " + column + " <> "
	writes := []string{
		fmt.Sprintf("UPDATE %s SET %s = %s", table.name, column, column),
		fmt.Sprintf("UPDATE %s SET %s = %d", table.name, column, other),
		"DELETE FROM " + table.name,
	}
	if _, err := d.Pool().Exec(t.Context(), "SELECT FROM "+table.name); Code(err) != codeNoTenant {
		t.Errorf("without a tenant SELECT gives %v", err)
	}
	for _, sql := range writes {
		if _, err := d.Pool().Exec(t.Context(), sql); Code(err) != codeNoTenant && Code(err) != codeForbidden {
			t.Errorf("without a tenant %s gives %v", sql, err)
		}
	}
	if _, err := d.Pool().Exec(t.Context(), insert); err == nil {
		t.Errorf("without a tenant %s works", insert)
	}
	for _, tenant := range []int{Operator, other} {
		if table.name == "tenfold_tenants" && tenant == Operator {
			continue
		}
		as := func(sql string) (n int64, err error) {
			err = d.As(t.Context(), tenant, func(ctx context.Context, tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, "SELECT set_config('tenfold.words', '{}', true)"); err != nil {
					return err
				}
				if strings.HasPrefix(sql, "SELECT") {
					return tx.QueryRow(ctx, sql).Scan(&n)
				}
				tag, err := tx.Exec(ctx, sql)
				n = tag.RowsAffected()
				return err
			})
			return n, err
		}
		if n, err := as(reads + fmt.Sprint(other)); n != 0 || err != nil {
			t.Errorf("tenant %d counts %d, %v", tenant, n, err)
		}
		for _, sql := range writes {
			if n, err := as(sql); n != 0 || err != nil && Code(err) != codeForbidden {
				t.Errorf("tenant %d: %s changes %d, %v", tenant, sql, n, err)
			}
		}
		if n, err := as(insert); n != 0 || Code(err) != codeForbidden {
			t.Errorf("tenant %d: %s writes %d, %v", tenant, insert, n, err)
		}
	}
}

// Who is above row level security and cannot go below it is refused.
func testAbove(t *testing.T, server *pgtest.Server) {
	base := server.Database(t)
	admin := superuser(t, base)
	opened(t, base)
	if _, err := admin.Exec(t.Context(), "CREATE ROLE above LOGIN BYPASSRLS PASSWORD 'above'"); err != nil {
		t.Fatal(err)
	}
	at := changed(t, base, func(u *url.URL) { u.User = url.UserPassword("above", "above") })
	grant := func(sql string) {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	grant("GRANT SELECT ON tenfold_schema TO above")
	_, err := Open(t.Context(), at)
	wantError(t, err, "cannot become tenfold_app", "GRANT tenfold_app TO the user")
	grant("GRANT tenfold_app TO above")
	s := opened(t, at)
	var who string
	if err := s.Database().Pool().QueryRow(t.Context(), "SELECT current_user").Scan(&who); who != "tenfold_app" || err != nil {
		t.Errorf("it works as %s, %v", who, err)
	}
}
