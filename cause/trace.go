package cause

import (
	"regexp"
	"slices"
	"strings"
)

// IsPlace reports whether a line of a stack trace names a place: "at bake (oven.js:3)" and
// "at oven.Bake(Oven.java:3)" of JavaScript, Java, C# and Rust, `File "oven.py", line 3` of
// Python, "/src/oven.go:3 +0x1" of Go, each behind blanks.
func IsPlace(line string) bool {
	bare := strings.TrimLeft(line, " \t")
	return len(bare) < len(line) && names(bare)
}

func names(place string) bool {
	switch {
	case strings.HasPrefix(place, "at "):
		return strings.ContainsAny(place, "(:") && (strings.ContainsAny(place, "./") || strings.Contains(place, "node:"))
	case strings.HasPrefix(place, `File "`):
		return strings.Contains(place, `", line `)
	}
	return strings.HasPrefix(place, "/") && strings.Contains(place, ".go:") && strings.Contains(place, " +0x")
}

// foreign is what places have in them that are in the library of a language, in a runner
// of tests or in what a package manager installed.
var foreign = []string{
	"java.base/", "(node:", "at node:", "node_modules/", "(<anonymous>)", "site-packages/", "dist-packages/", "/lib/python3", `"<frozen `,
	"/go/src/runtime/", "/go/src/testing/", "/go/pkg/mod/", "/rustc/", "/.cargo/registry/",
}

// libraries are how the names begin that such places of Java and C# have.
var libraries = []string{
	"java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "org.junit.", "org.springframework.", "org.apache.maven.", "org.gradle.", "System.", "Microsoft.", "Xunit.", "NUnit.",
}

// IsForeignPlace reports whether a line of a stack trace, blanks aside, or a warning of Python
// names a place in a library: nothing that the work is about.
func IsForeignPlace(line string) bool {
	bare := strings.TrimSpace(line)
	if !names(bare) && (!strings.Contains(bare, "Warning: ") || !warning.MatchString(bare)) {
		return isForeignFunction(bare)
	}
	if slices.ContainsFunc(foreign, func(part string) bool { return strings.Contains(bare, part) }) {
		return true
	}
	name, ok := strings.CutPrefix(bare, "at ")
	return ok && slices.ContainsFunc(libraries, func(head string) bool { return strings.HasPrefix(name, head) })
}

// warning matches what Python warns of a place: "/src/oven.py:3: UserWarning: it is hot".
var warning = regexp.MustCompile(`^\S+\.py:\d+: \w*Warning: `)

// IsForeignFrame reports whether a line of a trace of IPython names a place in a library, with
// the code there below it: "File ~/venv/lib/python3.12/site-packages/oven.py:3, in heat(self)".
func IsForeignFrame(line string) bool {
	path, _, ok := strings.Cut(strings.TrimPrefix(line, "File "), ", in ")
	return ok && strings.HasPrefix(line, "File ") && strings.Contains(path, ".py:") && slices.ContainsFunc(foreign, func(part string) bool { return strings.Contains(path, part) })
}

// isForeignFunction reports whether a line of a stack trace names a function of the library
// of Go, "testing.tRunner(0xc0001, 0x5c0d)", or of Rust, "4: core::panicking::panic_fmt".
func isForeignFunction(line string) bool {
	if strings.HasPrefix(line, "testing.tRunner") || strings.HasPrefix(line, "runtime.") && ofRuntime.MatchString(line) || strings.HasPrefix(line, "panic({0x") {
		return true
	}
	name := strings.TrimLeft(line, "0123456789")
	if len(name) == len(line) {
		return false
	}
	return strings.HasPrefix(name, ": core::") || strings.HasPrefix(name, ": std::") || strings.HasPrefix(name, ": alloc::") || strings.HasPrefix(name, ": test::") || name == ": rust_begin_unwind"
}

// ofRuntime matches calls as traces of Go show them, not as programs write them.
var ofRuntime = regexp.MustCompile(`^runtime\.(?:[a-z]\w*\(\)|[\w.*()]+\((?:\.\.\.|\{\}|\{?0x.*)\))$`)

// around is how many lines from an error its place may be.
const around = 40

// PlaceOf is the number of the line that names the place of an error in a stack trace, the
// nearest that is in no library: of the error that comes last in lines that [Of] gave. 0 for none.
func PlaceOf(output []string, why []Line) int {
	if len(why) == 0 {
		return 0
	}
	at := why[len(why)-1].Number
	begins := func(n int) bool { return strings.HasPrefix(strings.TrimSpace(output[n]), "Traceback (") }
	for n := at; n < min(at+around, len(output)) && !begins(n); n++ {
		if IsPlace(output[n]) && !IsForeignPlace(output[n]) {
			return n + 1
		}
	}
	for n := at - 2; n >= max(at-around, 0) && !begins(n); n-- {
		if strings.HasPrefix(strings.TrimLeft(output[n], " "), `File "`) && IsPlace(output[n]) && !IsForeignPlace(output[n]) {
			return n + 1
		}
	}
	return 0
}

// longestName is how far into a message the name of an exception ends, with what stands beside it.
const longestName = 160

// logsError reports whether an error stands behind what a log writes before one: "11:58:41 ERROR
// [exec-7] o.Oven - ", or a time, a level and a name, each with a mark behind it.
func logsError(line string) bool {
	level := levels.FindStringIndex(line)
	if level == nil {
		return false
	}
	for _, mark := range []string{" - ", ": "} {
		for rest, more := line[level[1]-1:], true; more; {
			_, rest, more = strings.Cut(rest, mark)
			if name := strings.TrimSpace(rest[:min(len(rest), longestName)]); more && NamesException(name+":") {
				return true
			}
		}
	}
	return false
}

// NamesError reports whether a line names an error whose places a stack trace may give
// below it: "panic: no flour", "Caused by: java.io.IOException: no flour".
func NamesError(line string) bool {
	line = strings.TrimPrefix(line, "Caused by: ")
	if rest, ok := strings.CutPrefix(line, "Exception in thread "); ok {
		line = rest[strings.LastIndex(rest, `" `)+1:]
	}
	line = strings.TrimSpace(line)
	return Proves(line) == Error || strings.HasPrefix(line, "fatal error: ") || NamesException(line+":") || logsError(line)
}
