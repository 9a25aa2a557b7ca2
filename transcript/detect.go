package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Confidence says how sure an importer is of a source.
type Confidence int

// The confidences. The highest one wins; a tie is no answer.
const (
	// No: this is something else.
	No Confidence = iota
	// Maybe: nothing contradicts it, and the name fits.
	Maybe
	// Likely: the content fits.
	Likely
	// Certain: the content names the format.
	Certain
)

// Detect tells the format of a source from its first bytes; the name only
// helps where the content says too little.
func Detect(head []byte, name string) (Format, error) {
	if problem := unreadable(head); problem != nil {
		problem.Name = name
		return "", problem
	}
	best, found := No, []Format(nil)
	for _, imp := range importers() {
		switch c := imp.Recognise(head, name); {
		case c == No || c < best:
		case c > best:
			best, found = c, []Format{imp.Format()}
		default:
			found = append(found, imp.Format())
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	e := &Error{Name: name, Hint: "known formats: " + knownFormats() + "; try --from"}
	if len(found) > 1 {
		e.Err = fmt.Errorf("cannot tell which of the formats %q this is", found)
	} else {
		e.Err = errors.New("unknown format: it looks like " + look(head).String())
	}
	return "", e
}

// sample is what detection sees of a head.
type sample struct {
	shape   shape
	objects []object
	others  int // values that are no objects
}

type shape int

const (
	shapeText shape = iota
	shapeLines
	shapeArray
	shapeObject
)

// object is the outline of one JSON object: its members' names with the values
// of those that are short strings.
type object struct {
	names  []string
	values map[string]string
	kinds  map[string]jsontext.Kind
	whole  bool
}

func (o object) has(names ...string) bool {
	for _, n := range names {
		if _, ok := o.kinds[n]; !ok {
			return false
		}
	}
	return true
}

// sampleSize is how many objects detection looks at.
const sampleSize = 24

// look outlines the first objects of a head that may end anywhere.
func look(head []byte) sample {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n")
	if len(text) == 0 {
		return sample{}
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), scanOptions...)
	s := sample{shape: shapeText}
	switch text[0] {
	case '[':
		if _, err := dec.ReadToken(); err != nil {
			return s
		}
		switch dec.PeekKind() {
		case '{':
			s.shape = shapeArray
		case ']':
			if _, err := dec.ReadToken(); err == nil && len(bytes.TrimSpace(text[dec.InputOffset():])) == 0 {
				s.shape = shapeArray
			}
			return s
		default:
			return s
		}
	default:
		s.shape = shapeLines // a line may be any JSON value; what follows decides
	}
	for len(s.objects) < sampleSize && s.others < sampleSize {
		switch dec.PeekKind() {
		case '{':
			o := outline(dec)
			s.objects = append(s.objects, o)
			if !o.whole {
				return s.settle(text)
			}
		case 0, ']', '}':
			return s.settle(text)
		default:
			if _, err := dec.ReadValue(); err != nil {
				return s.settle(text)
			}
			s.others++
		}
	}
	return s.settle(text)
}

// settle tells one object from lines of objects.
func (s sample) settle(text []byte) sample {
	if len(s.objects) == 0 {
		s.shape = shapeText
	}
	if s.shape == shapeLines && len(s.objects) == 1 && s.others == 0 {
		if first, rest, _ := bytes.Cut(text, []byte("\n")); len(bytes.TrimSpace(rest)) > 0 && !jsontext.Value(first).IsValid(scanOptions...) {
			s.shape = shapeObject // spread over several lines
		}
	}
	return s
}

func outline(dec *jsontext.Decoder) object {
	o := object{values: map[string]string{}, kinds: map[string]jsontext.Kind{}}
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
		o.names = append(o.names, name)
		o.kinds[name] = kind
		v, err := dec.ReadValue()
		if err != nil {
			return o
		}
		if (kind == '"' && len(v) < 200) || kind == '0' {
			if kind == '"' {
				b, _ := jsontext.AppendUnquote(nil, v)
				o.values[name] = string(b)
			} else {
				o.values[name] = string(v)
			}
		}
	}
	_, err := dec.ReadToken()
	o.whole = err == nil
	return o
}

// String words the sample for a message.
func (s sample) String() string {
	var what string
	switch s.shape {
	case shapeText:
		return "text that is no JSON"
	case shapeLines:
		what = "JSON lines with keys "
	case shapeArray:
		what = "a JSON array of objects with keys "
		if len(s.objects) == 0 {
			return "an empty JSON array"
		}
	case shapeObject:
		what = "one JSON object with keys "
	}
	var keys []string
	for _, o := range s.objects {
		for _, n := range o.names {
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
