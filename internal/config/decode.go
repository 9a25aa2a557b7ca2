package config

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"tenfold/problem"
	"tenfold/strategy"
)

// decoder reads trees into the types, and gathers notices.
type decoder struct{ notices []string }

// decode reads a tree into c, and gives what is not an error and should be known.
func decode(n *node, c *Config) (notices []string, err error) {
	var d decoder
	err = d.decode(n, reflect.ValueOf(c).Elem(), nil, field{})
	return d.notices, err
}

// decode reads a tree into v, which is settable.
func (d *decoder) decode(n *node, v reflect.Value, path []string, f field) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	f.typ = v.Type()
	if !f.isTable() {
		return d.value(n, v, path, f)
	}
	policy, short := f.policy()
	switch {
	case n.table == nil && short:
		return d.value(n, v.Field(policy.index), path, field{name: f.name, example: f.example, typ: policy.typ, words: policy.words}, ", or a table")
	case n.table == nil:
		table := shown(path)
		if v.Kind() == reflect.Map {
			table += ".NAME"
		}
		return wrong(n.origin, shown(path)+" must be a table, not "+describe(n.value), "write ["+table+"] with keys under it")
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case short && n.table["policy"] == nil:
		v.Field(policy.index).SetString(policy.words[0])
	}
	for _, key := range n.keys() {
		inner, at := n.table[key], append(slices.Clip(path), key)
		if err := d.key(inner, v, at, f); err != nil {
			return err
		}
	}
	return nil
}

// key reads what stands at a key of a table into its field, or under its name.
func (d *decoder) key(n *node, v reflect.Value, path []string, of field) error {
	key := path[len(path)-1]
	if v.Kind() == reflect.Map {
		switch {
		case key == "":
			return wrong(n.origin, shown(path)+": the name is empty", "give it a name")
		case n.gone:
			return nil
		}
		inner := reflect.New(v.Type().Elem()).Elem()
		err := d.decode(n, inner, path, field{name: key})
		v.SetMapIndex(reflect.ValueOf(key), inner)
		return err
	}
	f, ok := find(of.typ, key)
	switch {
	case !ok:
		return unknown(n.origin, of.typ, path)
	case n.gone:
		return nil
	case f.deprecated != "":
		d.notices = append(d.notices, n.origin.String()+": "+shown(path)+" no longer has any effect; "+f.deprecated)
		return nil
	}
	return d.decode(n, v.Field(f.index), path, f)
}

// value reads a value by the rule of its field; or adds to what it may be.
func (d *decoder) value(n *node, v reflect.Value, path []string, f field, or ...string) error {
	r := f.rule()
	var got any
	err := errMust
	if n.table == nil {
		got, err = r.read(n.value)
	}
	if err == nil {
		v.Set(reflect.ValueOf(got).Convert(v.Type()))
		return nil
	}
	hint := "write, for example, " + f.name + " = " + f.example
	if f.example == "" {
		hint = ""
	}
	var p *problem.Error
	switch {
	case errors.Is(err, strategy.ErrUnknown) && errors.As(err, &p):
		return wrong(n.origin, shown(path)+": "+err.Error(), p.Hint)
	case !errors.Is(err, errMust):
		return wrong(n.origin, shown(path)+": "+err.Error(), hint)
	}
	but := ", not " + describe(n.value)
	if r.secret {
		but = ""
	}
	return wrong(n.origin, shown(path)+" must be "+r.must+strings.Join(or, "")+but, hint)
}

// unknown is the error for a key that does not exist, with the one that was most
// likely meant: one beside it of nearly that name, else one elsewhere of exactly or
// nearly that name.
func unknown(o Origin, t reflect.Type, path []string) error {
	parent, name := path[:len(path)-1], path[len(path)-1]
	what := "unknown key " + shown(path)
	if near := problem.Nearest(name, known(t)); near != "" {
		return wrong(o, what, "did you mean "+shown(append(slices.Clone(parent), near))+"?")
	}
	last := map[string]string{}
	var names []string
	for _, key := range Keys() {
		word := key[strings.LastIndexByte(key, '.')+1:]
		if _, seen := last[word]; !seen {
			last[word] = key
			names = append(names, word)
		}
	}
	near := cmp.Or(last[name], last[problem.Nearest(name, names)])
	if near != "" {
		return wrong(o, what, "did you mean "+near+"?")
	}
	where := "at the top"
	if len(parent) > 0 {
		where = "in " + shown(parent)
	}
	hint := "known keys " + where + " are " + strings.Join(known(t), ", ")
	if o.Line > 0 { // a repository may be of a person with a newer program
		hint += "; remove this one, or update Tenfold if a newer version knows it"
	}
	return wrong(o, what, hint)
}
