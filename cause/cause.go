// Package cause finds in what a command printed why it failed, and what its tests came to.
package cause

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tenfold/atom"
)

// A Line is a line of an output that says why a call failed.
type Line struct {
	Number int    // from 1
	Text   string // as a reader sees it
}

// Of gives the lines of an output that say why a call failed (M4a): the
// compiler's first error, the first exception or failing assertion, with the
// name of the test; else the first line that speaks of a failure, else the
// last. None where the output says nothing. They are in order of what they tell, the
// name of a test first.
func Of(output string) []Line {
	var best, after []Line // the line that tells most, and what it leads to
	var test, last, root Line
	rank, follow, number, chain := Telling(0), 0, 0, false
	for raw := range strings.SplitSeq(output, "\n") {
		line := Line{Text: atom.Clean(raw)}
		if number++; number > longest {
			break
		}
		if line.Number = number; isNoise(line.Text) {
			continue
		}
		last = line
		if chain = chain && (IsPlace(raw) || strings.HasPrefix(line.Text, "... ") || strings.HasPrefix(line.Text, "Caused by: ")); chain && line.Text[0] == 'C' {
			root = line
		}
		n := tells(line.Text)
		if n == Test && rank == Test {
			test = line // an error that follows is of the one right above
		}
		switch {
		case n > rank:
			rank, best, after, follow, chain, root = n, []Line{line}, nil, 0, n == Error, Line{}
			switch {
			case n == Test:
				test, follow = line, 1
			case strings.HasSuffix(line.Text, ":"), strings.HasPrefix(line.Text, "expect("):
				follow = 2 // what was expected, and what was there
			}
		case follow > 0 && (raw[0] == ' ' || raw[0] == '\t' || rank == Error && n < Test):
			after, follow = append(after, line), follow-1
		default:
			follow = 0
		}
	}
	if rank == 0 && last.Text != "" {
		best = []Line{last}
	}
	if rank == Error && test.Text != "" {
		best = append([]Line{test}, best...)
	}
	if root.Text != "" {
		best, after = append(best, root), nil
	}
	var lines []Line
	for _, line := range append(best, after...) {
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.Text == line.Text }) {
			lines = append(lines, line)
		}
	}
	return lines
}

// longest is how many lines of an output are looked at.
const longest = 5000

// A Telling is how much a line says of a failure; 0 for nothing.
type Telling int

// What lines say of a failure, the most telling last.
const (
	Failure Telling = iota + 1 // something failed
	Test                       // the name of a test that failed
	Error                      // an error, an exception, an assertion
)

// tells is how much a line says of a failure.
func tells(line string) Telling {
	if n := Proves(line); n > 0 || line == "" {
		return n
	}
	if strings.HasPrefix(line, "Traceback (") || strings.HasPrefix(line, "0 error") || strings.HasPrefix(line, "no error") {
		return 0
	}
	folded := strings.ToLower(line)
	for _, word := range []string{"error", "fail", "cannot ", "can't ", "no such ", "not found", "denied", "unknown ", "invalid ", "unexpected ", "undefined", "timed out", "conflict", "refused", "missing", "rejected", "does not exist"} {
		if strings.Contains(folded, word) && !strings.Contains(folded, "0 "+word) && !strings.Contains(folded, "no "+word) {
			return Failure
		}
	}
	return 0
}

// Proves is how much a line says of a failure that nothing but a failure prints:
// [Test], [Error], or 0.
func Proves(line string) Telling {
	switch {
	case strings.HasSuffix(line, ": write error: Broken pipe"):
		return 0 // the program that read had enough, as head does
	case strings.HasPrefix(line, "--- FAIL"), strings.HasPrefix(line, "FAILED "), strings.HasPrefix(line, "● "), strings.HasPrefix(line, "✗ "), strings.HasPrefix(line, "✕ "),
		strings.HasPrefix(line, "× "), strings.HasPrefix(line, "not ok "), strings.HasPrefix(line, "(fail) "), strings.HasPrefix(line, "FAIL ") && strings.ContainsAny(line, "/."):
		return Test
	case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal: "), strings.HasPrefix(line, "E   "), strings.HasPrefix(line, "npm ERR! "), strings.HasPrefix(line, "error["),
		strings.HasPrefix(line, "error TS"), strings.HasPrefix(line, "ERROR: "), strings.Contains(line, ": error TS"), strings.Contains(line, "' panicked at "), strings.Contains(line, "): error "), strings.HasPrefix(line, "error: "),
		strings.Contains(line, " error: "), strings.Contains(line, ": error: "), strings.HasPrefix(line, "expect("), strings.HasPrefix(line, "assertion failed"), placed(line):
		return Error
	case NamesException(line):
		return Error
	}
	return 0
}

// placed reports whether a line begins with a place, "file.go:7:" or
// "file.ts(3,5):", and goes on with a message, as compilers and tests write.
func placed(line string) bool {
	at := strings.IndexAny(line, ":( ")
	if at < 3 || line[at] == ' ' || !strings.Contains(line[:at], ".") || at+1 >= len(line) || line[at+1] < '0' || line[at+1] > '9' {
		return false
	}
	rest := strings.TrimLeft(line[at+1:], "0123456789,")
	if !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "):") {
		return false
	}
	_, message, ok := strings.Cut(rest, ": ")
	if function, within := strings.CutPrefix(message, "in "); within && strings.IndexByte(function, ' ') < 0 {
		return false // a place that pytest names on the way to the error
	}
	return ok && !strings.HasPrefix(strings.ToLower(message), "warning") && !strings.HasPrefix(strings.ToLower(message), "note")
}

// NamesException reports whether a line begins with the name of an exception and a
// colon: "ValueError: …", "java.io.IOException: …", "Uncaught TypeError: …".
func NamesException(line string) bool {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "Uncaught "), "thrown: ")
	name, _, ok := strings.Cut(line, ":")
	name, _, _ = strings.Cut(strings.TrimSuffix(name, " "), " [ERR_")
	if !ok || name == "" || len(name) > 80 || strings.ContainsAny(name, " /\\\"'`") {
		return false
	}
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "_error")
}

// isNoise reports lines that say nothing: blank ones, rules, fences, and what a
// host writes about an output.
func isNoise(line string) bool {
	if strings.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 || strings.HasPrefix(line, "```") || strings.Trim(line, "FAIL") == "" {
		return true
	}
	return slices.ContainsFunc(preamble, func(p string) bool { return strings.HasPrefix(line, p) })
}

// preamble is how lines begin that hosts put around an output.
var preamble = []string{
	"Output:", "Wall time:", "Chunk ID:", "Original token count:", "Total output lines:", "Exit code", "exit code", "Exit Code:", "exit status ",
	"Process exited with code", "Command exited with code", "Process running with session ID",
}

// Misuse reports whether an output says that a command was called in a way it does
// not know: that says nothing of the work.
func Misuse(output string) bool {
	if len(output) > 1<<13 {
		return false
	}
	folded := strings.ReplaceAll(strings.ToLower(output), "invalid options", "") // of a file
	if !slices.ContainsFunc(misuses, func(says string) bool { return strings.Contains(folded, says) }) {
		return false
	}
	for line := range strings.Lines(output) { // a test, a compiler or a program that broke may say the same of the work
		line = strings.TrimSpace(line)
		if failures, _ := Failures(line); failures > 0 || Proves(line) == Test || placed(line) || ofWork.MatchString(line) {
			return false
		}
	}
	return true
}

var (
	misuses = []string{
		"unknown option", "unknown flag", "unknown argument", "unrecognized argument", "unrecognized option", "unexpected argument", "no such option", "flag provided but not defined",
		"missing script", "command not found", "unknown command", "no rule to make target", "invalid option", "cannot find main module", "go.mod file not found", "unknown json field",
	}
	// ofWork matches other lines of a run that did begin: traces, an error with a number of a
	// compiler, sums of failures, an image that did not build.
	ofWork = regexp.MustCompile(`^(?:Traceback \(|panic: |goroutine \d|error\[|Failure/Error: |.*\b(?:[1-9]\d* failures?|(?:Failures|Failed|tests failed): +[1-9]|[1-9]\d* tests failed)\b|.*\bfailed to solve: )`)
)

// Failures reads the number of failures in a line that sums up a run, as in "3
// passed, 1 failed"; false for other lines.
func Failures(line string) (n int, ok bool) {
	words := []string{" failed", " fail", " failing"}
	switch {
	case strings.Contains(line, " fail"):
	case strings.Contains(line, " error"):
		words = []string{" errors", " error"}
	default:
		return 0, false
	}
	for _, word := range words {
		if found, is := counted(line, word); is {
			n, ok = max(n, found), true
		}
	}
	return n, ok
}

// SumsUp reports whether a line sums up a run of tests or checks: "12 passing", "Tests: 3
// passed, 1 failed".
func SumsUp(line string) bool {
	if _, ok := Failures(line); ok {
		return true
	}
	_, passed := counted(line, " passed")
	_, passing := counted(line, " passing")
	return passed || passing
}

// progress is how the lines begin that tell how far a run of tests or a build is.
var progress = []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "--- PASS: ", "go: downloading "}

// IsProgress reports whether a line tells how far a run of tests or a build is, and
// nothing that counts once it has ended: "=== RUN   TestOven", "--- PASS: TestOven (0.00s)".
func IsProgress(line string) bool {
	line = strings.TrimSpace(line)
	begins := func(head string) bool { return strings.HasPrefix(line, head) }
	return slices.ContainsFunc(progress, begins) || begins("PASS ") && strings.ContainsAny(line, "./") ||
		(strings.HasSuffix(line, "%]") || slices.ContainsFunc(stepHeads, begins) || isStepOfOne(line)) && steps.MatchString(line)
}

// isStepOfOne reports whether a line may say how far one of many things is: a layer of an
// image, a resource of a plan.
func isStepOfOne(line string) bool {
	_, step, _ := strings.Cut(line, ": ")
	return slices.ContainsFunc(stepsOfOne, func(head string) bool { return strings.HasPrefix(step, head) })
}

// stepsOfOne is how such a line goes on behind the name.
var stepsOfOne = []string{
	"Refreshing state", "Reading", "Read complete ", "Still ", "Pulling fs layer", "Waiting", "Verifying Checksum", "Download complete", "Pull complete", "Already exists",
}

// stepHeads are how most lines begin that steps matches.
var stepHeads = []string{
	"[", "#", "- Downloading ", "- Installing ", "Test Case ", "Passed ", "Compiling ", "Download", "Using cached ", "Requirement already ", "Restored ", "Get:", "Selecting ", "Preparing ", "Setting up ", "Unpacking ", "test ", "> ",
}

// steps are what package managers and runners of tests print for each thing they have done.
var steps = regexp.MustCompile(`^(?:` +
	`Compiling \S+ v\d\S*(?: \(\S+\))?|Download(?:ing|ed) (?:\S+ (?:v\d\S*|\([\d.,]+ ?[kMG]?i?B\))|\S+\.(?:whl|whl\.metadata|tar\.gz|jar|pom)\b.*|from \S+: http\S+.*)|` +
	`Using cached \S+\.(?:whl|metadata|gz).*|Requirement already satisfied: \S+.*|Restored \S+proj \(.*|` +
	`Get:\d+ https?://\S+ .*|Selecting previously unselected package \S+|Preparing to unpack \S+.*|Setting up \S+ \(\S+\)\W*|Unpacking \S+ \(\S+\).*|` +
	`\S+\.\S+: (?:(?:Refreshing state|Reading|Still (?:creating|modifying|destroying|reading))\.\.\.|Read complete after ).*|[0-9a-f]{12}: (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists)|` +
	`\[ *\d+%\] (?:Building|Linking|Built target) .*|\[\d+/\d+\] (?:Building|Linking|Compiling|Emitting|Write) .*|\[ (?:RUN     |      OK) \] \S+(?: \(\d+ ms\))?|#\d+ sha256:[0-9a-f]+ .*|` +
	`- (?:Downloading|Installing) \S+ \(v?\d\S*\)(?:: Extracting archive)?|Test Case '.+' (?:started\.?|passed \([\d.]+ seconds\)\.?)|Passed \S+ \[[<\d. ]+ ?m?s\]|` +
	`test \S+ \.\.\. ok|\S+\.py [.sxX]+ +\[ *\d+%\]|\S+::\S+ PASSED +\[ *\d+%\]|> \S+@\d+\.\d+\.\d+\S* \S+(?: /\S+)?` +
	`)$`)

// pages is what hosts write beside a part of a file or an output, about how much of it
// that is.
var pages = regexp.MustCompile(`^(?:[(\[](?:Showing (?:lines \d|results with pagination)|\d+ more lines (?:in file|above|below)\b|End of file - total \d|File has more lines\.|Results are truncated\.)|Status: Showing lines \d|IMPORTANT: The file content has been truncated\.|Action: To read more of the file\b|Total output lines: \d+$|Process Group PGID: \d+$|\.\.\. ?[(\[](?:truncated after line |starting from line |\d+ (?:more )?lines? (?:truncated|omitted)\b))`)

// IsPage reports whether a line of a host tells only which part of a file or an output
// stands there, or of which process: "(441 more lines below)". Beside another part it misleads.
func IsPage(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.IndexByte("([SIATP.", line[0]) >= 0 && pages.MatchString(line)
}

// longestSum is how many bytes a line has at most that sums up.
const longestSum = 220

// counted reads the number before a word of a summary.
func counted(line, word string) (n int, ok bool) {
	at := strings.Index(line, word)
	if at < 1 || len(line) > longestSum || at+len(word) < len(line) && (line[at+len(word)] == '_' || unicode.IsLetter(rune(line[at+len(word)]))) {
		return 0, false
	}
	first := at
	for first > 0 && line[first-1] >= '0' && line[first-1] <= '9' {
		first--
	}
	if first > 0 && !strings.ContainsRune(" (,;:|", rune(line[first-1])) {
		return 0, false
	}
	n, err := strconv.Atoi(line[first:at])
	return n, err == nil
}
