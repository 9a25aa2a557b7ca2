package transcript

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A tree holds the places of the values in one JSON text, some levels down:
// for formats whose records nest, where an importer picks values by path. It
// is used again for the next text.
type tree struct {
	raw   []byte
	nodes []treeNode
	// twice says that a member an importer asked for came twice, so that the
	// text has to speak for itself.
	twice bool
}

// treeNode is one value. Its children follow it as a list; 0 ends the list,
// for the root is nobody's child.
type treeNode struct {
	span
	name        span // of a member, quotes included
	kind        jsontext.Kind
	first, next int32
}

// A node is a value in a tree, or none.
type node struct {
	t *tree
	i int32
}

// treeDepth is how far down importers look: a line holds a payload, that a
// list of items, those a list of blocks, and those members.
const treeDepth = 7

// read walks over one text; s.err says whether it is JSON. The bytes have to
// stay as they are while the tree is in use.
func (t *tree) read(s *scanner, raw []byte) node {
	t.raw, t.nodes, t.twice = raw, t.nodes[:0], false
	s.reset(raw)
	t.value(s, span{}, treeDepth)
	s.end()
	return node{t, 0}
}

func (t *tree) value(s *scanner, name span, depth int) int32 {
	i := int32(len(t.nodes))
	t.nodes = append(t.nodes, treeNode{name: name, kind: s.kind()})
	kind := t.nodes[i].kind
	if depth == 0 || (kind != '{' && kind != '[') {
		t.nodes[i].span = s.value()
		return i
	}
	s.token()
	from := 0
	if s.err == nil {
		from = int(s.offset()) - 1
	}
	last := int32(-1)
	for s.more() {
		var inner span
		if kind == '{' {
			inner = s.value()
		}
		child := t.value(s, inner, depth-1)
		if last < 0 {
			t.nodes[i].first = child
		} else {
			t.nodes[last].next = child
		}
		last = child
	}
	s.token()
	if s.err == nil {
		t.nodes[i].span = span{from, int(s.offset())}
	}
	return i
}

func (n node) found() bool { return n.t != nil }

// at is where the value stands; zero when there is none.
func (n node) at() span {
	if n.t == nil {
		return span{}
	}
	return n.t.nodes[n.i].span
}

func (n node) kind() jsontext.Kind {
	if n.t == nil {
		return 0
	}
	return n.t.nodes[n.i].kind
}

func (n node) isText() bool { return n.kind() == '"' }

// raw is the value as it stands.
func (n node) raw() []byte {
	if n.t == nil {
		return nil
	}
	return n.at().of(n.t.raw)
}

// first is the first child: an item of a list, or the value of a member.
func (n node) first() node {
	if n.t == nil {
		return node{}
	}
	return n.step(n.t.nodes[n.i].first)
}

// next is the value after this one in the same list or object.
func (n node) next() node { return n.step(n.t.nodes[n.i].next) }

func (n node) step(i int32) node {
	if i == 0 {
		return node{}
	}
	return node{n.t, i}
}

// get gives the member called name.
func (n node) get(name string) node {
	if n.kind() != '{' {
		return node{}
	}
	var hit node
	for c := n.first(); c.found(); c = c.next() {
		at := c.t.nodes[c.i].name
		if at.to-at.from == len(name)+2 && string(c.t.raw[at.from+1:at.to-1]) == name {
			if hit.found() {
				n.t.twice = true
				break
			}
			hit = c
		}
	}
	return hit
}

// text is the value of a member that is a string, else "".
func (n node) text(name string) string {
	c := n.get(name)
	if !c.isText() {
		return ""
	}
	raw := c.raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}
