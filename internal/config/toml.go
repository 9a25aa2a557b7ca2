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
		e := &Error{Origin: start, Problem: strings.TrimPrefix(err.Error(), "toml: "), Hint: `strings stand in quotes, lists in [ ], and "tenfold config show" is an example`}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			e.Origin.Line, e.Origin.Column = bad.Position()
		}
		return nil, e
	}
	places := positions(text)
	return tree(values, nil, func(path []string) Origin {
		o := start
		if at, ok := places[strings.Join(path, "\x00")]; ok {
			o.Line, o.Column = at.Line, at.Column
		}
		return o
	}), nil
}

// positions finds where each key of a well-formed text stands first.
func positions(text []byte) map[string]unstable.Position {
	found := map[string]unstable.Position{}
	var p unstable.Parser
	p.Reset(text)
	keys := func(base []string, it unstable.Iterator) []string {
		path := base[:len(base):len(base)]
		for it.Next() {
			key := it.Node()
			path = append(path, string(key.Data))
			id := strings.Join(path, "\x00")
			if _, have := found[id]; !have {
				found[id] = p.Shape(key.Raw).Start
			}
		}
		return path
	}
	var pair func(base []string, n *unstable.Node)
	pair = func(base []string, n *unstable.Node) {
		path := keys(base, n.Key())
		if value := n.Value(); value.Kind == unstable.InlineTable {
			for it := value.Children(); it.Next(); {
				pair(path, it.Node())
			}
		}
	}
	var table []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keys(nil, e.Key())
		case unstable.KeyValue:
			pair(table, e)
		}
	}
	return found
}
