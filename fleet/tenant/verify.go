package tenant

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/problem"
)

// denied says why a token is refused.
func denied(code, what, hint string) error {
	return &problem.Error{Code: code, Problem: what, Hint: hint, Err: ErrDenied}
}

// ErrDenied says that a token is not valid, whatever the reason.
var ErrDenied = errors.New("the token is not valid")

// A tokenKey is what a token says of itself.
type tokenKey struct {
	tenant int
	id     string
}

// A tokenRow is what the database has of a token; nil is nothing.
type tokenRow struct {
	hash     []byte
	identity Identity
	revoked  bool
	// ends is when it expires by this process's clock, which is good for as long as
	// the row is kept; the zero time is never.
	ends time.Time
	// idle is set where Used is to be written.
	idle atomic.Bool
}

// Verify gives the identity of a token. What is refused is an ErrDenied with a hint:
// malformed; unknown, which is all that is said of a token that this database never
// had, of another tenant's, and of a wrong secret; and, to who has the secret,
// expired or revoked. Other errors are those of the database.
func (r *Registry) Verify(ctx context.Context, text string) (*Identity, error) {
	s, err := ParseSecret(text)
	if err != nil {
		return nil, err
	}
	key := tokenKey{s.tenant, s.id}
	if !r.tokens.known(key) {
		if wait, ok := r.strange.take(time.Now()); !ok {
			return nil, &LimitError{Limit: limitTokens, After: wait}
		}
	}
	row, err := r.tokens.get(ctx, key)
	if err != nil {
		return nil, err
	}
	row = cmp.Or(row, nobody)
	switch {
	case !s.is(row.hash):
		return nil, denied("token_unknown", "the token is not known here", "it must be whole and for this server; ask whoever gave it to you for another")
	case row.revoked:
		return nil, denied("token_revoked", "the token was revoked", "ask whoever gave it to you for another")
	case !row.ends.IsZero() && !time.Now().Before(row.ends):
		return nil, denied("token_expired", "the token has expired", `ask whoever gave it to you for another; "tenfold token rotate" makes one before the old one ends`)
	}
	if row.idle.CompareAndSwap(true, false) {
		r.touch(ctx, key)
	}
	return &row.identity, nil
}

// nobody is compared with where there is no token, so that it takes as long.
var nobody = &tokenRow{hash: Secret{}.hash()}

// strangers bounds how often a server looks up tokens that it has not seen: whoever
// guesses does not keep the database busy. Tokens in use are not held up.
type strangers struct {
	mu sync.Mutex
	bucket
}

// mostStrange is how many tokens that were not seen before are looked up a second.
const mostStrange = 100

func (s *strangers) take(now time.Time) (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bucket.take(mostStrange, now)
}

func (r *Registry) readToken(ctx context.Context, key tokenKey) (out *tokenRow, err error) {
	at := time.Now() // before the database's now
	err = r.db.As(ctx, key.tenant, func(ctx context.Context, tx pgx.Tx) error {
		row := &tokenRow{}
		var scopes []string
		var left *float64
		var idle bool
		i := &row.identity
		err := tx.QueryRow(ctx, `SELECT t.hash, t.label, t.scopes, n.name, t.revoked IS NOT NULL,
				extract(epoch FROM t.expires - now())::float8, coalesce(t.used < now() - interval '1 minute', true)
			FROM tenfold_tokens t JOIN tenfold_tenants n ON n.id = t.tenant_id WHERE t.tenant_id = $1 AND t.id = $2`,
			key.tenant, key.id).Scan(&row.hash, &i.Label, &scopes, &i.Name, &row.revoked, &left, &idle)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		i.Tenant, i.Token = key.tenant, key.id
		for _, s := range scopes {
			i.Scopes = append(i.Scopes, Scope(s))
		}
		if left != nil {
			row.ends = at.Add(time.Duration(min(*left, farLeft) * float64(time.Second)))
		}
		row.idle.Store(idle)
		out = row
		return nil
	})
	return out, err
}

// farLeft is in seconds: more does not fit a duration.
const farLeft = 1e9

// touch writes when a token was used, if nobody did within the last minute. That it
// cannot is no reason to refuse the request.
func (r *Registry) touch(ctx context.Context, key tokenKey) {
	_ = r.db.As(ctx, key.tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE tenfold_tokens SET used = now()
			WHERE tenant_id = $1 AND id = $2 AND coalesce(used < now() - interval '1 minute', true)`, key.tenant, key.id)
		return err
	})
}
