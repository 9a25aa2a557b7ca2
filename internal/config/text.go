package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"tenfold/problem"
)

// parseText reads a value as the environment and flags write it: text as it
// stands, a list separated by commas, or TOML, which it is where it begins with a
// quote, a bracket or a brace, or where a number or true or false is wanted.
func parseText(text string, t reflect.Type) (v any, ok bool) {
	trimmed := strings.TrimSpace(text)
	quoted := trimmed != "" && strings.ContainsRune(`"'[{`, rune(trimmed[0]))
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
	default:
		if quoted {
			break
		}
		if t.Kind() != reflect.Slice || t == reflect.TypeFor[Strategies]() {
			return text, true
		}
		list := []any{}
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word != "" {
				list = append(list, word)
			}
		}
		return list, true
	}
	var all map[string]any
	err := toml.Unmarshal([]byte("value = "+trimmed), &all)
	if v, ok = all["value"]; ok && err == nil && len(all) == 1 {
		return v, true
	}
	return text, !quoted
}

// leaf is what a flag or a variable says of a key.
func leaf(path []string, text string, o Origin) (*node, error) {
	f, ok := lookup(path)
	if !ok {
		return &node{value: text, origin: o}, nil
	}
	v, ok := parseText(text, f.typ)
	if !ok {
		return nil, wrong(o, join(path)+": the value is not valid TOML", "check its quotes and brackets: a value that begins with one is read as TOML")
	}
	return tree(v, o, maxDepth-len(path)), nil
}

// flag reads KEY=VALUE. Without a value the leaf is gone, if a conversation may
// keep the key; the name of a model is then empty for this run as well.
func flag(text string) (path []string, n *node, err error) {
	o := Origin{Kind: Flag}
	for i, c := range text {
		if c == '=' && path == nil { // the first that is not part of a quoted name
			if path = splitKey(text[:i]); path != nil {
				text = text[i+1:]
				break
			}
		}
	}
	if path == nil {
		// What follows may be a provider's API key, so it is not shown.
		return nil, nil, wrong(o, "expected KEY=VALUE", "write, for example, --cfg conversation.compaction.keep_last=5")
	}
	f, known := lookup(path)
	if known && text == "" && ofConversation(path) {
		n = &node{origin: o, gone: true}
		if f.typ == reflect.TypeFor[ModelName]() {
			n.value = ""
		}
		return path, n, nil
	}
	n, err = leaf(path, text, o)
	return path, n, err
}

// splitKey parts a dotted key, whose names may be quoted; nil if it is not a key.
func splitKey(key string) []string {
	var p unstable.Parser
	p.Reset([]byte(key + "=0"))
	if !p.NextExpression() || p.Expression().Kind != unstable.KeyValue || p.Expression().Value().Kind != unstable.Integer {
		return nil
	}
	var path []string
	for it := p.Expression().Key(); it.Next(); {
		path = append(path, string(it.Node().Data))
	}
	if p.NextExpression() || p.Error() != nil {
		return nil
	}
	return path
}

const prefix = "TENFOLD_"

// notOurs reports variables that are not settings: the store's, which has a flag of
// its own, those that "tenfold run" gives its client, which what that starts has too, and
// those that only tests read.
func notOurs(name string) bool {
	return name == "TENFOLD_STORE" || name == "TENFOLD_TOKEN" || strings.HasPrefix(name, "TENFOLD_RUN") || strings.HasPrefix(name, "TENFOLD_MASTER_KEY") || strings.HasPrefix(name, "TENFOLD_REQUIRE_") || strings.Contains(name, "TEST_")
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
		o := Origin{Kind: Environment, Name: name}
		path, ok := variable(configType, strings.TrimPrefix(name, prefix), own, below)
		if !ok {
			return nil, unknownVariable(o)
		}
		n, err := leaf(path, text, o)
		if err != nil {
			return nil, err
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

func unknownVariable(o Origin) error {
	var names []string
	for _, key := range Keys() {
		if !strings.Contains(key, "NAME") {
			names = append(names, prefix+capitals(key))
		}
	}
	hint := cmp.Or(problem.DidYouMean(o.Name, names), `"tenfold config show" lists the keys; a variable is TENFOLD_ and a key in capitals, with _ for each dot`)
	return wrong(o, "no such key", hint)
}
