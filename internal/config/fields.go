package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// field is a key of a table, as the tags of its type describe it.
type field struct {
	name, doc, example, deprecated string
	index                          int
	typ                            reflect.Type
	// words are those that the value may be, if it is one of a few.
	words []string
	// open is set where a file that is not trusted may set it.
	open bool
	// adds is set where what the file of a workspace lists is added to what the
	// person's lists, and takes nothing of it away.
	adds bool
}

var configType = reflect.TypeFor[Config]()

// tables are the keys of every table, in the order of its type.
var tables = sync.OnceValue(func() map[reflect.Type][]field {
	all := map[reflect.Type][]field{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Map:
			add(t.Elem())
		case reflect.Struct:
			all[t] = describeFields(t)
			for _, f := range all[t] {
				add(f.typ)
			}
		}
	}
	add(configType)
	return all
})

// fields lists the keys of a table, in the order of its type.
func fields(t reflect.Type) []field { return tables()[t] }

func describeFields(t reflect.Type) []field {
	all := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		one := field{
			name: name, doc: f.Tag.Get("jsonschema"), example: f.Tag.Get("eg"), deprecated: f.Tag.Get("deprecated"),
			index: i, typ: typ, words: strings.Fields(f.Tag.Get("one")), open: f.Tag.Get("open") != "",
			adds: f.Tag.Get("adds") != "",
		}
		all = append(all, one)
	}
	return all
}

// known lists the names of a table's keys that are in use.
func known(t reflect.Type) []string {
	var names []string
	for _, f := range fields(t) {
		if f.deprecated == "" {
			names = append(names, f.name)
		}
	}
	return names
}

func find(t reflect.Type, name string) (field, bool) {
	all := fields(t)
	i := slices.IndexFunc(all, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return all[i], true
}

// isTable reports whether there can be keys under a field.
func (f field) isTable() bool {
	return f.typ != nil && (f.typ.Kind() == reflect.Struct || f.typ.Kind() == reflect.Map)
}

// policy is the key that a table may be written as, if it has one.
func (f field) policy() (field, bool) {
	if !f.isTable() || f.typ.Kind() == reflect.Map {
		return field{}, false
	}
	first := fields(f.typ)[0]
	return first, first.name == "policy"
}

// holdsValue reports whether a field may be written as a value.
func (f field) holdsValue() bool {
	_, short := f.policy()
	return short || !f.isTable()
}

// rule is how values of the field are written.
func (f field) rule() rule {
	if len(f.words) > 0 {
		return oneOf(f.words)
	}
	return rules()[f.typ]
}

// lookup finds what a path leads to. A name under a map is a field without tags.
func lookup(path []string) (f field, ok bool) {
	f = field{typ: configType}
	for _, key := range path {
		switch f.typ.Kind() {
		case reflect.Struct:
			if f, ok = find(f.typ, key); !ok {
				return f, false
			}
		case reflect.Map:
			f = field{name: key, typ: f.typ.Elem()}
		default:
			return f, false
		}
	}
	return f, true
}

// Keys lists all keys that hold values, with NAME in the place of names.
func Keys() []string {
	var all []string
	walk(configType, nil, func(path []string, _ field) { all = append(all, strings.Join(path, ".")) })
	return all
}

// walk calls f for each key that holds a value and is not deprecated. A table that
// may be written as its policy comes before its keys.
func walk(t reflect.Type, path []string, f func(path []string, of field)) {
	if t.Kind() == reflect.Map {
		walk(t.Elem(), append(slices.Clip(path), "NAME"), f)
		return
	}
	for _, one := range fields(t) {
		at := append(slices.Clip(path), one.name)
		if one.deprecated != "" {
			continue
		}
		if one.holdsValue() {
			f(at, one)
		}
		if one.isTable() {
			walk(one.typ, at, f)
		}
	}
}
