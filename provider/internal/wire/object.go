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

	"tenfold/internal/rawjson"
)

// errNotJSON names no part of what it is about: that may be conversation.
var errNotJSON = errors.New("the stream holds an unexpected event")

// Unmarshal reads JSON as servers send it. The error has nothing of the text.
func Unmarshal(data []byte, into any) error {
	if json.Unmarshal(data, into, rawjson.Lenient) != nil {
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

// ParseObject reads an object of a stream.
func ParseObject(raw []byte) (rawjson.Object, error) {
	o, err := rawjson.Parse(raw)
	if err != nil {
		return nil, errNotJSON
	}
	return o, nil
}

// Number writes a whole number.
func Number(n int) jsontext.Value { return jsontext.Value(strconv.Itoa(n)) }

// A Block is an object of which a stream says more and more.
type Block struct {
	raw    []byte
	object rawjson.Object
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
		g.WriteString(rawjson.Text(b.object.Get(name)))
		b.grown[name] = g
	}
	g.WriteString(text)
}

// Text gives a string member with all that was added.
func (b *Block) Text(name string) string {
	if g := b.grown[name]; g != nil {
		return g.String()
	}
	return rawjson.Text(b.object.Get(name))
}

// Set replaces a member.
func (b *Block) Set(name string, value jsontext.Value) {
	b.raw = nil
	delete(b.grown, name)
	b.object.Set(name, value)
}

// Apply adds what a piece of a stream says of the block: strings grow,
// anything else is replaced. The members type and index are the stream's own.
func (b *Block) Apply(delta rawjson.Object) {
	for _, m := range delta {
		switch {
		case m.Name == "type", m.Name == "index":
		case m.Value.Kind() == '"':
			b.Grow(m.Name, rawjson.Text(m.Value))
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
		o.Set(name, rawjson.Quote(b.grown[name].String()))
	}
	return o.Bytes()
}
