// Package shield keeps texts of a conversation apart from the marks between which they
// stand: elements such as <summary>, headings such as "[turn 001] USER:", stubs, gaps. No
// text is trusted: what a tool printed must not end its element, nor speak as somebody else.
// All else of a text stays as it is.
package shield

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Element puts a text between <name> and </name>, each on a line of its own.
// Attributes are names and values in turn. Whatever text and values hold,
// exactly one element comes out: a backslash is put behind the "<" of what is,
// or reads like, a tag of that name. Of end tags that is any case, with blanks
// or unseen characters anywhere; of start tags only the very same, so that
// List<Summary> stays.
func Element(name, text string, attributes ...string) string {
	var b strings.Builder
	b.Grow(len(text) + 2*len(name) + len("<>\n\n</>"))
	b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		b.WriteString(" " + attributes[i] + "=" + inTag.Replace(strconv.Quote(Tags(attributes[i+1], name))))
	}
	b.WriteString(">\n" + Tags(text, name) + "\n</" + name + ">")
	return b.String()
}

var inTag = strings.NewReplacer("<", `\u003c`, ">", `\u003e`)

// Tags takes the tags of elements of these names apart in a text, as
// [Element] does: for a text that stands beside an element.
func Tags(text string, names ...string) string {
	return apart(text, func(r rune, rest string) bool {
		if !strings.ContainsRune("<＜﹤‹〈⟨", r) {
			return false
		}
		for _, name := range names {
			if r == '<' && strings.HasPrefix(rest, name) && endsName(rest[len(name):]) || Reads(rest, "/"+name, true) {
				return true
			}
		}
		return false
	})
}

// Marks takes marks apart in a text: it puts a backslash behind each opening
// character that one of the words follows on its line, in any case, blanks and
// unseen characters aside. In a word "#" stands for digits.
func Marks(text string, opening rune, words ...string) string {
	if !strings.ContainsRune(text, opening) {
		return text
	}
	return apart(text, func(r rune, rest string) bool {
		return r == opening && slices.ContainsFunc(words, func(word string) bool { return Reads(rest, word, false) })
	})
}

func apart(text string, opens func(r rune, rest string) bool) string {
	var b strings.Builder
	from := 0
	for i, r := range text {
		if end := i + utf8.RuneLen(r); r != utf8.RuneError && opens(r, text[end:]) {
			b.WriteString(text[from:end] + `\`)
			from = end
		}
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}

// farthest is how many bytes a word may be spread over: with more between its
// letters nobody reads it.
const farthest = 256

// Reads reports whether a reader finds the words at the beginning of a text,
// on one line unless lines may end between.
func Reads(text, words string, lines bool) bool {
	if len(text) > farthest {
		text = text[:farthest]
	}
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		w, width := utf8.DecodeRuneInString(words)
		switch {
		case words == "":
			return endsName(text)
		case w == '#' && unicode.IsDigit(r):
			text = strings.TrimLeftFunc(text, unicode.IsDigit)
			words = words[width:]
			continue
		case unicode.ToLower(r) == unicode.ToLower(w), w == '/' && strings.ContainsRune("∕⁄／", r):
			words = words[width:]
		case unseen(r) && (lines || r != '\n'):
			words = strings.TrimLeft(words, " ")
		default:
			return false
		}
		text = text[size:]
	}
	return words == ""
}

// endsName reports whether a name is over where the text begins.
func endsName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || (!unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_')
}

// unseen reports characters that a reader of a mark does not see, or takes for
// a blank.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) || strings.ContainsRune("\u115f\u1160\u3164\uffa0", r)
}

// Label makes a name fit to stand in a mark: on one line, with "_" in the place
// of the characters that marks are made of.
func Label(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || strings.ContainsRune("()[]", r) {
			return '_'
		}
		return r
	}, name)
}
