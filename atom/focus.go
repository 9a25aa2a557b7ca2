package atom

import (
	filepath "path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Focus is what a person wants to be kept, as words to look for: the words of
// the text that say what it is about, and the paths and identifiers in it. Its
// zero value matches nothing. It is safe for concurrent use.
type Focus struct {
	// terms are in lower case, by the first byte that they can begin with.
	terms [256][]term
	n     int
}

// term is a word to look for. A short one must stand alone; others may go on,
// so that "auth" finds "authentication" and AuthService.
type term struct {
	text  string
	alone bool
	index int // among the terms
}

// aloneUpTo is up to how many letters a word must stand alone to be found.
const aloneUpTo = 3

// mostTerms is how many words of a focus are looked for: a bit each.
const mostTerms = 64

// empty are words that say nothing of what a focus is about.
var empty = strings.Fields(`
	the and for with that this what when where which who how why are was were been being has have had not but from into onto over about
	all any each every everything anything something some said says say tell told keep keeps kept preserve remember retain note focus
	please must should would could will can may does done make makes made sure only also still part parts of on in to is it its be by or
	as at an do we you our your my me us their there then than them they those these related concerning regarding details detail
	information info context work working
	der die das und oder mit von für was wie wo ist sind war alles behalte bitte über zum zur den dem des ein eine
	les des une est sont avec pour dans sur que qui tout garde los las una con por para que todo sobre del`)

// NewFocus reads the text of a focus. A text of nothing but empty words gives a
// focus that looks for those.
func NewFocus(text string) *Focus {
	f := &Focus{}
	var words, rest []string
	for field := range strings.FieldsSeq(strings.ToLower(text)) {
		for kind, at := range Scan(field) {
			if kind == Path { // its name is looked for alone as well, its folders are not
				whole := at.Of(field)
				words = append(words, whole, filepath.Base(whole))
				field = strings.Replace(field, whole, strings.TrimSuffix(filepath.Base(whole), filepath.Ext(whole)), 1)
				break
			}
		}
		for at := range Words(field) {
			for _, w := range scripts(at.Of(field)) {
				switch {
				case slices.Contains(empty, w):
					rest = append(rest, w)
				case utf8.RuneCountInString(w) > 1:
					words = append(words, stem(w))
				}
			}
		}
	}
	if len(words) == 0 {
		words = rest
	}
	for _, w := range words {
		f.add(w)
	}
	return f
}

func (f *Focus) add(word string) {
	first := word[0]
	if f.n == mostTerms || slices.ContainsFunc(f.terms[first], func(t term) bool { return t.text == word }) {
		return
	}
	t := term{word, utf8.RuneCountInString(word) <= aloneUpTo && word[0] < utf8.RuneSelf, f.n}
	f.n++
	f.terms[first] = append(f.terms[first], t)
	r, _ := utf8.DecodeRuneInString(word)
	if upper := string(unicode.ToUpper(r)); upper[0] != first {
		f.terms[upper[0]] = append(f.terms[upper[0]], t)
	}
}

// Empty reports whether the focus looks for nothing.
func (f *Focus) Empty() bool { return f == nil || f.n == 0 }

// Matches is how many of the words of the focus occur in a text, each counted
// once, in any case. A word is found where a word of the text begins, also
// within a name: "store" is in memoryStore, session_store and store.go, and is
// not in "restore".
func (f *Focus) Matches(text string) int {
	if f.Empty() {
		return 0
	}
	var found uint64
	n := 0
	for i := 0; i < len(text) && n < f.n; i++ {
		terms := f.terms[text[i]]
		if len(terms) == 0 || !begins(text, i) {
			continue
		}
		for _, t := range terms {
			end := i + len(t.text)
			if end > len(text) || found&(1<<t.index) != 0 || !strings.EqualFold(text[i:end], t.text) || t.alone && !ends(text, end) {
				continue
			}
			found |= 1 << t.index
			n++
		}
	}
	return n
}

// begins reports whether a word, or a part of a name, begins at a place.
func begins(text string, at int) bool {
	if at == 0 {
		return true
	}
	b, before := classes[text[at]], classes[text[at-1]]
	switch {
	case text[at] >= utf8.RuneSelf: // scripts without spaces
		return utf8.RuneStart(text[at])
	case before != letter && before != capital, text[at-1] == '_':
		return true
	case b != capital:
		return b != letter
	}
	return before == letter || at+1 < len(text) && classes[text[at+1]] == letter && text[at+1] != '_'
}

// ends reports whether a word, or a part of a name, ends before a place.
func ends(text string, at int) bool {
	if at == len(text) {
		return true
	}
	b := classes[text[at]]
	return b != letter && (b != capital || classes[text[at-1]] == letter) || text[at] == '_'
}

// scripts parts the ideographs of a word from what surrounds them: without
// spaces, each run of them is a word. Kana between them say how words relate.
func scripts(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) })
}

// stem takes the ending of a plural off an English word.
func stem(word string) string {
	if len(word) > 4 && word[len(word)-1] == 's' && word[len(word)-2] != 's' && word[0] < utf8.RuneSelf {
		return word[:len(word)-1]
	}
	return word
}

// Size is how many words the focus looks for.
func (f *Focus) Size() int {
	if f == nil {
		return 0
	}
	return f.n
}
