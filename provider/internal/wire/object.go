package wire

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads what servers really send.
var lenient = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
)

// errNotJSON names no part of what it is about: that may be conversation.
var errNotJSON = errors.New("the stream holds an unexpected event")

// Unmarshal reads JSON as servers send it. The error has nothing of the text.
func Unmarshal(data []byte, into any) error {
	if json.Unmarshal(data, into, lenient) != nil {
		return errNotJSON
	}
	return nil
}

// An Int is a whole number, however a server writes it; anything else is 0.
type Int int

// UnmarshalJSON implements the JSON package's interface.
func (n *Int) UnmarshalJSON(raw []byte) error {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > math.MaxInt32*1024 {
		f = 0
	}
	*n = Int(f)
	return nil
}

// A Member is a name and a value of an [Object].
type Member struct {
	Name  string
	Value jsontext.Value
}

// An Object is a JSON object whose values are kept byte for byte, in order.
type Object []Member

// ParseObject reads an object.
func ParseObject(raw []byte) (Object, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errNotJSON
	}
	var o Object
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, errNotJSON
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, errNotJSON
		}
		o = append(o, Member{key, value.Clone()})
	}
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '}' {
		return nil, errNotJSON
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

// Set changes a value in its place, or adds it at the end.
func (o *Object) Set(name string, value jsontext.Value) {
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{name, value})
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
		a, errA := ParseObject(have)
		b, errB := ParseObject(m.Value)
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

// Quote writes a string.
func Quote(text string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, text) // what is no UTF-8 is replaced
	return quoted
}

// Number writes a whole number.
func Number(n int) jsontext.Value { return jsontext.Value(strconv.Itoa(n)) }

// Text gives the text of a string; empty for anything else.
func Text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text)
}

// A Block is an object of which a stream says more and more.
type Block struct {
	raw    []byte
	object Object
	grown  map[string]*strings.Builder
}

// NewBlock begins with an object as it came.
func NewBlock(raw []byte) (*Block, error) {
	o, err := ParseObject(raw)
	if err != nil {
		return nil, err
	}
	return &Block{raw: bytes.Clone(raw), object: o, grown: map[string]*strings.Builder{}}, nil
}

// Get gives a member's value as the block began.
func (b *Block) Get(name string) jsontext.Value { return b.object.Get(name) }

// Grow adds to a string member; one that is not a string yet begins empty.
func (b *Block) Grow(name, text string) {
	g := b.grown[name]
	if g == nil {
		g = &strings.Builder{}
		g.WriteString(Text(b.object.Get(name)))
		b.grown[name] = g
	}
	g.WriteString(text)
}

// Text gives a string member with all that was added.
func (b *Block) Text(name string) string {
	if g := b.grown[name]; g != nil {
		return g.String()
	}
	return Text(b.object.Get(name))
}

// Set replaces a member.
func (b *Block) Set(name string, value jsontext.Value) {
	b.raw = nil
	delete(b.grown, name)
	b.object.Set(name, value)
}

// Apply adds what a piece of a stream says of the block: strings grow,
// anything else is replaced. The members type and index are the stream's own.
func (b *Block) Apply(delta Object) {
	for _, m := range delta {
		switch {
		case m.Name == "type", m.Name == "index":
		case m.Value.Kind() == '"':
			b.Grow(m.Name, Text(m.Value))
		default:
			b.Set(m.Name, m.Value)
		}
	}
}

// Bytes writes the block: byte for byte as it came if nothing was added.
func (b *Block) Bytes() jsontext.Value {
	if b.raw != nil && len(b.grown) == 0 {
		return b.raw
	}
	o := slices.Clone(b.object)
	for _, name := range slices.Sorted(maps.Keys(b.grown)) {
		o.Set(name, Quote(b.grown[name].String()))
	}
	return o.Bytes()
}
