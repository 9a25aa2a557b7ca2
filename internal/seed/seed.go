// Package seed has the tests that import it draw the same cases every time, so that
// what fails is a change's fault. -rapid.seed=0 draws others.
package seed

import (
	"flag"

	_ "pgregory.net/rapid" // which declares the flag
)

func init() { //nolint:gochecknoinits // before the flags of the command line, which come first
	if err := flag.Set("rapid.seed", "64"); err != nil {
		panic(err)
	}
}
