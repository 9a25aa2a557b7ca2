package excerpt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tenfold"
)

// F6: what is kept of an object in a list keeps what names the object and its first member.
// Nothing else is a record, and JSON that breaks off is none the less one.
func TestF6ARecordIsNamed(t *testing.T) {
	const words = `"says": "plain words are here, many of them, too long for a gap to be filled with any of them, as long as people write who have time, and then some more"`
	object := func(members ...string) string {
		return strings.NewReplacer("[,", "[", "{,", "{").Replace("{\n" + strings.Join(members, ",\n") + "\n}")
	}
	one := object(`"key": 7`, words, words, `"title": "plain words"`, words, words, `"at": "open_file"`, words)
	for name, tt := range map[string]struct{ result, want string }{
		"its title and first member": {"[\n" + one + "\n]", "3,6,9"},
		"blanks before its colons":   {"[\n" + strings.ReplaceAll(one, `":`, `" :`) + "\n]", "3,6,9"},
		"no blanks":                  {"[\n" + strings.ReplaceAll(one, `": `, `":`) + "\n]", "3,6,9"},
		"an object alone":            {one, "8"},
		"an object in it":            {"[\n" + object(`"key": 7`, words, words, `"name": "plain"`, words, words, `"place": {`, words, words, `"at": "open_file"`, "}", words) + "\n]", "3,6,12"},
		"a list in a member":         {object(`"count": 1`, words, words, `"rows": [`, one, "]"), "7,10,13"},
		"a list in a record":         {"[\n" + object(`"key": 7`, words, words, `"title": "plain"`, words, words, `"files": [`, words, words, `"open_file"`, "]") + "\n]", "3,6,12"},
		"a record in a record":       {"[\n" + object(`"title": "outer"`, words, words, `"rows": [`, one, "]", words) + "\n]", "8,11,14"},
		"a name without a value":     {"[\n" + object(`"key": 7`, words, words, `"open_file": null`, words, words, `"open_file": {`, words, "}", words, words, `"open_file": 3`) + "\n]", "3,14"},
		"no title":                   {"[\n" + object(`"key": 7`, words, words, `"at": "open_file"`) + "\n]", "3,6"},
		"a title of another type":    {"[\n" + object(`"key": 7`, words, words, `"title": null`, words, words, `"at": "open_file"`) + "\n]", "3,9"},
		"a title that is too long":   {"[\n" + object(`"key": 7`, words, words, `"title": "`+strings.Repeat("plain ", 80)+`"`, words, words, `"at": "open_file"`) + "\n]", "3,9"},
		"it breaks off":              {"[\n" + strings.TrimSuffix(one, "\n"+words+"\n}"), "3,6,9"},
		"it opens nothing":           {"]\n}\n" + one, "10"},
		"no JSON":                    {"Found 1:\n[\n" + one + "\n]", "10"},
		"it is too deep":             {strings.Repeat("[\n", 65) + one, "73"},
		"as deep as may be":          {strings.Repeat("[\n", 63) + one, "65,68,71"},
	} {
		l := script(t, "t", "u go", "c 1 mcp__list {}")
		add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(tt.result)})
		same(t, name, shown(choose(l, linesOnly(300))), "4:"+tt.want)
	}
	l := script(t, "t", "u go", `c 1 Read {"file_path":"a.json"}`)
	add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("[\n" + one + "\n]")})
	same(t, "a file", shown(choose(l, linesOnly(60))), "4:9")
}

// F6: of a long line that a tool printed a piece is kept that begins and ends with records; of
// a file's, whose text may be edited, one of the three that overlap.
func TestF6APieceOfALongLineHoldsWholeRecords(t *testing.T) {
	for name, record := range map[string]string{
		"records":      `{"at":"plain words are here, many of them, as people write who have time","and":"more"},`,
		"without ends": `plain words are here, many of them, as people write who have time, and then some `,
		"no blanks":    `{"at":"plain-words-are-here-many-of-them-as-people-write-who-have-the-time"},`,
		"no end":       strings.Repeat("ä", 41),
	} {
		line := strings.Repeat(record, 61) + strings.TrimSuffix(`{"at":"open_file"},`+strings.Repeat(record, 60), ",")
		l := script(t, "t", "u go", "c 1 mcp__list {}")
		add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(line)})
		kept := choose(l, linesOnly(400))
		if len(kept) != 1 || len(kept[0].Lines) != 1 {
			t.Errorf("%s: kept are %+v", name, kept)
			continue
		}
		r := kept[0].Lines[0]
		piece := line[r.From:r.To]
		if !strings.Contains(piece, "open_file") || len(piece) > 800 || !utf8.ValidString(piece) {
			t.Errorf("%s: the piece is %q", name, piece)
		}
		if begins := strings.HasPrefix(piece, record); begins != strings.HasPrefix(record, "{") && name != "no end" {
			t.Errorf("%s: the piece begins with a record: %t", name, begins)
		}
	}
	l := script(t, "t", "u go", `c 1 Read {"file_path":"a.json"}`)
	line := strings.Repeat("plain words are here, many of them, as people write who have time, and then some ", 60) + "open_file"
	add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(line)})
	if kept := choose(l, linesOnly(800)); len(kept) != 1 || len(kept[0].Lines) != 1 || kept[0].Lines[0].To-kept[0].Lines[0].From < len(line)/3 {
		t.Errorf("of a file is kept %+v", kept)
	}
}
