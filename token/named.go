package token

import (
	"fmt"
	"strings"
)

// Named returns the counter with a name: "o200k_base" or "o200k", "cl100k_base"
// or "cl100k", or "chars/4". The empty name stands for the default, o200k_base
// (semantics T1).
func Named(name string) (Counter, error) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "o200k", "o200k_base":
		return O200k(), nil
	case "cl100k", "cl100k_base":
		return Cl100k(), nil
	case "chars/4":
		return Heuristic{}, nil
	}
	return nil, fmt.Errorf("unknown token counter %q: use o200k_base, cl100k_base or chars/4", name)
}
