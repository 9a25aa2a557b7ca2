package config

import (
	"bytes"
	_ "embed"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

//go:embed defaults.toml
var defaultsText []byte

// defaults is the lowest layer. Its values come from no file that a person knows.
func defaults() (*node, error) {
	var values map[string]any
	err := toml.Unmarshal(defaultsText, &values)
	return tree(values, Origin{}, maxDepth), err
}

// parseTOML reads a file's text into a tree that knows where each key stands.
//
// The keys are checked when the tree is decoded, not by go-toml's strict mode: that
// ignores the case of keys, knows nothing of layers that are not files, and takes
// time in the square of the unknown keys, of which a workspace's file may have
// thousands.
func parseTOML(kind Kind, name string, text []byte) (*node, error) {
	start := Origin{Kind: kind, Name: name, Line: 1, Column: 1}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			start.Line, start.Column = bad.Position()
		}
		return nil, wrong(start, strings.TrimPrefix(err.Error(), "toml: "), `put strings in quotes and lists in [ ]; "tenfold config show" is an example`)
	}
	root := tree(values, Origin{Kind: kind, Name: name}, maxDepth)
	root.locate(text)
	root.origin = start
	return root, nil
}

// locate gives each key of a well-formed text the place where it stands first.
func (n *node) locate(text []byte) {
	var p unstable.Parser
	p.Reset(text)
	follow := func(table *node, it unstable.Iterator) *node {
		for it.Next() && table != nil {
			if table = table.table[string(it.Node().Data)]; table != nil && table.origin.Line == 0 {
				start := p.Shape(it.Node().Raw).Start
				table.origin.Line, table.origin.Column = start.Line, start.Column
			}
		}
		return table
	}
	var pair func(table *node, e *unstable.Node)
	pair = func(table *node, e *unstable.Node) {
		table = follow(table, e.Key())
		if value := e.Value(); table != nil && value.Kind == unstable.InlineTable {
			for it := value.Children(); it.Next(); {
				pair(table, it.Node())
			}
		}
	}
	table := n
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = follow(n, e.Key())
		case unstable.KeyValue:
			pair(table, e)
		}
	}
}
