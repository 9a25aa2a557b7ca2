package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"tenfold/fleet/tenant"
	"tenfold/internal/web/shape"
)

// Scopes are what a token lets a program do.
const (
	scopeRead    = string(tenant.Read)
	scopeAppend  = string(tenant.Append)
	scopeCompact = string(tenant.Compact)
	scopeAdmin   = string(tenant.Admin)
	// scopeOperator is for whoever runs the server, and never that of a token.
	scopeOperator = "operator"
)

// scopes are those of each operation, all of which a token needs. One that is not
// here is for no token: nothing is open because somebody forgot it.
var scopes = map[string][]string{
	"meta": {scopeRead}, "conversations": {scopeRead}, "conversation": {scopeRead}, "entries": {scopeRead}, "entry": {scopeRead},
	"rows": {scopeRead}, "outline": {scopeRead}, "view": {scopeRead}, "projection": {scopeRead}, "search": {scopeRead}, "searchAll": {scopeRead},
	"events": {scopeRead}, "export": {scopeRead}, "comparison": {scopeRead}, "comparison-rows": {scopeRead},
	"money": {scopeRead}, "spending": {scopeRead}, "lab": {scopeRead}, "labOf": {scopeRead}, "jobs": {scopeRead}, "tenant": {scopeRead},
	"plan": {scopeRead}, "prepare": {scopeRead},
	// Compactions among the entries need their own scope too: see package tenant.
	"append": {scopeAppend}, "begin": {scopeAppend},
	"compact": {scopeCompact}, "undo": {scopeCompact}, "redo": {scopeCompact}, "pin": {scopeCompact}, "unpin": {scopeCompact},
	"retryJob": {scopeCompact}, "cancelJob": {scopeCompact},
	"tokens": {scopeAdmin}, "createToken": {scopeAdmin}, "rotateToken": {scopeAdmin}, "revokeToken": {scopeAdmin}, "audit": {scopeAdmin},
	// An agent of this server runs commands on its machine and spends its owner's money:
	// no token does that.
	"say": {scopeOperator}, "stop": {scopeOperator}, "reply": {scopeOperator},
	"storeAppend": {scopeAppend}, "storeCreate": {scopeAppend}, "storeTitle": {scopeAppend}, "storeDelete": {scopeAdmin},
	"storeConversation": {scopeRead}, "storeConversations": {scopeRead}, "storePage": {scopeRead}, "storePrefix": {scopeRead}, "storeHandle": {scopeRead}, "storeImported": {scopeRead},
	"storeEntries": {scopeRead}, "storeWatch": {scopeRead}, "storeSearch": {scopeRead},
}

// scopesOf are what a token needs for an operation, all of them.
func scopesOf(op *huma.Operation) []string {
	if needed, ok := scopes[op.OperationID]; ok {
		return needed
	}
	return []string{scopeOperator}
}

// recorded are the operations that the audit log tells of and the store does not see,
// with their names there.
var recorded = map[string]string{"export": "export", "retryJob": "job retry", "cancelJob": "job cancel"}

// enforce lets a token do what its scopes allow, and records it.
func (s *Server) enforce(ctx huma.Context, next func(huma.Context)) {
	if tenant.From(ctx.Context()) == nil { // who runs the server
		next(ctx)
		return
	}
	op, subject := ctx.Operation(), ctx.Param("id")
	action := cmp.Or(recorded[op.OperationID], op.OperationID)
	for _, scope := range scopesOf(op) {
		if err := s.gate.Allow(ctx.Context(), tenant.Scope(scope), action, subject); err != nil {
			_, w := humago.Unwrap(ctx)
			shape.ProblemOf(err).Write(w)
			return
		}
	}
	next(huma.WithContext(ctx, tenant.Operating(ctx.Context())))
	if _, ok := recorded[op.OperationID]; ok {
		outcome := tenant.Done
		if status := ctx.Status(); status >= http.StatusBadRequest {
			outcome = "failed: " + http.StatusText(status)
		}
		// It is done, whether it can be recorded or not.
		_ = s.gate.Record(ctx.Context(), action, subject, outcome)
	}
}

// tokenScheme names the token of programs in the document.
const tokenScheme = "token"

// secure says in the document what each operation needs: as OpenAPI 3.1 has it, the
// roles of a token.
func secure(doc *huma.OpenAPI) {
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{tokenScheme: {
		Type: "http", Scheme: "bearer",
		Description: "The token of a program. Its scopes say what it may do: read, append, compact, admin. Each operation lists the scopes that it requires.",
	}}
	for _, item := range doc.Paths {
		for _, op := range operationsOf(item) {
			op.Security = []map[string][]string{{tokenScheme: slices.Clone(scopesOf(op))}}
		}
	}
}

func operationsOf(item *huma.PathItem) (all []*huma.Operation) {
	for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete} {
		if op != nil {
			all = append(all, op)
		}
	}
	return all
}

// allowed reports whether whoever asks has a scope.
func allowed(ctx context.Context, scope string) bool {
	return tenant.From(ctx).Has(tenant.Scope(scope))
}
