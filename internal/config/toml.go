package config

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads a file's text into a tree that knows where each key stands.
func parseTOML(kind Kind, name string, text []byte) (*node, error) {
	start := Origin{Kind: kind, Name: name, Line: 1, Column: 1}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			start.Line, start.Column = bad.Position()
		}
		return nil, wrong(start, strings.TrimPrefix(err.Error(), "toml: "), `put strings in quotes and lists in [ ]; "tenfold config show" is an example`)
	}
	places := positions(text)
	return tree(values, nil, func(path []string) Origin {
		o := start
		if at, ok := places.find(path); ok {
			o.Line, o.Column = at.Line, at.Column
		}
		return o
	}), nil
}

// place is where a key stands first, with the keys under it.
type place struct {
	at    unstable.Position
	below map[string]*place
}

func (p *place) find(path []string) (unstable.Position, bool) {
	for _, key := range path {
		if p = p.below[key]; p == nil {
			return unstable.Position{}, false
		}
	}
	return p.at, len(path) > 0
}

// positions finds where each key of a well-formed text stands first, as deep as
// keys go.
func positions(text []byte) *place {
	var p unstable.Parser
	p.Reset(text)
	keys := func(base *place, depth int, it unstable.Iterator) (*place, int) {
		for it.Next() {
			if depth++; depth > maxDepth {
				continue
			}
			key := it.Node()
			next := base.below[string(key.Data)]
			if next == nil {
				next = &place{at: p.Shape(key.Raw).Start}
				if base.below == nil {
					base.below = map[string]*place{}
				}
				base.below[string(key.Data)] = next
			}
			base = next
		}
		return base, depth
	}
	var pair func(base *place, depth int, n *unstable.Node)
	pair = func(base *place, depth int, n *unstable.Node) {
		base, depth = keys(base, depth, n.Key())
		if value := n.Value(); value.Kind == unstable.InlineTable && depth <= maxDepth {
			for it := value.Children(); it.Next(); {
				pair(base, depth, it.Node())
			}
		}
	}
	root := &place{}
	table, depth := root, 0
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, depth = keys(root, 0, e.Key())
		case unstable.KeyValue:
			pair(table, depth, e)
		}
	}
	return root
}
