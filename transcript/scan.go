package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// span is a place in a line.
type span struct{ from, to int }

func (s span) found() bool { return s.to > 0 }

func (s span) of(raw []byte) []byte { return raw[s.from:s.to] }

// scanner walks over one JSON text once and remembers places in it, instead of
// building values: the larger part of a transcript is copied as it stands. The
// first error sticks; after it every loop ends.
type scanner struct {
	dec     *jsontext.Decoder
	buf     bytes.Buffer
	raw     []byte
	err     error
	scratch []byte
	// cost is how many bytes its user keeps of each value in a list that it
	// looks at, 0 for nothing; left is how many more it may look at in this
	// text.
	cost, left int
}

// What users of scanners keep of a value, the growth of their lists included:
// a block of a message, a part that is handed on as it is, or only its place.
const (
	blockCost = 1 << 10
	partCost  = 512
	placeCost = 128
)

// What is kept of the values of one text may take scanFree bytes, and
// scanRatio for each byte of the text: a text may hold nothing but values.
const (
	scanFree  = 64 << 20
	scanRatio = 16
)

var errCrowded = errors.New("it holds so many JSON values that reading them takes many times its size in memory")

const hintCrowded = "this is hardly a transcript; take the record out, or split the file"

var scanOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func (s *scanner) reset(raw []byte) {
	s.buf = *bytes.NewBuffer(raw)
	s.raw, s.err = raw, nil
	if s.cost > 0 {
		s.left = (scanFree + scanRatio*len(raw)) / s.cost
	}
	if s.dec == nil {
		s.dec = jsontext.NewDecoder(&s.buf, scanOptions...)
		return
	}
	s.dec.Reset(&s.buf, scanOptions...)
}

// kind is that of the next value.
func (s *scanner) kind() jsontext.Kind {
	if s.err != nil {
		return 0
	}
	return s.dec.PeekKind()
}

// token reads one token and forgets it.
func (s *scanner) token() {
	if s.err == nil {
		_, s.err = s.dec.ReadToken()
	}
}

// more reports whether an open list goes on, and counts what is kept of it.
func (s *scanner) more() bool {
	if !s.goesOn() {
		return false
	}
	if s.cost > 0 {
		if s.left--; s.left < 0 {
			s.err = errCrowded
		}
	}
	return s.err == nil
}

// goesOn reports whether an open object or array goes on.
func (s *scanner) goesOn() bool {
	if s.err != nil {
		return false
	}
	switch s.dec.PeekKind() {
	case '}', ']':
		return false
	case 0: // the error comes with the next token
		s.token()
		return s.err == nil
	}
	return true
}

// value reads one whole value.
func (s *scanner) value() span {
	if s.err != nil {
		return span{}
	}
	v, err := s.dec.ReadValue()
	if err != nil {
		s.err = err
		return span{}
	}
	to := int(s.dec.InputOffset())
	return span{to - len(v), to}
}

// name reads a member's name, quotes included.
func (s *scanner) name() []byte {
	at := s.value()
	if s.err != nil {
		return nil
	}
	return at.of(s.raw)
}

// text reads a value; it is "" unless it is a string.
func (s *scanner) text() string {
	at := s.value()
	if s.err != nil || s.raw[at.from] != '"' {
		return ""
	}
	t, _ := s.unquote(at)
	return t
}

// flag reads a value; it is false unless it is true.
func (s *scanner) flag() bool {
	at := s.value()
	return s.err == nil && s.raw[at.from] == 't'
}

// end checks that nothing follows.
func (s *scanner) end() {
	if s.err != nil {
		return
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = &jsontext.SyntacticError{ByteOffset: s.dec.InputOffset(), Err: errors.New("more text after the end of the value")}
		}
		s.err = err
	}
}

// unquote gives the text of a string, and whether writing that text as JSON
// says the same again: lone surrogates do not survive.
func (s *scanner) unquote(at span) (string, bool) { return s.unquoteIn(at, s.raw) }

// unquoteIn is unquote for a text other than the one being walked over.
func (s *scanner) unquoteIn(at span, raw []byte) (string, bool) {
	in := at.of(raw)
	if len(in) < 2 || in[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(in, '\\') < 0 {
		t := string(in[1 : len(in)-1])
		return t, !strings.Contains(t, "\uFFFD")
	}
	s.scratch = slices.Grow(s.scratch[:0], len(in))
	s.scratch, _ = jsontext.AppendUnquote(s.scratch, in)
	t := string(s.scratch)
	if cap(s.scratch) > lineKeep {
		s.scratch = nil
	}
	return t, !strings.Contains(t, "\uFFFD")
}

// number reads an integer at a place, 0 when it is none.
func (s *scanner) number(at span) int {
	if !at.found() {
		return 0
	}
	n, err := strconv.Atoi(string(at.of(s.raw)))
	if err != nil {
		f, err := strconv.ParseFloat(string(at.of(s.raw)), 64)
		if err != nil || f < 0 || f > 1<<52 {
			return 0
		}
		return int(f)
	}
	return max(n, 0)
}

// cut is a value that stands elsewhere: the source holds a placeholder.
type cut struct {
	span
	with string
}

// splice copies raw with the cuts replaced. Where a member stands twice a cut may
// lie in another one, and goes with it.
func splice(raw []byte, cuts []cut) string {
	if len(cuts) == 0 {
		return string(raw)
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	size := len(raw)
	for _, c := range cuts {
		size += len(c.with) - (c.to - c.from)
	}
	var b strings.Builder
	b.Grow(max(size, 0))
	at := 0
	for _, c := range cuts {
		if c.from < at {
			continue
		}
		b.Write(raw[at:c.from])
		b.WriteString(c.with)
		at = c.to
	}
	b.Write(raw[at:])
	return b.String()
}

// appendCompact appends valid JSON without the white space between its tokens.
// Strings and numbers stay as they are, byte for byte.
func appendCompact(dst, value []byte) []byte {
	for len(value) > 0 {
		i := bytes.IndexByte(value, '"')
		if i < 0 {
			i = len(value)
		}
		for _, c := range value[:i] {
			if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				dst = append(dst, c)
			}
		}
		if value = value[i:]; len(value) == 0 {
			break
		}
		end := stringEnd(value)
		dst = append(dst, value[:end]...)
		value = value[end:]
	}
	return dst
}

// stringEnd is where the string that begins text ends.
func stringEnd(text []byte) int {
	for at := 1; ; {
		i := bytes.IndexByte(text[at:], '"')
		if i < 0 {
			return len(text)
		}
		at += i
		slashes := 0
		for text[at-1-slashes] == '\\' {
			slashes++
		}
		if at++; slashes%2 == 0 {
			return at
		}
	}
}

// Placeholders of values that were cut.
const (
	cutText  = `""`
	cutValue = `null`
)

// texts reads a list and gives its strings.
func (s *scanner) texts() []string {
	if s.kind() != '[' {
		s.value()
		return nil
	}
	var out []string
	s.token()
	for s.more() {
		if s.kind() == '"' {
			out = append(out, s.text())
		} else {
			s.value()
		}
	}
	s.token()
	return out
}

// offset is where the last token or value ended.
func (s *scanner) offset() int64 { return s.dec.InputOffset() }

// eachMember walks over an object; each has to read the member's value.
func eachMember(s *scanner, each func(name []byte)) {
	if s.kind() != '{' {
		s.value()
		return
	}
	s.token()
	for s.goesOn() {
		each(s.name())
	}
	s.token()
}

// within gives the place of the next value, which read goes through.
func within(s *scanner, read func()) span {
	s.kind()
	before := int(s.offset())
	read()
	if s.err != nil {
		return span{}
	}
	to := int(s.offset())
	for before < to && strings.IndexByte(" \t\r\n,:", s.raw[before]) >= 0 {
		before++
	}
	return span{before, to}
}

// eachItem walks over an array; each has to read the item.
func eachItem(s *scanner, each func()) {
	if s.kind() != '[' {
		s.value()
		return
	}
	s.token()
	for s.more() {
		each()
	}
	s.token()
}

// float reads a number, 0 when the value is none.
func (s *scanner) float() float64 {
	at := s.value()
	if s.err != nil {
		return 0
	}
	f, err := strconv.ParseFloat(string(at.of(s.raw)), 64)
	if err != nil {
		return 0
	}
	return f
}
