// Package tenant lets many tenants share one database and one fleet of servers:
// who may do what ([Token], [Scope], [Identity]), how much ([Limits], [Meter]),
// and who did what ([Event]).
//
// A tenant is a row of the registry; its conversations are its own by row level
// security, which package postgres sets up. A program shows a token, a
// [Registry] makes an [Identity] of it, and the identity travels in the request's
// context. [Guard] puts the tenant's store behind that: each method asks for a
// scope, appends stay within the quotas, and what changes or removes something is
// recorded.
package tenant
