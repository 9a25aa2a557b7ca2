package cause

import (
	"strings"

	"tenfold/atom"
)

// LooksRed reports whether the end of an output tells of a failure, for commands of which
// nothing says how they ended. A count decides; else lines that only a failure prints do.
// Tests print errors of their own, so that those count for other commands alone.
func LooksRed(output string, tests bool) bool {
	output = output[max(0, len(output)-1<<12):]
	red, none := false, false
	for line := range strings.SplitSeq(output, "\n") {
		line = atom.Clean(line)
		failures, counted := Failures(line)
		if failures > 0 {
			return true
		}
		none = none || counted
		n := Proves(line)
		red = red || line == "FAIL" || n == Test || strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "npm ERR! ") || strings.HasPrefix(line, "panic: ") ||
			strings.HasPrefix(line, "error: script ") || strings.HasPrefix(line, "error: could not compile") || strings.HasPrefix(line, "make: *** ") ||
			!tests && n == Error && !NamesException(line)
	}
	return red && !none
}

// EndsRed reports whether an output is one of tests that failed, or ends with an error.
func EndsRed(output string) bool {
	if LooksRed(output, true) {
		return true
	}
	output = strings.TrimRight(output, " \r\n")
	return Proves(atom.Clean(output[strings.LastIndexByte(output, '\n')+1:])) == Error
}
