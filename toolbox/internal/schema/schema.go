// Package schema writes the schemas of strangers' tools as every provider takes them.
//
// A provider that refuses the schema of one tool refuses each request that offers it, so
// that one tool of one server would end a session. What they take differs: Anthropic
// validates against draft 2020-12, without anyOf, oneOf and allOf at the top and with
// short names of properties; OpenAI wants an object with properties at the top and items
// in arrays; Gemini follows references only in part, allows nothing beside them, and wants
// a type nearly everywhere. What all of them take says enough: a schema only tells a model
// how to call, and the tool itself checks what it is given.
package schema

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// mostDepth is how deep a schema goes, mostNodes how many there are in all: what
	// references lead to is written out, and can be written to grow without end.
	mostDepth, mostNodes = 12, 1000
	// mostEnum is how many values are listed.
	mostEnum = 500
)

// Plain writes the schema of a tool's arguments so that every provider takes it. What
// cannot be read takes any object.
func Plain(raw string) string {
	var root any
	if json.Unmarshal([]byte(raw), &root, jsontext.AllowDuplicateNames(true)) != nil {
		root = nil
	}
	p := plain{root: root, left: mostNodes}
	out := p.arguments(object(root))
	data, err := json.Marshal(out, json.Deterministic(true))
	if err != nil {
		return `{"properties":{},"type":"object"}`
	}
	return string(data)
}

type node = map[string]any

type plain struct {
	root any
	left int      // nodes
	refs []string // that are being followed
}

func object(v any) node { o, _ := v.(node); return o }

// arguments is the schema at the top: an object, whatever it says.
func (p *plain) arguments(s node) node {
	s = p.whole(s)
	for _, one := range []string{"anyOf", "oneOf"} { // what is in all of them, and what may be
		for _, v := range list(s[one]) {
			if o := p.whole(object(v)); o["properties"] != nil {
				s = merge(s, node{"properties": o["properties"]})
			}
		}
	}
	return p.object(s, mostDepth)
}

// whole follows a reference, and joins what must all hold.
func (p *plain) whole(s node) node {
	for range mostDepth {
		ref, ok := s["$ref"].(string)
		if !ok {
			break
		}
		rest := maps.Clone(s)
		delete(rest, "$ref")
		if slices.Contains(p.refs, ref) {
			s = rest
			break
		}
		s = merge(rest, object(p.find(ref)))
	}
	for _, v := range list(s["allOf"]) {
		if p.left--; p.left >= 0 { // it may lead to itself
			s = merge(s, p.whole(object(v)))
		}
	}
	return s
}

// find gives what a reference within the schema points to, nil where that is nothing.
func (p *plain) find(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := p.root
	for step := range jsontext.Pointer(path).Tokens() {
		if l := list(at); l != nil {
			if n, err := strconv.ParseUint(step, 10, 31); err == nil && int(n) < len(l) {
				at = l[n]
				continue
			}
		}
		at = object(at)[step]
	}
	return at
}

// merge adds to a schema what another one says: properties and what is required of both,
// and else what it does not say itself.
func merge(s, other node) node {
	out := maps.Clone(s)
	if out == nil {
		out = node{}
	}
	for name, v := range other {
		switch was := out[name]; {
		case was == nil:
			out[name] = v
		case name == "properties":
			all := node{}
			maps.Copy(all, object(v))
			maps.Copy(all, object(was))
			out[name] = all
		case name == "required":
			out[name] = append(slices.Clone(list(was)), list(v)...)
		}
	}
	return out
}

func list(v any) []any { l, _ := v.([]any); return l }

// value is the schema of a value. A null that may as well be left out is not told of.
func (p *plain) value(v any, depth int, required bool) node {
	s, ok := v.(node)
	if p.left--; !ok || p.left < 0 || depth <= 0 {
		return anything()
	}
	ref, refers := s["$ref"].(string)
	if refers && (slices.Contains(p.refs, ref) || len(p.refs) > mostDepth) {
		return described(s, anything())
	}
	s = p.whole(s)
	if refers {
		p.refs = append(p.refs, ref)
		defer func() { p.refs = p.refs[:len(p.refs)-1] }()
	}
	if s["const"] != nil {
		s = merge(node{"enum": []any{s["const"]}}, s)
	}
	options := append(slices.Clone(list(s["anyOf"])), list(s["oneOf"])...)
	if types, ok := s["type"].([]any); ok {
		rest := maps.Clone(s)
		delete(rest, "type")
		delete(rest, "anyOf")
		delete(rest, "oneOf")
		options = nil
		for _, t := range types {
			options = append(options, merge(node{"type": t}, rest))
		}
	}
	if len(options) > 0 {
		return described(s, p.options(options, depth, required))
	}
	return described(s, p.typed(s, depth))
}

// options are the ways in which a value may be.
func (p *plain) options(all []any, depth int, required bool) node {
	var kept []any
	null := false
	for _, v := range all {
		o := object(v)
		if o["type"] == "null" || o["not"] != nil && len(o) == 1 {
			null = null || o["type"] == "null"
			continue
		}
		one := p.value(v, depth-1, true)
		if !slices.ContainsFunc(kept, func(was any) bool { return reflect.DeepEqual(was, one) }) {
			kept = append(kept, one)
		}
	}
	if null && (required || len(kept) == 0) {
		kept = append(kept, node{"type": "null"})
	}
	switch len(kept) {
	case 0:
		return anything()
	case 1:
		return object(kept[0])
	}
	return node{"anyOf": flat(kept)}
}

// flat takes options of options among the others.
func flat(all []any) (out []any) {
	for _, v := range all {
		if o := object(v); o["anyOf"] != nil && len(o) == 1 {
			out = append(out, list(o["anyOf"])...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// typed is the schema of a value of one type.
func (p *plain) typed(s node, depth int) node {
	kind, _ := s["type"].(string)
	if !slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, kind) {
		kind = guessed(s)
	}
	switch kind {
	case "object":
		return p.object(s, depth)
	case "array":
		return p.array(s, depth)
	case "":
		return anything()
	}
	out := node{"type": kind}
	if values := valuesOf(s, kind); len(values) > 0 {
		out["enum"] = values
	}
	for _, name := range []string{"minimum", "maximum"} {
		if n, ok := s[name].(float64); ok && (kind == "number" || kind == "integer") {
			out[name] = n
		}
	}
	return out
}

// guessed is the type that a schema does not name.
func guessed(s node) string {
	switch {
	case s["properties"] != nil, object(s["additionalProperties"]) != nil:
		return "object"
	case s["items"] != nil, s["prefixItems"] != nil:
		return "array"
	}
	for _, v := range list(s["enum"]) {
		switch v.(type) {
		case string:
			return "string"
		case float64:
			return "number"
		case bool:
			return "boolean"
		}
	}
	return ""
}

// valuesOf are the values that a schema lists, of its type: of others Gemini takes no list.
func valuesOf(s node, kind string) (out []any) {
	for _, v := range list(s["enum"]) {
		_, text := v.(string)
		_, number := v.(float64)
		if (kind == "string" && text && v != "" || number && (kind == "number" || kind == "integer")) && !slices.Contains(out, v) && len(out) < mostEnum {
			out = append(out, v)
		}
	}
	return out
}

// anything is the schema of a value of which nothing is known, with types, as Gemini wants.
func anything() node {
	return node{"anyOf": []any{
		node{"type": "string"},
		node{"type": "number"},
		node{"type": "boolean"},
		node{"type": "object", "properties": node{}},
		node{"type": "array", "items": node{"type": "string"}},
	}}
}

func (p *plain) array(s node, depth int) node {
	out := node{"type": "array", "items": node{"type": "string"}}
	if items := slices.Concat(list(s["prefixItems"]), list(s["items"])); len(items) > 0 {
		out["items"] = p.options(items, depth, true)
	} else if object(s["items"]) != nil {
		out["items"] = p.value(s["items"], depth-1, true)
	}
	return out
}

// names are those that Anthropic takes for properties.
var names = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func (p *plain) object(s node, depth int) node {
	out := node{"type": "object"}
	wanted := map[any]bool{}
	for _, v := range list(s["required"]) {
		if text(v) != "" {
			wanted[v] = true
		}
	}
	properties := node{}
	var required []any
	var unnamed []string
	all := object(s["properties"])
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] == false {
			continue
		}
		if !names.MatchString(name) {
			unnamed = append(unnamed, strconv.Quote(name))
			continue
		}
		if properties[name] = p.value(all[name], depth-1, wanted[name]); wanted[name] {
			required = append(required, name)
		}
	}
	out["properties"] = properties
	if len(required) > 0 {
		out["required"] = required
	}
	if more := s["additionalProperties"]; len(object(more)) > 0 {
		out["additionalProperties"] = p.value(more, depth-1, true)
	} else if more == false && len(unnamed) == 0 {
		out["additionalProperties"] = false
	}
	if len(unnamed) > 0 {
		out["description"] = sentence(text(s["description"]), "Also takes "+strings.Join(unnamed, ", ")+".")
	}
	return out
}

func text(v any) string { s, _ := v.(string); return s }

// sentence adds one to a description.
func sentence(about, more string) string {
	if about == "" {
		return more
	}
	return strings.TrimRight(about, " \n") + " " + more
}

// described gives a schema what is said of it, and in words what not all providers take.
func described(s, out node) node {
	about := cmp.Or(text(out["description"]), text(s["description"]))
	for _, name := range []string{"format", "pattern"} {
		if v := text(s[name]); v != "" && len(v) <= 200 && out["anyOf"] == nil {
			about = sentence(about, "("+name+" "+v+")")
		}
	}
	switch v := s["default"].(type) {
	case string, float64, bool:
		if shown := fmt.Sprint(v); len(shown) <= 200 && shown != "" {
			about = sentence(about, "(default "+shown+")")
		}
	}
	if about != "" {
		out["description"] = about
	}
	return out
}
