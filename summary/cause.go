package summary

import (
	"slices"
	"strings"
	"unicode"

	"tenfold/atom"
)

// causeOf gives the lines of an output that say why a call failed (M4a): the
// compiler's first error, the first exception or failing assertion, with the
// name of the test; else the first line that speaks of a failure, else the
// last. Each is whole, or a fragment of a line that is too long. None where
// the output says nothing.
func causeOf(text string) []string {
	var best, after []string // the line that tells most, and what it leads to
	test, last := "", ""
	rank, follow, seen := 0, 0, 0
	for raw := range strings.SplitSeq(text, "\n") {
		line := atom.Clean(raw)
		if seen++; seen > causeLines {
			break
		}
		if isNoise(line) {
			continue
		}
		last = line
		n := tells(line)
		switch {
		case n > rank:
			rank, best, after, follow = n, []string{line}, nil, 0
			switch {
			case n == ofTest:
				test, follow = line, 1
			case strings.HasSuffix(line, ":"):
				follow = 2 // what was expected, and what was there
			}
		case follow > 0 && (raw[0] == ' ' || raw[0] == '\t' || rank == ofCause && n < ofTest):
			after, follow = append(after, line), follow-1
		default:
			follow = 0
		}
	}
	if rank == 0 {
		best = []string{last}
	}
	if rank == ofCause && test != "" {
		best = append([]string{test}, best...)
	}
	var lines []string
	for _, line := range append(best, after...) {
		if line = fragment(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// causeLines is how many lines of an output are looked at.
const causeLines = 5000

// What lines say of a failure, the most telling last.
const (
	ofFailure = iota + 1 // something failed
	ofTest               // the name of a test that failed
	ofCause              // an error, an exception, an assertion
)

// tells is how much a line says of a failure; 0 for nothing.
func tells(line string) int {
	switch {
	case strings.HasPrefix(line, "--- FAIL"), strings.HasPrefix(line, "FAILED "), strings.HasPrefix(line, "● "), strings.HasPrefix(line, "✗ "), strings.HasPrefix(line, "✕ "),
		strings.HasPrefix(line, "× "), strings.HasPrefix(line, "not ok "), strings.HasPrefix(line, "(fail) "), strings.HasPrefix(line, "FAIL ") && strings.ContainsAny(line, "/."):
		return ofTest
	case strings.HasPrefix(line, "Traceback ("), strings.HasPrefix(line, "0 error"), strings.HasPrefix(line, "no error"):
		return 0
	case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal: "), strings.HasPrefix(line, "E   "), strings.HasPrefix(line, "npm ERR! "), strings.HasPrefix(line, "error["),
		strings.HasPrefix(line, "error TS"), strings.Contains(line, ": error TS"), strings.Contains(line, "' panicked at "), strings.Contains(line, "): error "), strings.HasPrefix(line, "error: "),
		strings.Contains(line, " error: "), strings.Contains(line, ": error: "), strings.HasPrefix(line, "expect("), strings.HasPrefix(line, "assertion failed"), placed(line):
		return ofCause
	case named(line):
		return ofCause
	}
	folded := strings.ToLower(line)
	for _, word := range []string{"error", "fail", "cannot ", "can't ", "no such ", "not found", "denied", "unknown ", "invalid ", "unexpected ", "undefined", "timed out", "conflict", "refused", "missing", "rejected", "does not exist"} {
		if strings.Contains(folded, word) && !strings.Contains(folded, "0 "+word) && !strings.Contains(folded, "no "+word) {
			return ofFailure
		}
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
	return ok && !strings.HasPrefix(strings.ToLower(message), "warning") && !strings.HasPrefix(strings.ToLower(message), "note")
}

// named reports whether a line begins with the name of an exception and a
// colon: "ValueError: …", "java.io.IOException: …", "Uncaught TypeError: …".
func named(line string) bool {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "Uncaught "), "thrown: ")
	name, _, ok := strings.Cut(line, ":")
	name, _, _ = strings.Cut(name, " [ERR_")
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
	for _, p := range preamble {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// fragment is a line as it is quoted: whole, or of one over 220 characters what
// stands in the middle of words around what it tells (semantics P5b).
func fragment(line string) string {
	return clip(line, fragmentFrom)
}
