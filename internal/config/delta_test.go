package config

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

func TestDelta(t *testing.T) {
	const at = "conversation.compaction."
	l, err := layered(t, "", "", nil, []string{at + "keep_last=5", "providers.x.base_url=http://x", at + "session_dir=/x"})
	if err != nil {
		t.Fatal(err)
	}
	extra, _, err := l.Delta(`{"other":1}`)
	if want := `{"tenfold":{"conversation":{"compaction":{"keep_last":5}}}}`; err != nil || extra != want {
		t.Fatalf("the delta is %s, %v", extra, err)
	}
	if again, _, err := l.Delta(extra); err != nil || again != "" {
		t.Errorf("what holds already is kept again: %s, %v", again, err)
	}
	if changed, _, err := l.Delta(extra, strings.Replace(extra, "5", "6", 1)); err != nil || changed != extra {
		t.Errorf("what held once is not kept: %s, %v", changed, err)
	}
	none, err := layered(t, "", "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, words := range map[string]string{
		`{"tenfold":{"providers":{"anthropic":{"base_url":"http://evil"}}}}`:     "a conversation may not set providers",
		`{"tenfold":{"conversation":{"compaction":{"session_dir":"/"}}}}`:        "a conversation may not set conversation.compaction.session_dir",
		`{"tenfold":{"conversation":{"counter":"chars/4"}}}`:                     "a conversation may not set conversation.counter",
		`{"tenfold":{"conversation":{"compaction":{"some_day":1}}}}`:             "unknown key",
		`{"tenfold":{"conversation":{"compaction":{"keep_last":"x","fork":1}}}}`: "must be",
	} {
		e, err := none.With(text)
		if err != nil || len(e.Notices) != 1 || !strings.Contains(e.Notices[0], words) || e.Tail() != tenfold.DefaultTail() {
			t.Errorf("%s: %q, %v", text, e.Notices, err)
		}
	}
	for _, text := range []string{"", "no JSON", "[1]", `{"tenfold":1}`} {
		if e, err := none.With(text); err != nil || len(e.Notices) != 0 {
			t.Errorf("%q: %q, %v", text, e.Notices, err)
		}
	}
}

// What a conversation keeps is what the flags of its runs said, in order: the
// last value of a key, unless it was taken back since.
func TestKeptIsWhatWasSaid(t *testing.T) {
	const at = "conversation.compaction."
	keys := map[string][]string{
		at + "keep_last": {"1", "5"}, at + "keep_tokens": {"off", "9k"}, at + "strategy": {"auto", "micro strip-tools"}, "models.m.context_window": {"7", "8"},
		at + "profiles.x.reasoning": {"strip", "keep"}, at + "profiles.x.tool_calls": {"omit", "strip"}, at + "profiles.y.summary.placement": {"user", "pair"},
		at + "micro.over": {"1KB", "2KB"},
	}
	back := append(slices.Sorted(maps.Keys(keys)), at+"profiles.x", at+"profiles", "models", "conversation", "conversation.compaction")
	never := []string{"providers.p.timeout=5m", at + "session_dir=/x", at + `={session_dir="/y"}`}
	rapid.Check(t, func(t *rapid.T) {
		said := map[string]string{}
		var extras []string
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			var flags []string
			for range rapid.IntRange(0, 4).Draw(t, "flags") {
				switch rapid.IntRange(0, 4).Draw(t, "kind") {
				case 0:
					key := rapid.SampledFrom(back).Draw(t, "back")
					flags = append(flags, key+"=")
					maps.DeleteFunc(said, func(k, _ string) bool { return k == key || strings.HasPrefix(k, key+".") })
				case 1:
					flags = append(flags, strings.ReplaceAll(rapid.SampledFrom(never).Draw(t, "never"), ".=", "="))
				default:
					key := rapid.SampledFrom(slices.Sorted(maps.Keys(keys))).Draw(t, "key")
					said[key] = rapid.SampledFrom(keys[key]).Draw(t, "value")
					flags = append(flags, key+"="+said[key])
				}
			}
			l, err := Read(Sources{Flags: flags})
			if err != nil {
				t.Fatal(err)
			}
			extra, _, err := l.Delta(extras...)
			if err != nil {
				t.Fatal(err)
			}
			if extra != "" {
				extras = append(extras, extra)
			}
			// Said again it is nothing new.
			if again, _, err := l.Delta(extras...); err != nil || again != "" {
				t.Fatalf("%q kept again as %s, %v", flags, again, err)
			}
			kept := map[string]string{}
			for _, s := range Kept(extras...) {
				kept[s.Key()] = strings.Trim(s.TOML(), `"`)
			}
			if !maps.Equal(kept, said) {
				t.Fatalf("after %q it keeps %v, and was told %v\n%s", flags, kept, said, strings.Join(extras, "\n"))
			}
			// And it is in effect, with no complaint.
			e, err := (&Layers{below: newTable(Origin{}), own: newTable(Origin{}), flags: newTable(Origin{})}).With(extras...)
			if err != nil || len(e.Notices) > 0 {
				t.Fatalf("%v %q", err, e.Notices)
			}
		}
	})
}
