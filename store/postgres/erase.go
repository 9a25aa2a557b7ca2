package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/internal/pause"
)

// Erased proves what Erase did.
type Erased struct {
	Tenant int    `json:"tenant"`
	Name   string `json:"name"`
	// Tables are those that hold rows of tenants, with the rows of this one before,
	// and after, which is 0.
	Tables []ErasedTable `json:"tables"`
	// Keys are the versions of the keys that were destroyed; none for a tenant that was
	// not encrypted, whose text remains in freed pages until they are written over.
	Keys []int `json:"keys"`
	// Audit is when the entry was made that the audit log of the operator (tenant 0) has
	// of it, by the database's clock.
	Audit string `json:"audit"`
	// Rewritten is set when tenfold_keys was written anew, so that no page of it holds
	// the old rows; Problem says why it was not.
	Rewritten bool   `json:"rewritten"`
	Problem   string `json:"problem,omitempty"`
}

// ErasedTable counts a tenant's rows in a table.
type ErasedTable struct {
	Name   string `json:"name"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// tablesSQL lists the tables that hold rows of tenants, each partition by itself, those
// to delete from first last. tenfold_keys is left out: its rows stay, without the keys.
const tablesSQL = `
SELECT c.relname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE a.attname = 'tenant_id' AND NOT a.attisdropped AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'tenfold_keys'
ORDER BY c.relname`

// Erase removes a tenant: its rows in every table, its keys, and itself, in one
// transaction, of which also may be part: it runs for the tenant, and tells of one more table. The operator's audit
// log keeps that it was done, with actor. A name that is not there is [ErrNoTenant].
//
// The rows of tenfold_keys stay as proof, without the keys. Whoever has an older backup
// of them, and the master key that wraps them, can still read older backups of the rest:
// see [vault.Vault].
func (d *Database) Erase(ctx context.Context, name, actor string, also func(ctx context.Context, tx pgx.Tx, tenant int) (ErasedTable, error)) (Erased, error) {
	var e Erased
	err := d.erase(ctx, func(ctx context.Context, tx pgx.Tx) error {
		e = Erased{Name: name}
		return e.erase(ctx, tx, actor, also)
	})
	if err == nil {
		d.hub.WakeAll() // those who watch see that it is gone
		e.rewrite(ctx, d)
	}
	return e, d.errors.Explain("erase tenant "+strconv.Quote(name), err)
}

// eraseAttempts is how often an erasure is tried that others keep from its end: it may
// take longer than a caller tries again.
const eraseAttempts = 5

func (d *Database) erase(ctx context.Context, f func(ctx context.Context, tx pgx.Tx) error) error {
	for n := 1; ; n++ {
		err := d.begin(ctx, Operator, f)
		if err == nil || troubleOf(err) > undone || n == eraseAttempts || pause.For(ctx, firstPause<<n) != nil {
			return err
		}
		d.retrying(ctx, err)
	}
}

// serialSQL has one tenant be erased at a time: two would wait for each other at quietSQL.
const serialSQL = "SELECT pg_advisory_xact_lock(x'74656e666f6c66'::bigint)"

// quietSQL waits for transactions that wrote to tables whose rows are not held by any
// other: until the end of the transaction, nobody writes there. Those who waited find no
// tenant: see hereSQL in package tenant. Whoever waits for a row of tenfold_tokens has
// that table; so its rows go afterwards.
const quietSQL = "SET LOCAL lock_timeout = '1s'; LOCK TABLE tenfold_audit, tenfold_tokens IN SHARE ROW EXCLUSIVE MODE; SET LOCAL lock_timeout = 0"

// quietTries is how often that is tried: while it waits, all tenants do that write there.
const quietTries = 60

func lockQuiet(ctx context.Context, tx pgx.Tx) error {
	for n := 1; ; n++ {
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // a savepoint
			_, err := tx.Exec(ctx, quietSQL)
			return err
		})
		if Code(err) != codeLocked || n == quietTries || pause.For(ctx, time.Second) != nil {
			return err
		}
	}
}

func (e *Erased) erase(ctx context.Context, tx pgx.Tx, actor string, also func(ctx context.Context, tx pgx.Tx, tenant int) (ErasedTable, error)) error {
	if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; "+serialSQL); err != nil {
		return err
	}
	// The tenant's row is locked first: who makes a conversation for it waits, and
	// then finds no tenant.
	err := tx.QueryRow(ctx, "SELECT id FROM tenfold_tenants WHERE name = $1 FOR UPDATE", e.Name).Scan(&e.Tenant)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNoTenant
	}
	if err == nil {
		_, err = tx.Exec(ctx, tenantSQL, strconv.Itoa(e.Tenant))
	}
	if err == nil { // who makes a key holds the others: what follows sees it
		err = lockKeys(ctx, tx)
	}
	if err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, tablesSQL)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	tables := map[string]*ErasedTable{}
	for _, name := range names {
		tables[name] = &ErasedTable{Name: name}
	}
	remove := func(name string) error {
		tag, err := tx.Exec(ctx, "DELETE FROM "+pgx.Identifier{name}.Sanitize())
		tables[name].Before += tag.RowsAffected()
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return err
	}
	count := func(name string) error {
		t := tables[name]
		err := tx.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{name}.Sanitize()).Scan(&t.After)
		if err == nil && t.After > 0 {
			err = fmt.Errorf("%s still has %d rows", name, t.After)
		}
		return err
	}
	each := func(names []string, do func(name string) error) error {
		for _, name := range names {
			if err := do(name); err != nil {
				return err
			}
		}
		return nil
	}
	// Conversations first: their locks wait for appends under way. Then all that may take
	// long, before others are kept waiting.
	quiet := []string{"tenfold_audit", "tenfold_tokens"}
	long := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(quiet, name) })
	if err := each(append([]string{"tenfold_conversations", "tenfold_audit"}, long...), remove); err != nil {
		return err
	}
	var others []ErasedTable
	if also != nil {
		table, err := also(ctx, tx, e.Tenant)
		if err != nil {
			return err
		}
		others = append(others, table)
	}
	if err := each(long, count); err != nil {
		return err
	}
	if err := lockQuiet(ctx, tx); err != nil {
		return err
	}
	if err := each(quiet, remove); err != nil {
		return err
	}
	if err := each(quiet, count); err != nil {
		return err
	}
	for _, name := range names {
		e.Tables = append(e.Tables, *tables[name])
	}
	e.Tables = append(e.Tables, others...)
	keys, _ := tx.Query(ctx, "UPDATE tenfold_keys SET wrapped = '', destroyed = coalesce(destroyed, now()) RETURNING version")
	if e.Keys, err = pgx.CollectRows(keys, pgx.RowTo[int]); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, tenantSQL, strconv.Itoa(Operator)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM tenfold_tenants WHERE id = $1", e.Tenant); err != nil {
		return err
	}
	return tx.QueryRow(ctx, `INSERT INTO tenfold_audit (tenant_id, actor, action, subject, outcome) VALUES (0, $1, 'tenant.erase', $2, 'done')
RETURNING to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, actor, []byte(strconv.Itoa(e.Tenant))).Scan(&e.Audit)
}

// rewriteSQL writes tenfold_keys anew with the rows that are there. VACUUM FULL would
// copy those that some transaction may still see.
const rewriteSQL = "ALTER TABLE tenfold_keys ALTER COLUMN wrapped TYPE bytea USING wrapped || ''"

// rewrite writes tenfold_keys anew: its old rows would stay in its pages until those
// are written over.
func (e *Erased) rewrite(ctx context.Context, d *Database) {
	if len(e.Keys) == 0 {
		return
	}
	err := d.admin(ctx, undone, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET lock_timeout = '20s'; "+rewriteSQL)
		return err
	})
	if e.Rewritten = err == nil; err != nil {
		e.Problem = "tenfold_keys still has the destroyed keys in freed pages: as its owner, run " + rewriteSQL + ": " + err.Error()
	}
}
