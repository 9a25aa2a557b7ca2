package excerpt_test

import (
	"strings"
	"testing"

	"tenfold"
)

// F6: a row of a table keeps the first one, which says what its numbers are, however the
// table is drawn; what only looks like one, and what stands behind a blank line, does not.
func TestF6ARowKeepsTheNamesOfItsColumns(t *testing.T) {
	const words = "plain words are here and many more of them too long for a gap to be filled with as long as the sentences that people write who have time and then some words more"
	for name, tt := range map[string]struct{ head, row, want string }{
		"psql":                {" oven | heat \n------+------", words + " | open_file", "1,6"},
		"mysql":               {"+------+------+\n| oven | heat |\n+------+------+", "| " + words + " | open_file |", "2,7"},
		"markdown":            {"| oven | heat |\n|:---|---:|", "| " + words + " | open_file |", "1,6"},
		"drawn with boxes":    {"│ oven ┃ heat │\n┡━━━━━━╇━━━━━━┩", "│ " + words + " │ open_file │", "1,6"},
		"PowerShell":          {"Oven   Heat\n----   ----", words + "   open_file", "1,6"},
		"kubectl":             {"NAME   READY   STATUS", words + "   0/1   open_file", "1,5"},
		"names in any case":   {"Oven   Heat   Loaves", words + "   7   open_file", "1,5"},
		"pandas":              {"   oven2  heat  loaves", "0  " + words + "   open_file", "1,5"},
		"commas":              {"oven,heat,loaves", words + ",7,open_file", "1,5"},
		"semicolons":          {"\ufeff\"oven\";heat;loaves", words + ";7;open_file", "1,5"},
		"tabs":                {"oven\theat\tloaves", words + "\t7\topen_file", "1,5"},
		"a title":             {"oven and heat\n-------------", words + " open_file", "6"},
		"rules alone":         {"---+---\n---+---", words + " | open_file", "6"},
		"prose with commas":   {"oven, heat, loaves", words + ", 7, open_file", "5"},
		"rows without names":  {"7,8,9", words + ",7,open_file", "5"},
		"too few cells":       {"oven,heat", words + ",open_file", "5"},
		"too few gaps":        {"OVEN   HEAT", words + "   open_file", "5"},
		"no numbers":          {"Oven   Heat   Loaves", words + "   and   open_file", "5"},
		"not at the top":      {"some text first\nNAME   READY   STATUS", words + "   0/1   open_file", "6"},
		"behind Output:":      {"Exit code: 0\nOutput:\n   oven2  heat  loaves", "0  " + words + "   open_file", "3,7"},
		"behind a count":      {"83870\noven,heat,loaves", words + ",7,open_file", "2,6"},
		"behind a row's name": {"oven   heat  loaves\nday                ", words + "   7   open_file", "1,6"},
		"a blank line ends":   {" oven | heat \n------+------\n\n", words + " | open_file", "8"},
		"names too long":      {strings.Repeat("word ", 90) + "| heat \n------+------", words + " | open_file", "6"},
	} {
		plain := strings.ReplaceAll(tt.row, "open_file", "plain")
		text := strings.Join([]string{tt.head, plain, plain, plain, tt.row, plain}, "\n")
		for kind, p := range map[string]tenfold.Payload{
			"4:": tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(text)},
			"3:": tenfold.UserMessage{Parts: tenfold.Text(text + "\n")},
		} {
			if kind == "3:" && (name == "names in any case" || name == "pandas" || strings.HasPrefix(name, "behind")) {
				continue // people align words as well
			}
			l := script(t, "t", "u go")
			if kind == "4:" {
				l = script(t, "t", "u go", "c 1 Bash {}")
			}
			add(t, l, p)
			add(t, l, tenfold.UserMessage{Parts: tenfold.Text("go on")})
			if got := shown(choose(l, linesOnly(120))); got != kind+tt.want {
				t.Errorf("%s: got %s, want %s", name, got, kind+tt.want)
			}
		}
	}
	// A file of such lines is a table, words that are aligned in code are none.
	l := script(t, "t", "u go", `c 1 Read {"file_path":"a.csv"}`, "r 1      1→oven,heat,loaves|     2→"+words+",7,plain|     3→"+words+",7,plain|     4→"+words+",7,open_file")
	same(t, "a file", shown(choose(l, linesOnly(60))), "4:1,4")
	l = script(t, "t", "u go", `c 1 Read {"file_path":"a.go"}`, "r 1 oven   heat   loaves|"+words+"   7   plain|"+words+"   7   plain|"+words+"   7   open_file")
	same(t, "code", shown(choose(l, linesOnly(60))), "4:4")
}

// The numbers of a page's elements that have no name are worth nothing.
func TestAPageIsItsTextsNotItsElements(t *testing.T) {
	l := script(t, "t", "u go", "c 1 browser_snapshot {}", `r 1 [80301] banner|  [80302] listitem|  [80303] link "Ovens"|  [80304] listitem|[80305] list`, "t", "u go on")
	same(t, "kept", shown(choose(l, linesOnly(120))), "4:3")
}
