// Package jsonedit adds values to JSON files that people keep, and takes them out
// again: comments, trailing commas, a byte order mark, line ends, indentation and
// every other byte stay as they are.
package jsonedit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// An Insertion is text that was put into another one.
type Insertion struct {
	// At is its place in the text that came out, in bytes.
	At   int    `json:"at"`
	Text string `json:"text"`
}

// Insert adds a value as the member that the keys lead to from the root; objects
// on the way are made. With list the member is a list and the value is added as its
// last element. What is there already stays; an equal value leaves the text as it
// is, and a member that says something else is [ErrTaken].
func Insert(text []byte, keys []string, value string, list bool) ([]byte, []Insertion, error) {
	if !jsontext.Value(value).IsValid() || len(keys) == 0 {
		return nil, nil, errors.New("invalid edit")
	}
	root, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	e := newEditor(text)
	if root == nil {
		at := len(text)
		before := ""
		if len(text) > 0 && text[len(text)-1] != '\n' && len(bytes.TrimPrefix(text, bom)) > 0 {
			before = e.eol
		}
		e.put(at, before+e.pretty(nest(keys, value, list), 0)+e.eol)
		return e.finish()
	}
	n, depth := root, 0
	for i, key := range keys {
		if n.kind != '{' {
			return nil, nil, fmt.Errorf("%s is not an object", path(keys[:i]))
		}
		m := n.find(key)
		if m == nil {
			e.add(n, depth, key, nest(keys[i+1:], value, list))
			return e.finish()
		}
		n, depth = &m.value, depth+1
	}
	if !list {
		if !same(text[n.start:n.end], value) {
			return nil, nil, fmt.Errorf("%s %w", path(keys), ErrTaken)
		}
		return text, nil, nil
	}
	if n.kind != '[' {
		return nil, nil, fmt.Errorf("%s is not a list", path(keys))
	}
	for _, m := range n.members {
		if same(text[m.value.start:m.value.end], value) {
			return text, nil, nil
		}
	}
	e.add(n, depth, "", value)
	return e.finish()
}

// Undo takes insertions out again, the last first: what came in is what came out
// before them. It is false where the text is not as they left it.
func Undo(text []byte, all []Insertion) ([]byte, bool) {
	for _, i := range slices.Backward(all) {
		end := i.At + len(i.Text)
		if i.At < 0 || end > len(text) || string(text[i.At:end]) != i.Text {
			return nil, false
		}
		text = slices.Concat(text[:i.At], text[end:])
	}
	return text, true
}

// Remove takes out a value that Insert added to a text that was changed since,
// and objects and lists on the way that are empty after it. It is false where the
// value is not there, or not the same any more.
func Remove(text []byte, keys []string, value string, list bool) ([]byte, bool) {
	root, err := parse(text)
	if err != nil || root == nil {
		return text, false
	}
	type step struct {
		of *node
		i  int
	}
	var way []step
	n := root
	for _, key := range keys {
		m := n.find(key)
		if n.kind != '{' || m == nil {
			return text, false
		}
		way = append(way, step{n, slices.IndexFunc(n.members, func(o member) bool { return o.start == m.start })})
		n = &m.value
	}
	switch {
	case !list && !same(text[n.start:n.end], value):
		return text, false
	case list:
		i := slices.IndexFunc(n.members, func(m member) bool { return same(text[m.value.start:m.value.end], value) })
		if n.kind != '[' || i < 0 {
			return text, false
		}
		way = append(way, step{n, i})
	}
	last := way[len(way)-1]
	for len(way) > 1 && last.of.holdsOnly(text, last.i) {
		up := way[len(way)-2]
		if m := up.of.members[up.i]; bytes.ContainsAny(text[m.start:m.value.start], "/") {
			break // a comment, or as good as one
		}
		way, last = way[:len(way)-1], up
	}
	for _, c := range last.of.cuts(text, last.i) {
		text = slices.Concat(text[:c.from], text[c.to:])
	}
	return text, true
}

// holdsOnly tells whether there is nothing but one member, not even a comment.
func (n *node) holdsOnly(text []byte, i int) bool {
	m := n.members[i]
	before, after := text[n.start+1:m.start], text[m.value.end:n.end-1]
	return len(n.members) == 1 && len(bytes.TrimSpace(before)) == 0 && len(bytes.Trim(after, ", \t\r\n")) == 0
}

// cut is a part of a text.
type cut struct{ from, to int }

// cuts are what to take out of a text with a member, the last first: comments of
// others stay.
func (n *node) cuts(text []byte, i int) []cut {
	m := n.members[i]
	if i+1 < len(n.members) {
		comma := m.value.end + commaIn(text[m.value.end:])
		next := comma + 1 + len(text[comma+1:]) - len(bytes.TrimLeft(text[comma+1:], " \t\r\n"))
		return []cut{{comma, next}, {m.start, m.value.end}}
	}
	before := n.start + 1
	if i > 0 {
		before = n.members[i-1].value.end
	}
	one := cut{len(bytes.TrimRight(text[:m.start], " \t\r\n")), m.value.end}
	if bytes.Contains(text[before:one.from], []byte("//")) { // the line break ends a comment
		one.from = m.start
	}
	switch {
	case n.comma >= 0:
		return []cut{{n.comma, n.comma + 1}, one}
	case i > 0:
		comma := before + commaIn(text[before:])
		return []cut{one, {comma, comma + 1}}
	}
	return []cut{one}
}

// commaIn finds the comma that follows a member, past comments.
func commaIn(text []byte) int {
	p := parser{text: text}
	_, _ = p.space()
	return p.at
}

func path(keys []string) string {
	if len(keys) == 0 {
		return "the file"
	}
	return strings.Join(keys, ".")
}

// nest is a value below keys, as compact JSON.
func nest(keys []string, value string, list bool) string {
	if list {
		value = "[" + value + "]"
	}
	for _, key := range slices.Backward(keys) {
		quoted, _ := jsontext.AppendQuote(nil, key)
		value = "{" + string(quoted) + ":" + value + "}"
	}
	return value
}

// editor inserts in the style of a text.
type editor struct {
	text        []byte
	eol, indent string
	all         []Insertion
}

func newEditor(text []byte) *editor {
	e := &editor{text: text, eol: "\n", indent: "  "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		e.eol = "\r\n"
	}
	for line := range bytes.Lines(text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(rest) > 0 && rest[0] == '"' {
			e.indent = string(line[:len(line)-len(rest)])
			break
		}
	}
	return e
}

// put notes an insertion at a place of the original text.
func (e *editor) put(at int, text string) {
	e.all = append(e.all, Insertion{At: at, Text: text})
}

// add adds a member at the end of an object or a list.
func (e *editor) add(n *node, depth int, key, value string) {
	written := func(v string) string {
		if n.kind == '[' {
			return v
		}
		quoted, _ := jsontext.AppendQuote(nil, key)
		return string(quoted) + ": " + v
	}
	inner := e.text[n.start:n.end]
	if len(n.members) > 0 && !bytes.ContainsAny(inner, "\n") { // all on one line
		between, after := ", ", ""
		if n.comma >= 0 {
			between, after = " ", ","
		}
		e.put(n.last, between+written(compact(value))+after)
		return
	}
	if len(n.members) > 0 && n.comma < 0 {
		e.put(n.members[len(n.members)-1].value.end, ",")
	}
	out := e.eol + strings.Repeat(e.indent, depth+1) + written(e.pretty(value, depth+1))
	if n.comma >= 0 {
		out += ","
	}
	if !bytes.ContainsAny(e.text[n.last:n.end], "\n") {
		out += e.eol + strings.Repeat(e.indent, depth)
	}
	e.put(n.last, out)
}

// pretty writes a value over several lines, but its first.
func (e *editor) pretty(value string, depth int) string {
	v := jsontext.Value(value).Clone()
	if v.Indent(jsontext.WithIndentPrefix(strings.Repeat(e.indent, depth)), jsontext.WithIndent(e.indent)) != nil {
		return value
	}
	return strings.ReplaceAll(strings.TrimLeft(string(v), " \t"), "\n", e.eol)
}

func compact(value string) string {
	v := jsontext.Value(value).Clone()
	if v.Compact() != nil {
		return value
	}
	return string(v)
}

// finish gives the text with the insertions in it, their places as they are then.
func (e *editor) finish() ([]byte, []Insertion, error) {
	slices.SortStableFunc(e.all, func(a, b Insertion) int { return cmp.Compare(a.At, b.At) })
	var out []byte
	from := 0
	for i := range e.all {
		one := &e.all[i]
		out = append(out, e.text[from:one.At]...)
		from = one.At
		one.At = len(out)
		out = append(out, one.Text...)
	}
	out = append(out, e.text[from:]...)
	if _, err := parse(out); err != nil {
		return nil, nil, fmt.Errorf("internal error: the edited text is not valid: %w", err)
	}
	return out, e.all, nil
}
