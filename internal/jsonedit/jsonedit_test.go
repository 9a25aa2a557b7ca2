package jsonedit_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"tenfold/internal/jsonedit"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

func TestInsertKeepsTheStyleOfTheFile(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		keys             string
		value            string
		list             bool
	}{
		{"nothing", "", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", "a.b", "1", false},
		{"an empty object", "{}", "{\n  \"a\": 1\n}", "a", "1", false},
		{"tabs", "{\n\t\"x\": 1\n}\n", "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"b\": 2\n\t}\n}\n", "a", `{"b":2}`, false},
		{"one line", `{"x": 1}`, `{"x": 1, "a": {"b":2}}`, "a", `{ "b": 2 }`, false},
		{"one line, trailing comma", `{"x": 1,}`, `{"x": 1, "a": 2,}`, "a", "2", false},
		{"CRLF", "{\r\n  \"x\": 1\r\n}", "{\r\n  \"x\": 1,\r\n  \"a\": [\r\n    1\r\n  ]\r\n}", "a", "1", true},
		{"a comment behind", "{\n  \"x\": 1 // one\n}", "{\n  \"x\": 1, // one\n  \"a\": 2\n}", "a", "2", false},
		{"a comment alone", "// mine\n", "// mine\n{\n  \"a\": 2\n}\n", "a", "2", false},
		{"a trailing comma", "{\n  \"x\": 1, // one\n}", "{\n  \"x\": 1, // one\n  \"a\": 2,\n}", "a", "2", false},
		{"no indent", "{\n\"x\": 1\n}", "{\n\"x\": 1,\n  \"a\": 2\n}", "a", "2", false},
		{"indents of comments and lists", "{\n      // one\n    \"x\": [\n  1]\n}", "{\n      // one\n    \"x\": [\n  1],\n    \"a\": 2\n}", "a", "2", false},
		{"blank lines", " \n\t", " \n\t\n{\n  \"a\": 2\n}\n", "a", "2", false},
		{"an empty comment", "/**/{}", "/**/{\n  \"a\": 2\n}", "a", "2", false},
		{"BOM", "\ufeff{}", "\ufeff{\n  \"a\": 2\n}", "a", "2", false},
		{"a list", "{\"a\": [1, 2]}", "{\"a\": [1, 2, 3]}", "a", "3", true},
		{"in it already", "{\"a\": [1, /* x */ {\"b\": 1,}]}", "{\"a\": [1, /* x */ {\"b\": 1,}]}", "a", `{"b":1}`, true},
		{"set already", "{\"a\": 1.0}", "{\"a\": 1.0}", "a", "1", false},
		{"set twice", "{\"a\": 2, \"a\": 1}", "{\"a\": 2, \"a\": 1}", "a", "1", false},
	} {
		got, all, err := jsonedit.Insert([]byte(c.text), strings.Split(c.keys, "."), c.value, c.list)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		if back, ok := jsonedit.Undo(got, all); !ok || string(back) != c.text {
			t.Errorf("%s: undone it is %q, %v", c.name, back, ok)
		}
	}
}

func TestInsertChangesNothingThatIsThere(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": {"b": 2}}`: "a.b is set to something else",
		`{"a": 1}`:        "a is not an object",
		`[1]`:             "the file is not an object",
		`{"a": }`:         "line 1: expected a value",
		"{\n\"a\" 1}":     "line 2: expected a colon",
		`{"a": 1 "b": 2}`: "a comma is missing",
		`{"a": 1} x`:      "unexpected text after the value",
		`{"a": 1 /*`:      "a comment does not end",
		`{"a`:             "a string does not end",
		`{"a": 1`:         "unexpected end",
		`{a: 1}`:          "expected a key in double quotes",
		`{"x": ` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`: "nested too deeply",
		strings.Repeat(" ", jsonedit.Largest+1):                              "larger than 4 MiB",
	} {
		got, _, err := jsonedit.Insert([]byte(text), []string{"a", "b"}, "1", false)
		if err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%.40s: %q, %v; want %s", text, got, err, want)
		}
	}
	if _, _, err := jsonedit.Insert([]byte(`{"a": 1}`), []string{"a"}, "2", false); !errors.Is(err, jsonedit.ErrTaken) {
		t.Errorf("the error is %v", err)
	}
	if _, _, err := jsonedit.Insert([]byte(`{"a": {}}`), []string{"a"}, "2", true); err == nil {
		t.Error("an object was taken for a list")
	}
}

// What a person changed stays, and only what was added goes.
func TestRemoveFromAChangedFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n  \"x\": 1,\n  \"a\": {\n    \"b\": 7\n  }\n}", "{\n  \"x\": 1\n}"},
		{"{\"a\": {\"b\": 7}, \"x\": 1}", "{\"x\": 1}"},
		{"{\n  \"a\": {\"b\": 7}, // mine\n  // about x\n  \"x\": 1\n}", "{\n  // mine\n  // about x\n  \"x\": 1\n}"},
		{"{\n  \"x\": 1, // one\n  \"a\": {\"b\": 7}\n}", "{\n  \"x\": 1 // one\n  \n}"},
		{"{\"x\": 1 /* , */ , \"a\": {\"b\": 7}}", "{\"x\": 1 /* , */ }"},
		{"{\"x\": 1, \"a\": {\"b\": 7},}", "{\"x\": 1,}"},
		{"{\"a\": {\"c\": 1, \"b\": 7}}", "{\"a\": {\"c\": 1}}"},
		{"{\"a\": {\"b\": 7 /* why */}}", "{\"a\": { /* why */}}"},
		{"{\"a\": {\"b\": 7}}", "{}"},
	} {
		got, ok := jsonedit.Remove([]byte(c.text), []string{"a", "b"}, "7", false)
		if !ok || string(got) != c.want {
			t.Errorf("%q: %q, %v; want %q", c.text, got, ok, c.want)
		}
	}
	for _, text := range []string{"", "{}", `{"a": {"b": 8}}`, `{"a": 7}`, "{", `[7]`} {
		if got, ok := jsonedit.Remove([]byte(text), []string{"a", "b"}, "7", false); ok || string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	got, ok := jsonedit.Remove([]byte(`{"a": [1, {"b": 2}, 3]}`), []string{"a"}, `{"b":2}`, true)
	if !ok || string(got) != `{"a": [1, 3]}` {
		t.Errorf("the list is %q, %v", got, ok)
	}
	for _, text := range []string{`{"a": {"x": 7}}`, `{"a": [8]}`, `{"a": 7}`} {
		if got, ok := jsonedit.Remove([]byte(text), []string{"a"}, "7", true); ok || string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestPlainOfNoValue(t *testing.T) {
	for text, want := range map[string]string{"": "no value", "// none": "no value", "[": "unexpected end"} {
		if got, err := jsonedit.Plain([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want %s", text, got, err, want)
		}
	}
}

// What somebody put in the place of what was inserted is theirs.
func TestUndoLeavesWhatIsNotAsItWas(t *testing.T) {
	got, all, err := jsonedit.Insert([]byte(`{"x": 1}`), []string{"a"}, "7", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{strings.Replace(string(got), "7", "8", 1), string(got[:all[0].At+1]), ""} {
		if back, ok := jsonedit.Undo([]byte(text), all); ok {
			t.Errorf("of %q it leaves %q", text, back)
		}
	}
}

// file draws a JSON file as a person may write one.
func file(t *rapid.T) string {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	space := rapid.SampledFrom([]string{"", " ", eol, eol + "  ", "\t", " // c \" {" + eol, "/* , */", " /* [" + eol + " */ "})
	var value func(depth int) string
	inside := func(depth int, open, closing string, one func() string) string {
		n := rapid.IntRange(0, 3).Draw(t, "n")
		text := open + space.Draw(t, "s")
		for i := range n {
			text += one() + space.Draw(t, "s")
			if i < n-1 || rapid.Bool().Draw(t, "comma") {
				text += "," + space.Draw(t, "s")
			}
		}
		return text + closing
	}
	key := func() string {
		return rapid.SampledFrom([]string{`"a"`, `"b"`, `"hooks"`, `"\u0061"`, `"x\"y"`}).Draw(t, "key")
	}
	object := func(depth int) string {
		return inside(depth, "{", "}", func() string {
			return key() + space.Draw(t, "s") + ":" + space.Draw(t, "s") + value(depth+1)
		})
	}
	value = func(depth int) string {
		kinds := 4
		if depth < 3 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return "-1.5e3"
		case 1:
			return "null"
		case 2:
			return `"// no \" comment"`
		case 3:
			return "true"
		case 4:
			return object(depth)
		}
		return inside(depth, "[", "]", func() string { return value(depth + 1) })
	}
	text := space.Draw(t, "s") + object(0) + space.Draw(t, "s")
	if rapid.Bool().Draw(t, "bom") {
		text = "\ufeff" + text
	}
	return text
}

// Whatever the file: what is inserted is there, once; undone it is the same bytes;
// removed from a file that went on, everything else is as it was.
func TestInsertAndUndoGiveTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(file(t))
		keys := rapid.SampledFrom([][]string{{"a"}, {"hooks", "b"}, {"new", "x", "y"}, {"a", "b"}}).Draw(t, "keys")
		value := rapid.SampledFrom([]string{"1", `{"command":"tenfold hook","n":[1,2]}`, `"s"`}).Draw(t, "value")
		list := rapid.Bool().Draw(t, "list")
		once, all, err := jsonedit.Insert(text, keys, value, list)
		if err != nil {
			return // it says something else there
		}
		twice, more, err := jsonedit.Insert(once, keys, value, list)
		if err != nil || len(more) > 0 || !bytes.Equal(once, twice) {
			t.Fatalf("inserted twice: %v, %v\n%s\n%s", more, err, once, twice)
		}
		back, ok := jsonedit.Undo(once, all)
		if !ok || !bytes.Equal(back, text) {
			t.Fatalf("undone:\n%q\n%q\n%q", text, once, back)
		}
		was := plain(t, text)
		if len(all) == 0 || was == nil {
			return
		}
		removed, ok := jsonedit.Remove(once, keys, value, list)
		if !ok {
			t.Fatalf("not removed:\n%s", once)
		}
		if again, _, err := jsonedit.Insert(removed, keys, value, list); err != nil || jsonedit.Comments(string(again)) != jsonedit.Comments(string(text)) {
			t.Fatalf("removed:\n%q\n%q\n%q, %v", text, once, removed, err)
		}
		is := plain(t, removed)
		for name, one := range was {
			if _, stays := is[name]; !stays && !empty(one) {
				t.Fatalf("%s went:\n%q\n%q\n%q", name, text, once, removed)
			}
		}
	})
}

// empty tells a value that Remove may take for one made for what it removes.
func empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			if !empty(one) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

func plain(t *rapid.T, text []byte) map[string]any {
	stripped, err := jsonedit.Plain(text)
	var out map[string]any
	if err != nil || json.Unmarshal(stripped, &out, json.DefaultOptionsV2()) != nil {
		return nil // keys twice, which readers take differently
	}
	return out
}
