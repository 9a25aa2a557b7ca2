package walk

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A Tree holds the places of the values in one JSON text, some levels down:
// for formats whose records nest, where an importer picks values by path. It
// is used again for the next text.
type Tree struct {
	Raw   []byte
	Nodes []treeNode
	// Twice says that a member an importer asked for came twice, so that the
	// text has to speak for itself.
	Twice bool
}

// treeNode is one value. Its children follow it as a list; 0 ends the list,
// for the root is nobody's child.
type treeNode struct {
	Span
	Name        Span // of a member, quotes included
	kind        jsontext.Kind
	first, next int32
}

// A Node is a value in a tree, or none.
type Node struct {
	T *Tree
	I int32
}

// treeDepth is how far down importers look: a line holds a payload, that a
// list of items, those a list of blocks, and those members.
const treeDepth = 7

// Read walks over one text; s.err says whether it is JSON. The bytes have to
// stay as they are while the tree is in use.
func (t *Tree) Read(s *Scanner, raw []byte) Node {
	t.Raw, t.Nodes, t.Twice = raw, t.Nodes[:0], false
	s.Reset(raw)
	t.value(s, Span{}, treeDepth)
	s.End()
	return Node{t, 0}
}

func (t *Tree) value(s *Scanner, name Span, depth int) int32 {
	i := int32(len(t.Nodes)) //nolint:gosec // a record has at most 1 GB
	t.Nodes = append(t.Nodes, treeNode{Name: name, kind: s.Kind()})
	kind := t.Nodes[i].kind
	if depth == 0 || (kind != '{' && kind != '[') {
		t.Nodes[i].Span = s.Value()
		return i
	}
	s.Token()
	from := 0
	if s.Err == nil {
		from = int(s.Offset()) - 1
	}
	last := int32(-1)
	for s.More() {
		var inner Span
		if kind == '{' {
			inner = s.Value()
		}
		child := t.value(s, inner, depth-1)
		if last < 0 {
			t.Nodes[i].first = child
		} else {
			t.Nodes[last].next = child
		}
		last = child
	}
	s.Token()
	if s.Err == nil {
		t.Nodes[i].Span = Span{from, int(s.Offset())}
	}
	return i
}

func (n Node) Found() bool { return n.T != nil }

// At is where the value stands; zero when there is none.
func (n Node) At() Span {
	if n.T == nil {
		return Span{}
	}
	return n.T.Nodes[n.I].Span
}

func (n Node) Kind() jsontext.Kind {
	if n.T == nil {
		return 0
	}
	return n.T.Nodes[n.I].kind
}

func (n Node) IsText() bool { return n.Kind() == '"' }

// Raw is the value as it stands.
func (n Node) Raw() []byte {
	if n.T == nil {
		return nil
	}
	return n.At().Of(n.T.Raw)
}

// First is the first child: an item of a list, or the value of a member.
func (n Node) First() Node {
	if n.T == nil {
		return Node{}
	}
	return n.step(n.T.Nodes[n.I].first)
}

// Next is the value after this one in the same list or object.
func (n Node) Next() Node { return n.step(n.T.Nodes[n.I].next) }

func (n Node) step(i int32) Node {
	if i == 0 {
		return Node{}
	}
	return Node{n.T, i}
}

// Get gives the member called name.
func (n Node) Get(name string) Node {
	if n.Kind() != '{' {
		return Node{}
	}
	var hit Node
	for c := n.First(); c.Found(); c = c.Next() {
		at := c.T.Nodes[c.I].Name
		if at.To-at.From == len(name)+2 && string(c.T.Raw[at.From+1:at.To-1]) == name {
			if hit.Found() {
				n.T.Twice = true
				break
			}
			hit = c
		}
	}
	return hit
}

// Number is the value of a member that is a count, else 0.
func (n Node) Number(name string) int { return Number(n.Get(name).Raw()) }

// Text is the value of a member that is a string, else "".
func (n Node) Text(name string) string {
	c := n.Get(name)
	if !c.IsText() {
		return ""
	}
	raw := c.Raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}
