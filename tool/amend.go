package tool

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/set"
)

// Amends reports whether a call's arguments are those of another with one of them, of three or
// more, put right: all others are equal. Another id, name or path is of another thing, which
// puts nothing right.
func Amends(was, is string) bool {
	var a, b map[string]jsontext.Value
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil || max(len(a), len(b)) < 3 {
		return false
	}
	equal, names := 0, len(b)
	for name, value := range a {
		other, there := b[name]
		switch {
		case !there:
			names++
		case Canonical(string(value)) == Canonical(string(other)):
			equal++
		case identifies(name):
			return false
		}
	}
	return equal == names-1
}

// identifies reports whether an argument says by its name which thing or things a call is about,
// or whom it is for: not what it is paid with.
func identifies(name string) bool {
	last := strings.ToLower(lastWord.FindString(strings.TrimRight(name, "0123456789")))
	return identifying[strings.TrimSuffix(last, "s")] && !strings.HasPrefix(strings.ToLower(name), "payment")
}

// Retypes reports whether a call's arguments are those of another with one id, name or path
// written in another way: other case or signs, and where the other was not found a letter
// more or less, or two that changed places. Another letter is another thing.
func Retypes(was, is string, notFound bool) bool {
	var a, b map[string]jsontext.Value
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil || len(a) != len(b) {
		return false
	}
	retyped := 0
	for name, value := range a {
		other, there := b[name]
		if Canonical(string(value)) == Canonical(string(other)) {
			continue
		}
		x, ok := stringOf(value)
		y, too := stringOf(other)
		if !there || !ok || !too || !identifies(name) || !isRetyped(x, y, notFound) {
			return false
		}
		retyped++
	}
	return retyped == 1
}

// shortestRetyped is how many letters and digits an id has at least that may be mistyped by one.
const shortestRetyped = 5

func isRetyped(was, is string, notFound bool) bool {
	a, b := lettersOf(was), lettersOf(is)
	if len(a) == 0 || string(a) == string(b) {
		return len(a) > 0 && sameParts(was, is)
	}
	if !notFound || min(len(a), len(b)) < shortestRetyped {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a)+len(b) == 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// sameParts reports whether names with the same letters and digits are parted by signs in the
// same places, or one of them nowhere: 1-23 is not 12-3, nor is a/b.go ab.go.
func sameParts(was, is string) bool {
	parts := func(name string) []string {
		return strings.FieldsFunc(strings.Trim(strings.ToLower(name), "/"), func(r rune) bool { return r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	a, b := parts(was), parts(is)
	return slices.Equal(a, b) || min(len(a), len(b)) == 1 && strings.Join(a, "") == strings.Join(b, "")
}

// lettersOf are the letters and digits of a name, in lower case.
func lettersOf(name string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name))
}

// NotFound reports whether an output says of what a call named that it is not there.
func NotFound(output string) bool {
	output = strings.ToLower(output[:min(len(output), sight)])
	return slices.ContainsFunc([]string{"not found", "no such", "not exist", "unknown", "invalid", "cannot find", "could not find", "404"}, func(words string) bool {
		return strings.Contains(output, words)
	})
}

var (
	lastWord    = regexp.MustCompile(`(?:[A-Z]?[a-z]+|[A-Z]+s?)$`)
	identifying = set.Words("id number key path url uri name file filename to recipient email user username channel")
)
