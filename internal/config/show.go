package config

import (
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
	// set for a key that a conversation takes back, Unused for one that has no
	// effect so far.
	Table, Gone, Unused bool
	hidden              bool
}

// Key is the key as TOML writes it.
func (s Setting) Key() string { return join(s.Path) }

// Name is the last word of the key as TOML writes it.
func (s Setting) Name() string { return join(s.Path[len(s.Path)-1:]) }

// TOML is the value as TOML writes it.
func (s Setting) TOML() string { return valueTOML(s.Value) }

func valueTOML(v any) string {
	switch v := v.(type) {
	case string:
		return quoteTOML(v)
	case []any:
		words := make([]string, len(v))
		for i, one := range v {
			words[i] = valueTOML(one)
		}
		return "[" + strings.Join(words, ", ") + "]"
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	return `""`
}

// Settings lists what is in effect under a key, tables before what is in them;
// an empty key is everything. A key of which there is nothing gives none; one
// that there cannot be is an [*problem.Error].
func (e *Effective) Settings(key string) ([]Setting, error) {
	var path []string
	if key != "" {
		var ok bool
		none := &node{origin: Origin{Kind: Flag}}
		if path, ok = splitKey(key); !ok {
			return nil, wrong(none.origin, quoteTOML(key)+" is no key", "write it as in conversation.compaction.keep_last")
		}
		t := configType
		for i, word := range path {
			f, known := lookup(path[:i+1])
			if !known {
				if t.Kind() != reflect.Struct {
					return nil, wrong(none.origin, join(path[:i])+" is no table, so it has no "+word, "")
				}
				return nil, unknown(none, t, path[:i+1])
			}
			t = f.typ
		}
	}
	n := e.root.at(path)
	if n == nil {
		return nil, nil
	}
	f := field{typ: configType}
	if len(path) > 0 {
		f, _ = lookup(path)
	}
	return settings(n, f, path), nil
}

// settings lists values before tables, as TOML has it.
func settings(n *node, f field, path []string) []Setting {
	if n.table == nil {
		return []Setting{{Path: slices.Clone(path), Doc: f.doc, Value: n.value, Origin: n.origin, Gone: n.gone, Unused: f.unused}}
	}
	var values, tables []Setting
	holds := false
	each := func(inner *node, f field, key string) {
		at := append(slices.Clone(path), key)
		if f.deprecated != "" {
			return
		}
		if found := settings(inner, f, at); inner.table == nil {
			values = append(values, found...)
		} else {
			tables = append(tables, found...)
		}
		holds = true
	}
	if f.typ.Kind() == reflect.Map {
		for _, key := range n.keys() {
			each(n.table[key], field{name: key, typ: f.typ.Elem()}, key)
		}
	} else {
		for _, one := range fields(f.typ) {
			if inner := n.table[one.name]; inner != nil {
				each(inner, one, one.name)
			}
		}
	}
	var out []Setting
	if len(path) > 0 && (len(values) > 0 || !holds) {
		out = append(out, Setting{Path: slices.Clone(path), Doc: f.doc, Origin: n.origin, Table: true})
	}
	return append(append(out, values...), tables...)
}
