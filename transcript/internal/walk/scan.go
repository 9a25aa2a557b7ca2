// Package walk goes over one JSON text and remembers the places of its values,
// without building them: most of a transcript is kept as it stands. It knows
// nothing of transcripts.
package walk

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Span is a place in a line.
type Span struct{ From, To int }

func (s Span) Found() bool { return s.To > 0 }

// In is the place in the whole text of one that was found in a part of it.
func (s Span) In(part Span) Span { return Span{part.From + s.From, part.From + s.To} }

func (s Span) Of(raw []byte) []byte { return raw[s.From:s.To] }

// Scanner walks over one JSON text once and remembers places in it, instead of
// building values: the larger part of a transcript is copied as it stands. The
// first error sticks; after it every loop ends.
type Scanner struct {
	dec     *jsontext.Decoder
	buf     bytes.Buffer
	Raw     []byte
	Err     error
	scratch []byte
	// Cost is how many bytes its user keeps of each value in a list that it
	// looks at, 0 for nothing; left is how many more it may look at in this
	// text.
	Cost, left int
	// Twice says that a [Shape] read two values of this text to one place.
	Twice bool
}

// What users of scanners keep of a value, the growth of their lists included:
// a block of a message, a part that is handed on as it is, or only its place.
const (
	BlockCost = 1 << 10
	PartCost  = 512
	PlaceCost = 128
)

// What is kept of the values of one text may take scanFree bytes, and
// scanRatio for each byte of the text: a text may hold nothing but values.
const (
	ScanFree  = 64 << 20
	scanRatio = 16
)

// ErrCrowded is the error of a text whose values would take many times its size.
var ErrCrowded = errors.New("it holds so many JSON values that reading them takes many times its size in memory")

// scratchKeep is the largest buffer kept after a text was read.
const scratchKeep = 4 << 20

const HintCrowded = "this is hardly a transcript; take the record out, or split the file"

var ScanOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func (s *Scanner) Reset(raw []byte) {
	s.buf = *bytes.NewBuffer(raw)
	s.Raw, s.Err, s.Twice = raw, nil, false
	if s.Cost > 0 {
		s.left = (ScanFree + scanRatio*len(raw)) / s.Cost
	}
	if s.dec == nil {
		s.dec = jsontext.NewDecoder(&s.buf, ScanOptions...)
		return
	}
	s.dec.Reset(&s.buf, ScanOptions...)
}

// Kind is that of the next value.
func (s *Scanner) Kind() jsontext.Kind {
	if s.Err != nil {
		return 0
	}
	return s.dec.PeekKind()
}

// Token reads one token and forgets it.
func (s *Scanner) Token() {
	if s.Err == nil {
		_, s.Err = s.dec.ReadToken()
	}
}

// More reports whether an open list goes on, and counts what is kept of it.
func (s *Scanner) More() bool {
	if !s.goesOn() {
		return false
	}
	if s.Cost > 0 {
		if s.left--; s.left < 0 {
			s.Err = ErrCrowded
		}
	}
	return s.Err == nil
}

// goesOn reports whether an open object or array goes on.
func (s *Scanner) goesOn() bool {
	if s.Err != nil {
		return false
	}
	switch s.dec.PeekKind() {
	case '}', ']':
		return false
	case 0: // the error comes with the next token
		s.Token()
		return s.Err == nil
	}
	return true
}

// Value reads one whole value.
func (s *Scanner) Value() Span {
	if s.Err != nil {
		return Span{}
	}
	v, err := s.dec.ReadValue()
	if err != nil {
		s.Err = err
		return Span{}
	}
	to := int(s.dec.InputOffset())
	return Span{to - len(v), to}
}

// Name reads a member's name, quotes included.
func (s *Scanner) Name() []byte {
	at := s.Value()
	if s.Err != nil {
		return nil
	}
	return at.Of(s.Raw)
}

// Text reads a value; it is "" unless it is a string.
func (s *Scanner) Text() string {
	at := s.Value()
	if s.Err != nil || s.Raw[at.From] != '"' {
		return ""
	}
	t, _ := s.Unquote(at)
	return t
}

// Flag reads a value; it is false unless it is true.
func (s *Scanner) Flag() bool {
	at := s.Value()
	return s.Err == nil && s.Raw[at.From] == 't'
}

// End checks that nothing follows.
func (s *Scanner) End() {
	if s.Err != nil {
		return
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = &jsontext.SyntacticError{ByteOffset: s.dec.InputOffset(), Err: errors.New("more text after the end of the value")}
		}
		s.Err = err
	}
}

// Unquote gives the text of a string, "" for any other value, and whether
// writing that text as JSON says the same again: lone surrogates do not survive.
func (s *Scanner) Unquote(at Span) (string, bool) { return s.UnquoteIn(at, s.Raw) }

// UnquoteIn is unquote for a text other than the one being walked over.
func (s *Scanner) UnquoteIn(at Span, raw []byte) (string, bool) {
	in := at.Of(raw)
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
	if cap(s.scratch) > scratchKeep {
		s.scratch = nil
	}
	return t, !strings.Contains(t, "\uFFFD")
}

// Number reads an integer at a place, 0 when it is none.
func (s *Scanner) Number(at Span) int { return Number(at.Of(s.Raw)) }

func Number(text []byte) int {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil || f < 0 || f > 1<<52 {
			return 0
		}
		return int(f)
	}
	return max(n, 0)
}

// Texts reads a list and gives its strings.
func (s *Scanner) Texts() (texts []string) {
	EachItem(s, func() {
		if s.Kind() == '"' {
			texts = append(texts, s.Text())
		} else {
			s.Value()
		}
	})
	return texts
}

// Offset is where the last token or value ended.
func (s *Scanner) Offset() int64 { return s.dec.InputOffset() }

// EachMember walks over an object; each has to read the member's value.
func EachMember(s *Scanner, each func(name []byte)) {
	if s.Kind() != '{' {
		s.Value()
		return
	}
	s.Token()
	for s.goesOn() {
		each(s.Name())
	}
	s.Token()
}

// OneMember walks over an object of which only one member counts.
func OneMember(s *Scanner, name string, read func()) {
	EachMember(s, func(n []byte) {
		if len(n) == len(name)+2 && string(n[1:len(n)-1]) == name {
			read()
		} else {
			s.Value()
		}
	})
}

// Within gives the place of the next value, which read goes through.
func Within(s *Scanner, read func()) Span {
	s.Kind()
	before := int(s.Offset())
	read()
	if s.Err != nil {
		return Span{}
	}
	to := int(s.Offset())
	for before < to && strings.IndexByte(" \t\r\n,:", s.Raw[before]) >= 0 {
		before++
	}
	return Span{before, to}
}

// EachItem walks over an array; each has to read the item.
func EachItem(s *Scanner, each func()) {
	if s.Kind() != '[' {
		s.Value()
		return
	}
	s.Token()
	for s.More() {
		each()
	}
	s.Token()
}

// Items reads an array, and adds an item to a list for each.
func Items[T any](s *Scanner, list []T, read func(item *T)) []T {
	EachItem(s, func() {
		list = append(list, *new(T))
		read(&list[len(list)-1])
	})
	return list
}

// Once notes that something was there, and tells by Twice if it was before.
func (s *Scanner) Once(seen *bool) {
	s.Twice = s.Twice || *seen
	*seen = true
}

// Float reads a Number, 0 when the value is none.
func (s *Scanner) Float() float64 {
	at := s.Value()
	if s.Err != nil {
		return 0
	}
	f, err := strconv.ParseFloat(string(at.Of(s.Raw)), 64)
	if err != nil {
		return 0
	}
	return f
}
