package excerpt

import (
	"regexp"
	"strings"
	"unicode"

	"tenfold/atom"
	"tenfold/cause"
)

// line is a text that stands in a log, once or many times: a line without the
// number that a file read printed before it and without blanks at its ends.
type line struct {
	atoms span
	words span // in spelt
	// shown is how many results have it.
	shown int32
	// newest is the last entry that shows it as a part of a file, or puts it
	// into one; -1 for none.
	newest int32
	// quoted is the last search or output that has it, -1 for none.
	quoted int32
	// file and number are the place of a file that it names, as compilers do:
	// "name.go:12"; no file is -1.
	file, number int32
	long         bool // it tells one text from another
	mute         bool // it says nothing by itself: it ends an element, is but numbers, or a name without a value
	taken        bool // a change took it out of a file
	furniture    bool // of a page or a notebook: nobody edits it
}

// textLine is a line where it stands.
type textLine struct {
	line  int32
	bytes int32 // its end included
	// head is the number of the line that says what file it is of; 0 for none.
	head int32
}

// under puts a line of a text under another, unless it has a head or is that line.
func under(textLines []textLine, number, head int32) {
	if l := &textLines[number-1]; l.head == 0 && head != number {
		l.head = head
	}
}

// A line of so many bytes tells what text it is from; shorter ones stand in
// every file.
const tellingLine = 12

// libraryLine stands for each line of code that a trace shows of a library.
const libraryLine = "\x00"

// lineOf numbers a line.
func (ix *Index) lineOf(text string) int32 {
	text = strings.TrimSpace(text[atom.Gutter(text):])
	if id, known := ix.byLine[text]; known {
		return id
	}
	id := int32(len(ix.lines))
	one := line{newest: -1, quoted: -1, file: -1, long: len(text) >= tellingLine, mute: true, furniture: text == libraryLine || cause.IsFurniture(text)}
	if !one.furniture && !cause.IsProgress(text) && !cause.IsPage(text) && !cause.IsNode(text) && !cause.IsForeignPlace(text) && !isHollow(text) {
		ix.scan(text, &one)
		one.atoms = ix.keep(ix.scratch)
		one.words = ix.collectWords(text)
	}
	one.mute = strings.HasPrefix(text, "</") || one.mute && one.words.none() || isBareMember(text)
	ix.lines = append(ix.lines, one)
	ix.byLine[text] = id
	return id
}

// blobs is the line of a diff that names the contents of a file before and after, which
// nobody asks for.
var blobs = regexp.MustCompile(`^index [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}(?: \d{6})?$`)

// isHollow reports whether a line has names and says nothing: that of a diff with the hashes
// of contents, or one without words that a search prints beside what it found, "a.go-12-}".
func isHollow(text string) bool {
	if strings.HasPrefix(text, "index ") {
		return blobs.MatchString(text)
	}
	rest := quoted(text)
	return len(rest) < len(text) && text[len(text)-len(rest)-1] == '-' && !strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// isBareMember reports whether a line is a member of a JSON object without a value on it:
// `"watches": {`, `"parent": null,`.
func isBareMember(text string) bool {
	_, value, ok := strings.Cut(text, `":`)
	if !ok || text[0] != '"' {
		return false
	}
	switch strings.TrimSuffix(strings.TrimSpace(value), ",") {
	case "{", "[", "{}", "[]", "null", `""`:
		return true
	}
	return false
}

// spellings is how many words are told apart, as a power of two. Words are known
// by a hash of theirs: two that share one count as the same, on every machine.
const spellingBits = 15

// minWord is the shortest word that tells what a text is about.
const minWord = 4

// maxSpelt is how many words of a line are looked at.
const maxSpelt = 64

// collectWords collects the words of a line.
func (ix *Index) collectWords(text string) span {
	from := int32(len(ix.spelt))
	for i := 0; i < len(text); i++ {
		start, sum := i, uint32(2166136261)
		for i < len(text) && atom.IsWord(text[i]) {
			sum = (sum ^ uint32(text[i])) * 16777619
			i++
		}
		if i-start >= minWord && (text[start] < '0' || text[start] > '9') {
			ix.spelt = append(ix.spelt, uint16((sum^sum>>spellingBits)&(1<<spellingBits-1)))
			if len(ix.spelt)-int(from) >= maxSpelt {
				break
			}
		}
	}
	return span{from, int32(len(ix.spelt))}
}

// spelling is what is known of a word.
type spelling struct {
	entries int32 // with it
	stamp   int32 // the entry that counted it last
	said    int32 // request that said it last, -1 for none
	asked   int32 // the message of a person that has it last
}

// useWords counts the words of a line of an entry; says is set where the model
// says them, in so many words.
func (ix *Index) useWords(at *entry, words span, says bool) {
	self := int32(len(ix.entries))
	for _, w := range ix.spelt[words.from:words.to] {
		one := &ix.spellings[w]
		if one.stamp != self {
			one.stamp = self
			one.entries++
		}
		if says {
			one.said = at.request + 1
		}
		if at.role == roleTyped {
			one.asked = self
		}
	}
}

// place reads the number that follows the name of a file: ":12" or "(12".
func place(text string) int32 {
	if len(text) < 2 || text[0] != ':' && text[0] != '(' {
		return 0
	}
	n := int32(0)
	for _, b := range []byte(text[1:]) {
		if b < '0' || b > '9' || n > 1_000_000 {
			break
		}
		n = n*10 + int32(b-'0')
	}
	return n
}

// printed is the number in what a file read printed before a line; 0 for none.
func printed(gutter string) int32 {
	n := int32(0)
	for _, b := range []byte(gutter) {
		if b >= '0' && b <= '9' {
			n = n*10 + int32(b-'0')
		}
	}
	return n
}

// quoted takes off what a search prints before a line of a file: its path and
// the line's number.
func quoted(text string) string {
	for i := 1; i < min(len(text), 200); i++ {
		switch text[i] {
		case ' ', '\t':
			return text
		case ':', '-':
			end := i + 1
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			if end > i+1 && end < len(text) && (text[end] == ':' || text[end] == '-') {
				return text[end+1:]
			}
		}
	}
	return text
}
