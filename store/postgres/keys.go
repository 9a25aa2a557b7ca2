package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"tenfold/problem"
	"tenfold/store/vault"
)

// WithVault has the stores of tenants that have keys seal what they write and open
// what they read. Without it, such a tenant cannot be opened.
func WithVault(v *vault.Vault) Option { return func(o *options) { o.vault = v } }

// Encrypts reports whether a master key was given, so that tenants can be encrypted.
func (d *Database) Encrypts() bool { return d.vault != nil }

// keys are what a store knows of its tenant's keys.
type keys struct {
	ring *vault.Keyring // nil for a tenant that is not encrypted
	// converting says that some conversations may not be sealed yet.
	converting bool
	hashers    sync.Pool // of *wordHasher
}

// errStale says that the keys of a tenant may have changed since they were loaded. It
// is joined with what to say if they did not.
var errStale = errors.New("the tenant's keys may have changed")

// stale says what is wrong if new keys do not help.
func stale(err error) error { return staleError{err} }

type staleError struct{ error }

func (e staleError) Unwrap() []error { return []error{e.error, errStale} }

// withKeys runs f with the tenant's keys, and again where they have changed: a tenant
// may become encrypted, or have a new key, while it is open here.
func (s *Store) withKeys(ctx context.Context, f func(k *keys) error) error {
	return s.withNewest(ctx, func(k *keys, _ bool) error { return f(k) })
}

// withNewest is withKeys for what goes on where the newest keys do not help.
func (s *Store) withNewest(ctx context.Context, f func(k *keys, newest bool) error) error {
	err := f(s.keys.Load(), false)
	if Code(err) != codeSealed && !errors.Is(err, errStale) {
		return err
	}
	k, loading := s.loadKeys(ctx)
	if loading != nil {
		return loading
	}
	s.keys.Store(k)
	return f(k, true)
}

// loadKeys reads the tenant's keys.
func (s *Store) loadKeys(ctx context.Context) (*keys, error) {
	k := &keys{}
	err := s.db.begin(ctx, s.tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		k, err = s.db.keysOf(ctx, tx, s.tenant)
		return err
	})
	return k, err
}

// keysOf reads the keys of the transaction's tenant.
func (d *Database) keysOf(ctx context.Context, tx pgx.Tx, tenant int) (*keys, error) {
	k := &keys{}
	wrapped, err := wrappedKeys(ctx, tx)
	if err != nil {
		return nil, err
	}
	err = tx.QueryRow(ctx, "SELECT encrypted IS NULL FROM tenfold_tenants WHERE id = $1", tenant).Scan(&k.converting)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, ErrNoTenant
	case err != nil:
		return nil, err
	}
	switch {
	case len(wrapped) == 0 && k.converting:
		return &keys{}, nil // it is not encrypted
	case len(wrapped) == 0: // nothing is to be written in the clear
		return nil, fmt.Errorf("tenant %d: %w", tenant, vault.ErrNoKey)
	case d.vault == nil:
		return nil, vault.ErrNoMaster
	}
	k.ring, err = d.vault.Keyring(tenant, wrapped)
	return k, err
}

// lockKeys has whoever erases the tenant wait, or waits for its keys to be destroyed: they
// must not come back.
func lockKeys(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT FROM tenfold_keys ORDER BY version FOR UPDATE")
	return err
}

func wrappedKeys(ctx context.Context, tx pgx.Tx) ([]vault.Wrapped, error) {
	rows, _ := tx.Query(ctx, "SELECT version, wrapped FROM tenfold_keys ORDER BY version") // its error is that of the rows
	return pgx.CollectRows(rows, pgx.RowToStructByPos[vault.Wrapped])
}

// Encrypted says what Encrypt sealed.
type Encrypted struct {
	// Conversations and Entries count what was there in the clear.
	Conversations int `json:"conversations"`
	Entries       int `json:"entries"`
}

// Encrypt gives a tenant keys, and seals what it has written so far: one conversation
// after the other, while others read and append. It goes on where an earlier one was
// interrupted; a tenant that is encrypted already is left as it is. What was in the
// clear remains on disk until PostgreSQL writes over it, and in the log and the backups:
// VACUUM FULL and a new backup end that. Also, if not nil, runs in the operator's transaction
// that ends it, and not for a tenant that is encrypted already.
func (d *Database) Encrypt(ctx context.Context, tenant int, also func(ctx context.Context, tx pgx.Tx) error) (Encrypted, error) {
	var done Encrypted
	err := d.encrypt(ctx, tenant, &done, also)
	return done, d.errors.Explain(fmt.Sprintf("encrypt tenant %d", tenant), err)
}

func (d *Database) encrypt(ctx context.Context, tenant int, done *Encrypted, also func(ctx context.Context, tx pgx.Tx) error) error {
	if d.vault == nil {
		return vault.ErrNoMaster
	}
	if err := d.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error { return d.firstKeys(ctx, tx, tenant) }); err != nil {
		return err
	}
	for {
		sealed := 0
		err := d.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
			k, err := d.keysOf(ctx, tx, tenant)
			if err != nil {
				return err
			}
			var name []byte
			err = tx.QueryRow(ctx, "SELECT name FROM tenfold_conversations WHERE NOT sealed ORDER BY key LIMIT 1 FOR UPDATE").Scan(&name)
			if err == nil {
				sealed, err = sealConversation(ctx, tx, k, name)
			}
			return err
		})
		if errors.Is(err, pgx.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		done.Conversations++
		done.Entries += sealed
	}
	return d.As(ctx, Operator, func(ctx context.Context, tx pgx.Tx) error {
		ended, err := tx.Exec(ctx, "UPDATE tenfold_tenants SET encrypted = now() WHERE id = $1 AND encrypted IS NULL", tenant)
		if err == nil && ended.RowsAffected() > 0 && also != nil {
			err = also(ctx, tx)
		}
		return err
	})
}

// firstKeys makes the keys of a tenant that has none.
func (d *Database) firstKeys(ctx context.Context, tx pgx.Tx, tenant int) error {
	// It waits for conversations that are being made in the clear; those that come
	// later find the keys: see tenfold_plain.
	if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '10s'; LOCK TABLE tenfold_conversations IN SHARE MODE"); err != nil {
		return err
	}
	var exists bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tenfold_tenants WHERE id = $1)", tenant).Scan(&exists); err != nil || !exists {
		return errors.Join(err, ErrNoTenant)
	}
	there, err := wrappedKeys(ctx, tx)
	if err != nil || len(there) > 0 {
		return err
	}
	for version := range 2 {
		if err := d.insertKey(ctx, tx, tenant, version); err != nil {
			return err
		}
	}
	return nil
}

func (d *Database) insertKey(ctx context.Context, tx pgx.Tx, tenant, version int) error {
	w, err := d.vault.NewKey(tenant, version)
	if err == nil {
		_, err = tx.Exec(ctx, "INSERT INTO tenfold_keys (version, wrapped) VALUES ($1, $2)", w.Version, w.Key)
	}
	return err
}

// Rotate makes a new data key for what a tenant writes from now on, and gives its
// version. Programs that have the tenant open use it when they next load its keys. Also, if
// not nil, runs in the transaction, which is the tenant's.
func (d *Database) Rotate(ctx context.Context, tenant int, also func(ctx context.Context, tx pgx.Tx) error) (version int, err error) {
	err = d.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		k, err := d.keysOf(ctx, tx, tenant)
		if err != nil {
			return err
		}
		if k.ring == nil {
			return &problem.Error{Problem: "the tenant is not encrypted", Hint: "encrypt it with tenfold tenant encrypt"}
		}
		version = k.ring.Version() + 1
		if err = d.insertKey(ctx, tx, tenant, version); err == nil && also != nil {
			err = also(ctx, tx)
		}
		return err
	})
	return version, d.errors.Explain(fmt.Sprintf("rotate the key of tenant %d", tenant), err)
}

// Rewrap wraps the keys of all tenants by the current master key, and gives how many
// were not. Afterwards the older master keys open nothing that is in the database.
func (d *Database) Rewrap(ctx context.Context) (changed int, err error) {
	fail := func(err error) (int, error) { return changed, d.errors.Explain("wrap keys", err) }
	if d.vault == nil {
		return fail(vault.ErrNoMaster)
	}
	tenants, err := d.tenants(ctx)
	if err != nil {
		return fail(err)
	}
	for _, t := range tenants {
		n := 0
		err := d.As(ctx, t.id, func(ctx context.Context, tx pgx.Tx) error {
			n = 0
			if err := lockKeys(ctx, tx); err != nil {
				return err
			}
			all, err := wrappedKeys(ctx, tx)
			for _, w := range all {
				if len(w.Key) == 0 || err != nil {
					continue
				}
				again, changes, wrapping := d.vault.Rewrap(t.id, w)
				if err = wrapping; err != nil || !changes {
					continue
				}
				n++
				_, err = tx.Exec(ctx, "UPDATE tenfold_keys SET wrapped = $2 WHERE version = $1", again.Version, again.Key)
			}
			return err
		})
		if err != nil {
			return fail(err)
		}
		changed += n
	}
	return changed, nil
}

type tenantRow struct {
	id     int
	name   string
	retain *int
}

// tenants lists all tenants.
func (d *Database) tenants(ctx context.Context) (all []tenantRow, err error) {
	err = d.As(ctx, Operator, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, "SELECT id, name, retain_days FROM tenfold_tenants ORDER BY id")
		all, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (t tenantRow, err error) { return t, r.Scan(&t.id, &t.name, &t.retain) })
		return err
	})
	return all, err
}
