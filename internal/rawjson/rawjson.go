// Package rawjson reads JSON as programs and models write it, and edits objects so
// that what is not edited stays byte for byte.
package rawjson

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient are the options that take what programs and models really write: names
// twice, and lone halves of surrogate pairs.
var Lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Verbatim also keeps strings as they are written, as the form of a log does.
var Verbatim = json.JoinOptions(Lenient, jsontext.PreserveRawStrings(true))

// Unmarshal reads a lenient value.
func Unmarshal(data []byte, into any) error { return json.Unmarshal(data, into, Lenient) }

// errNoObject names no part of what it is about: that may be conversation.
var errNoObject = errors.New("expected a JSON object")

// A Member is a name and a value of an [Object].
type Member struct {
	Name  string
	Value jsontext.Value
}

// An Object is a JSON object whose values are kept byte for byte, in order.
type Object []Member

// Parse reads an object.
func Parse(raw []byte) (Object, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), Lenient)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errNoObject
	}
	var o Object
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, errNoObject
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, errNoObject
		}
		o = append(o, Member{key, value.Clone()})
	}
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '}' {
		return nil, errNoObject
	}
	return o, nil
}

// Get gives a value; nil when there is none.
func (o Object) Get(name string) jsontext.Value {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Set changes a value in its place, or adds it at the end. Of a name that comes twice one
// stays: who reads the object may take either.
func (o *Object) Set(name string, value jsontext.Value) {
	is := func(m Member) bool { return m.Name == name }
	i := slices.IndexFunc(*o, is)
	if i < 0 {
		*o = append(*o, Member{name, value})
		return
	}
	(*o)[i].Value = value
	*o = append((*o)[:i+1], slices.DeleteFunc((*o)[i+1:], is)...)
}

// Delete takes a member out.
func (o *Object) Delete(name string) {
	*o = slices.DeleteFunc(*o, func(m Member) bool { return m.Name == name })
}

// Merge adds the members of other that o has not; where both have an object,
// these are merged.
func (o *Object) Merge(other Object) {
	for _, m := range other {
		have := o.Get(m.Name)
		if have == nil {
			o.Set(m.Name, m.Value)
			continue
		}
		if have.Kind() != '{' || m.Value.Kind() != '{' {
			continue
		}
		a, errA := Parse(have)
		b, errB := Parse(m.Value)
		if errA == nil && errB == nil {
			a.Merge(b)
			o.Set(m.Name, a.Bytes())
		}
	}
}

// Bytes writes the object on one line, values as they are.
func (o Object) Bytes() jsontext.Value {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, Quote(m.Name)...), ':')
		out = append(out, m.Value...)
	}
	return append(out, '}')
}

// List writes an array of values.
func List(values []jsontext.Value) jsontext.Value {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// Quote writes a string.
func Quote(text string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, text) // what is no UTF-8 is replaced
	return quoted
}

// Text gives the text of a string; empty for anything else.
func Text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text)
}
