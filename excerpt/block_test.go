package excerpt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// logOf is an index of calls with their results.
func logOf(t testing.TB, payloads ...tenfold.Payload) (*tenfold.Log, *Index) {
	t.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	put(t, l, tenfold.UserMessage{Parts: tenfold.Text("go on")})
	for _, p := range payloads {
		put(t, l, p)
	}
	ix := NewIndex()
	ix.Advance(tenfold.Project(l))
	return l, ix
}

func ranCall(id int, name, arguments, result string) []tenfold.Payload {
	return []tenfold.Payload{
		tenfold.ToolCall{CallID: fmt.Sprint(id), Name: name, Arguments: arguments},
		tenfold.ToolResult{CallID: fmt.Sprint(id), Parts: tenfold.Text(result)},
	}
}

func function(name string, lines int) string {
	return "func " + name + "() {\n" + strings.Repeat("\tcall the "+name+" thing\n", lines-2) + "}\n"
}

// F6: blocks end at blank lines; small neighbours make one, large ones are cut
// where they are indented least.
func TestF6BlocksAreCutAsTextsAreWritten(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a function each":   {function("first", 18) + "\n" + function("second", 16), "1-19 20-35"},
		"small ones joined": {function("first", 5) + "\n" + function("second", 5) + "\n" + function("third", 20), "1-12 13-32"},
		"larger ones apart": {function("first", 9) + "\n" + function("second", 9), "1-10 11-19"},
		"at the margin":     {strings.Repeat("\tdeep in the text\n", 19) + "top of a new part\n" + strings.Repeat("\tdeep in the text\n", 14), "1-19 20-34"},
		"too little":        {"one line of words", ""},
		"gutters aside":     {"     1→" + strings.Repeat("words of a text\n", 3) + "     4→\n" + strings.Repeat("words of a text\n", 17), "1-21"},
	} {
		_, ix := logOf(t, ranCall(1, "Read", `{"file_path":"some_file.go"}`, tt.text)...)
		var got []string
		for _, b := range ix.blocks {
			got = append(got, fmt.Sprintf("%d-%d", b.first, b.last))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// F6: only the newest version of a text is a block to choose.
func TestF6OnlyTheNewestVersionStands(t *testing.T) {
	text := strings.Join([]string{"first line of it", "second line of it", "third line of it", "fourth line of it", "fifth line of it"}, "\n")
	read := func(id int, text string) []tenfold.Payload {
		return ranCall(id, "Read", `{"file_path":"some_file.go"}`, text)
	}
	for name, tt := range map[string]struct {
		log  []tenfold.Payload
		want string
	}{
		"read twice":        {slices.Concat(read(1, text), read(2, text)), "false true"},
		"with one new line": {slices.Concat(read(1, text), read(2, strings.Replace(text, "third", "changed", 1))), "false true"},
		"half of it":        {slices.Concat(read(1, text), read(2, "     1→first line of it\n     2→second line of it\n     3→and words of its own that are new")), "true true"},
		"printed again":     {slices.Concat(read(1, text), ranCall(2, "Bash", `{"command":"make test"}`, text)), "true true"},
		"nothing to tell":   {read(1, strings.Repeat("}\n", 40)), "false false"},
	} {
		_, ix := logOf(t, tt.log...)
		var got []string
		for i := range ix.blocks {
			got = append(got, fmt.Sprint(ix.isNewestVersion(&ix.blocks[i])))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

// F6: what was read of a file that is worked on is more likely edited next than an
// old listing, what is near a place that an error names more than what is far.
func TestF6WhatIsEditedNext(t *testing.T) {
	chances := func(payloads ...[]tenfold.Payload) []int64 {
		_, ix := logOf(t, slices.Concat(payloads...)...)
		look := ix.edits()
		var all []int64
		for i := range ix.blocks {
			all = append(all, look.chance(&ix.blocks[i]))
		}
		return all
	}
	listing := ranCall(1, "Glob", `{"pattern":"*.go"}`, strings.Repeat("src/other_file.go\nsrc/another_file.go\n", 8))
	read := ranCall(2, "Read", `{"file_path":"src/some_file.go"}`, function("some", 16))
	said := []tenfold.Payload{tenfold.AssistantMessage{Text: "Now I change call the some thing in src/some_file.go."}}
	if got := chances(listing, read, said); got[1] < 5*got[0] {
		t.Errorf("a listing %d, a read of the file at hand %d", got[0], got[1])
	}
	if got, without := chances(read, said), chances(read); got[0] <= without[0] {
		t.Errorf("spoken of %d, else %d", got[0], without[0])
	}
	edit := ranCall(3, "Edit", `{"file_path":"src/some_file.go","old_string":"a","new_string":"b"}`, "ok")
	if got, fresh := chances(read, edit), chances(read); got[0] >= fresh[0] {
		t.Errorf("read before a change %d, after it %d", got[0], fresh[0])
	}
	long := ranCall(2, "Read", `{"file_path":"src/some_file.go"}`, function("some", 24)+"\n"+function("more", 24)+"\n"+function("last", 24))
	fails := ranCall(3, "Bash", `{"command":"make"}`, "src/some_file.go:60: undefined")
	if got := chances(long, fails); got[2] < got[1]+200_000 || got[2] < got[0]+200_000 {
		t.Errorf("near the error %d, elsewhere %d and %d", got[2], got[0], got[1])
	}
	hit := ranCall(3, "Grep", `{"pattern":"more"}`, "src/some_file.go:30:\tcall the more thing")
	if got := chances(long, hit); got[1] <= got[2] {
		t.Errorf("quoted by a search %d, not quoted %d", got[1], got[2])
	}
	library := ranCall(2, "Read", `{"file_path":"node_modules/oven/some_file.go"}`, function("some", 16))
	if got := chances(library, said); got[0] != 0 {
		t.Errorf("installed by a package manager %d", got[0])
	}
}

// The first file that a command shows, as far as its words tell.
func TestShownBy(t *testing.T) {
	for command, want := range map[string]string{
		"cat src/a_file.go":                       "src/a_file.go",
		"nl -ba src/a_file.go | sed -n '1,80p'":   "src/a_file.go",
		"cd src && sed -n '1,80p' 'a_file.go'":    "a_file.go",
		"make; cat ./build.log":                   "./build.log",
		"sed -i 's/a/b/' src/a_file.go":           "",
		"cat > src/a_file.go <<EOF\nwords\nEOF":   "",
		"grep name src/a_file.go":                 "",
		"cat /dev/null src/a_file.go":             "src/a_file.go",
		"go test ./... && echo src/other_file.go": "",
	} {
		if got := shownBy(command); got != want {
			t.Errorf("%q shows %q, want %q", command, got, want)
		}
	}
}

// What a search prints before a line of a file is not part of it.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"src/a.go:12:func name()": "func name()",
		"src/a.go-12-func name()": "func name()",
		"12:func name()":          "12:func name()",
		"a text: 12: words":       "a text: 12: words",
		"http://host:8080/path":   "http://host:8080/path",
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
