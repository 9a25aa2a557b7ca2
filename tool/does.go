package tool

import (
	"strings"
	"unicode"

	"tenfold/internal/set"
)

// lookWords and doWords are what names of tools begin or end with.
var (
	lookWords = set.Words("get list search find read fetch query lookup show describe view check calculate compute count help status browse inspect preview validate snapshot screenshot retrieve load info details think history diff log logs ping wait")
	doWords   = set.Words("create add update delete remove set send post put patch write book cancel move make insert upload submit run execute start stop close open merge push approve")
)

// Does reports whether calls of a tool may have done something that nothing is known of,
// as those of MCP servers and of a company's own agents: a booking, a comment, a ticket.
// Its name says of some that they only look.
func Does(name string) bool {
	if _, known := Lookup(name); known || watches(name) {
		return false
	}
	if _, rest, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__"); ok {
		name = rest
	}
	words := nameWords(name)
	if len(words) == 0 {
		return false
	}
	first, last := words[0], words[len(words)-1]
	return doWords[first] || !lookWords[first] && !lookWords[last]
}

// nameWords cuts a name into its words, in lower case: "getIssue", "get-issue", "get_issue".
func nameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}
