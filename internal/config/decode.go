package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tenfold/problem"
	"tenfold/strategy"
)

// wrong says what is wrong with a configuration, and where.
func wrong(o Origin, problemText, hint string) error {
	return &problem.Error{Code: "config", Usage: o.Kind == Flag, Subject: o.place(), Problem: problemText, Hint: hint}
}

// decoder reads trees into the types, and gathers notices.
type decoder struct{ notices []string }

// decode reads a tree into v, which is settable.
func (d *decoder) decode(n *node, v reflect.Value, path []string, f field) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	at := v.Addr().Interface()
	switch v.Kind() {
	case reflect.Struct:
		if n.table == nil {
			return d.short(n, v, path, f)
		}
		return d.table(n, v, path)
	case reflect.Map:
		if n.table == nil {
			return wrong(n.origin, shown(path)+" must be a table, not "+describe(n.value), "write ["+shown(path)+".NAME] with keys under it")
		}
		v.Set(reflect.MakeMap(v.Type()))
		for _, key := range n.keys() {
			if key == "" {
				return wrong(n.table[key].origin, shown(path)+": a name is empty", "give it a name")
			}
			if n.table[key].gone {
				continue
			}
			inner := reflect.New(v.Type().Elem()).Elem()
			if err := d.decode(n.table[key], inner, append(slices.Clip(path), key), field{name: key}); err != nil {
				return err
			}
			v.SetMapIndex(reflect.ValueOf(key), inner)
		}
		return nil
	}
	if set, ok := at.(value); ok {
		err := errMust
		if n.table == nil {
			err = set.set(n.value)
		}
		return mistake(n, path, f, at, set.must(), err)
	}
	ok, must := plain(n, v)
	if ok {
		return nil
	}
	return mistake(n, path, f, at, must, errMust)
}

// plain reads a value of a type that is Go's own.
func plain(n *node, v reflect.Value) (ok bool, must string) {
	switch v.Kind() {
	case reflect.Bool:
		b, ok := n.value.(bool)
		v.SetBool(b)
		return ok, "true or false"
	case reflect.Slice:
		list, ok := n.value.([]any)
		var words []string
		for _, one := range list {
			word, isText := one.(string)
			ok = ok && isText && word != "" && !strings.ContainsAny(word, ",+")
			words = append(words, word)
		}
		v.Set(reflect.ValueOf(words))
		return ok, "a list of names"
	}
	text, ok := n.value.(string)
	v.SetString(text)
	if c, isChoice := v.Interface().(choice); isChoice {
		return ok && slices.Contains(c.choices(), text), oneOf(c.choices())
	}
	return ok, "text"
}

func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteTOML(w)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// mistake is the error for a value that is not what it must be.
func mistake(n *node, path []string, f field, at any, must string, err error) error {
	hint := ""
	if f.example != "" {
		hint = "write it as in " + f.name + " = " + f.example
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strategy.ErrUnknown):
		var p *problem.Error
		errors.As(err, &p)
		return wrong(n.origin, shown(path)+": "+err.Error(), p.Hint)
	case !errors.Is(err, errMust):
		return wrong(n.origin, shown(path)+": "+err.Error(), hint)
	}
	got := describe(n.value)
	if _, hidden := at.(secretive); hidden {
		got = "what it is"
	}
	return wrong(n.origin, fmt.Sprintf("%s must be %s, not %s", shown(path), must, got), hint)
}

// short reads a table that is written as its policy alone.
func (d *decoder) short(n *node, v reflect.Value, path []string, f field) error {
	if !isShort(v.Type()) {
		return wrong(n.origin, shown(path)+" must be a table, not "+describe(n.value), "write ["+shown(path)+"] with keys under it")
	}
	policy := v.FieldByName("Policy")
	ok, must := plain(n, policy)
	if ok {
		return nil
	}
	return mistake(n, path, f, v.Addr().Interface(), must+", or a table", errMust)
}

func (d *decoder) table(n *node, v reflect.Value, path []string) error {
	for _, key := range n.keys() {
		inner := n.table[key]
		at := append(slices.Clip(path), key)
		f, ok := find(v.Type(), key)
		switch {
		case !ok:
			return unknown(inner, v.Type(), at)
		case inner.gone:
			continue
		case f.deprecated != "":
			d.notices = append(d.notices, inner.origin.String()+": "+shown(at)+" has no effect any more; "+f.deprecated)
			continue
		}
		if err := d.decode(inner, v.Field(f.index), at, f); err != nil {
			return err
		}
	}
	if isShort(v.Type()) && v.FieldByName("Policy").IsZero() {
		// The first choice is what a table means that does not say.
		policy := v.FieldByName("Policy")
		policy.SetString(policy.Interface().(choice).choices()[0])
	}
	return nil
}

// unknown is the error for a key that there is not, with the nearest that
// there is.
func unknown(n *node, t reflect.Type, path []string) error {
	problem := "unknown key " + shown(path)
	if near := nearest(t, path); near != "" {
		return wrong(n.origin, problem, "did you mean "+near+"?")
	}
	var known []string
	for _, f := range fields(t) {
		if f.deprecated == "" {
			known = append(known, f.name)
		}
	}
	where := "at the top"
	if len(path) > 1 {
		where = "in " + shown(path[:len(path)-1])
	}
	return wrong(n.origin, problem, "known keys "+where+" are "+strings.Join(known, ", "))
}

// nearest finds the key that was meant: one beside it of nearly that name, one
// elsewhere of exactly that name, one elsewhere of nearly that name.
func nearest(t reflect.Type, path []string) string {
	name := path[len(path)-1]
	var beside []string
	for _, f := range fields(t) {
		if f.deprecated == "" {
			beside = append(beside, f.name)
		}
	}
	if i := closest(name, beside); i >= 0 {
		return shown(append(slices.Clone(path[:len(path)-1]), beside[i]))
	}
	keys := Keys()
	last := make([]string, len(keys))
	for i, key := range keys {
		last[i] = key[strings.LastIndexByte(key, '.')+1:]
		if last[i] == name {
			return key
		}
	}
	if i := closest(name, last); i >= 0 {
		return keys[i]
	}
	return ""
}

// closest is the index of the word that differs least, at most by a third of
// its letters, or that goes on where the name ends; -1 when none is near.
func closest(name string, words []string) int {
	best, at := max(len(name)/3, 2)+1, -1
	if len(name) < 4 {
		best = 2
	}
	for i, word := range words {
		if max(len(name)-len(word), len(word)-len(name)) >= best {
			continue // no need to count
		}
		if n := distance(strings.ToLower(name), word); n < best {
			best, at = n, i
		}
	}
	for i, word := range words {
		if at < 0 && len(name) > 3 && strings.HasPrefix(word, name) {
			at = i
		}
	}
	return at
}

// distance is how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			corner, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, corner+cost)
		}
	}
	return row[len(b)]
}
