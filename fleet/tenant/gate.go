package tenant

import (
	"context"
	"errors"
	"sync"
	"time"

	"tenfold/problem"
)

// A Gate is what a server asks before it does something for a tenant, and what it
// tells afterwards. Make one for each tenant. Its methods are safe for concurrent
// use.
type Gate struct {
	*Meter
	registry *Registry
	tenant   int

	mu      sync.Mutex
	refused map[string]time.Time // when a refusal was recorded, by token and action
}

// NewGate gives the gate of a tenant.
func NewGate(r *Registry, tenant int) *Gate {
	return &Gate{Meter: NewMeter(r, tenant), registry: r, tenant: tenant, refused: map[string]time.Time{}}
}

// Registry is the one of the tenant's database.
func (g *Gate) Registry() *Registry { return g.registry }

// Tenant is the number of the tenant.
func (g *Gate) Tenant() int { return g.tenant }

// ErrScope says that a token does not allow what was asked for.
var ErrScope = errors.New("the token does not allow this")

// Allow refuses what the identity of the context may not do, as an [ErrScope], and
// records that: once a minute for each token and action.
func (g *Gate) Allow(ctx context.Context, need Scope, action, subject string) error {
	i := From(ctx)
	if i.Has(need) {
		return nil
	}
	what, hint := "the token lacks the scope "+string(need), "use a token with the scope "+string(need)+"; this one has "+i.Scopes.String()
	if need == "" || !AllScopes().Has(need) {
		what, hint = "no token of a tenant allows this", "only whoever runs the server can do it"
	}
	if g.tell(i.Token + " " + action) {
		// Refusing does not wait for more than the record, and goes on without it.
		_ = g.registry.Record(ctx, g.tenant, Event{Actor: i.Actor(), Action: action, Subject: subject, Outcome: "refused: " + what})
	}
	return &problem.Error{Op: action, Code: "scope", Problem: what, Hint: hint, Err: ErrScope}
}

// refusalEvery is how often a refusal of the same is recorded.
const refusalEvery = time.Minute

// tell reports whether something was not told within the last minute.
func (g *Gate) tell(what string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if at, ok := g.refused[what]; ok && now.Sub(at) < refusalEvery {
		return false
	}
	if len(g.refused) >= mostCached {
		clear(g.refused)
	}
	g.refused[what] = now
	return true
}

// Record adds to the tenant's audit log what the identity of the context did.
func (g *Gate) Record(ctx context.Context, action, subject, outcome string) error {
	return g.registry.Record(context.WithoutCancel(ctx), g.tenant, Event{Actor: From(ctx).Actor(), Action: action, Subject: subject, Outcome: outcome})
}
