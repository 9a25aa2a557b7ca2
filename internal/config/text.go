package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// parseText reads a value as the environment and flags write it, for a type.
func parseText(text string, t reflect.Type) (any, bool) {
	if trimmed := strings.TrimSpace(text); trimmed != "" && strings.ContainsRune(`"'[{`, rune(trimmed[0])) {
		var all map[string]any
		err := toml.Unmarshal([]byte("value = "+trimmed), &all)
		v, ok := all["value"]
		return v, err == nil && ok && len(all) == 1
	}
	switch t.Kind() {
	case reflect.Bool:
		if text == "true" || text == "false" {
			return text == "true", true
		}
	case reflect.Int, reflect.Int64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
	case reflect.Float64:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, true
		}
	case reflect.Slice:
		list := []any{}
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word != "" {
				list = append(list, word)
			}
		}
		if t != reflect.TypeFor[Strategies]() { // a comma there is of parameters
			return list, true
		}
	}
	return text, true
}

// flag reads KEY=VALUE; without a value the leaf is gone, if a conversation may
// keep the key. A model of no name is none for this run as well.
func flag(text string) (path []string, leaf *node, err error) {
	n := &node{origin: Origin{Kind: Flag}}
	key, value, ok := cutKey(text)
	path, valid := splitKey(key)
	if !ok || !valid {
		// What follows may be a key of a provider, so it is not shown.
		return nil, nil, wrong(n.origin, "expected KEY=VALUE", "write it as in --cfg conversation.compaction.keep_last=5")
	}
	f, known := lookup(path)
	if known {
		if value == "" && OfConversation(path) {
			n.gone = true
			if f.typ == reflect.TypeFor[ModelName]() {
				n.value = ""
			}
			return path, n, nil
		}
		if n.value, ok = parseText(value, f.typ); !ok {
			return nil, nil, wrong(n.origin, join(path)+": the value is no TOML", "a value that begins with a quote, a bracket or a brace is TOML")
		}
	} else {
		n.value = value
	}
	if m, isTable := n.value.(map[string]any); isTable {
		n = tree(m, path, func([]string) Origin { return n.origin })
	}
	return path, n, nil
}

// cutKey parts KEY=VALUE at the first "=" outside quotes.
func cutKey(text string) (key, value string, ok bool) {
	var quote byte
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '=':
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// splitKey parts a dotted key; names may stand in quotes.
func splitKey(key string) (path []string, ok bool) {
	rest := strings.TrimSpace(key)
	for {
		var word string
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			end := strings.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return nil, false
			}
			word, rest = rest[1:1+end], rest[2+end:]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			word, rest = rest[:end], rest[end:]
			if !bareKey().MatchString(word) {
				return nil, false
			}
		}
		path = append(path, word)
		if rest == "" {
			return path, true
		}
		if rest[0] != '.' {
			return nil, false
		}
		rest = rest[1:]
	}
}

const prefix = "TENFOLD_"

// notOurs are variables that are no settings: the store's, which has a flag of
// its own, and those that only tests read.
func notOurs(name string) bool {
	return name == "TENFOLD_STORE" || strings.HasPrefix(name, "TENFOLD_REQUIRE_") || strings.Contains(name, "TEST_")
}

// environment reads the variables that are settings. Names in them are those
// of own, where one fits, else those of below: a stranger's file does not say
// what a variable is about.
func environment(environ []string, own, below *node) (*node, error) {
	root := newTable(Origin{Kind: Environment})
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, prefix) || notOurs(name) {
			continue
		}
		n := &node{origin: Origin{Kind: Environment, Name: name}}
		path, ok := variable(configType, strings.TrimPrefix(name, prefix), own, below)
		if !ok {
			return nil, unknownVariable(n)
		}
		f, _ := lookup(path)
		if n.value, ok = parseText(text, f.typ); !ok {
			return nil, wrong(n.origin, join(path)+": the value is no TOML", "a value that begins with a quote, a bracket or a brace is TOML")
		}
		if m, isTable := n.value.(map[string]any); isTable {
			n = tree(m, path, func([]string) Origin { return n.origin })
		}
		root.put(path, n)
	}
	return root, nil
}

// variable finds the key that a variable's name stands for. Names of own come
// before others.
func variable(t reflect.Type, rest string, own, all *node) ([]string, bool) {
	try := func(key, word string, inner reflect.Type) ([]string, bool) {
		if rest == word {
			return []string{key}, true
		}
		after, ok := strings.CutPrefix(rest, word+"_")
		if !ok {
			return nil, false
		}
		path, ok := variable(inner, after, own.at([]string{key}), all.at([]string{key}))
		return append([]string{key}, path...), ok
	}
	switch t.Kind() {
	case reflect.Struct:
		for _, f := range fields(t) {
			if path, ok := try(f.name, strings.ToUpper(f.name), f.typ); ok {
				return path, true
			}
		}
	case reflect.Map:
		for _, key := range slices.Concat(own.keys(), all.keys()) {
			if path, ok := try(key, capitals(key), t.Elem()); ok && len(path) > 1 {
				return path, true
			}
		}
		for i := range len(rest) {
			if rest[i] != '_' || i == 0 {
				continue
			}
			if path, ok := try(strings.ToLower(rest[:i]), rest[:i], t.Elem()); ok {
				return path, true
			}
		}
	}
	return nil, false
}

// capitals is a name as it stands in a variable's.
func capitals(name string) string {
	return strings.Map(func(r rune) rune {
		if (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// Variable is the name of a key's variable in the environment.
func Variable(key string) string { return prefix + capitals(key) }

func unknownVariable(n *node) error {
	var names []string
	for _, key := range Keys() {
		if !strings.Contains(key, "NAME") {
			names = append(names, strings.ToLower(Variable(key)))
		}
	}
	hint := `"tenfold config show" lists the keys; a variable is a key in capitals after TENFOLD_, with _ for each dot`
	if i := closest(strings.ToLower(n.origin.Name), names); i >= 0 {
		hint = "did you mean " + strings.ToUpper(names[i]) + "?"
	}
	return wrong(n.origin, "there is no such key", hint)
}
