package redact

import (
	"regexp"
	"strings"
)

// Passwords that their place tells, with no sign or no name before them: after -p of a
// program that takes one there, and in the files of PostgreSQL's and of other programs'
// logins. A line's end may be written as JSON has it.
var (
	loginProgram = regexp.MustCompile(`(?:^|[ "'/])(?:sshpass|docker login) `)
	mysqlProgram = regexp.MustCompile(`(?:^|[ "'/])(?:mysql|mariadb)[a-z-]* (?:.* )?(?:-u|--user)`)
	netrcBefore  = regexp.MustCompile(`(?:machine(?:\s|\\[nrt])+[^\s\\]+|default)(?:\s|\\[nrt])+login(?:\s|\\[nrt])+[^\s\\]+(?:\s|\\[nrt])+$`)
	netrcAfter   = regexp.MustCompile(`^(?:\s|\\[nrt])+([^\s\\"]+)`)
	// Its ports, so that no place in a file ("x.go:12:3:…") is one.
	pgpass = regexp.MustCompile(`^[^\s:/\\]+:(?:[56][0-9]{3}|\*):(?:[^\s:\\]*[^\s:\\0-9][^\s:\\]*):[^\s:\\]+:([^\s\\"]+)`)
)

// loginPassword is where such a password stands, of which the run between two places
// is the beginning, or what tells it; 0 for none.
func loginPassword(text string, from, to int) (start, end int) {
	run := text[from:to]
	switch {
	case run == "password":
		if at := netrcAfter.FindStringSubmatchIndex(text[to:min(len(text), to+256)]); at != nil && netrcBefore.MatchString(text[max(from-512, 0):from]) {
			start, end = to+at[2], to+at[3]
		}
	case strings.HasPrefix(text[to:], ":"):
		line := len(strings.TrimRight(text[:from], "*:")) // which stand for all hosts
		if !beginsLine(text, line) {
			return 0, 0
		}
		if at := pgpass.FindStringSubmatchIndex(text[line:min(len(text), line+512)]); at != nil {
			start, end = line+at[2], line+at[3]
		}
	case strings.HasPrefix(run, "-p") && from > 0 && text[from-1] == ' ':
		start = from + len("-p")
		start += len(text[start:]) - len(strings.TrimLeft(text[start:], `"'\`))
		if end = bareEnd(text, start); !mysqlProgram.MatchString(commandBefore(text, from)) {
			return 0, 0
		}
	default:
		if before := strings.TrimRight(text[max(from-8, 0):from], `"'\`); !strings.HasSuffix(before, " -p ") || run[0] == '-' || !loginProgram.MatchString(commandBefore(text, from)) {
			return 0, 0
		}
		start, end = from, bareEnd(text, from)
	}
	if start >= end || text[start] == '$' || text[start] == '[' { // a variable, or what was redacted
		return 0, 0
	}
	return start, end
}

// commandBefore is what stands before a place, of the command that it is in.
func commandBefore(text string, at int) string {
	before := text[max(at-256, 0):at]
	return before[strings.LastIndexAny(before, "\n;|&")+1:]
}

// beginsLine reports whether a line begins at a place, or behind the n of the end that
// JSON has of the line before.
func beginsLine(text string, at int) bool {
	return at == 0 || text[at-1] == '\n' || text[at-1] == '"' || at > 1 && text[at-2:at] == `\n`
}
