package tenfold

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts of a conversation stand between marks in many places: elements such as
// <summary>, headings such as "[turn 001] USER:", stubs, gaps. None of them is
// trusted: what a tool printed must not end its element, nor speak as somebody
// else. These functions see to that; all other text stays as it is.

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
		b.WriteString(" " + attributes[i] + "=" + inTag.Replace(strconv.Quote(ShieldTags(attributes[i+1], name))))
	}
	b.WriteString(">\n" + ShieldTags(text, name) + "\n</" + name + ">")
	return b.String()
}

// Element is the attachment as the text of a message.
func (a Attachment) Element() string { return Element("attachment", a.Content, "name", a.Name) }

var inTag = strings.NewReplacer("<", `\u003c`, ">", `\u003e`)

// ShieldTags takes the tags of elements of these names apart in a text, as
// [Element] does: for a text that stands beside an element.
func ShieldTags(text string, names ...string) string {
	return shield(text, func(r rune, rest string) bool {
		if !strings.ContainsRune("<＜﹤‹〈⟨", r) {
			return false
		}
		for _, name := range names {
			if r == '<' && strings.HasPrefix(rest, name) && endsName(rest[len(name):]) {
				return true
			}
			if reads(rest, "/"+name, true) {
				return true
			}
		}
		return false
	})
}

// Shield takes marks apart in a text: it puts a backslash behind each opening
// character that one of the words follows on its line, in any case, blanks and
// unseen characters aside. In a word "#" stands for digits.
func Shield(text string, opening rune, words ...string) string {
	if !strings.ContainsRune(text, opening) {
		return text
	}
	return shield(text, func(r rune, rest string) bool {
		if r != opening {
			return false
		}
		for _, word := range words {
			if reads(rest, word, false) {
				return true
			}
		}
		return false
	})
}

func shield(text string, opens func(r rune, rest string) bool) string {
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

// reads reports whether a reader finds the words at the beginning of a text,
// on one line unless lines may end between.
func reads(text, words string, lines bool) bool {
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

// What marks of a view's own begin with, and what a text of the log never does in a
// view that shortened it ([shieldMarks]).
const (
	stubMark     = "[compacted] "
	argumentMark = "[argument "
)

// joinMarks joins two texts by a line end, or by a blank where nothing but marks
// would stand on both sides of it: a run of what is left out is told in one line (F7).
// A stub keeps its line, as it is the whole text of its result (P5).
func joinMarks(before, after string) string {
	before = strings.TrimSuffix(before, "\n")
	first, _, _ := strings.Cut(after, "\n")
	switch last := before[strings.LastIndexByte(before, '\n')+1:]; {
	case before == "":
		return after
	case isMark(last) && isMark(first):
		return before + " " + after
	}
	return before + "\n" + after
}

// isMark reports whether a line of a shortened text is nothing but marks.
func isMark(line string) bool {
	if line == gapMark || strings.HasPrefix(line, argumentMark) || strings.HasPrefix(line, "[argument]") {
		return true
	}
	rest, ok := strings.CutPrefix(line, "[")
	return ok && (reads(rest, "# earlier call", false) || reads(rest, "# earlier calls", false) || reads(rest, "# later call", false) || reads(rest, "# later calls", false))
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
