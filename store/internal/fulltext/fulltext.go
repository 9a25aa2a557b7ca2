// Package fulltext says what a word is, what a query asks, and what of a text
// a hit shows. All stores share it, so that the same query finds the same
// entries in each of them (D1, D4).
//
// A word is a run of letters, digits and marks; case does not count. Scripts
// that write no spaces between words are cut into single characters, and a
// run of them in a query is a phrase. Everything else parts words and is not
// looked for.
package fulltext

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// maxWord is how many bytes of a word count. What is longer is not a word but
// data, and would bloat an index.
const maxWord = 64

// A scanner cuts a text into folded words.
type scanner struct {
	text string
	pos  int
	word []byte
	// start and end are where word stands in text.
	start, end int
}

// next finds the next word and reports whether there was one.
func (s *scanner) next() bool {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			if asciiFold(c) != 0 {
				break
			}
			s.pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if isWord(r, size) {
			break
		}
		s.pos += size
	}
	s.start, s.word = s.pos, s.word[:0]
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			f := asciiFold(c)
			if f == 0 {
				break
			}
			if len(s.word) < maxWord {
				s.word = append(s.word, f)
			}
			s.pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if !isWord(r, size) {
			break
		}
		alone := standsAlone(r)
		if alone && s.pos > s.start {
			break
		}
		if len(s.word) < maxWord {
			s.word = utf8.AppendRune(s.word, fold(r))
		}
		s.pos += size
		if alone {
			break
		}
	}
	s.end = s.pos
	return s.end > s.start
}

// asciiFold gives ASCII letters and digits in lower case, 0 for all else.
func asciiFold(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

func isWord(r rune, size int) bool {
	return (r != utf8.RuneError || size != 1) && unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co)
}

// standsAlone reports whether r is of a script without spaces.
func standsAlone(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold goes by way of upper case, which joins letters such as σ and ς.
func fold(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// Words gives the words of text, one after the other: each is good until the next. They
// hold ASCII letters, digits and bytes beyond ASCII, nothing else.
func Words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s := scanner{text: text, word: make([]byte, 0, maxWord+utf8.UTFMax)}
		for s.next() && yield(s.word) {
		}
	}
}

// AppendWords appends the words of text to dst, each between single spaces:
// " one two ". It is what [Query.Match] reads, and the index of some stores.
func AppendWords(dst []byte, text string) []byte {
	dst = append(dst, ' ')
	for word := range Words(text) {
		dst = append(append(dst, word...), ' ')
	}
	return dst
}
