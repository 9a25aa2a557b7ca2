package cause

import (
	"regexp"
	"strings"
	"unicode"

	"tenfold/atom"
)

// levels are how logs mark a line that tells of an error.
var levels = regexp.MustCompile(`(?:^|[\s\[(|"'=:])(?:ERROR|ERRO|FATAL|CRITICAL|SEVERE|EMERG)(?:$|[\s\]):|"',])|(?i:\blevel"?\s*[=:]\s*"?(?:error|fatal|panic|critical)\b)`)

// Logged gives the first line of each kind of error that a log tells of, at most so many: what
// failed first is mostly the cause of the rest. Lines are of one kind that differ in words
// with digits alone, such as times and ids.
func Logged(log string, most int) (found []Line) {
	seen, number := map[string]bool{}, 0
	for raw := range strings.SplitSeq(log, "\n") {
		if number++; number > longest || len(found) == most {
			break
		}
		text := atom.Clean(raw)
		if NamesError(text) || levels.MatchString(text) {
			if kind := kindOf(text); !seen[kind] {
				seen[kind] = true
				found = append(found, Line{Number: number, Text: text})
			}
		}
	}
	return found
}

// kindOf is a line without the words that have a digit.
func kindOf(line string) string {
	var words []string
	for word := range strings.FieldsSeq(line) {
		if !strings.ContainsFunc(word, unicode.IsDigit) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
