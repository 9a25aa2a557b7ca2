package atom

import (
	"regexp"
	"slices"
	"strings"
)

// A Subject is something that a message names and does not say: an issue, a page, a document.
type Subject struct{ name, number string }

var (
	// subjects matches what a message may be about: the address of a page, the number of an
	// issue or a change, the key of a ticket, a document by its name.
	subjects = regexp.MustCompile(`https?://[^\s<>()\[\]"'` + "`" + `]+|(?i:\b(?:issue|pr|pull request|ticket|mr)) *#?(\d{2,6})\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|[\w.~/\\-]*\w\.(?:md|mdx|txt|rst|adoc|pdf)\b`)
	// numbered matches addresses that end in the number of an issue or a change.
	numbered = regexp.MustCompile(`/(?:issues|pull|pulls|merge_requests|discussions)/(\d+)`)
	// ofNumber is what stands before such a number in a call that looks at it.
	ofNumber = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:issues?|prs?|pulls?|mr|merge_?requests?|tickets?|discussions?)[^\d\s]{0,16}(?: [a-z]+)?[ "':=/#]*$`)
	// standing are documents that hold for all work, and that no request is about.
	standing = regexp.MustCompile(`(?i)(?:^|[/\\])(?:agents|claude|gemini|readme|changelog|license)\.\w+$`)
)

// mostSubjects is how many things a message names at most that it is about: one that names more is
// a list. longestLook is how many bytes of a call tell at most what it looks at.
const mostSubjects, longestLook = 16, 4096

// Subjects gives what a message names that has to be looked at to know what it wants.
func Subjects(text string) (all []Subject) {
	for _, m := range subjects.FindAllStringSubmatchIndex(text, mostSubjects) {
		s := Subject{name: strings.TrimRight(text[m[0]:m[1]], ".,;:!?*")}
		switch at := numbered.FindStringSubmatch(s.name); {
		case m[2] >= 0:
			s = Subject{number: text[m[2]:m[3]]}
		case at != nil:
			s.number = at[1]
		case standing.MatchString(s.name):
			continue
		default:
			s.name = strings.TrimLeft(s.name, "./\\~")
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// In reports whether the arguments of a call name a subject.
func (s Subject) In(arguments string) bool {
	arguments = arguments[:min(len(arguments), longestLook)]
	return s.name != "" && atWords(arguments, s.name, func(int) bool { return true }) ||
		s.number != "" && atWords(arguments, s.number, func(at int) bool { return ofNumber.MatchString(arguments[max(0, at-40):at]) })
}

// atWords reports whether a name stands in a text, as words of its own, where something holds.
func atWords(text, name string, holds func(at int) bool) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(name)
		if (at == 0 || !IsWord(text[at-1])) && (from == len(text) || !IsWord(text[from])) && holds(at) {
			return true
		}
	}
}
