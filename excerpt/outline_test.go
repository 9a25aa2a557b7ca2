package excerpt_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tenfold"
	"tenfold/excerpt"
)

// apart puts lines with words between lines that must not be filled as gaps.
func apart(lines ...string) string {
	const words = "plain words are here, many of them, too long for a gap to be filled with, as long as the sentences that people write who have time, and then some words more"
	var out []string
	for _, line := range lines {
		out = append(out, line)
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for range 3 {
			out = append(out, indent+"# "+words)
		}
	}
	return strings.Join(out, "\n")
}

// F6: a value of settings keeps the keys that it is in, the item of a list and the name of the
// document; the section of TOML; the resource of a plan. Code that looks alike does not.
func TestF6AValueKeepsItsKeys(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"YAML":                   {apart("worker:", "  scale:", "    open_file: 3"), "1,5,9"},
		"a list at its key":      {apart("hosts:", "- host: plain", "  open_file: 3"), "1,5,9"},
		"a list farther in":      {apart("hosts:", "  - host: plain", "    open_file: 3"), "1,5,9"},
		"an item far in":         {apart("jobs:", "  build:", "    steps:", "      - name: plain", "        with:", "          open_file: 3"), "5,13,17,21"},
		"a key far in":           {apart("a:", "  b:", "    c:", "      d:", "        open_file: 3"), "1,5,13,17"},
		"its neighbours are not": {apart("other:", "  open: 3", "worker:", "  open_file: 3"), "9,13"},
		"a script":               {apart("build:", "  script: |", "    make open_file"), "1,5,9"},
		"an anchor":              {apart("base: &base", "  open_file: 3"), "1,5"},
		"a document":             {apart("kind: Deployment", "metadata:", "  name: oven", "spec:", "  open_file: 3"), "1,9,13,17"},
		"the next document":      {apart("kind: Deployment", "metadata:", "  name: oven", "---", "spec:", "  open_file: 3"), "17,21"},
		"JSON":                   {apart(`{`, `  "compilerOptions": {`, `    "open_file": "plain",`), "5,9"},
		"TOML":                   {apart("[tool.ruff]", "line = 5", "[tool.mypy]", "strict = 1", "open_file = 3"), "9,17"},
		"a table of TOML":        {apart("[[bin]]", "open_file = 3"), "1,5"},
		"a section of git":       {apart(`[remote "origin"]`, "  open_file = plain"), "1,5"},
		"Terraform":              {apart(`  ~ resource "aws_db" "oven" {`, "      ~ size = 3", "      ~ open_file = 3 -> 4"), "1,9"},
		"Python":                 {apart("try:", "    open_file(3)"), "5"},
		"a list of Python":       {apart("[oven]", "open_file(heat=3)"), "5"},
		"words":                  {apart("Note this:", "  see open_file"), "5"},
		"a key that is long":     {apart(strings.Repeat("k", 70)+":", "  open_file: 3"), "5"},
		"a text among keys":      {apart("worker:", "  scale: 3", "  open_file here"), "1,9"},
		"another's kind":         {apart("kind: Deployment", "metadata:", "  name: oven", "---", "metadata:", "  name: open_file"), "21"},
		"a name of several":      {apart("metadata:", "  name:", "    first: oven", "spec:", "  open_file: 3"), "13,17"},
		"a name farther in":      {apart("metadata:", "  labels:", "    name: oven", "spec:", "  open_file: 3"), "13,17"},
		"words in brackets":      {apart("[plain words here]", "open_file = 3"), "5"},
		"a section that is long": {apart("["+strings.Repeat("k", 70)+"]", "open_file = 3"), "5"},
		"as deep as may be":      {apart(deep(20)...), "1,5,61,81"},
	} {
		for _, call := range []string{`c 1 Read {"file_path":"a.txt"}`, "c 1 Bash {}"} {
			l := script(t, "t", "u go", call)
			add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(tt.text)})
			if got := shown(choose(l, linesOnly(250))); got != "4:"+tt.want {
				t.Errorf("%s, %s: got %s, want 4:%s", name, call, got, tt.want)
			}
		}
	}
}

func deep(n int) (lines []string) {
	for i := range n {
		lines = append(lines, strings.Repeat(" ", i)+fmt.Sprintf("k%c:", 'a'+i))
	}
	return append(lines, strings.Repeat(" ", n)+"open_file: 3")
}

// F6: a paragraph keeps the heading that it is under, and a line of a log the step of the build
// or the test that printed it.
func TestF6ALineKeepsItsHeading(t *testing.T) {
	apart := func(lines ...string) string {
		return regexp.MustCompile(" *# plain").ReplaceAllString(apart(lines...), "            plain")
	}
	for name, tt := range map[string]struct{ text, want string }{
		"a paragraph":            {apart("# Oven", "## Heat", "see open_file"), "5,9"},
		"the nearest heading":    {apart("## Oven", "### Heat", "see open_file"), "5,9"},
		"of the first level":     {apart("## Oven", "# Heat", "see open_file"), "5,9"},
		"comments":               {apart("# Oven", "see open_file"), "5"},
		"in code":                {apart("## Oven", "```sh", "## Heat", "make open_file", "```"), "1,13"},
		"code in code":           {apart("## Oven", "````md", "```", "## Heat", "make open_file", "````"), "1,17"},
		"code that code is in":   {apart("## Oven", "```", "```sh", "## Heat", "make open_file", "```"), "1,17"},
		"code between waves":     {apart("## Oven", "~~~ `sh`", "## Heat", "make open_file", "~~~"), "1,13"},
		"code in a line":         {apart("```make```", "## Heat", "see open_file"), "5,9"},
		"too many signs":         {apart("## Oven", "####### Heat", "see open_file"), "1,9"},
		"a heading that is long": {apart("## "+strings.Repeat("plain ", 60), "see open_file"), "5"},
		"an issue":               {apart("#1234 [plain] heat", "#1234 open_file"), "5"},
		"the next test of Go":    {apart("--- FAIL: Testoven (0.1s)", "--- FAIL: Testheat (0.1s)", "    oven.go: open_file is cold"), "5,9"},
		"behind tests of Jest":   {apart("  ● Oven › heats", "Test Suites: 1 plain", "see open_file"), "9"},
		"no heading":             {apart("##Oven", "see open_file"), "5"},
		"a build":                {apart("#8 [build 4/7] RUN make", "#9 [build 5/7] RUN ls", "#8 0.3 open_file is cold"), "1,9"},
		"a step without a name":  {apart("#8 sha plain", "#8 0.3 open_file is cold"), "5"},
		"a test of Go":           {apart("--- FAIL: Testoven (0.1s)", "    oven.go: open_file is cold"), "1,5"},
		"a test in it":           {apart("--- FAIL: Testoven (0.1s)", "    --- FAIL: Testoven/heat (0.1s)", "        oven.go: open_file is cold"), "1,5,9"},
		"behind a test":          {"--- FAIL: Testoven (0.1s)\n" + apart("open_file is cold"), "2"},
		"a test of Rust":         {apart("---- oven::heat stdout ----", "open_file is cold"), "1,5"},
		"behind its tests":       {apart("---- oven::heat stdout ----", "failures:", "    open_file"), "9"},
		"a test of Jest":         {apart("  ● Oven › heats", "    Received: open_file"), "1,5"},
		"a test of Mocha":        {"  2 passing\n  1 failing\n\n  1) Oven\n       heats it:\n" + apart("      it is cold", "  assert(open_file)"), "4-5,10"},
		"the second of them":     {"  2 failing\n\n  1) Oven:\n" + apart("      it is cold") + "\n  2) Door:\n" + apart("      plain", "  assert(open_file)"), "8,13"},
		"a list that is none":    {"  1) Oven\n       heats it:\n" + apart("      it is cold", "  assert(open_file)"), "7"},
		"an error with a place":  {"error[E0308]: it does not fit\n  --> src/oven.rs:3:5\n" + apart("   |", "3 | open_file"), "1-2,7"},
		"an arrow to nothing":    {"error[E0308]: it does not fit\n  --> oven:3:5\n" + apart("   |", "3 | open_file"), "7"},
	} {
		l := script(t, "t", "u go", "c 1 Bash {}")
		add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(tt.text)})
		if got := shown(choose(l, linesOnly(120))); got != "4:"+tt.want {
			t.Errorf("%s: got %s, want 4:%s", name, got, tt.want)
		}
	}
}

// F6: what a web page tells other programs takes no room.
func TestF6FurnitureOfWebPagesIsNotChosen(t *testing.T) {
	l := script(t, "t", "u go", "c 1 WebFetch {}")
	add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(apart(`"og:image": "https://example.org/open_file.png"`, `"og:url": "https://example.org/open_file.html"`))})
	same(t, "a page", shown(choose(l, linesOnly(120))), "4:5")
}

// F6: a line without words that a search prints beside what it found takes no room, nor the
// hashes of contents in a diff.
func TestF6LinesThatSayNothingAreNotChosen(t *testing.T) {
	for line, want := range map[string]string{
		"src/oven.go-123-": "", "src/oven.go-123-\t}": "", "src/oven.go-123-\theat()": "4:4", "src/oven.go:123:": "4:4",
		"index 953908e..77b19eb 100644": "", "index 953908e is open": "4:4",
	} {
		l := script(t, "t", "u go", `c 1 Bash {}`)
		add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.TrimSpace(strings.Replace(apart("plain", line), "plain\n", "", 1)) + "\n")})
		same(t, line, shown(choose(l, linesOnly(120))), want)
	}
}

// F6: a block of what says nothing of a notebook's cells is not worth an edit.
func TestF6FurnitureOfNotebooksIsNotEdited(t *testing.T) {
	block := strings.TrimSuffix(strings.Repeat("\"codemirror_mode\": \"words that are as long as those of code\",|", 8), "|")
	code := strings.TrimSuffix(strings.Repeat("\"heat = warm(oven) + words as long as those of the others\",|", 8), "|")
	l := script(t, "t", "u go", `c 1 Read {"file_path":"a.ipynb"}`, "r 1 "+code+"||"+block, "u go on")
	if got := shown(choose(l, excerpt.Options{Budget: 160})); strings.Contains(got, "10-") || strings.Contains(got, "17") {
		t.Errorf("kept are %s", got)
	}
}
