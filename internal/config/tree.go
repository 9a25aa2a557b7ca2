package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Kind is a layer, lowest first.
type Kind int

// The layers.
const (
	Default Kind = iota
	User
	Workspace
	Environment
	InConversation
	Flag
)

// Origin is where a value came from.
type Origin struct {
	Kind Kind
	// Name is a file or a variable.
	Name string
	// Line and Column count from 1, in files.
	Line, Column int
}

// String is the origin in words: "config.toml:3", "TENFOLD_…", "flag --cfg".
func (o Origin) String() string {
	switch o.Kind {
	case User, Workspace:
		if o.Line == 0 {
			return o.Name
		}
		return o.Name + ":" + strconv.Itoa(o.Line)
	case Environment:
		return o.Name
	case InConversation:
		return "conversation"
	case Flag:
		return "flag --cfg"
	}
	return "default"
}

// place is String with the column.
func (o Origin) place() string {
	if o.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", o.Name, o.Line, o.Column)
	}
	return o.String()
}

// Layer names the layer in a word.
func (o Origin) Layer() string {
	return [...]string{"default", "user", "workspace", "environment", "conversation", "flag"}[o.Kind]
}

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

// maxDepth is more than any key has words. A stranger's key may have millions,
// and what lies deeper is not looked at: it is under a key that there is not.
const maxDepth = 16

// tree makes nodes of decoded values; where says which place a path came from.
func tree(v any, path []string, where func(path []string) Origin) *node {
	if len(path) > maxDepth {
		return newTable(Origin{})
	}
	if m, ok := v.(map[string]any); ok {
		n := newTable(where(path))
		for key, inner := range m {
			n.table[key] = tree(inner, append(slices.Clip(path), key), where)
		}
		return n
	}
	return &node{value: v, origin: where(path)}
}

var bareKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

// shown is a key as messages have it: a stranger's may be as long as a book.
func shown(path []string) string {
	const most = 64
	short := slices.Clone(path[:min(len(path), maxDepth)])
	for i, word := range short {
		if r := []rune(word); len(r) > most {
			short[i] = string(r[:most]) + "…"
		}
	}
	return join(short)
}

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

// quoteTOML writes a basic string.
func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
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
