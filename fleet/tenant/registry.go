package tenant

import (
	"context"
	"crypto/rand"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/problem"
	"tenfold/store/postgres"
)

// A Database runs transactions of a tenant, whose rows are the only ones they see;
// those of tenant 0 see the list of tenants and no data. *postgres.Database is one.
type Database interface {
	As(ctx context.Context, tenant int, f func(ctx context.Context, tx pgx.Tx) error) error
}

// A Registry knows the tenants of a database, their limits, their tokens and what
// they did. Its methods are safe for concurrent use.
type Registry struct {
	db      Database
	limits  cache[int, Limits]
	tokens  cache[tokenKey, *tokenRow]
	strange strangers
}

// NewRegistry gives the registry of a database.
func NewRegistry(db Database) *Registry {
	r := &Registry{db: db}
	r.limits = newCache(Fresh, r.readLimits)
	r.tokens = newCache(Fresh, r.readToken)
	return r
}

// Fresh is how long a server may go by what it read of tokens and limits: a token
// that is revoked ends within this time on all servers, and so do its streams.
const Fresh = 2 * time.Second

// A Tenant is one of those who share the database.
type Tenant struct {
	// ID is the number that its tokens begin with.
	ID      int       `json:"id"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	// Encrypted is since when all that it has is sealed; nil for a tenant in the clear.
	Encrypted *time.Time `json:"encrypted"`
	Limits    `json:"limits"`
}

const (
	codeUnique = "23505"
	// codeEncoding is of a text that no column can hold.
	codeEncoding = "22021"
)

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

const tenantColumns = "id, name, created, encrypted, max_entries, max_bytes, max_jobs, requests_per_second, jobs_at_once, retain_days, models"

func scanTenant(row pgx.Row) (t Tenant, err error) {
	l := &t.Limits
	err = row.Scan(&t.ID, &t.Name, &t.Created, &t.Encrypted, &l.Entries, &l.Bytes, &l.Jobs, &l.RequestsPerSecond, &l.JobsAtOnce, &l.RetainDays, &l.Models)
	return t, err
}

// saltLength is in bytes.
const saltLength = 32

// Create adds a tenant. A name is up to 63 small letters, digits and dashes.
func (r *Registry) Create(ctx context.Context, by Actor, name string, l Limits) (t Tenant, err error) {
	if err := l.valid(); err != nil {
		return t, err
	}
	if !validName.MatchString(name) {
		return t, &problem.Error{Op: "create tenant", Subject: quote(name), Code: "usage", Usage: true, Problem: "invalid name", Hint: "use up to 63 small letters, digits and dashes, beginning with a letter or digit"}
	}
	var salt [saltLength]byte
	_, _ = rand.Read(salt[:])
	l.JobsAtOnce = max(l.JobsAtOnce, 1)
	err = r.db.As(ctx, 0, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		t, err = scanTenant(tx.QueryRow(ctx, `INSERT INTO tenfold_tenants
			(name, salt, max_entries, max_bytes, max_jobs, requests_per_second, jobs_at_once, retain_days, models)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING `+tenantColumns,
			name, salt[:], l.Entries, l.Bytes, l.Jobs, l.RequestsPerSecond, l.JobsAtOnce, l.RetainDays, l.Models))
		if err == nil {
			err = recordFor(ctx, tx, t.ID, Event{Actor: by, Action: "tenant create", Subject: name})
		}
		return err
	})
	if postgres.Code(err) == codeUnique {
		return t, &problem.Error{Op: "create tenant", Subject: quote(name), Code: "exists", Problem: "the name is in use", Hint: `choose another name; "tenfold tenant ls" lists the tenants`}
	}
	return t, err
}

// query reads rows as a tenant.
func query[T any](ctx context.Context, r *Registry, tenant int, scan func(pgx.Row) (T, error), sql string, args ...any) (all []T, err error) {
	err = r.db.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sql, args...) // its error is that of the rows
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) { return scan(row) })
		return err
	})
	return all, err
}

// Tenants lists all tenants by name.
func (r *Registry) Tenants(ctx context.Context) ([]Tenant, error) {
	return query(ctx, r, 0, scanTenant, "SELECT "+tenantColumns+" FROM tenfold_tenants ORDER BY name")
}

// Find gives the tenant of a name.
func (r *Registry) Find(ctx context.Context, name string) (Tenant, error) {
	if !validName.MatchString(name) {
		return Tenant{}, unknownTenant(quote(name), pgx.ErrNoRows)
	}
	return r.find(ctx, 0, quote(name), "name = $1", name)
}

func (r *Registry) find(ctx context.Context, as int, which, where string, value any) (t Tenant, err error) {
	all, err := query(ctx, r, as, scanTenant, "SELECT "+tenantColumns+" FROM tenfold_tenants WHERE "+where, value)
	if err == nil && len(all) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return t, unknownTenant(which, err)
	}
	return all[0], nil
}

func unknownTenant(which string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &problem.Error{Op: "find tenant", Subject: which, Code: "not_found", Problem: "no such tenant", Hint: `"tenfold tenant ls" lists the tenants; "tenfold tenant create" makes one`}
	}
	return err
}

// SetLimits replaces the limits of a tenant. Servers follow within [Fresh].
func (r *Registry) SetLimits(ctx context.Context, by Actor, tenant int, l Limits) error {
	if err := l.valid(); err != nil {
		return err
	}
	err := r.db.As(ctx, 0, func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `UPDATE tenfold_tenants SET max_entries = $2, max_bytes = $3, max_jobs = $4,
			requests_per_second = $5, jobs_at_once = $6, retain_days = $7, models = $8 WHERE id = $1`,
			tenant, l.Entries, l.Bytes, l.Jobs, l.RequestsPerSecond, l.JobsAtOnce, l.RetainDays, l.Models)
		if err == nil && done.RowsAffected() == 0 {
			err = pgx.ErrNoRows
		}
		if err == nil {
			err = recordFor(ctx, tx, tenant, Event{Actor: by, Action: "tenant limits", Outcome: l.String()})
		}
		return err
	})
	if err != nil {
		return unknownTenant(strconv.Itoa(tenant), err)
	}
	r.limits.forget(tenant)
	return nil
}

// Limits gives the limits of a tenant as they were at most [Fresh] ago. Where the
// database cannot be asked they are those read last.
func (r *Registry) Limits(ctx context.Context, tenant int) (Limits, error) {
	l, err := r.limits.get(ctx, tenant)
	if err != nil {
		if old, ok := r.limits.stale(tenant); ok {
			return old, nil
		}
	}
	return l, err
}

// Get gives the tenant of a number.
func (r *Registry) Get(ctx context.Context, tenant int) (Tenant, error) {
	return r.find(ctx, tenant, strconv.Itoa(tenant), "id = $1", tenant)
}

func (r *Registry) readLimits(ctx context.Context, tenant int) (Limits, error) {
	t, err := r.Get(ctx, tenant)
	return t.Limits, err
}
