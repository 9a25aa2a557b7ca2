package config

import (
	"reflect"

	"github.com/go-json-experiment/json"
)

// Member is the member of a config delta's Extra that holds settings of
// Tenfold, a partial configuration with the keys of the files.
const Member = "tenfold"

// OfConversation reports whether a conversation may keep a key for itself. A
// conversation travels: where models are reached and where files are written
// is each machine's own affair, and nothing in a log may change it.
func OfConversation(path []string) bool {
	switch path[0] {
	case "model", "models":
		return true
	case "conversation":
		return len(path) < 3 || path[2] != "session_dir"
	}
	return false
}

// delta reads the settings in an Extra; nil when it holds none.
func delta(extra string) (*node, error) {
	settings, ok := ours(extra)
	if !ok {
		return nil, nil
	}
	n := tree(whole(settings), nil, func([]string) Origin { return Origin{Kind: InConversation} })
	for _, key := range n.keys() {
		if !OfConversation([]string{key}) {
			return nil, wrong(n, []string{key}, key+" is no setting of a conversation", "")
		}
	}
	if dir := n.at([]string{"conversation", "compaction", "session_dir"}); dir != nil {
		return nil, wrong(n, nil, "conversation.compaction.session_dir is no setting of a conversation", "")
	}
	return n, nil
}

// ours is the member with our settings; what is no JSON is of another tool.
func ours(extra string) (map[string]any, bool) {
	var all map[string]any
	if json.Unmarshal([]byte(extra), &all) != nil {
		return nil, false
	}
	settings, ok := all[Member].(map[string]any)
	return settings, ok
}

// SettingsOf lists the settings in an Extra, tables before what is in them;
// none where there are none.
func SettingsOf(extra string) []Setting {
	n, err := delta(extra)
	if err != nil || n == nil {
		return nil
	}
	return settings(n, field{typ: configType}, nil)
}

// whole makes the numbers of JSON that are whole ones of TOML.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = whole(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = whole(inner)
		}
	case float64:
		if n := int64(v); float64(n) == v {
			return n
		}
	}
	return v
}

// Delta is the Extra of a config delta that keeps the flags in a conversation
// with the extras it has; empty when there is nothing to keep that does not
// hold already.
func (l *Layers) Delta(extras ...string) (string, error) {
	if len(l.kept.table) == 0 {
		return "", nil
	}
	have := newTable(Origin{})
	for _, extra := range extras {
		if n, err := delta(extra); err == nil && n != nil {
			have = merge(have, n)
		}
	}
	if reflect.DeepEqual(have.plain(), merge(have, l.kept).plain()) {
		return "", nil
	}
	text, err := json.Marshal(map[string]any{Member: l.kept.plain()}, json.Deterministic(true))
	return string(text), err
}

// plain gives a tree as maps and values.
func (n *node) plain() any {
	if n.table == nil {
		return n.value
	}
	m := map[string]any{}
	for key, inner := range n.table {
		m[key] = inner.plain()
	}
	return m
}
