package walk

import "errors"

// Shape says where the members of an object are read to, names and targets by
// turns:
//
//	Shape{"id", &id, "text", &text, "time", Inner("created", &created)}
//
// A target is a *string, *bool, *int or *float64, which is zero after a value of
// another kind; a *Span, which becomes the place of the value; a [List]; a Shape,
// for an object in the object; or a func() that reads the value itself. Of a member
// that comes twice the last one counts, and [Scanner.Twice] tells of places, and of
// texts that are wanted [Once].
type Shape []any

// A List is a target for a list, whose items Read reads: they have places of their
// own. Any other value is one place.
type List struct {
	At   *Span
	Read func()
}

// Elsewhere is the place of a value whose parts have places of their own.
var Elsewhere = Span{From: 0, To: 1}

// Once is a target for a text that is not to come twice.
type Once struct{ Text *string }

var errTarget = errors.New("a shape has a target of a type that nothing is read to")

// Inner is the shape of an object in an object.
func Inner(members ...any) Shape { return members }

// Read reads an object; any other value is skipped, and so are members that
// neither the shape names nor one of the others, which come after it.
func (f Shape) Read(s *Scanner, others ...Shape) {
	f.ReadAll(s, func(name []byte) {
		for _, other := range others {
			if other.member(s, name) {
				return
			}
		}
		s.Value()
	})
}

// ReadAll reads an object, and has the values of members that the shape does not
// name read by another.
func (f Shape) ReadAll(s *Scanner, other func(name []byte)) {
	EachMember(s, func(name []byte) {
		if !f.member(s, name) {
			other(name)
		}
	})
}

// member reads the value of a member; false when the shape does not name it.
func (f Shape) member(s *Scanner, name []byte) bool {
	if s.Err != nil {
		return false
	}
	name = name[1 : len(name)-1]
	for i := 0; i < len(f); i += 2 {
		if known, _ := f[i].(string); known == string(name) {
			s.into(f[i+1])
			return true
		}
	}
	return false
}

// into reads a value into a target of a [Shape].
func (s *Scanner) into(target any) {
	switch to := target.(type) {
	case *string:
		*to = s.Text()
	case *Span:
		s.Twice = s.Twice || to.Found()
		*to = s.Value()
	case List:
		s.Twice = s.Twice || to.At.Found()
		if s.Kind() != '[' {
			*to.At = s.Value()
			return
		}
		*to.At = Elsewhere
		to.Read()
	case Once:
		s.Twice = s.Twice || *to.Text != ""
		*to.Text = s.Text()
	case *bool:
		*to = s.Flag()
	case *int:
		*to = s.Number(s.Value())
	case *float64:
		*to = s.Float()
	case Shape:
		to.Read(s)
	case func():
		to()
	default:
		s.Err = errTarget
	}
}
