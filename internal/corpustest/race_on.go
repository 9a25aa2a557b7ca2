//go:build race

package corpustest

import (
	"flag"

	_ "pgregory.net/rapid" // has the flag
)

// UnderRace says whether the race detector is on, which makes tests five to ten
// times slower.
const UnderRace = true

// Under the race detector properties are tried on fewer cases, unless the command
// line says how many.
func init() { //nolint:gochecknoinits // a test need not ask for it
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
