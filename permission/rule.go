package permission

import (
	"path"
	"slices"
	"strings"

	"tenfold/problem"
)

// An answer is whether a rule is about something.
type answer int

const (
	no answer = iota
	maybe
	yes
)

func sure(b bool) answer {
	if b {
		return yes
	}
	return no
}

// A rule is TOOL or TOOL:PATTERN.
type rule struct {
	text, tool, pattern string
	// words are those of the pattern; whole is set where there is none.
	words []string
	whole bool
}

func parseRule(text string) (rule, error) {
	r := rule{text: text}
	var patterned bool
	r.tool, r.pattern, patterned = strings.Cut(text, ":")
	r.words, r.whole = strings.Fields(r.pattern), !patterned
	bad := func(why string) (rule, error) {
		return rule{}, &problem.Error{
			Op: "permission", Subject: `"` + text + `"`, Problem: why, Usage: true,
			Hint: `write TOOL or TOOL:PATTERN, for example "shell:go test *"`,
		}
	}
	if r.tool == "" || strings.ContainsAny(r.tool, " \t\n") {
		return bad("not the name of a tool")
	}
	if patterned && len(r.words) == 0 {
		return bad("the pattern is empty")
	}
	for _, part := range append([]string{r.tool, r.pattern}, r.words...) {
		if _, err := path.Match(part, ""); err != nil {
			return bad("not a valid pattern")
		}
	}
	return r, nil
}

// matches tells whether a pattern matches a word: "*" is any characters but "/".
func matches(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}

// concerns tells whether a pattern matches a path or another subject.
func concerns(pattern, subject string, isPath bool) bool {
	if isPath && !strings.Contains(pattern, "/") {
		subject = path.Base(subject)
	}
	flat := strings.NewReplacer("/", "\x00")
	rest, anywhere := strings.CutPrefix(pattern, "**/")
	return matches(flat.Replace(pattern), flat.Replace(subject)) || anywhere && matches(flat.Replace(rest), flat.Replace(subject))
}

// begins tells whether a simple command begins with the rule's words. To allow it,
// it has to have no others, and each has to be known, or to be one of those that a
// "*" at the end stands for. To deny it, the name of the program counts, wherever it
// is, and a word that is not known may be anything.
func (r rule) begins(words []word, allow bool) answer {
	for i, pattern := range r.words {
		switch {
		case pattern == "*" && i == len(r.words)-1:
			return yes
		case i >= len(words):
			return no
		case !words[i].known:
			return maybe
		case pattern == "*" || matches(pattern, words[i].text):
		case i == 0 && !allow && matches(path.Base(pattern), program(words)):
		default:
			return no
		}
	}
	return sure(!allow || len(words) == len(r.words))
}

// occurs tells whether a simple command of the rule's program may have the rest of
// its words in this order, with others between them: git -C . push. One that is not known
// may be any of them, but behind a word that stands where another of them would: options
// stand anywhere.
func (r rule) occurs(words []word) answer {
	name := rule{words: r.words[:1]}
	if name.begins(words[:1], false) == no {
		return no
	}
	wanted := slices.DeleteFunc(slices.Clone(r.words[1:]), func(w string) bool { return w == "*" })
	next, open := true, false // open: options stand where the next of them would, and it may follow
	for _, w := range words[1:] {
		if next {
			next, open = false, !w.known || strings.HasPrefix(w.text, "-")
		}
		switch {
		case !w.known && (open || len(wanted) > 0 && strings.HasPrefix(wanted[0], "-")):
			return maybe
		case len(wanted) > 0 && w.known && matches(wanted[0], w.text):
			wanted, next = wanted[1:], true
		}
	}
	if len(wanted) > 0 {
		return no
	}
	return maybe
}
