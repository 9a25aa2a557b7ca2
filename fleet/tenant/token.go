package tenant

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/problem"
	"tenfold/store/postgres"
)

// A Token is what is known of one; its secret is not.
type Token struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Scopes Scopes `json:"scopes"`
	// Times are the database's. Used is written at most once a minute.
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitzero"`
	Revoked *time.Time `json:"revoked,omitzero"`
	Used    *time.Time `json:"used,omitzero"`
	// State is valid, expired or revoked, by the database's clock.
	State string `json:"state"`
}

// The states of a token.
const (
	Valid   = "valid"
	Expired = "expired"
	Revoked = "revoked"
)

// A NewToken says what token to make.
type NewToken struct {
	// Label says what the token is for.
	Label  string
	Scopes Scopes
	// For is how long it is valid; 0 is until it is revoked.
	For time.Duration
}

// shownColumns are what is shown of a token, with its state by the database's clock.
const shownColumns = `id, label, scopes, created, expires, revoked, used,
	CASE WHEN revoked IS NOT NULL THEN 'revoked' WHEN expires <= now() THEN 'expired' ELSE 'valid' END`

func scanToken(row pgx.Row) (t Token, err error) {
	var scopes []string
	err = row.Scan(&t.ID, &t.Label, &scopes, &t.Created, &t.Expires, &t.Revoked, &t.Used, &t.State)
	for _, s := range scopes {
		t.Scopes = append(t.Scopes, Scope(s))
	}
	return t, err
}

// CreateToken makes a token of a tenant. Its secret is given this once.
func (r *Registry) CreateToken(ctx context.Context, by Actor, tenant int, n NewToken) (t Token, s Secret, err error) {
	if err := validLabel(n.Label); err != nil {
		return t, s, err
	}
	known, err := ParseScopes(n.Scopes.String())
	if err != nil {
		return t, s, err
	}
	if n.Scopes = known; n.For < 0 {
		return t, s, &problem.Error{Op: "create token", Code: "usage", Usage: true, Problem: "the token would end before it begins", Hint: "say for how long it is valid, or 0 for no end"}
	}
	s = newSecret(tenant)
	err = r.db.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if t, err = insertToken(ctx, tx, s, n); err != nil {
			return unknownTenant(strconv.Itoa(tenant), err)
		}
		return record(ctx, tx, tenant, Event{Actor: by, Action: "token create", Subject: t.ID, Outcome: "scopes " + t.Scopes.String()})
	})
	return t, s, err
}

func insertToken(ctx context.Context, tx pgx.Tx, s Secret, n NewToken) (Token, error) {
	scopes := strings.Split(n.Scopes.String(), ",")
	var micros *int64
	if n.For > 0 {
		micros = new(n.For.Microseconds())
	}
	return scanToken(tx.QueryRow(ctx, `INSERT INTO tenfold_tokens (tenant_id, id, hash, label, scopes, created, expires)
		SELECT $1::integer, $2, $3::bytea, $4, $5::text[], now(), now() + $6 * interval '1 microsecond'`+hereSQL+" RETURNING "+shownColumns,
		s.tenant, s.id, s.hash(), n.Label, scopes, micros))
}

// Tokens lists the tokens of a tenant, those made last first.
func (r *Registry) Tokens(ctx context.Context, tenant int) ([]Token, error) {
	return query(ctx, r, tenant, scanToken, "SELECT "+shownColumns+" FROM tenfold_tokens WHERE tenant_id = $1 ORDER BY created DESC, id", tenant)
}

// RevokeToken ends a token at once here, and on other servers within [Fresh]. One
// that is revoked already stays as it is.
func (r *Registry) RevokeToken(ctx context.Context, by Actor, tenant int, id string) (t Token, err error) {
	if !isID(id) {
		return t, unknownToken("revoke", id, pgx.ErrNoRows)
	}
	err = r.db.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		t, err = scanToken(tx.QueryRow(ctx, `UPDATE tenfold_tokens SET revoked = coalesce(revoked, now())
			WHERE tenant_id = $1 AND id = $2 RETURNING `+shownColumns, tenant, id))
		if err != nil {
			return unknownToken("revoke", id, err)
		}
		return record(ctx, tx, tenant, Event{Actor: by, Action: "token revoke", Subject: id})
	})
	r.tokens.forget(tokenKey{tenant, id})
	return t, err
}

// RotateToken makes a token in the place of another: with its label and scopes, and
// valid for as long as that was made for. The old one ends after the grace, or when
// it would have ended anyway.
func (r *Registry) RotateToken(ctx context.Context, by Actor, tenant int, id string, grace time.Duration) (t Token, s Secret, err error) {
	if grace < 0 {
		return t, s, &problem.Error{Op: "rotate token", Subject: id, Code: "usage", Usage: true, Problem: "the grace is below 0", Hint: "0 ends the old token at once"}
	}
	if !isID(id) {
		return t, s, unknownToken("rotate", id, pgx.ErrNoRows)
	}
	s = newSecret(tenant)
	err = r.db.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		old, err := scanToken(tx.QueryRow(ctx, "SELECT "+shownColumns+" FROM tenfold_tokens WHERE tenant_id = $1 AND id = $2 FOR UPDATE", tenant, id))
		if err != nil {
			return unknownToken("rotate", id, err)
		}
		if old.State != Valid {
			return &problem.Error{Op: "rotate token", Subject: id, Code: "token_" + old.State, Problem: "the token is " + old.State, Hint: `make a new one: "tenfold token create"`}
		}
		n := NewToken{Label: old.Label, Scopes: old.Scopes}
		if n.For, err = lifetime(ctx, tx, tenant, old); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE tenfold_tokens SET expires = least(expires, now() + $3 * interval '1 microsecond')
			WHERE tenant_id = $1 AND id = $2`, tenant, id, grace.Microseconds()); err != nil {
			return err
		}
		if t, err = insertToken(ctx, tx, s, n); err != nil {
			return err
		}
		return record(ctx, tx, tenant, Event{Actor: by, Action: "token rotate", Subject: id, Outcome: replacedBy + t.ID + "; ends in " + grace.String()})
	})
	r.tokens.forget(tokenKey{tenant, id})
	return t, s, err
}

// lifetime is for how long a token was made; 0 is until it is revoked. One that was
// rotated already ends sooner than that: the first that replaced it was made for as long.
func lifetime(ctx context.Context, tx pgx.Tx, tenant int, old Token) (time.Duration, error) {
	if old.Expires == nil {
		return 0, nil
	}
	var next Token
	err := tx.QueryRow(ctx, `SELECT t.id, t.created, t.expires FROM tenfold_audit a
			JOIN tenfold_tokens t ON t.tenant_id = $1 AND starts_with(a.outcome, $4 || t.id || ';')
		WHERE a.tenant_id = $1 AND a.at >= $3 AND a.action = 'token rotate' AND a.subject = convert_to($2, 'UTF8') ORDER BY a.at, a.id LIMIT 1`,
		tenant, old.ID, old.Created, replacedBy).Scan(&next.ID, &next.Created, &next.Expires)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return old.Expires.Sub(old.Created), nil
	case err != nil:
		return 0, err
	}
	return lifetime(ctx, tx, tenant, next)
}

const replacedBy = "replaced by "

func unknownToken(what, id string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) || postgres.Code(err) == codeEncoding {
		return &problem.Error{Op: what + " token", Subject: quote(id), Code: "not_found", Problem: "no such token", Hint: `"tenfold token ls" lists the tokens of a tenant`}
	}
	return err
}

// FindToken gives the one token of a tenant whose id begins with a text.
func (r *Registry) FindToken(ctx context.Context, tenant int, prefix string) (t Token, err error) {
	all, err := r.Tokens(ctx, tenant)
	if err != nil {
		return t, err
	}
	all = slices.DeleteFunc(all, func(t Token) bool { return !strings.HasPrefix(t.ID, prefix) })
	switch {
	case len(all) == 0 || prefix == "":
		return t, unknownToken("find", prefix, pgx.ErrNoRows)
	case len(all) > 1:
		return t, &problem.Error{Op: "find token", Subject: quote(prefix), Code: "ambiguous", Problem: "more than one token begins so", Hint: "write more of the ID"}
	}
	return all[0], nil
}
