package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Setting is one value in effect.
type Setting struct {
	// Path is the key; Doc says what it means.
	Path []string
	Doc  string
	// Value is a string, an int64, a float64, a bool or a []any.
	Value  any
	Origin Origin
	// Table is set for a table, which has no value: its settings follow. Gone is
	// set for a key that a conversation takes back.
	Table, Gone bool
}

// Key is the key as TOML writes it.
func (s Setting) Key() string { return join(s.Path) }

// Name is the last word of the key as TOML writes it.
func (s Setting) Name() string { return join(s.Path[len(s.Path)-1:]) }

// TOML is the value as TOML writes it.
func (s Setting) TOML() string { return valueTOML(s.Value) }

func valueTOML(v any) string {
	switch v := v.(type) {
	case nil:
		return `""`
	case string:
		return quoteTOML(v)
	case []any:
		words := make([]string, len(v))
		for i, one := range v {
			words[i] = valueTOML(one)
		}
		return "[" + strings.Join(words, ", ") + "]"
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	return fmt.Sprint(v)
}

// Settings lists what is in effect under a key, tables before what is in them;
// an empty key is everything. A key that is not set gives none; one that does not
// exist is an error.
func (e *Effective) Settings(key string) ([]Setting, error) {
	var path []string
	if key != "" {
		if path = splitKey(key); path == nil {
			return nil, wrong(Origin{Kind: Flag}, quoteTOML(key)+" is not a key", "write, for example, conversation.compaction.keep_last")
		}
	}
	for i := range path {
		above, _ := lookup(path[:i])
		if _, ok := lookup(path[:i+1]); ok {
			continue
		}
		if above.typ.Kind() != reflect.Struct {
			return nil, wrong(Origin{Kind: Flag}, join(path[:i])+" is not a table, so it has no key "+path[i], "")
		}
		return nil, unknown(Origin{Kind: Flag}, above.typ, path[:i+1])
	}
	n := e.root.at(path)
	if n == nil {
		return nil, nil
	}
	f, _ := lookup(path)
	return settings(n, f, path), nil
}

// settings lists values before tables, as TOML has it.
func settings(n *node, f field, path []string) []Setting {
	at := Setting{Path: path, Doc: f.doc, Value: n.value, Origin: n.origin, Table: n.table != nil, Gone: n.gone}
	if n.table == nil {
		return []Setting{at}
	}
	var values, tables []Setting
	keys := n.keys()
	if f.typ.Kind() == reflect.Struct {
		keys = known(f.typ)
	}
	for _, key := range keys {
		path := append(slices.Clone(path), key)
		inner, ok := n.table[key]
		if !ok {
			continue
		}
		of, _ := lookup(path)
		if found := settings(inner, of, path); inner.table == nil {
			values = append(values, found...)
		} else {
			tables = append(tables, found...)
		}
	}
	if len(path) > 0 && (len(values) > 0 || len(tables) == 0) {
		values = slices.Insert(values, 0, at)
	}
	return append(values, tables...)
}
