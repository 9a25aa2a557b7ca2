package atom

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is the kind of a piece of text: a word, or what stands between words.
type Token uint8

// The kinds of tokens.
const (
	// Word is ASCII letters, digits and underscores.
	Word Token = iota
	// Script is letters, digits and marks beyond ASCII. Next to a Word they are
	// tokens of their own, since scripts without spaces write names among others.
	Script
	// Blank is white space and control characters.
	Blank
	// Escape is an escape sequence of a terminal.
	Escape
	// Sign is any other character.
	Sign
)

// Next gives the token that begins at a place before the text's end, and where
// it ends.
func Next(text string, at int) (kind Token, end int) {
	switch c := text[at]; {
	case IsWord(c):
		for end = at + 1; end < len(text) && IsWord(text[end]); end++ {
		}
		return Word, end
	case c == '\x1b':
		return Escape, at + escape(text[at:])
	case c <= ' ':
		return Blank, at + 1
	case c < utf8.RuneSelf:
		return Sign, at + 1
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	end = at + size
	if unicode.IsSpace(r) {
		return Blank, end
	}
	if !InWord(r) {
		return Sign, end
	}
	for end < len(text) && text[end] >= utf8.RuneSelf {
		if r, size = utf8.DecodeRuneInString(text[end:]); !InWord(r) {
			break
		}
		end += size
	}
	return Script, end
}

// InWord reports whether a character is a letter, a digit or a mark.
func InWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// Words gives the words of a text, of whatever scripts: letters, digits, marks
// and underscores without a break.
func Words(text string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		start := -1
		for i := 0; i < len(text); {
			kind, end := Next(text, i)
			switch {
			case kind <= Script:
				if start < 0 {
					start = i
				}
			case start >= 0:
				if !yield(Span{start, i}) {
					return
				}
				start = -1
			}
			i = end
		}
		if start >= 0 {
			yield(Span{start, len(text)})
		}
	}
}

// A Spoken is a word of prose in lower case, or a colon, and where it stands.
type Spoken struct {
	Text string
	At   int
}

// Prose cuts a line into words as people say them: with the apostrophes in
// them. A French elision, one letter or "qu" and an apostrophe, is a word of its
// own.
func Prose(line string) []Spoken {
	words := make([]Spoken, 0, len(line)/5+1)
	start := -1
	finish := func(end int) {
		if start >= 0 {
			words = append(words, Spoken{lower(strings.TrimRightFunc(line[start:end], unicode.IsMark)), start})
			start = -1
		}
	}
	for i := 0; i < len(line); {
		kind, end := Next(line, i)
		switch piece := line[i:end]; {
		case kind <= Script:
			// A mark that follows no letter belongs to a symbol.
			if bare := strings.TrimLeftFunc(piece, unicode.IsMark); start < 0 && bare != "" {
				start = end - len(bare)
			}
		case start >= 0 && (piece == "'" || piece == "’"):
			if i-start == 1 || strings.EqualFold(line[start:i], "qu") {
				finish(i)
			}
		default:
			finish(i)
			if piece == ":" {
				words = append(words, Spoken{piece, i})
			}
		}
		i = end
	}
	finish(len(line))
	return words
}

func lower(word string) string {
	word = strings.ToLower(word)
	if strings.Contains(word, "’") {
		word = strings.ReplaceAll(word, "’", "'")
	}
	return strings.TrimRight(word, "'")
}
