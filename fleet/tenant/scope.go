package tenant

import (
	"cmp"
	"slices"
	"strings"

	"tenfold"
	"tenfold/problem"
)

// A Scope is a kind of thing that a token allows.
type Scope string

// The scopes. Admin includes the others; append does not include compact.
const (
	// Read lists, reads, searches and plans.
	Read Scope = "read"
	// Append makes conversations and adds what was said.
	Append Scope = "append"
	// Compact changes what a model sees: compacts, undoes, pins.
	Compact Scope = "compact"
	// Admin deletes conversations, manages the tenant's tokens and reads its audit
	// log.
	Admin Scope = "admin"
)

// ScopeOf is what appending an entry of a kind needs: Append for what was said, and
// Compact for what changes the view. Kinds that are not known here are taken for the
// latter: a newer program may mean an overlay.
func ScopeOf(kind tenfold.Kind) Scope {
	switch kind {
	case tenfold.KindTurnStart, tenfold.KindUserMessage, tenfold.KindAssistantMessage, tenfold.KindReasoning,
		tenfold.KindToolCall, tenfold.KindToolResult, tenfold.KindProviderItem, tenfold.KindApproval, tenfold.KindUsage,
		tenfold.KindConfigDelta, tenfold.KindRecalled:
		return Append
	}
	return Compact
}

// Scopes are those of a token.
type Scopes []Scope

// AllScopes lists the scopes, the weakest first.
func AllScopes() Scopes { return Scopes{Read, Append, Compact, Admin} }

// Has reports whether the scopes allow what needs one.
func (s Scopes) Has(need Scope) bool {
	return slices.Contains(AllScopes(), need) && (slices.Contains(s, need) || slices.Contains(s, Admin))
}

// String lists the scopes with commas, as [ParseScopes] takes them.
func (s Scopes) String() string {
	names := make([]string, len(s))
	for i, one := range s {
		names[i] = string(one)
	}
	return strings.Join(names, ",")
}

// ParseScopes reads scopes with commas between them. At least one is needed.
func ParseScopes(text string) (Scopes, error) {
	var out Scopes
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(AllScopes(), Scope(name)) {
			hint := cmp.Or(problem.DidYouMean(name, strings.Split(AllScopes().String(), ",")), "the scopes are read, append, compact and admin, with commas between them")
			return nil, &problem.Error{Problem: "unknown scope " + quote(name), Code: "usage", Usage: true, Hint: hint}
		}
		if !slices.Contains(out, Scope(name)) {
			out = append(out, Scope(name))
		}
	}
	slices.SortFunc(out, func(a, b Scope) int { return slices.Index(AllScopes(), a) - slices.Index(AllScopes(), b) })
	return out, nil
}
