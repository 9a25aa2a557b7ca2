package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"tenfold/store"
)

// Maintained says what Maintain did, or would do.
type Maintained struct {
	// Expired counts the conversations erased of each tenant that has any.
	Expired []Expired `json:"expired,omitempty"`
	// Dropped are the partitions of months of which nothing was left.
	Dropped []string `json:"dropped,omitempty"`
}

// Expired counts the conversations of a tenant that its policy ended.
type Expired struct {
	Tenant        int    `json:"tenant"`
	Name          string `json:"name"`
	Days          int    `json:"days"`
	Conversations int    `json:"conversations"`
}

// expireBatch is how many conversations one transaction erases: it holds their locks.
const expireBatch = 100

// resting are the conversations of the transaction's tenant to which nothing was
// appended for some days, by the database's clock. What a transcript or a client says
// of times does not count, and nothing exempts a conversation: pins are about what a
// model sees. PostgreSQL has no time that is more than some 6,000 years ago.
const resting = "tenfold_conversations WHERE appended < now() - make_interval(days => least($1, 1000000))"

// Maintain is to run once a day, by one program or by several. It erases the
// conversations of tenants with a retention (retain_days) to which nothing was appended
// for so long; drops the partitions of months of which nothing is left; and makes those
// of the months to come. For each conversation that it erases, also runs in the
// transaction. A dry run counts conversations, and changes nothing.
func (d *Database) Maintain(ctx context.Context, dry bool, also func(ctx context.Context, tx pgx.Tx, tenant int, conversation string) (int64, error)) (Maintained, error) {
	var m Maintained
	err := d.maintain(ctx, &m, dry, also)
	return m, d.errors.Explain("maintain", err)
}

func (d *Database) maintain(ctx context.Context, m *Maintained, dry bool, also func(ctx context.Context, tx pgx.Tx, tenant int, conversation string) (int64, error)) error {
	tenants, err := d.tenants(ctx)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		if t.retain == nil {
			continue
		}
		n, failed := d.expireAll(ctx, t, dry, also)
		if n > 0 {
			m.Expired = append(m.Expired, Expired{t.id, t.name, *t.retain, n})
		}
		if failed == nil {
			continue
		}
		// What one tenant has does not keep what others have.
		if err = errors.Join(err, fmt.Errorf("tenant %s: %w", t.name, failed)); ctx.Err() != nil || errors.Is(failed, store.ErrUnavailable) {
			return err
		}
	}
	if dry {
		return err
	}
	d.hub.WakeAll() // those who watch see what is gone
	return errors.Join(err, d.months(ctx, m))
}

// expireAll erases what a tenant does not keep any longer, and gives how many conversations
// that is.
func (d *Database) expireAll(ctx context.Context, t tenantRow, dry bool, also func(ctx context.Context, tx pgx.Tx, tenant int, conversation string) (int64, error)) (all int, err error) {
	for more := true; more && err == nil; {
		n := 0
		err = d.As(ctx, t.id, func(ctx context.Context, tx pgx.Tx) (err error) {
			if dry {
				more = false
				return tx.QueryRow(ctx, "SELECT count(*) FROM "+resting, *t.retain).Scan(&n)
			}
			n, err = expire(ctx, tx, t.id, *t.retain, also)
			more = n >= expireBatch
			return err
		})
		if err == nil {
			all += n
		}
	}
	return all, err
}

// expire erases some conversations and gives how many.
func expire(ctx context.Context, tx pgx.Tx, tenant, days int, also func(ctx context.Context, tx pgx.Tx, tenant int, conversation string) (int64, error)) (int, error) {
	// Those that another program has locked are appended to, or erased, just now.
	rows, _ := tx.Query(ctx, `
DELETE FROM tenfold_conversations WHERE key IN (SELECT key FROM `+resting+` ORDER BY key LIMIT `+strconv.Itoa(expireBatch)+` FOR UPDATE SKIP LOCKED)
RETURNING key, id`, days)
	type gone struct {
		Key int64
		ID  []byte
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[gone])
	ids := make([][]byte, len(all))
	for i, g := range all {
		ids[i] = g.ID
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM tenfold_entries WHERE conversation = $1", g.Key)
		}
		if err == nil && also != nil {
			_, err = also(ctx, tx, tenant, string(g.ID))
		}
	}
	if err == nil && len(all) > 0 { // as package tenant does those that somebody deletes
		_, err = tx.Exec(ctx, "INSERT INTO tenfold_audit (actor, action, subject, outcome) SELECT 'retention ', 'delete', id, 'done' FROM unnest($1::bytea[]) AS id", ids)
	}
	return len(all), err
}

// emptySQL lists the months that are over whose partition, as far as PostgreSQL's
// counts say, is empty. To find out costs a lock that all wait for.
const emptySQL = `
SELECT m.month, s.relname FROM generate_series(0, tenfold_month() - 1) AS m (month)
JOIN pg_stat_all_tables AS s ON s.relid = to_regclass(tenfold_partition(m.month))
WHERE s.n_live_tup = 0 ORDER BY m.month`

func (d *Database) months(ctx context.Context, m *Maintained) error {
	type month struct {
		Month int64
		Name  string
	}
	var empty []month
	err := d.As(ctx, Operator, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, emptySQL)
		var err error
		if empty, err = pgx.CollectRows(rows, pgx.RowToStructByPos[month]); err == nil {
			_, err = tx.Exec(ctx, "SELECT tenfold_add_month(tenfold_month() + n) FROM generate_series(0, 2) AS n")
		}
		return err
	})
	for _, e := range empty {
		if err != nil {
			break
		}
		var dropped bool
		err = d.As(ctx, Operator, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT tenfold_drop_month($1)", e.Month).Scan(&dropped)
		})
		if Code(err) == codeLocked { // somebody reads for longer than it waits: there is another day
			err = nil
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", e.Name, err)
		}
		if dropped {
			m.Dropped = append(m.Dropped, e.Name)
		}
	}
	return err
}
