package config

import (
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
)

// Member is the member of a config delta's Extra that holds settings of
// Tenfold, a partial configuration with the keys of the files.
const Member = "tenfold"

// ofConversation reports whether a conversation may keep a key for itself. A
// conversation travels: where models are reached and where files are written
// is each machine's own affair, and nothing in a log may change it; nor what counts
// the tokens of all conversations.
func ofConversation(path []string) bool {
	switch path[0] {
	case "model", "models":
		return true
	case "conversation":
		return !slices.Contains(path, "session_dir") && !slices.Contains(path, "counter")
	}
	return false
}

// delta reads the settings in an Extra; nil when it holds none. A key that is
// null is taken back.
func delta(extra string) (*node, error) {
	settings, ok := ours(extra)
	if !ok {
		return nil, nil
	}
	n := tree(whole(settings), Origin{Kind: InConversation}, maxDepth)
	n.markGone()
	if _, bad := n.split(nil, func(path []string, _ *node) bool { return ofConversation(path) }); len(bad) > 0 {
		return nil, wrong(n.origin, "a conversation may not set "+shown(bad[0].Path), "")
	}
	return n, nil
}

// markGone marks the keys that are null.
func (n *node) markGone() {
	n.gone = n.table == nil && n.value == nil
	for _, inner := range n.table {
		inner.markGone()
	}
}

// conversation is what a conversation keeps, by the Extra texts of its deltas. A
// delta that is not understood has no effect but a notice: a log cannot be
// edited.
func conversation(extras []string) (kept *node, notices []string) {
	kept = newTable(Origin{Kind: InConversation})
	for _, extra := range extras {
		n, err := delta(extra)
		if err == nil && n != nil {
			err = (&Layers{}).check(n)
		}
		if err != nil {
			notices = append(notices, err.Error()+": this setting of the conversation has no effect")
		} else if n != nil {
			kept = merge(kept, n)
		}
	}
	return kept, notices
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
// none where there are none. One that is taken back has no value.
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

// Kept lists what a conversation keeps, by the Extra texts of its deltas.
func Kept(extras ...string) []Setting {
	kept, _ := conversation(extras)
	return slices.DeleteFunc(settings(kept, field{typ: configType}, nil), func(s Setting) bool { return s.Table })
}

// Delta is the Extra of a config delta that keeps the flags in a conversation
// with the extras it has, and takes back what they say is to be; empty when
// nothing changes. Missing are keys to be taken back that it does not keep.
func (l *Layers) Delta(extras ...string) (extra string, missing []string, err error) {
	have, _ := conversation(extras)
	want, _ := conversation(extras)
	for _, path := range l.back {
		if !want.remove(path) && l.flags.at(path) == nil {
			missing = append(missing, shown(path))
		}
	}
	travels, _ := l.flags.split(nil, func(path []string, n *node) bool { return ofConversation(path) && !n.passing })
	change := difference(have, merge(want, travels))
	if len(change.table) == 0 {
		return "", missing, nil
	}
	text, err := json.Marshal(map[string]any{Member: change.plain()}, json.Deterministic(true))
	return string(text), missing, err
}

// difference is what has to be merged over a tree to make it another: a key to be
// taken back is null.
func difference(from, to *node) *node {
	change := newTable(to.origin)
	from.leaves(nil, func(path []string, _ *node) {
		if to.at(path) == nil {
			change.put(path, &node{})
		}
	})
	to.leaves(nil, func(path []string, leaf *node) {
		if had := from.at(path); had == nil || !reflect.DeepEqual(had.plain(), leaf.plain()) {
			change.put(path, leaf)
		}
	})
	return change
}
