package eval

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold/internal/set"
)

// The measures have a scanner of their own, which is that of the reference
// scripts: package atom, by which the strategies choose, takes a path for one
// atom, whereas a later call may well use a name inside it.

// eachAtom gives the atoms of a line: paths, identifiers, ids and numbers. They
// may overlap, and come more than once.
func eachAtom(line string, yield func(atom string)) {
	eachPath(line, func(path string) {
		if path = strings.TrimRight(path, "."); utf8.RuneCountInString(path) >= 5 {
			yield(path)
		}
	})
	idEnd := 0
	for start := 0; start < len(line); {
		end := wordEnd(line, start)
		if end == start {
			_, size := utf8.DecodeRuneInString(line[start:])
			start += size
			continue
		}
		word := line[start:end]
		switch {
		case start < idEnd:
		case isHex(word):
			yield(word)
		case isUUID(line[start:]):
			idEnd = start + uuidLength
			yield(line[start:idEnd])
		}
		if isIdentifier(word) || isNumber(line, start, end) {
			yield(word)
		}
		start = end
	}
}

// wordEnd is where the letters, digits and underscores end that begin at i.
func wordEnd(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !syntax.IsWordChar(rune(c)) {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) {
			break
		}
		i += size
	}
	return i
}

// isWord reports whether a character belongs to a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return syntax.IsWordChar(r)
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// boundary reports whether a word begins or ends at i.
func boundary(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return (i > 0 && isWord(before)) != (i < len(s) && isWord(after))
}

func hexDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// isHex tells an id: 7 to 40 hexadecimal characters, a letter and a digit among
// them.
func isHex(word string) bool {
	if len(word) < 7 || len(word) > 40 {
		return false
	}
	letter, digit := false, false
	for i := range len(word) {
		if !hexDigit(word[i]) {
			return false
		}
		letter, digit = letter || word[i] >= 'a', digit || word[i] <= '9'
	}
	return letter && digit
}

const uuidLength = 36

// isUUID reports whether a UUID begins a text.
func isUUID(s string) bool {
	if len(s) < uuidLength || !boundary(s, uuidLength) {
		return false
	}
	for i := range uuidLength {
		hyphen := s[i] == '-'
		if i == 8 || i == 13 {
			if !hyphen {
				return false
			}
		} else if !hexDigit(s[i]) && (!hyphen || i < 13) {
			return false
		}
	}
	return true
}

// isIdentifier tells a name in a program: 6 to 61 ASCII characters, with an
// underscore inside, an inner capital or a digit.
func isIdentifier(word string) bool {
	if len(word) < 6 || len(word) > 61 || word[0] >= '0' && word[0] <= '9' {
		return false
	}
	marked := strings.Contains(strings.Trim(word, "_"), "_")
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= utf8.RuneSelf:
			return false
		case c >= '0' && c <= '9':
			marked = true
		case i == 0:
		case upper(c) && lower(word[i-1]), i > 1 && lower(c) && upper(word[i-1]) && upper(word[i-2]):
			marked = true
		}
	}
	return marked
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// isNumber tells 3 to 8 digits that stand alone.
func isNumber(line string, start, end int) bool {
	if start > 0 && line[start-1] == '.' || end < len(line) && line[end] == '.' {
		return false
	}
	digits := 0
	for _, r := range line[start:end] {
		if !unicode.IsDigit(r) {
			return false
		}
		digits++
	}
	return digits >= 3 && digits <= 8
}

// eachPath gives what has slashes, and names with the extension of a source
// file.
func eachPath(line string, yield func(path string)) {
	head := func(r rune) bool { return isWord(r) || strings.ContainsRune(".@~+-", r) }
	below := func(r rune) bool { return isWord(r) || strings.ContainsRune(".@+[]-", r) }
	named := func(r rune) bool { return isWord(r) || r == '-' }
	headEnd, namedEnd := 0, 0 // of the runs that the place is in
	for i := 0; i < len(line); {
		if headEnd <= i {
			headEnd = spanEnd(line, i, head)
		}
		end := headEnd
		for end < len(line) && line[end] == '/' {
			next := spanEnd(line, end+1, below)
			if next == end+1 {
				break
			}
			end = next
		}
		if end > headEnd {
			yield(line[i:end])
			i = end
			continue
		}
		if i == headEnd {
			_, size := utf8.DecodeRuneInString(line[i:])
			i += size
			continue
		}
		if namedEnd <= i {
			namedEnd = spanEnd(line, i, named)
		}
		if dot := namedEnd; dot > i && dot < len(line) && line[dot] == '.' && boundary(line, i) {
			if end := wordEnd(line, dot+1); extensions[line[dot+1:end]] {
				yield(line[i:end])
				i = end
				continue
			}
		}
		// No path with a slash begins before the run's end, no name inside a word.
		_, size := utf8.DecodeRuneInString(line[i:])
		i += size
		for i < headEnd && !boundary(line, i) {
			_, size := utf8.DecodeRuneInString(line[i:])
			i += size
		}
	}
}

// spanEnd is where the characters of a kind end that begin at i.
func spanEnd(s string, i int, of func(rune) bool) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !of(r) {
			break
		}
		i += size
	}
	return i
}

// extensions are those of source files.
var extensions = set.Words("go ts tsx js jsx py md json jsonl yml yaml rs sh toml sql mod sum txt proto css html lua ps1 nu cs mjs lock env")
