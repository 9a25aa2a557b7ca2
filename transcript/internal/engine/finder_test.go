package engine

import (
	"fmt"
	"testing"

	"tenfold/transcript/internal/walk"
)

// outlined words what a finder says of a value, whatever stands in it.
func outlined(f *Finder, at walk.Span) string {
	text := string(at.Of(f.Raw)) + ";"
	for _, m := range f.Object(at).List {
		text += string(m.Name) + "=" + outlined(f, m.At)
	}
	for i, item := range f.List(at) {
		text += fmt.Sprint(i, "=", outlined(f, item))
	}
	return text
}

// What one walk over a text found is what looking each value up finds, also farther down
// than the walk goes.
func TestFinderReads(t *testing.T) {
	var walked, looked Finder
	for _, text := range []string{
		`{"type": "a", "list": [1, {"x": [], "y": {}}, "s", [[2]]], "in": {"z": null}}`,
		`[{"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": [1, {"i": 2}]}}}}}}}}, [[[[[[[[[[3]]]]]]]]]]]`,
		`"text"`, `7`, `{}`, `[]`, ` {"a" : "b"} `,
	} {
		walked.Read([]byte(text))
		if walked.Scan.Err != nil {
			t.Errorf("%s: %v", text, walked.Scan.Err)
		}
		looked.Reset([]byte(text))
		if got, want := outlined(&walked, walked.Root()), outlined(&looked, looked.Root()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	for _, bad := range []string{``, `{"a":`, `{"a":1}}`, `[1,`, `{"a" 1}`} {
		if walked.Read([]byte(bad)).Any() || walked.Scan.Err == nil {
			t.Errorf("%q is taken for JSON", bad)
		}
	}
}

// Of a member that comes twice the last one counts, and the finder tells where it was asked for.
func TestFinderTellsOfMembersThatComeTwice(t *testing.T) {
	var f Finder
	m := f.Read([]byte(`{"a":"one","b":"\u0062","a":"two","n":3,"o":{"p":"q"},"l":[1,2]}`))
	if m.Peek("b") != "b" || m.Number("n") != 3 || m.Object("o").Peek("p") != "q" || len(m.Items("l")) != 2 || string(m.Raw("o")) != `{"p":"q"}` || f.Twice {
		t.Error(m.Peek("b"), m.Number("n"), m.Object("o"), m.Items("l"), f.Twice)
	}
	if m.Peek("a") != "two" || !f.Twice {
		t.Error(m.Peek("a"), f.Twice)
	}
	none := m.Object("no")
	if none.Any() || none.Peek("a") != "" || none.Raw("a") != nil || none.Number("a") != 0 || none.Object("a").Any() || none.Items("a") != nil {
		t.Error("something is found in what is not there")
	}
	if f.Read([]byte(`{"a":1}`)); f.Twice {
		t.Error("what was told of a text is told of the next")
	}
}
