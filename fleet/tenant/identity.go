package tenant

import "context"

// An Identity is who sent a request: a token of a tenant. A nil one is whoever runs
// the server, or the program itself, and may do everything.
type Identity struct {
	// Tenant is the tenant's number, Name its name.
	Tenant int
	Name   string
	// Token is the token's id, which is not a secret, and Label what people call it.
	Token, Label string
	Scopes       Scopes
}

// Has reports whether the identity may do what needs a scope.
func (i *Identity) Has(need Scope) bool { return i == nil || i.Scopes.Has(need) }

// Actor is how the audit log names the identity.
func (i *Identity) Actor() Actor {
	if i == nil {
		return Actor{Token: Operator}
	}
	return Actor{i.Token, i.Label}
}

type identityKey struct{}

// With gives a context whose requests are those of an identity.
func With(ctx context.Context, i *Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, i)
}

// From is the identity whose request a context belongs to; nil for nobody's.
func From(ctx context.Context) *Identity {
	i, _ := ctx.Value(identityKey{}).(*Identity)
	return i
}

type operatingKey struct{}

// Operating gives a context for the work of an operation that the identity may do:
// the store lets it read what it works on, whatever the token's scopes. What it
// writes is still asked about.
func Operating(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatingKey{}, true)
}

func operating(ctx context.Context) bool { return ctx.Value(operatingKey{}) != nil }
