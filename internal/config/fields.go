package config

import (
	"reflect"
	"slices"
	"strings"
)

// field is a field of a table's type.
type field struct {
	name, doc, example, deprecated string
	index                          int
	typ                            reflect.Type
	// open is set where a stranger may say it, unused where it has no effect.
	open, unused bool
}

// container reports whether a field is a table and nothing else.
func (f field) container() bool {
	return f.typ.Kind() == reflect.Map || (f.typ.Kind() == reflect.Struct && !isShort(f.typ))
}

// secret reports whether messages do not show what a value is that was not
// checked.
func (f field) secret() bool {
	_, hidden := reflect.New(f.typ).Interface().(secretive)
	return hidden
}

// NotUsed is what the description of a key ends with that has no effect so far.
const NotUsed = "Not used yet."

// fields lists the keys of a table, in the order of the type.
func fields(t reflect.Type) []field {
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
			index: i, typ: typ, open: f.Tag.Get("open") != "", unused: f.Tag.Get("unused") != "",
		}
		if one.unused {
			one.doc += " " + NotUsed
		}
		all = append(all, one)
	}
	return all
}

func find(t reflect.Type, name string) (field, bool) {
	for _, f := range fields(t) {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

var configType = reflect.TypeFor[Config]()

// isShort tells that a table may be written as its policy.
func isShort(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface{ short() })
	return ok
}

// lookup finds what stands at a path; f is of its last key that is no name.
func lookup(path []string) (f field, ok bool) {
	t := configType
	for _, key := range path {
		switch t.Kind() {
		case reflect.Struct:
			if f, ok = find(t, key); !ok {
				return f, false
			}
			t = f.typ
		case reflect.Map:
			t = t.Elem()
			f = field{name: key, typ: t}
		default:
			return f, false
		}
	}
	return f, len(path) > 0
}

// Keys lists all keys that hold values, with NAME where a name goes.
func Keys() []string {
	var all []string
	walk(configType, nil, func(path []string, _ field) { all = append(all, strings.Join(path, ".")) })
	return all
}

// walk calls f for each key that holds a value and is not deprecated. Of a
// table that may be written short it gives the table, then its keys.
func walk(t reflect.Type, path []string, f func(path []string, of field)) {
	if t.Kind() == reflect.Map {
		walk(t.Elem(), append(slices.Clip(path), "NAME"), f)
		return
	}
	for _, one := range fields(t) {
		at := append(slices.Clip(path), one.name)
		kind := one.typ.Kind()
		if one.deprecated != "" {
			continue
		}
		if kind != reflect.Struct && kind != reflect.Map || isShort(one.typ) {
			f(at, one)
		}
		if kind == reflect.Struct || kind == reflect.Map {
			walk(one.typ, at, f)
		}
	}
}
