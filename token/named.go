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

// EncodingFor returns the encoding that a model uses, or comes closest to it as
// far as is known: cl100k_base for gpt-4, gpt-3.5 and the embedding models,
// o200k_base for all others. Names match as in [Windows.Window].
func EncodingFor(model string) *Encoding {
	if size, _ := match(model, cl100kModels, listed); size > 0 {
		if newer, _ := match(model, o200kModels, listed); newer < size {
			return Cl100k()
		}
	}
	return O200k()
}

// Of two tables that know a model, the one with the longer name is right:
// gpt-4.1 is not a gpt-4.
var (
	cl100kModels = []window{{name: "gpt-4"}, {name: "gpt-3.5"}, {name: "gpt-35"}, {name: "text-embedding"}}
	o200kModels  = []window{{name: "gpt-4.1"}, {name: "gpt-4.5"}}
)

func listed(window) int { return 1 }
