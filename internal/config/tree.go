package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// node is a table or a value.
type node struct {
	table map[string]*node // nil for a value
	value any
	// gone is set for a key that is taken back from the layer below, passing for
	// one that a conversation does not keep.
	gone, passing bool
	origin        Origin
}

func newTable(o Origin) *node { return &node{table: map[string]*node{}, origin: o} }

// maxDepth is more than any key has words. A key in a file that is not trusted may
// have millions; what lies deeper is under an unknown key, so it is not looked at.
const maxDepth = 16

// tree makes nodes of decoded values, at most so many levels deep.
func tree(v any, o Origin, depth int) *node {
	m, ok := v.(map[string]any)
	if !ok {
		return &node{value: v, origin: o}
	}
	n := newTable(o)
	if depth > 0 {
		for key, inner := range m {
			n.table[key] = tree(inner, o, depth-1)
		}
	}
	return n
}

// plain gives a tree as maps and values.
func (n *node) plain() any {
	if n.table == nil {
		return n.value
	}
	m := map[string]any{}
	for key, inner := range n.table {
		m[key] = inner.plain()
	}
	return m
}

// merge lays high over low and changes neither.
func merge(low, high *node) *node {
	if high.table == nil {
		return high
	}
	if low == nil || low.table == nil {
		low = newTable(high.origin)
	}
	out := &node{table: maps.Clone(low.table), origin: low.origin}
	for key, n := range high.table {
		if n.gone {
			out.remove([]string{key})
			continue
		}
		inner := merge(out.table[key], n)
		if out.table[key] = inner; inner.table != nil && len(inner.table) == 0 && len(n.table) > 0 {
			delete(out.table, key) // all of it was taken back
		}
	}
	return out
}

// remove takes away what stands at a path, and the tables that are empty then;
// it reports whether anything stood there.
func (n *node) remove(path []string) bool {
	if len(path) == 0 {
		return true
	}
	inner := n.table[path[0]]
	if inner == nil || !inner.remove(path[1:]) {
		return false
	}
	if len(path) == 1 || len(inner.table) == 0 {
		delete(n.table, path[0])
	}
	return true
}

// put sets a value, and makes the tables on the way to it.
func (n *node) put(path []string, leaf *node) {
	for _, key := range path[:len(path)-1] {
		next := n.table[key]
		if next == nil || next.table == nil {
			next = newTable(leaf.origin)
			n.table[key] = next
		}
		n = next
	}
	n.table[path[len(path)-1]] = leaf
}

// at is the node at a path, nil when there is none.
func (n *node) at(path []string) *node {
	for _, key := range path {
		if n == nil || n.table == nil {
			return nil
		}
		n = n.table[key]
	}
	return n
}

// keys lists the keys of a table; nothing has none.
func (n *node) keys() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.table))
}

// leaves calls f for each value and each empty table, in order of the keys.
func (n *node) leaves(path []string, f func(path []string, leaf *node)) {
	for _, key := range n.keys() {
		inner, at := n.table[key], append(slices.Clip(path), key)
		if len(inner.table) == 0 {
			f(at, inner)
		} else {
			inner.leaves(at, f)
		}
	}
}

// split parts a table: kept is what take takes, left are the other keys. A table
// that is taken is split itself, and goes when nothing is left of it, unless it may
// be written as its policy: then it says something even when it is empty.
func (n *node) split(path []string, take func(path []string, n *node) bool) (kept *node, left []Setting) {
	kept = newTable(n.origin)
	for _, key := range n.keys() {
		inner, at := n.table[key], append(slices.Clip(path), key)
		if !take(at, inner) {
			f, _ := lookup(at)
			left = append(left, Setting{Path: at, Value: inner.value, Origin: inner.origin, Table: inner.table != nil && f.isTable()})
			continue
		}
		if inner.table != nil {
			below, more := inner.split(at, take)
			left = append(left, more...)
			f, _ := lookup(at)
			if _, short := f.policy(); len(below.table) == 0 && len(more) > 0 && !short {
				continue
			}
			inner = below
		}
		kept.table[key] = inner
	}
	return kept, left
}

var bareKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

// join writes a key as TOML does.
func join(path []string) string {
	words := make([]string, len(path))
	for i, word := range path {
		if words[i] = word; !bareKey().MatchString(word) {
			words[i] = quoteTOML(word)
		}
	}
	return strings.Join(words, ".")
}

// shown is a key as messages have it: one in a file that is not trusted may be as
// long as a book.
func shown(path []string) string {
	short := slices.Clone(path[:min(len(path), maxDepth)])
	for i, word := range short {
		short[i] = clip(word, 64)
	}
	return join(short)
}

// quoteTOML writes a basic string.
func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || (r >= 0x7f && r < 0xa0):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
