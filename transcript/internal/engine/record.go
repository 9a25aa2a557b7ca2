package engine

import (
	"errors"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// Shape says where the members of an object are read to, names and targets by
// turns:
//
//	Shape{"id", &id, "text", &text, "time", Inner("created", &created)}
//
// A target is a *string, *bool, *int or *float64, which is zero after a value of
// another kind; a *Span, which becomes the place of the value; a Shape, for an
// object in the object; or a func() that reads the value itself. Of a member
// that comes twice the last one counts, and [Scanner.Twice] tells of places.
type Shape []any

var errTarget = errors.New("a shape has a target of a type that nothing is read to")

// Inner is the shape of an object in an object.
func Inner(members ...any) Shape { return members }

// Read reads an object; any other value is skipped, and so are members that the
// shape does not name.
func (f Shape) Read(s *Scanner) {
	EachMember(s, func(name []byte) {
		if !f.Member(s, name) {
			s.Value()
		}
	})
}

// Member reads the value of a member; false when the shape does not name it.
func (f Shape) Member(s *Scanner, name []byte) bool {
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

// Refill puts the values that payloads hold back into a record that an importer
// took them out of: the counterpart of [Finder]. What the record still
// has itself stays.
type Refill struct {
	Raw  []byte
	cuts []Cut
}

// Text fills the hole that a text left.
func (r *Refill) Text(at Span, text string) {
	if at.Found() && text != "" && string(at.Of(r.Raw)) == CutText {
		quoted, _ := jsontext.AppendQuote(nil, text)
		r.cuts = append(r.cuts, Cut{at, string(quoted)})
	}
}

// Whole fills the hole that any other value left.
func (r *Refill) Whole(at Span, value string) {
	if at.Found() && string(at.Of(r.Raw)) == CutValue && jsontext.Value(value).IsValid(ScanOptions...) {
		r.cuts = append(r.cuts, Cut{at, value})
	}
}

// Done gives the record.
func (r *Refill) Done() string { return Splice(r.Raw, r.cuts) }

// SpliceIn copies a value in raw with the cuts that were made there replaced.
func SpliceIn(raw []byte, at Span, cuts []Cut) string {
	inner := make([]Cut, len(cuts))
	for i, c := range cuts {
		inner[i] = Cut{Span{c.From - at.From, c.To - at.From}, c.With}
	}
	return Splice(at.Of(raw), inner)
}

// ChangeModel hands on that from the record called id on the model is another
// one than last, if it is; "" is unknown.
func (m *Emitter) ChangeModel(id, model string, last *string) error {
	if model == "" || model == *last {
		return nil
	}
	*last = model
	return m.Emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: model}})
}

// Groups gives the entries of a log in groups that came from one record.
func Groups(entries iter.Seq[tenfold.Entry]) iter.Seq[[]tenfold.Entry] {
	return func(yield func([]tenfold.Entry) bool) {
		var group []tenfold.Entry
		for e := range entries {
			if len(group) > 0 && RecordID(e.ID) != RecordID(group[0].ID) {
				if !yield(group) {
					return
				}
				group = nil
			}
			group = append(group, e)
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}
