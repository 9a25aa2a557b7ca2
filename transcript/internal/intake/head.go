package intake

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// A Head is what detection sees of a source: its name and its first bytes,
// which may end anywhere. The outline of the JSON in them is made once.
type Head struct {
	Name  string
	Bytes []byte
	JSON  sample
}

func NewHead(head []byte, name string) Head {
	return Head{Name: name, Bytes: head, JSON: outlineHead(head)}
}

// Text is the head without a byte order mark.
func (h Head) Text() []byte { return bytes.TrimPrefix(h.Bytes, Bom) }

// sample is the outline of a head's JSON.
type sample struct {
	Shape   shape
	Objects []Object
	Others  int // values of other kinds
}

// Mostly reports whether more than half of the objects are of a kind; one that
// the head cuts off counts only if it is.
func (s sample) Mostly(of func(Object) bool) bool {
	ours, all := 0, 0
	for _, o := range s.Objects {
		if of(o) {
			ours, all = ours+1, all+1
		} else if o.Whole {
			all++
		}
	}
	return 2*ours > all
}

type shape int

const (
	ShapeText shape = iota
	ShapeLines
	ShapeArray
	ShapeObject
)

// Object is the outline of one JSON object: its members' names with the values
// of those that are short strings or numbers, and the outlines of the objects
// in it, some levels down.
type Object struct {
	Names  []string
	Values map[string]string
	Kinds  map[string]jsontext.Kind
	Inner  map[string]Object   // of members that are objects
	Items  map[string][]Object // the first objects of members that are arrays
	Whole  bool
}

func (o Object) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return o.Kinds[n] == 0 })
}

// What detection looks at: so many objects, and so many of each array in them,
// so many levels down.
const (
	sampleSize  = 24
	sampleItems = 8
	sampleDepth = 3
)

// outlineHead outlines the first objects of a head that may end anywhere. Of lines,
// damaged ones do not count as long as there are more that are whole.
func outlineHead(head []byte) sample {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, Bom), " \t\r\n\x00")
	if len(text) == 0 {
		return sample{}
	}
	s, to := lookOn(text)
	if s.Shape == ShapeArray || len(s.Objects) == sampleSize || bytes.IndexByte(bytes.TrimLeft(text[to:], " \t\r\n"), '\n') < 0 {
		return s
	}
	if lines, ok := lookAtLines(text); ok && len(lines.Objects) > len(s.Objects) {
		return lines
	}
	return s
}

// lookAtLines outlines the lines that are JSON on their own.
func lookAtLines(text []byte) (s sample, ok bool) {
	s.Shape = ShapeLines
	damaged := 0
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) || len(s.Objects)+s.Others == sampleSize {
			break
		}
		line = bytes.Trim(bytes.TrimPrefix(line, Bom), " \t\r\n\x00")
		switch {
		case len(line) == 0:
		case !jsontext.Value(line).IsValid(walk.ScanOptions...):
			damaged++
		case line[0] == '{':
			s.Objects = append(s.Objects, outline(jsontext.NewDecoder(bytes.NewBuffer(line), walk.ScanOptions...), sampleDepth))
		default:
			s.Others++
		}
	}
	return s, damaged > 0 && len(s.Objects) > damaged
}

// lookOn outlines the values of a text one after the other, up to the first
// that is cut off or damaged, and gives where the last whole one ends.
func lookOn(text []byte) (s sample, to int) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), walk.ScanOptions...)
	s.Shape = ShapeText
	if text[0] == '[' {
		if _, err := dec.ReadToken(); err != nil {
			return s, 0
		}
		switch dec.PeekKind() {
		case '{':
			s.Shape = ShapeArray
		case ']':
			if _, err := dec.ReadToken(); err == nil && len(bytes.TrimSpace(text[dec.InputOffset():])) == 0 {
				s.Shape = ShapeArray
			}
			return s, 0
		default:
			return s, 0
		}
	} else {
		s.Shape = ShapeLines // a line may be any JSON value; what follows decides
	}
	for len(s.Objects) < sampleSize && s.Others < sampleSize {
		to = int(dec.InputOffset())
		switch dec.PeekKind() {
		case '{':
			o := outline(dec, sampleDepth)
			s.Objects = append(s.Objects, o)
			if !o.Whole {
				return s.classify(text), to
			}
		case 0, ']', '}':
			return s.classify(text), to
		default:
			if _, err := dec.ReadValue(); err != nil {
				return s.classify(text), to
			}
			s.Others++
		}
	}
	return s.classify(text), len(text)
}

// classify tells one object from lines of objects.
func (s sample) classify(text []byte) sample {
	if len(s.Objects) == 0 {
		s.Shape = ShapeText
	}
	if s.Shape == ShapeLines && len(s.Objects) == 1 && s.Others == 0 {
		if first, rest, _ := bytes.Cut(text, []byte("\n")); len(bytes.TrimSpace(rest)) > 0 && !jsontext.Value(first).IsValid(walk.ScanOptions...) {
			s.Shape = ShapeObject // spread over several lines
		}
	}
	return s
}

// outline reads an object as far as the head goes.
func outline(dec *jsontext.Decoder, depth int) Object {
	o := Object{Values: map[string]string{}, Kinds: map[string]jsontext.Kind{}}
	if _, err := dec.ReadToken(); err != nil {
		return o
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return o
		}
		name := tok.String()
		kind := dec.PeekKind()
		if kind == 0 {
			return o
		}
		o.Names = append(o.Names, name)
		o.Kinds[name] = kind
		if !o.member(dec, name, kind, depth) {
			return o
		}
	}
	_, err := dec.ReadToken()
	o.Whole = err == nil
	return o
}

// member reads a member's value; false when the head ends in it.
func (o *Object) member(dec *jsontext.Decoder, name string, kind jsontext.Kind, depth int) bool {
	switch {
	case kind == '{' && depth > 0:
		in := outline(dec, depth-1)
		if o.Inner == nil {
			o.Inner = map[string]Object{}
		}
		o.Inner[name] = in
		return in.Whole
	case kind == '[' && depth > 0:
		list, whole := outlines(dec, depth-1)
		if o.Items == nil {
			o.Items = map[string][]Object{}
		}
		o.Items[name] = list
		return whole
	}
	v, err := dec.ReadValue()
	if err != nil {
		return false
	}
	if (kind == '"' && len(v) < 200) || kind == '0' {
		o.Values[name] = string(v)
		if kind == '"' {
			b, _ := jsontext.AppendUnquote(nil, v)
			o.Values[name] = string(b)
		}
	}
	return true
}

// outlines reads an array and outlines its first objects.
func outlines(dec *jsontext.Decoder, depth int) (list []Object, whole bool) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for {
		switch k := dec.PeekKind(); {
		case k == ']':
			_, err := dec.ReadToken()
			return list, err == nil
		case k == 0:
			return list, false
		case k == '{' && len(list) < sampleItems:
			o := outline(dec, depth)
			if list = append(list, o); !o.Whole {
				return list, false
			}
		default:
			if _, err := dec.ReadValue(); err != nil {
				return list, false
			}
		}
	}
}

// String words the sample for a message.
func (s sample) String() string {
	var what string
	switch s.Shape {
	case ShapeText:
		return "plain text without JSON objects"
	case ShapeLines:
		what = "JSON lines with keys "
	case ShapeArray:
		what = "a JSON array of objects with keys "
		if len(s.Objects) == 0 {
			return "an empty JSON array"
		}
	case ShapeObject:
		what = "one JSON object with keys "
	}
	var keys []string
	for _, o := range s.Objects {
		for _, n := range o.Names {
			if !slices.Contains(keys, n) && len(keys) < 8 && len(n) < 40 {
				keys = append(keys, n)
			}
		}
	}
	if len(keys) == 0 {
		return strings.TrimSuffix(what, " with keys ")
	}
	return what + strings.Join(keys, ", ")
}
