package digest

import (
	"slices"
	"strings"
	"unicode"

	"tenfold/internal/number"
	"tenfold/internal/set"
	"tenfold/tool"
)

// An act is what a call did of a tool of which nothing is known, as those of MCP servers and
// of a company's own agents: a booking, a comment, a ticket. To such an agent it is what
// changed files are to one that writes code.
type act struct {
	call  *call
	words string
}

const (
	// actsMost is how many acts are told, and actsOfOne how many of one tool.
	actsMost, actsOfOne = 12, 3
)

// looks and does are words that names of tools begin or end with.
var (
	looks = set.Words("get list search find read fetch query lookup show describe view check calculate compute count help status browse inspect preview validate snapshot screenshot retrieve load info details think history diff log logs ping wait")
	does  = set.Words("create add update delete remove set send post put patch write book cancel move make insert upload submit run execute start stop close open merge push approve")
)

// acts reports whether a call may have done something: nothing is known of its tool,
// and its name does not say that it only looks.
func (c *call) acts() bool {
	if _, known := tool.Lookup(c.name); known || c.polls {
		return false
	}
	name := c.name
	if _, rest, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__"); ok {
		name = rest
	}
	words := nameWords(name)
	if len(words) == 0 {
		return false
	}
	first, last := words[0], words[len(words)-1]
	return does[first] || !looks[first] && !looks[last]
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

// actItems tells what calls of unknown tools did, the newest first.
func (l *Ledger) actItems(s *items) {
	all, of, told := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, a := range l.acts {
		all[a.call.name]++
	}
	for i, a := range slices.Backward(l.acts) {
		name, rest := a.call.name, ""
		if len(told) == actsMost || of[name] == actsOfOne {
			continue
		}
		quoted := a.call.quoted()
		if told[quoted] {
			continue
		}
		if of[name]++; of[name] == 1 && all[name] > actsOfOne {
			rest = ", the last of " + number.CountOf(all[name], "call", "calls")
		}
		told[quoted] = true
		s.add(inCommands, rankCheck, len(l.ran)+len(l.acts)-i, "- %s: %s, turn %d%s\n", quoted, a.words, a.call.turn, rest)
	}
}
