package atom

import "iter"

// Kind says what an atom is.
type Kind uint8

// The kinds.
const (
	// Path has a slash, or is a name with the extension of a source file; five
	// characters at least.
	Path Kind = iota
	// ID is hexadecimal, 7 to 40 characters with a letter and a digit, or a
	// UUID.
	ID
	// Identifier is 6 to 60 letters, digits and underscores, with an underscore
	// or a capital inside or a digit.
	Identifier
	// Number is 3 to 8 digits that stand alone: no part of a date, a time, a
	// version or a larger number.
	Number
	// Code is what people and offices number things by: capitals and digits joined by
	// hyphens, as in "CHG-20471", an address of mail or of a machine, a package with its version.
	Code
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"path", "id", "identifier", "number", "code"}[k]
}

// The lengths an atom may have, in bytes.
const (
	minPath, maxPath             = 5, 300
	minHex, maxHex               = 7, 40
	minIdentifier, maxIdentifier = 6, 60
	minNumber, maxNumber         = 3, 8
	uuidLength                   = 36
)

// class is what a byte is to the scanner.
type class uint8

const (
	other  class = iota
	letter       // and underscore
	capital
	digit
	joint // joins words of a path: . / - ~ @ +
)

var classes = func() (c [256]class) {
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = letter, capital
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = digit
	}
	c['_'] = letter
	for _, b := range "./-~@+" {
		c[b] = joint
	}
	return c
}()

// trait is what a run of words and joints has in it: most have nothing that an
// atom needs, and are not looked at again.
type trait uint8

const (
	hasPlain trait = 1 << iota // small letters, and joints but for those below
	hasDigit
	hasMark // a capital or an underscore
	hasSlash
	hasDot
)

var traits = func() (t [256]trait) {
	for b, c := range classes {
		switch {
		case c == digit:
			t[b] = hasDigit
		case c == capital, b == '_':
			t[b] = hasMark
		case b == '/':
			t[b] = hasSlash
		case b == '.':
			t[b] = hasDot
		case c != other:
			t[b] = hasPlain
		}
	}
	return t
}()

// bare reports whether no atom can be in a run of so many bytes.
func (t trait) bare(bytes int) bool {
	return t == hasPlain || bytes < minNumber || t&hasDigit == 0 && bytes < minPath
}

// IsWord reports whether a byte is an ASCII letter, a digit or an underscore.
func IsWord(b byte) bool { c := classes[b]; return c != other && c != joint }

// Scan gives the atoms of a line in order: what they are and the bytes
// [start, end) they stand in. After a path or a code come the identifiers, ids and numbers
// inside it, which are atoms of their own; nothing else overlaps.
func Scan(line string) iter.Seq2[Kind, Span] {
	return func(yield func(Kind, Span) bool) {
		for i := Gutter(line); i < len(line); {
			switch b := line[i]; {
			case b == '\x1b':
				i += escape(line[i:])
			case b == '\\' && i+1 < len(line) && (line[i+1] == 'n' || line[i+1] == 't' || line[i+1] == 'r'):
				i += 2 // an escape within quoted text is not a letter of the next word
			case classes[b] == other:
				i++
			default:
				end, has := run(line, i)
				if !has.bare(end-i) && !isData(line[i:end]) && !inRun(line, i, end, has&hasSlash != 0, yield) {
					return
				}
				i = end
			}
		}
	}
}

// Span is a piece of a line, in bytes.
type Span struct{ Start, End int }

// Of gives the piece of the line.
func (s Span) Of(line string) string { return line[s.Start:s.End] }

// run is the end of the words and joints that begin at i.
func run(line string, i int) (end int, has trait) {
	for end = i; end < len(line); end++ {
		t := traits[line[end]]
		if t == 0 {
			break
		}
		has |= t
	}
	return end, has
}

// Letters and digits without a break, so many or more, are data and no names where there are
// small ones, capitals and digits, and more than so many percent of them are of another kind
// than the one before: words change far less.
const minData, dataChanges = 64, 55

// isData reports whether a run is data in letters, such as base64.
func isData(run string) bool {
	if len(run) < minData {
		return false
	}
	changes := 0
	var has [joint + 1]bool
	for i := range len(run) {
		c := classes[run[i]]
		if has[c] = true; i > 0 && c != classes[run[i-1]] {
			changes++
		}
	}
	return has[letter] && has[capital] && has[digit] && changes*100 > len(run)*dataChanges
}

// longData is how many bytes of data a line holds at least that says little else.
const longData = 200

// HoldsData reports whether a line is long data in letters for half of it or more, such as a
// picture in base64: no part of it is worth reading.
func HoldsData(line string) bool {
	data := 0
	for i := 0; i < len(line); {
		end, _ := run(line, i)
		if isData(line[i:end]) {
			data += end - i
		}
		i = end + 1
	}
	return data >= longData && 2*data >= len(line)
}

// inRun gives the atoms of words and joints without a break.
func inRun(line string, start, end int, slash bool, yield func(Kind, Span) bool) bool {
	for start < end && classes[line[start]] == joint && line[start] != '/' && line[start] != '~' && line[start] != '.' {
		start++
	}
	for start < end && classes[line[end-1]] == joint {
		end--
	}
	if slash {
		if at, ok := path(line, start, end); ok {
			return yield(Path, at) && words(line, at.Start, at.End, yield)
		}
	}
	for start < end && line[start] == '.' {
		start++
	}
	if end-start == uuidLength && isUUID(line[start:end]) {
		return yield(ID, Span{start, end})
	}
	switch {
	case slash:
	case isFile(line[start:end]):
		if !yield(Path, Span{start, end}) {
			return false
		}
	case isCode(line[start:end]) && !yield(Code, Span{start, end}):
		return false
	}
	return words(line, start, end, yield)
}

// words gives the atoms that are single words.
func words(line string, start, end int, yield func(Kind, Span) bool) bool {
	for i := start; i < end; {
		if !IsWord(line[i]) {
			i++
			continue
		}
		word := i
		for i < end && IsWord(line[i]) {
			i++
		}
		if kind, ok := kindOf(line, word, i); ok && !yield(kind, Span{word, i}) {
			return false
		}
	}
	return true
}

// path takes off what does not belong to a path with a slash: the slashes
// after a URL's scheme, "./" in front.
func path(line string, start, end int) (Span, bool) {
	for end-start > 1 && line[start] == '/' && line[start+1] == '/' {
		start++
		if line[start+1] != '/' {
			start++
		}
	}
	for end-start > 2 && line[start] == '.' && line[start+1] == '/' {
		start += 2
	}
	if end-start < minPath || end-start > maxPath {
		return Span{}, false
	}
	slash, named := false, false
	for i := start; i < end; i++ {
		slash = slash || line[i] == '/'
		named = named || classes[line[i]] == letter || classes[line[i]] == capital
	}
	return Span{start, end}, slash && named
}

// kindOf is what a single word is.
func kindOf(line string, start, end int) (Kind, bool) {
	var letters, hexLetters, digits, inner int
	for i := start; i < end; i++ {
		b := line[i]
		switch classes[b] {
		case digit:
			digits++
		case capital:
			letters++
			if b <= 'F' {
				hexLetters++
			}
			if i > start && (classes[line[i-1]] == letter || i+1 < end && classes[line[i+1]] == letter) {
				inner++
			}
		default:
			letters++
			if b >= 'a' && b <= 'f' {
				hexLetters++
			}
			if b == '_' && i > start && i < end-1 {
				inner++
			}
		}
	}
	n := end - start
	switch {
	case letters == 0:
		return Number, n >= minNumber && n <= maxNumber && alone(line, start, end)
	case hexLetters == letters && digits > 0 && n >= minHex && n <= maxHex:
		return ID, true
	default:
		return Identifier, n >= minIdentifier && n <= maxIdentifier && (inner > 0 || digits > 0)
	}
}

// alone reports whether digits are not part of a larger number, a date, a time
// or a version.
func alone(line string, start, end int) bool {
	joins := func(b byte) bool { return b == '.' || b == ',' || b == ':' || b == '-' || b == '/' || b == '+' }
	if start > 1 && joins(line[start-1]) && classes[line[start-2]] == digit {
		return false
	}
	return end+1 >= len(line) || !joins(line[end]) || classes[line[end+1]] != digit
}

func isUUID(s string) bool {
	for i := range len(s) {
		switch b := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if b != '-' {
				return false
			}
		case classes[b] == digit, b >= 'a' && b <= 'f', b >= 'A' && b <= 'F':
		default:
			return false
		}
	}
	return true
}
