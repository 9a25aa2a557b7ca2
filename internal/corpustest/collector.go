package corpustest

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// Tests that read much spend a tenth of their processor time less where garbage is
// collected seldom, for memory that is there; as in CI, whose environment says the same.
// A benchmark measures what the program does, which collects as Go does.
func init() { //nolint:gochecknoinits // for every package that imports this one
	if os.Getenv("GOGC") == "" && !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") }) {
		debug.SetGCPercent(400)
	}
}
