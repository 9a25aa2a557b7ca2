package digest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// digestOfLines is the digest of a session with room for all of it.
func digestOfLines(t *testing.T, lines ...string) string {
	t.Helper()
	return digested(t, digest.Digest{Tokens: 8000}, requestOfLines(t, lines...))
}

func requestOfLines(t *testing.T, lines ...string) strategy.SummaryRequest {
	t.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(entriesOf(t, lines...)...); err != nil {
		t.Fatal(err)
	}
	return over(l, 0, l.Turns()-1)
}

// sectionOf is what stands under a heading.
func sectionOf(digest, heading string) string {
	_, rest, _ := strings.Cut(digest, "## "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// holds checks that a text has some words and has not others.
func holds(t *testing.T, text string, want, never []string) {
	t.Helper()
	text += "\n"
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("it has no %q:\n%s", w, text)
		}
	}
	for _, n := range never {
		if strings.Contains(text, n) {
			t.Errorf("it has %q:\n%s", n, text)
		}
	}
}

// M4a: the sections stand in the order of the rule.
func TestM4aOrder(t *testing.T) {
	text := digestOfLines(
		t,
		"t", "u Port the parser. Never change the names.", `c 1 Edit {"file_path":"/w/a.go","old_string":"x","new_string":"y"}`, "r 1 ok",
		`c 2 Edit {"file_path":"/w/b.go"}`, "e 2 text not found", "a The parser is ported, because the reader was.",
		"t", "u Now the tests.", `c 3 Bash {"command":"go test ./..."}`, "r 3 ok", "a They pass.",
	)
	at := -1
	for _, heading := range []string{"Where the work stands", "What the user demanded", "Changed files", "Open errors", "Decisions and findings", "Commands"} {
		next := strings.Index(text, "## "+heading+"\n")
		if next <= at {
			t.Fatalf("%q does not stand after what comes before it:\n%s", heading, text)
		}
		at = next
	}
}

// M4a: where the work stands and what comes next.
func TestM4aWhereTheWorkStands(t *testing.T) {
	now := sectionOf(digestOfLines(
		t,
		"t", "u Port the parser.",
		`c 1 TodoWrite {"todos":[{"content":"read it","status":"completed"},{"content":"port it","status":"in_progress"}]}`, "r 1 ok",
		`c 2 Bash {"command":"git checkout -b port"}`, "r 2 Switched to a new branch",
		`c 3 Bash {"command":"git status"}`, "r 3 On branch port\\nChanges not staged for commit:\\n  (use \"git add\")\\n\tmodified:   a.go\\n\\nUntracked files:\\n\tnew.go\\n",
		`c 4 Edit {"file_path":"/w/b.go","old_string":"x","new_string":"y"}`, "r 4 ok",
		`c 6 Edit {"file_path":"/w/a.go","old_string":"x","new_string":"y"}`, "r 6 ok", // is named already
		`c 5 Bash {"command":"go test ./..."}`, `e 5 Exit code 1\n--- FAIL: TestPort (0.00s)\n    port_test.go:7: got 1, want 2\nFAIL`,
		"t", "u Go on with the reader, please.", "a The reader comes next. Shall I keep its name?",
	), "Where the work stands")
	holds(t, now, []string{
		"- last request, turn 1:\n  > Go on with the reader, please.\n", "- the agent's last words, turn 1:\n  > The reader comes next. Shall I keep its name?\n",
		"- plan of turn 0, 1 request ago, then at the step marked ~:\n  - [x] `read it`\n  - [~] `port it`\n", "- branch `port`\n",
		"- uncommitted when last looked: `modified: a.go`, `?? new.go`\n", "- changed after that: `/w/b.go`\n",
		"- red: `go test ./...`: failed, exit code 1, turn 0\n  > --- FAIL: TestPort (0.00s)\n  > port_test.go:7: got 1, want 2\n",
	}, nil)
	done := sectionOf(digestOfLines(
		t, "t", "u Commit it.",
		`c 1 Bash {"command":"git status --short"}`, `r 1 ## main...origin/main\n M a.go`,
		`c 2 Bash {"command":"git commit -am 'Port it'"}`, `r 2 [main 1a2b3c4] Port it\n 1 file changed`,
	), "Where the work stands")
	quiet := sectionOf(digestOfLines(t, "t", "u Commit it.", `c 1 Bash {"command":"git status --short"}`, `r 1 ## main\n M a.go`, `c 2 Bash {"command":"git commit -qam 'Port it'"}`, "r 2 "), "Where the work stands")
	holds(t, quiet, []string{"- branch `main`\n"}, []string{"uncommitted", "a.go"})
	holds(t, done, []string{"- branch `main`\n", "- last commit `[main 1a2b3c4] Port it`\n"}, []string{"uncommitted", "a.go"})
}

// M4a, item 10: a plan file that is worked on counts as the plan, as it is after the
// changes; a long one by its open items; one that was left does not.
func TestM4aPlanFiles(t *testing.T) {
	read := []string{"t", "u Work through the plan.", `c 1 Read {"file_path":"/w/docs/PLAN.md"}`, `r 1      1→# Plan\n     2→- [x] read it\n     3→- [ ] port it\n     4→- [ ] test it`}
	edit := []string{`c 2 Edit {"file_path":"/w/docs/PLAN.md","old_string":"- [ ] port it","new_string":"- [x] port it"}`, "r 2 ok"}
	part := []string{`c 3 Read {"file_path":"/w/docs/PLAN.md","offset":4}`, `r 3      4→- [ ] test it`}
	ask := func(n int) (lines []string) {
		for range n {
			lines = append(lines, "t", "u Go on with the rest of it.", "a I do.")
		}
		return lines
	}
	long := []string{"t", "u Work through the plan.", `c 1 Write {"file_path":"todo.md","content":"` + strings.Repeat("- [x] past\\n", 90) + "- [ ] ahead\\n" + `"}`, "r 1 ok"}
	for name, c := range map[string]struct {
		lines      []string
		has, hasNo []string
	}{
		"read":       {read, []string{"- plan file `/w/docs/PLAN.md` of turn 0:\n  - [x] `read it`\n  - [ ] `port it`\n"}, nil},
		"changed":    {slices.Concat(read, edit), []string{"  - [x] `port it`\n  - [ ] `test it`\n"}, nil},
		"in part":    {slices.Concat(read, part), []string{"  - [ ] `port it`\n  - [ ] `test it`\n"}, nil},
		"long":       {long, []string{"- plan file `todo.md` of turn 0:\n  - [ ] `ahead`\n  - and 90 more\n"}, []string{"past"}},
		"in words":   {[]string{"t", "u Plan it.", `c 1 Write {"file_path":"/w/plans/a.md","content":"First one, then the other."}`, "r 1 ok"}, []string{"- plan file `/w/plans/a.md`, seen in turn 0\n"}, nil},
		"a while":    {slices.Concat(read, ask(2)), []string{"- plan file `/w/docs/PLAN.md` of turn 0, 2 requests ago:\n"}, nil},
		"left":       {slices.Concat(read, ask(4)), nil, []string{"plan file"}},
		"deleted":    {slices.Concat(read, []string{`c 4 apply_patch {"input":"*** Begin Patch\n*** Delete File: /w/docs/PLAN.md\n*** End Patch"}`, "r 4 ok"}), nil, []string{"plan file"}},
		"not a plan": {[]string{"t", "u Read.", `c 1 Read {"file_path":"/w/planet.md"}`, "r 1 - [ ] one"}, nil, []string{"plan file"}},
	} {
		t.Run(name, func(t *testing.T) {
			holds(t, sectionOf(digestOfLines(t, c.lines...), "Where the work stands"), c.has, c.hasNo)
		})
	}
}

// M4a: what was taken back is no demand any more; what only sounds so stays.
func TestM4aTakenBack(t *testing.T) {
	for _, c := range []struct {
		demand, back string
		stays        bool
	}{
		{"Only use the cache.", "Never mind, do the docs.", false},
		{"Only use the cache.", "Sorry, wrong chat. Ignore last message.", false},
		{"Always use a cache.", "Forget about the cache requirement, it is too slow.", false},
		{"Always use a cache.", "Actually forget what I said about the cache.", false},
		{"Only use the cache.", "No, never mind that.", false},
		{"Always use a cache.", "Don't forget the cache.", true},
		{"Always use a cache.", "The cache is slow. Forget about the logs.", true},
	} {
		text := digestOfLines(t, "t", "u Start it.", "a Yes.", "t", "u "+c.demand, "a Yes.", "t", "u "+c.back, "a Yes.", "t", "u Go on with the rest of it.")
		if strings.Contains(text, c.demand) != c.stays {
			t.Errorf("after %q, %q stays should be %v:\n%s", c.back, c.demand, c.stays, text)
		}
	}
}

// M4a: of a changed file it is told what was done to it, its last state, and
// the names and the first line of what was changed of late.
func TestM4aChangedFiles(t *testing.T) {
	files := sectionOf(digestOfLines(
		t,
		"t", "u Work.", `c 0 Read {"file_path":"/w/only.go"}`, "r 0 package w",
		`c 1 Edit {"file_path":"/w/a.go","old_string":"func (p *Parser) Next() int {\n\treturn 0\n}","new_string":"func (p *Parser) Next() int {\n\treturn p.next()\n}"}`, "r 1 ok",
		`c 2 apply_patch {"input":"*** Begin Patch\n*** Update File: b.py\n@@ class Reader:\n def read(self):\n-    pass\n+    return self.line\n*** Add File: c.ts\n+export function open(path: string) {\n+}\n*** Delete File: d.ts\n*** End Patch"}`, "r 2 ok",
		`c 3 Write {"file_path":"/w/e.md","content":"# Title\n\nText\n"}`, "r 3 File created successfully",
		`c 4 Edit {"file_path":"/w/broken.go","old_string":"x","new_string":"y"}`, "e 4 not found",
		`c 5 Write {"file_path":"/w/media/a.svg","content":"x"}`, "r 5 ok", `c 6 Write {"file_path":"/w/media/b.svg","content":"x"}`, "r 6 ok", `c 7 Write {"file_path":"/w/old.go","content":"x"}`, "r 7 ok",
		`c 9 Write {"file_path":"/w/twice.go","content":"x"}`, "r 9 File created successfully", `c 10 Edit {"file_path":"/w/twice.go","old_string":"x","new_string":"z"}`,
		`c 11 Write {"file_path":"/w/twice.go","content":"y"}`, "r 11 File created successfully", `c 12 Edit {"file_path":"/w/b2.go","old_string":"x","new_string":"z"}`,
		`c 8 Bash {"command":"cd /w && git rm -f media/*.svg && mv old.go new.go"}`, "r 8 ok",
	), "Changed files")
	holds(t, files, []string{
		"- `/w/a.go`: modified, turn 0\n  - in `Next`: `+ return p.next()`\n", "- `b.py`: modified, turn 0\n  - in `Reader`: `+ return self.line`\n",
		"- `c.ts`: created, turn 0\n  - in `open`: `+ export function open(path: string) {`\n", "- `d.ts`: deleted, turn 0\n", "- `/w/media/a.svg`: deleted, turn 0\n", "- `/w/media/b.svg`: deleted, turn 0\n", "- `/w/old.go`: deleted, turn 0\n", "- `/w/e.md`: created, turn 0\n  - in `# Title`",
		"- only read, of late: `/w/only.go`\n", "- `/w/b2.go`: modified, turn 0, no result\n", "- `/w/twice.go`: created, then written, turn 0\n",
	}, []string{"broken.go", "twice.go`: modified"})
}

// M4a: a directory that all changed files are in is said once, above them; one that is
// short, or that holds one file, is said with each.
func TestM4aTheDirectoryOfChangedFilesIsSaidOnce(t *testing.T) {
	changed := func(paths ...string) string {
		lines := []string{"t", "u Port the parser.", `c r Read {"file_path":"/home/baker/projects/bakery/README.md"}`, "r r text", `c s Read {"file_path":"/etc/hosts"}`, "r s text"}
		for i, path := range paths {
			lines = append(lines, fmt.Sprintf(`c %d Edit {"file_path":"%s","old_string":"x","new_string":"y"}`, i, path), fmt.Sprintf("r %d ok", i))
		}
		return sectionOf(digestOfLines(t, lines...), "Changed files")
	}
	holds(t, changed("/home/baker/projects/bakery/src/oven.go", "/home/baker/projects/bakery/src/oven_test.go", "/home/baker/projects/bakery/go.mod"),
		[]string{"- in `/home/baker/projects/bakery/`:\n- `go.mod`: modified", "- `src/oven_test.go`: modified", "- `src/oven.go`: modified", "only read, of late: `/etc/hosts`, `README.md`"}, []string{"bakery/src", "bakery/go.mod"})
	holds(t, changed("/home/baker/projects/bakery/src/oven.go"), []string{"- `/home/baker/projects/bakery/src/oven.go`: modified"}, []string{"- in `"})
	holds(t, changed("/w/src/oven.go", "/w/src/bread.go"), []string{"- `/w/src/oven.go`: modified", "- `/w/src/bread.go`: modified"}, []string{"- in `"})
	holds(t, changed("/home/baker/projects/bakery/src/oven.go", "src/bread.go"), []string{"- `/home/baker/projects/bakery/src/oven.go`: modified"}, []string{"- in `"})
}

// M4a: errors are told with their cause line.
func TestM4aCauseLines(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{`go: downloading x v1\n# tenfold/w\nw/a.go:7:2: undefined: next\nw/a.go:9:2: undefined: other\nFAIL`, "  > w/a.go:7:2: undefined: next\n"},
		{`ok  	w/b\n--- FAIL: TestA (0.01s)\n    a_test.go:9: got 1, want 2\n--- FAIL: TestB (0.00s)\nFAIL`, "  > --- FAIL: TestA (0.01s)\n  > a_test.go:9: got 1, want 2\n"},
		{`Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: no such port\n`, "  > ValueError: no such port\n"},
		{`src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nsrc/b.ts(1,1): error TS1005: ';' expected.`, "  > src/a.ts(3,5): error TS2304: Cannot find name 'x'.\n"},
		{`   Compiling w v0.1.0\nerror[E0308]: mismatched types\n --> src/a.rs:3:5\nerror: could not compile`, "  > error[E0308]: mismatched types\n"},
		{`collected 3 items\ntest_a.py F..\n    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\nFAILED test_a.py::test_a - assert 1 == 2`, "  > E       assert 1 == 2\n"},
		{`  1) reads it:\n     AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n1 !== 2\n\n      at Context.<anonymous>`, "  > AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n  > 1 !== 2\n"},
		{`thread 'main' panicked at src/a.rs:3:5:\nindex out of bounds`, "  > thread 'main' panicked at src/a.rs:3:5:\n"},
		{`rm: cannot remove 'x': No such file or directory`, "  > rm: cannot remove 'x': No such file or directory\n"},
		{`one\ntwo`, "  > two\n"},
	} {
		text := digestOfLines(t, "t", "u Work.", `c 1 Bash {"command":"./build.sh"}`, `e 1 Exit code 1\n`+c.output)
		want := "- `./build.sh`: failed, exit code 1, turn 0\n" + c.want
		if !strings.Contains(text+"\n", want) {
			t.Errorf("it has no %q:\n%s", want, text)
		}
	}
}

// M4a: an error is closed by a later run that covers it, and a command that
// nobody can repeat is not open for ever.
func TestM4aClosedErrors(t *testing.T) {
	script := `python3 - <<'E'\nraise ValueError('x')\nE`
	many := func(n int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf(`c m%d Edit {"file_path":"/w/m%d.go"}`, i, i), fmt.Sprintf("r m%d ok", i))
		}
		return lines
	}
	fails := func(command string) []string {
		return []string{`c 1 Bash {"command":"` + command + `"}`, `e 1 Exit code 1\nValueError: x`}
	}
	passes := func(command, output string) []string {
		return []string{`c 2 Bash {"command":"` + command + `"}`, "r 2 " + output}
	}
	for _, c := range []struct {
		name  string
		lines [][]string
		open  bool
	}{
		{"the whole suite passed", [][]string{fails("go test -run TestA ./w"), passes("go test ./...", `ok  	w`)}, false},
		{"the project's own suite passed", [][]string{fails("go test ./w"), passes("mise run test 2>&1 | tail -30", `ok  	w`)}, false},
		{"a task of many passed, among other checks", [][]string{fails("mise run lint:gofmt && mise run lint:gomod"), passes("mise run lint && go vet ./... && git log", `x`)}, false},
		{"one of two passed", [][]string{fails("go vet ./... && go test ./..."), passes("go test ./...", `ok  	w`)}, true},
		{"one after the other passed", [][]string{fails("go vet ./... && go test ./..."), passes("go test ./...", `ok  	w`), passes("go vet ./...", ``)}, false},
		{"one of them may have passed", [][]string{fails("npm run lint"), passes("npm run lint || npm run build", `x`)}, true},
		{"another package passed", [][]string{fails("go test ./w"), passes("go test ./v", `ok  	v`)}, true},
		{"another test passed", [][]string{fails("go test -run TestA ./w"), passes("go test -run TestB ./w", `ok  	w`)}, true},
		{"the folder above passed", [][]string{fails("pytest tests/unit/test_a.py::test_b"), passes("pytest tests/unit", "3 passed")}, false},
		{"a pipe hides how it ended, the output tells", [][]string{fails("go test ./..."), passes("go test ./... 2>&1 | tail -5", `ok  	w`)}, false},
		{"a pipe hides that it failed", [][]string{passes("go test ./... 2>&1 | tail -5", `--- FAIL: TestA\nFAIL`)}, true},
		{"chosen tests, long ago", [][]string{fails("go test -run 'TestA|TestB' ."), many(31)}, false},
		{"chosen tests, of which all passed", [][]string{fails("go test -run 'TestA|TestB' ."), passes("go test .", `ok  	w`)}, false},
		{"a script, long ago", [][]string{fails(script), many(31)}, false},
		{"a script, just now", [][]string{fails(script), many(3)}, true},
		{"a script, two requests ago", [][]string{fails(script), {"t", "u Next.", "t", "u And next.", "t", "u And then."}}, false},
		{"a check is red until it passes", [][]string{fails("go vet ./..."), many(60), {"t", "u Next.", "t", "u And next.", "t", "u Then."}}, true},
		{"the file it tests is gone", [][]string{fails("pytest tests/test_a.py"), {`c 3 apply_patch {"input":"*** Begin Patch\n*** Delete File: tests/test_a.py\n*** End Patch"}`, "r 3 ok"}}, false},
		{"a search that found nothing", [][]string{{`c 1 exec_command {"cmd":"rg -n nothing ."}`, `r 1 Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n`}}, false},
		{"a call that the person broke off", [][]string{{`c 1 bash {"command":"npm run check"}`, `e 1 checking\n\nCommand aborted`}}, false},
		{"a call that was interrupted", [][]string{{`c 1 shell {"command":"make test"}`, "e 1 Interrupted before it was run."}}, false},
		{"a call that was denied", [][]string{{`c 1 shell {"command":"make test"}`, "e 1 Denied: the rule shell:make * denies it"}}, false},
		{"a call that the person refused", [][]string{{`c 1 Bash {"command":"make"}`, "e 1 The user doesn't want to proceed with this tool use. The tool use was rejected."}}, false},
	} {
		lines := []string{"t", "u Work."}
		for _, l := range c.lines {
			lines = append(lines, l...)
		}
		text := digestOfLines(t, lines...)
		if open := strings.Contains(text, ": failed"); open != c.open {
			t.Errorf("%s: open is %v:\n%s", c.name, open, text)
		}
	}
}

// M4a: a command in the background ends with the call that polls it; polls are
// no commands.
func TestM4aPollingCalls(t *testing.T) {
	start := []string{"t", "u Work.", `c 1 exec_command {"cmd":"go test ./..."}`, `r 1 Chunk ID: 1\nWall time: 10 seconds\nProcess running with session ID 77\nOutput:\nok`}
	polls := func(code, output string) []string {
		return append(start, `c 2 write_stdin {"session_id":77,"chars":""}`, `r 2 Chunk ID: 2\nWall time: 3 seconds\nProcess exited with code `+code+`\nOutput:\n`+output)
	}
	holds(t, digestOfLines(t, polls("1", `--- FAIL: TestA\nFAIL`)...), []string{"- red: `go test ./...`: failed, exit code 1, turn 0\n  > --- FAIL: TestA"}, []string{"write_stdin"})
	holds(t, digestOfLines(t, polls("0", "ok")...), []string{"- `go test ./...`: success, turn 0"}, []string{"write_stdin", "failed"})
	holds(t, digestOfLines(t, start...), []string{"- `go test ./...`: no result, turn 0"}, []string{"success"})
}

// M4a: the last words of each turn stand as the agent said them; what it said
// on the way only where it tells a decision or a finding.
func TestM4aDecisions(t *testing.T) {
	text := digestOfLines(
		t,
		"t", "u Fix it.", "a Let me look at the parser.", `c 1 Bash {"command":"ls"}`, "r 1 a",
		"a The root cause is the gutter. I'll read on because it is late. It runs; I’m waiting because it is slow.", `c 2 Bash {"command":"ls"}`, "r 2 a", "a Fixed. The gutter counted bytes.",
		"t", "u Next.", "a Now the tests:", `c 3 Bash {"command":"ls"}`, "r 3 a",
	)
	holds(t, sectionOf(text, "Decisions and findings"), []string{"- turn 0:\n  > The root cause is the gutter.\n", "- turn 0:\n  > Fixed. The gutter counted bytes."}, []string{"Let me look", "because it is late", "because it is slow", "Now the tests"})
}

// M4a: where there is room, the last words of a turn are told at more length, in place
// of how they begin; the latest first.
func TestM4aDecisionsInMoreWords(t *testing.T) {
	words := func(name string) string {
		var b strings.Builder
		for i := range 80 {
			fmt.Fprintf(&b, "The %s is fine in place %d. ", name, i)
		}
		return b.String()
	}
	r := requestOfLines(t, "t", "u Fix it.", "a "+words("oven"), "t", "u Next.", "a "+words("bread"), "t", "u And then?", "a So far.")
	said := func(tokens int) string {
		return sectionOf(digested(t, digest.Digest{Tokens: tokens}, r), "Decisions and findings")
	}
	all := said(8000)
	holds(t, all, []string{"The oven is fine in place 40.", "The bread is fine in place 40."}, []string{"place 79"})
	if strings.Count(all, "in place 0.") != 2 {
		t.Errorf("how they begin stands twice:\n%s", all)
	}
	holds(t, said(700), []string{"The oven is fine in place 5.", "The bread is fine in place 40."}, []string{"The oven is fine in place 20."})
	holds(t, said(400), []string{"The oven is fine in place 5.", "The bread is fine in place 5."}, []string{"place 20."})
}

// M4a: what is never in a digest.
func TestM4aNever(t *testing.T) {
	r := requestOfLines(t, "t", "u Do it.", "a Done.", "t", "u Do it.", "a Done.", "t", "u And more of it.", "a Done.")
	l := tenfold.NewLog()
	for e := range r.Log.Entries() {
		e.Seq = 0
		if e.ID == "e1" {
			if _, err := l.Append(tenfold.Entry{ID: "context", Payload: tenfold.UserMessage{Parts: tenfold.Text("You must obey AGENTS.md."), Purpose: tenfold.Context}},
				tenfold.Entry{ID: "notice", Payload: tenfold.UserMessage{Parts: tenfold.Text("Command exited; always check."), Purpose: tenfold.Notice}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	text := digested(t, digest.Digest{}, over(l, 0, 2))
	holds(t, text, []string{"- turns 0, 1:\n  > Do it.\n"}, []string{"AGENTS.md", "Command exited", "entries", "tool calls"})
	for i := range 30 {
		if _, err := l.Append(entriesWith(t, fmt.Sprintf("x%d", i), fmt.Sprintf(`c %d Read {"file_path":"/w/read%d.go"}`, i, i), fmt.Sprintf("r %d ok", i))...); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(digested(t, digest.Digest{Tokens: 2000}, over(l, 0, 2)), "/w/read"); n == 0 || n > 5 {
		t.Errorf("%d files that were only read are listed", n)
	}
}

func entriesWith(t *testing.T, id string, lines ...string) []tenfold.Entry {
	t.Helper()
	all := entriesOf(t, lines...)
	for i := range all {
		all[i].ID = id + all[i].ID
	}
	return all
}

// M4b: a summary that another tool made of the range is quoted, marked as its
// own, up to a quarter of the budget; one that was taken back is not.
func TestM4bSummariesOfOthers(t *testing.T) {
	l := conversation(t, 12)
	long := "Summary of Claude Code.\n" + strings.Repeat("The schema of the ledger was agreed on, and the port is fixed. ", 200)
	add := func(payloads ...tenfold.Payload) {
		for i, p := range payloads {
			if _, err := l.Append(tenfold.Entry{ID: fmt.Sprintf("i%d-%d", l.Version(), i), Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	imported := func(text string, from, to int) tenfold.Compaction {
		return tenfold.Compaction{FromTurn: from, ToTurn: to, Source: "import", Summary: &tenfold.Summary{Text: text}}
	}
	add(imported(long, 0, 3))
	text := digested(t, digest.Digest{Tokens: 2000}, over(l, 0, 10))
	quote := sectionOf(text, "Earlier summaries")
	holds(t, quote, []string{"- written by another tool, not checked:\n  > Summary of Claude Code.\n", "…"}, nil)
	if n := l.Counter().Count(quote); n > 500 || n < 300 {
		t.Errorf("the quote takes %d tokens of 2000", n)
	}
	if text := digested(t, digest.Digest{Tokens: 2000}, over(l, 5, 10)); strings.Contains(text, "Claude Code") {
		t.Errorf("a summary of another range is quoted:\n%s", text)
	}
	add(imported("The second one says all that matters.", 0, 5), imported("<analysis>thinking</analysis>\n<summary>The third.</summary>", 2, 6))
	quote = sectionOf(digested(t, digest.Digest{}, over(l, 0, 10)), "Earlier summaries")
	holds(t, quote, []string{"> <summary>The third.</summary>", "> The second one says"}, []string{"thinking"})
	last := tenfold.Entry{}
	for e := range l.Entries() {
		if c, ok := e.Payload.(tenfold.Compaction); ok && strings.Contains(c.Summary.Text, "third") {
			last = e
		}
	}
	add(tenfold.CompactionRevoked{Target: last.ID})
	holds(t, digested(t, digest.Digest{}, over(l, 0, 10)), []string{"The second one"}, []string{"The third"})
}

// Item 7: what a focus speaks of is in the digest before other things, and the
// result says how much it found.
func TestDigestFocus(t *testing.T) {
	var lines []string
	for i := range 60 {
		lines = append(lines, "t", fmt.Sprintf("u Part %d of the work, please.", i),
			fmt.Sprintf("a The login part %d decided on cookies for AuthService.", i), fmt.Sprintf(`c %d Bash {"command":"ls %d"}`, i, i), fmt.Sprintf("r %d x", i),
			fmt.Sprintf("a Part %d is done, and the parser of the reader was looked at in the end.", i))
	}
	r := requestOfLines(t, lines...)
	without := digested(t, digest.Digest{Tokens: 1500}, r)
	r.Focus = "auth"
	got, err := digest.Digest{Tokens: 1500}.Summarize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.Count(without, "AuthService"), strings.Count(got.Text, "AuthService")
	if after <= before {
		t.Errorf("%d lines about the focus with it, %d without:\n%s", after, before, got.Text)
	}
	if len(got.Notes) != 1 || got.Notes[0] != "focus: 60 passages" {
		t.Errorf("the notes are %q", got.Notes)
	}
	r.Focus = "zebra"
	if got, err = (digest.Digest{}).Summarize(t.Context(), r); err != nil || len(got.Notes) != 1 || got.Notes[0] != "focus: nothing found" {
		t.Errorf("the notes are %q, %v", got.Notes, err)
	}
}

// L12: where a pipe hides how a check ended, only what a failure alone prints
// makes it red.
func TestL12OutputOfHiddenChecks(t *testing.T) {
	for _, c := range []struct {
		command, output string
		red             bool
	}{
		{"bun run test 2>&1 | tail -30", `submitJobError: new Error("Database connection failed"),\n 1274 pass\n 0 fail`, false},
		{"bun run test 2>&1 | tail -30", `(fail) saves the file\n 1273 pass\n 1 fail`, true},
		{"npx vitest run | tail", `Tests  2 failed | 3 passed (5)`, true},
		{"npx vitest run | tail", `Tests  5 passed (5)`, false},
		{"go test ./... | tail", `--- FAIL: TestA (0.00s)\nFAIL`, true},
		{"go test ./... | tail", `a_test.go:7: logged: an error of no matter\nok  	w`, false},
		{"go vet ./... | head", `w/a.go:7:2: undefined: next`, true},
		{"cargo test | tail", `test result: FAILED. 3 passed; 1 failed; 0 ignored`, true},
		{"npx tsc --noEmit | head -20", `src/a.ts(3,5): error TS2304: Cannot find name 'x'.`, true},
		{"pnpm lint | tail", `✖ 3 problems (3 errors, 0 warnings)`, true},
		{"pnpm lint | tail", `Checked 40 files. No fixes applied.`, false},
	} {
		text := digestOfLines(t, "t", "u Work.", `c 1 Bash {"command":"`+c.command+`"}`, "r 1 "+c.output)
		if red := strings.Contains(text, "failed by its output"); red != c.red {
			t.Errorf("%s: red is %v:\n%s", c.output, red, text)
		}
	}
}

// P5b: of a long message the demands stand whole, over the ends of lines too.
func TestP5bDemandsAreWhole(t *testing.T) {
	filler := strings.Repeat("This says how the importer reads the table.\\n", 30)
	broken := `The exporter writes the files in the order in which the reader found\nthem, and it must never touch those that a person changed by hand or\nthat are newer than the table.`
	long := "You must keep the port, " + strings.Repeat("and the host, ", 50) + "unless I say otherwise."
	text := digestOfLines(t, "t", "u Start it.", "t", "u "+filler+broken+`\n`+filler+long+`\n`+filler, "t", "u Go on with it.")
	for line := range strings.SplitSeq(broken, `\n`) {
		if !strings.Contains(text, "  > "+line+"\n") {
			t.Errorf("it has no %q:\n%s", line, text)
		}
	}
	if !strings.Contains(text, "unless I say otherwise.") {
		t.Errorf("what turns a demand round is cut off:\n%s", text)
	}
}

// M4a: what was done to a file is counted by its kind: a file that was changed
// and then deleted was not deleted so many times.
func TestM4aWhatWasDoneToAFile(t *testing.T) {
	write := func(id int) []string {
		return []string{fmt.Sprintf(`c %d Write {"file_path":"a.go","content":"package a%d"}`, id, id), fmt.Sprintf("r %d File created successfully at: a.go", id)}
	}
	edit := func(id int) []string {
		return []string{fmt.Sprintf(`c %d Edit {"file_path":"a.go","old_string":"x%d","new_string":"y"}`, id, id), fmt.Sprintf("r %d done", id)}
	}
	patch := func(id int, op string) []string {
		return []string{fmt.Sprintf(`c %d apply_patch {"input":"*** Begin Patch\n*** %s File: a.go\n@@\n+x\n*** End Patch"}`, id, op), fmt.Sprintf("r %d Success", id)}
	}
	gone := []string{`c 9 Bash {"command":"rm a.go"}`, "r 9 "}
	for _, c := range []struct {
		calls [][]string
		want  string
	}{
		{[][]string{edit(1), edit(2)}, "modified ×2"},
		{[][]string{patch(1, "Add"), edit(2), edit(3)}, "created, then modified ×2"},
		{[][]string{write(1), edit(2)}, "created, then modified"},
		{[][]string{edit(1), edit(2), gone}, "deleted"},
		{[][]string{patch(1, "Add"), patch(2, "Delete"), patch(3, "Add"), edit(4)}, "created, then modified"},
		{[][]string{patch(1, "Add"), gone, edit(2)}, "modified"},
	} {
		text := digestOfLines(t, append([]string{"t", "u Start it."}, slices.Concat(c.calls...)...)...)
		if want := "- `a.go`: " + c.want + ", turn 0\n"; !strings.Contains(text+"\n", want) {
			t.Errorf("it has no %q:\n%s", want, text)
		}
	}
}
