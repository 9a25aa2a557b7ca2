package opencode

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads what opencode wrote, lone halves of surrogate pairs included.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

func unmarshal(data []byte, v any) error { return json.Unmarshal(data, v, lenient) }

// An object is a JSON object whose members keep their order, so that what is not
// edited stays as it is.
type object []member

type member struct {
	name  string
	value jsontext.Value
}

var errNoObject = errors.New("expected a JSON object")

func readObject(raw jsontext.Value) (object, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return nil, errNoObject
	}
	var o object
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m.value = value.Clone()
		o = append(o, m)
	}
	_, err := d.ReadToken()
	return o, err
}

// get gives a member's value; nil when there is none.
func (o object) get(name string) jsontext.Value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set gives an object with another value of a member; nil takes it out.
func (o object) set(name string, value jsontext.Value) object {
	out := make(object, 0, len(o)+1)
	found := false
	for _, m := range o {
		if m.name == name {
			if m.value = value; found || value == nil {
				continue
			}
			found = true
		}
		out = append(out, m)
	}
	if !found && value != nil {
		out = append(out, member{name, value})
	}
	return out
}

// edit gives an object with a member that is an object itself edited.
func (o object) edit(name string, change func(object) object) (object, error) {
	inner, err := readObject(o.get(name))
	if err != nil {
		return nil, err
	}
	return o.set(name, change(inner).raw()), nil
}

func (o object) raw() jsontext.Value {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quoted(m.name)...), ':'), m.value...)
	}
	return append(b, '}')
}

// list writes a JSON array.
func list(values []jsontext.Value) jsontext.Value {
	b := append([]byte{'['}, bytes.Join(bytesOf(values), []byte{','})...)
	return append(b, ']')
}

func bytesOf(values []jsontext.Value) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// quoted writes a JSON string.
func quoted(text string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, text)
	if err != nil { // it is not UTF-8
		b, _ = jsontext.AppendQuote(nil, string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD"))))
	}
	return b
}
