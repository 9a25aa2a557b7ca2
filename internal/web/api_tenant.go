package web

import (
	"context"
	"net/http"
	"time"

	"tenfold/fleet/tenant"
	"tenfold/internal/listing"
	"tenfold/problem"
)

func (s *Server) declareTenant() {
	declare(s, operation(http.MethodGet, "tenant", "/tenant", "Describe the tenant, its limits and usage, and what this token may do"), s.describeTenant)
	declare(s, operation(http.MethodGet, "tokens", "/tokens", "List the tokens of the tenant"), s.tokens)
	create := operation(http.MethodPost, "createToken", "/tokens", "Create a token; its secret is in the response and cannot be read again")
	create.DefaultStatus = http.StatusCreated
	declare(s, create, s.createToken)
	declare(s, operation(http.MethodPost, "rotateToken", "/tokens/{token}/rotate", "Replace a token with a new one; the old one ends after a grace period"), s.rotateToken)
	declare(s, operation(http.MethodDelete, "revokeToken", "/tokens/{token}", "Revoke a token, within seconds on all servers"), s.revokeToken)
	declare(s, operation(http.MethodGet, "audit", "/audit", "Read the audit log, newest first"), s.audit)
}

// A TenantView is a tenant as its own tokens see it.
type TenantView struct {
	Name   string        `json:"name"`
	Limits tenant.Limits `json:"limits"`
	Usage  tenant.Usage  `json:"usage"`
	// Token, Label and Scopes are those of the request's token; empty for whoever
	// runs the server.
	Token  string        `json:"token,omitempty"`
	Label  string        `json:"label,omitempty"`
	Scopes tenant.Scopes `json:"scopes"`
}

// A MadeToken is a new token with its secret.
type MadeToken struct {
	tenant.Token
	Secret string `json:"secret" doc:"programs send it as Authorization: Bearer; it is shown only once"`
}

// An AuditEvent is a line of the audit log.
type AuditEvent tenant.Event

// AuditPage is a page of the audit log.
type AuditPage struct {
	Items []AuditEvent `json:"items"`
	Next  string       `json:"next,omitempty" doc:"the cursor of the next page; none after the last"`
}

// tenantGate is the gate of the store's tenant, if it has tenants.
func (s *Server) tenantGate() (*tenant.Gate, error) {
	if s.gate != nil {
		return s.gate, nil
	}
	return nil, &problem.Error{
		Code: "single_tenant", Problem: "the store has no tenants", Hint: "tenants and their tokens need a PostgreSQL store: tenfold serve --store postgres://…",
	}
}

func (s *Server) describeTenant(ctx context.Context, _ *struct{}) (out TenantView, err error) {
	g, err := s.tenantGate()
	if err != nil {
		return out, err
	}
	t, err := g.Registry().Get(ctx, g.Tenant())
	if err != nil {
		return out, err
	}
	out.Name, out.Limits, out.Scopes = t.Name, t.Limits, tenant.AllScopes()
	if i := tenant.From(ctx); i != nil {
		out.Token, out.Label, out.Scopes = i.Token, i.Label, i.Scopes
	}
	out.Usage, err = g.Registry().Usage(ctx, g.Tenant())
	return out, err
}

func (s *Server) tokens(ctx context.Context, _ *struct{}) (out list[tenant.Token], err error) {
	g, err := s.tenantGate()
	if err != nil {
		return out, err
	}
	out.Items, err = g.Registry().Tokens(ctx, g.Tenant())
	return out, err
}

type tokenWish struct {
	Body struct {
		Label   string   `json:"label" minLength:"1" maxLength:"100" doc:"what the token is for"`
		Scopes  []string `json:"scopes" minItems:"1" maxItems:"4" enum:"read,append,compact,admin" doc:"what the token may do; admin includes the others, append does not include compact"`
		Seconds int64    `json:"seconds,omitempty" minimum:"0" maximum:"3153600000" doc:"how long it is valid; 0: until it is revoked"`
	}
}

func (s *Server) createToken(ctx context.Context, in *tokenWish) (out MadeToken, err error) {
	g, err := s.writableTenancy()
	if err != nil {
		return out, err
	}
	wish := tenant.NewToken{Label: in.Body.Label, For: time.Duration(in.Body.Seconds) * time.Second}
	for _, scope := range in.Body.Scopes {
		wish.Scopes = append(wish.Scopes, tenant.Scope(scope))
	}
	return newMadeToken(g.Registry().CreateToken(ctx, tenant.From(ctx).Actor(), g.Tenant(), wish))
}

// writableTenancy refuses on a server that only reads.
func (s *Server) writableTenancy() (*tenant.Gate, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	return s.tenantGate()
}

func newMadeToken(t tenant.Token, secret tenant.Secret, err error) (MadeToken, error) {
	if err != nil {
		return MadeToken{}, err
	}
	return MadeToken{t, secret.Reveal()}, nil
}

type rotation struct {
	Token string `path:"token" minLength:"1" maxLength:"100" doc:"the token's id"`
	Body  struct {
		Grace int64 `json:"grace,omitempty" minimum:"0" maximum:"31536000" doc:"seconds until the old token ends; 0: at once"`
	}
}

func (s *Server) rotateToken(ctx context.Context, in *rotation) (out MadeToken, err error) {
	g, err := s.writableTenancy()
	if err != nil {
		return out, err
	}
	return newMadeToken(g.Registry().RotateToken(ctx, tenant.From(ctx).Actor(), g.Tenant(), in.Token, time.Duration(in.Body.Grace)*time.Second))
}

type ofToken struct {
	Token string `path:"token" minLength:"1" maxLength:"100" doc:"the token's id"`
}

func (s *Server) revokeToken(ctx context.Context, in *ofToken) (out tenant.Token, err error) {
	g, err := s.writableTenancy()
	if err != nil {
		return out, err
	}
	return g.Registry().RevokeToken(ctx, tenant.From(ctx).Actor(), g.Tenant(), in.Token)
}

type auditOf struct {
	Since  string `query:"since" doc:"a day, a time, or how long ago (2d)"`
	Cursor string `query:"cursor" maxLength:"100"`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (s *Server) audit(ctx context.Context, in *auditOf) (out AuditPage, err error) {
	g, err := s.tenantGate()
	if err != nil {
		return out, err
	}
	page := tenant.Page{Cursor: in.Cursor, Limit: in.Limit}
	if in.Since != "" {
		m, err := listing.ParseMoment(in.Since)
		if err != nil {
			return out, err
		}
		page.Since = m.At(time.Now())
	}
	events, next, err := g.Registry().Events(ctx, g.Tenant(), page)
	for _, e := range events {
		out.Items = append(out.Items, AuditEvent(e))
	}
	out.Next = next
	return out, err
}
