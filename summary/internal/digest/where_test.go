package digest_test

import (
	"strings"
	"testing"
)

func containsRed(text string) bool { return strings.Contains(text, "- red: ") }

// M4a: what command lines do to files is told as what tools do to them.
func TestM4aCommandsChangeFiles(t *testing.T) {
	text := sectionOf(digestOfLines(
		t,
		"t", "u go",
		`c 1 Bash {"command":"cat > a.go <<'EOF'\npackage a\n\nfunc Open() {}\nEOF"}`, "r 1 ",
		`c 2 Bash {"command":"sed -i 's/a/b/' b.go && go vet ./..."}`, "e 2 Exit code 1\\n# w\\n./c.go:3:1: undefined: x",
		`c 3 Bash {"command":"rm c.go && go test ./x"}`, "e 3 Exit code 1\\nrm: cannot remove 'c.go'",
		`c 4 Bash {"command":"mv d.go e.go"}`, "r 4 ",
		`c 5 Bash {"command":"cat > f.go <<'EOF'\nx\nEOF\ngo run f.go"}`, "e 5 Exit code 2\\npanic: x",
		`c 6 Bash {"command":"sed -i 's/a/b/' g.go"}`, "e 6 The user doesn't want to proceed with this tool use.",
		`c 7 Bash {"command":"make 2>&1 | tee /tmp/out.log"}`, "r 7 ok",
		`c 8 Edit {"file_path":"h.go","old_string":"a","new_string":"b"}`, "r 8 ok", `c 9 Bash {"command":"git checkout -- h.go"}`, "r 9 ",
		`c 10 Bash {"command":"python3 - <<'EOF'\np='i.py'\ns=open(p).read()\nopen(p,'w').write(s)\nEOF"}`, "r 10 ",
	), "Changed files")
	holds(t, text, []string{
		"- `a.go`: written, turn 0\n  - in `Open`\n", "- `b.go`: modified, turn 0\n", "- `d.go`: deleted, turn 0\n", "- `e.go`: created, turn 0\n",
		"- `f.go`: written, turn 0\n", "- `h.go`: changed, then restored to what was committed, turn 0\n", "- `i.py`: modified, turn 0\n",
	}, []string{"c.go", "g.go", "out.log", "`+ b`"})
}

// What was committed is not taken back with what was not.
func TestM4aRestoredIsWhatWasNotCommitted(t *testing.T) {
	text := sectionOf(digestOfLines(
		t,
		"t", "u go",
		`c 1 Edit {"file_path":"a.go","old_string":"a","new_string":"b"}`, "r 1 ok", `c 2 Bash {"command":"git commit -qam x"}`, "r 2 ",
		`c 3 Edit {"file_path":"b.go","old_string":"a","new_string":"b"}`, "r 3 ok", `c 4 Bash {"command":"git status --short"}`, "r 4  M b.go",
		`c 5 Bash {"command":"git checkout -- ."}`, "r 5 ",
	), "Changed files")
	holds(t, text, []string{"`a.go`: modified, turn 0\n", "`b.go`: changed, then restored to what was committed, turn 0\n"}, nil)
}

// A path is a file of the directory it is told from.
func TestM4aFilesOfSeveralDirectories(t *testing.T) {
	edit := `{"file_path":"/w/a/x.go","old_string":"a","new_string":"b"}`
	for _, c := range []struct {
		name        string
		lines       []string
		want, never []string
	}{
		{
			"another directory's is another",
			[]string{`c 1 Edit ` + edit, "r 1 ok", `c 2 exec_command {"cmd":"rm x.go","workdir":"/w/b"}`, "r 2 "},
			[]string{"`/w/a/x.go`: modified", "`/w/b/x.go`: deleted"},
			nil,
		},
		{
			"the shell stays where it went",
			[]string{`c 1 Bash {"command":"cd /w/b"}`, "r 1 ", `c 2 Bash {"command":"sed -i s/a/b/ x.go"}`, "r 2 ", `c 3 Edit ` + edit, "r 3 ok"},
			[]string{"`/w/a/x.go`: modified, turn", "`/w/b/x.go`: modified, turn"},
			nil,
		},
		{
			"a person spoke since",
			[]string{`c 1 Bash {"command":"cd /w/b"}`, "r 1 ", "t", "u on", `c 2 Bash {"command":"sed -i s/a/b/ p/x.go"}`, "r 2 "},
			[]string{"`p/x.go`: modified, turn"},
			[]string{"/w/b"},
		},
		{
			"it was moved back",
			[]string{
				`c 1 Bash {"command":"cd /tmp/q && ls"}`, "r 1 x\nShell cwd was reset to /w/a", `c 2 Bash {"command":"sed -i s/a/b/ x.go"}`, "r 2 ", `c 3 Edit ` + edit, "r 3 ok",
			},
			[]string{"`/w/a/x.go`: modified ×2, turn"},
			nil,
		},
		{
			"a shell that does not stay",
			[]string{`c 1 shell {"command":"cd /w/b && ls"}`, "r 1 ", `c 2 shell {"command":"sed -i s/a/b/ p/x.go"}`, "r 2 "},
			[]string{"`p/x.go`: modified, turn"},
			nil,
		},
		{
			"the session's directory is known",
			[]string{`c 1 Bash {"command":"pwd"}`, "r 1 /w/a", `c 2 Bash {"command":"sed -i s/a/b/ x.go"}`, "r 2 ", `c 3 Edit ` + edit, "r 3 ok"},
			[]string{"`/w/a/x.go`: modified ×2"},
			nil,
		},
		{
			"one name in two worktrees",
			[]string{
				`c 1 exec_command {"cmd":"sed -i s/a/b/ p/x.go","workdir":"/w/a"}`, "r 1 ", `c 2 exec_command {"cmd":"sed -i s/a/b/ p/x.go","workdir":"/w/b"}`, "r 2 ",
				`c 3 apply_patch {"input":"*** Begin Patch\n*** Update File: p/x.go\n@@\n-a\n+b\n*** End Patch"}`, "r 3 ok",
			},
			[]string{"`/w/a/p/x.go`: modified, turn", "`/w/b/p/x.go`: modified, turn", "`p/x.go`: modified, turn"},
			nil,
		},
		{
			"one directory above all",
			[]string{
				`c 1 shell {"command":"cd /w/a/b && ls"}`, "r 1 ", `c 2 shell {"command":"cd /w/a/bc && ls"}`, "r 2 ", `c 3 shell {"command":"cd /w/a && ls"}`, "r 3 ",
				`c 4 shell {"command":"cd /w/a/d && ls"}`, "r 4 ", `c 5 Edit ` + edit, "r 5 ok", `c 6 shell {"command":"sed -i s/a/b/ x.go"}`, "r 6 ",
			},
			[]string{"`/w/a/x.go`: modified ×2, turn"},
			nil,
		},
		{
			"none of them above all",
			[]string{
				`c 1 shell {"command":"cd /w/a && ls"}`, "r 1 ", `c 2 shell {"command":"cd /w/b && ls"}`, "r 2 ", `c 3 shell {"command":"cd /w/a && ls"}`, "r 3 ",
				`c 4 Edit ` + edit, "r 4 ok", `c 5 shell {"command":"sed -i s/a/b/ x.go"}`, "r 5 ",
			},
			[]string{"`/w/a/x.go`: modified, turn", "`x.go`: modified, turn"},
			nil,
		},
		{
			"a directory that is not there",
			[]string{`c 1 Bash {"command":"cd b && sed -i s/a/b/ x.go; ls"}`, "r 1 bash: line 1: cd: b: No such file or directory\\ny", `c 2 Bash {"command":"touch z.go"}`, "r 2 "},
			[]string{"`z.go`"},
			[]string{"x.go"},
		},
		{
			"a shell that began anew",
			[]string{
				`c 1 Edit {"file_path":"/w/a/p/x.go","old_string":"a","new_string":"b"}`, "r 1 ok", `c 2 Bash {"command":"cd /w/a/web"}`, "r 2 ", `c 3 Bash {"command":"sed -i s/a/b/ p/x.go"}`, "r 3 ",
			},
			[]string{"`/w/a/p/x.go`: modified ×2"},
			[]string{"web"},
		},
		{
			"a drive",
			[]string{`c 1 Edit {"file_path":"D:\\\\w\\\\x.go","old_string":"a","new_string":"b"}`, "r 1 ok", `c 2 Bash {"command":"cd /d/w && sed -i s/a/b/ x.go"}`, "r 2 "},
			[]string{"`d:/w/x.go`: modified ×2"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			holds(t, sectionOf(digestOfLines(t, append([]string{"t", "u go"}, c.lines...)...), "Changed files"), c.want, c.never)
		})
	}
}

// M4a: nothing is red that a later run made good, and nothing is good for what
// another run says.
func TestM4aRedIsWhatNoRunMadeGood(t *testing.T) {
	goRed := `Exit code 1\n--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\tw/x\t0.1s`
	pyRed := `Exit code 1\nFAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed in 0.1s`
	for _, c := range []struct {
		red, output, then, result string
		open                      bool
	}{
		{"go test ./x", goRed, "go test ./...", "ok", false},
		{"go test ./x/...", goRed, "go test ./x", "ok", true},
		{"go test ./...", goRed, "go test", "ok", true},
		{"go test -count 1 -timeout 30s ./x", goRed, "go test ./x", "ok", false},
		{"go test ./x", goRed, "go test ./x -run TestA", "ok", false},
		{"go test ./x", goRed, "go test ./x -run TestB", "ok", true},
		{"go test ./x", goRed, "go test ./x -run TestA", "testing: warning: no tests to run", true},
		{"cd x && go test .", goRed, "go test .", "ok", false},
		{"cd x && go test .", goRed, "cd y && go test .", "ok", true},
		{"(cd x && go test .)", goRed, "go test ./x/...", "ok", false},
		{"go build ./...", "Exit code 1\n./a.go:3:1: undefined: x", "go test ./...", "ok", false},
		{"go test ./...", goRed, "go build ./...", "ok", true},
		{"make test", goRed, "go test ./...", "ok", false},
		{"make test", goRed, "go test ./x", "ok", true},
		{"make lint", "Exit code 1\na.go:3:1: unused (x)", "go test ./...", "ok", true},
		{"python -m pytest tests/test_a.py", pyRed, "pytest tests/test_a.py", "1 passed", false},
		{"pytest tests", pyRed, "pytest tests/test_a.py::test_one", "1 passed", false},
		{"pytest tests/test_a.py::test_one tests/test_b.py::test_two", pyRed, "pytest tests/test_b.py::test_two", "1 passed", true},
		{"pytest -x --maxfail 1 tests", pyRed, "pytest tests -v", "1 passed", false},
		{"npx jest a.test.ts", "Exit code 1\n● a › b", "npm test", "Tests: 3 passed", false},
		{"pnpm test", "Exit code 1\n1 failing", "npm test", "3 passing", false},
		{"pnpm --filter web test", "Exit code 1\\n1 failing", "pnpm --filter api test", "3 passing", true},
		{"pnpm --filter web test", "Exit code 1\\n1 failing", "pnpm test", "3 passing", false},
		{"npm test --workspace=web", "Exit code 1\\n1 failing", "npm test --workspace api", "3 passing", true},
		{"npm --prefix ui test", "Exit code 1\\n1 failing", "(cd ui && npm test)", "3 passing", false},
		{"npm --prefix ui test", "Exit code 1\\n1 failing", "npm --prefix web test", "3 passing", true},
		{"gofmt -w a.go && go vet ./... && go test ./...", goRed, "go test ./...", "ok", false},
		{"npm run lint -- --apply", "Exit code 1\nerror: unknown option '--apply'", "ls", "x", false},
	} {
		text := sectionOf(digestOfLines(t, "t", "u go", `c 1 Bash {"command":"`+c.red+`"}`, "e 1 "+c.output, `c 2 Bash {"command":"`+c.then+`"}`, "r 2 "+c.result), "Where the work stands")
		if open := containsRed(text); open != c.open {
			t.Errorf("%s, then %s (%s): red is %t, want %t:\n%s", c.red, c.then, c.result, open, c.open, text)
		}
	}
}

// A command that fails and goes well with other flags is not open.
func TestM4aFailureMendedByOtherFlags(t *testing.T) {
	for _, c := range []struct {
		red, then string
		open      bool
	}{
		{"npm install x", "npm install x --force", false},
		{"npm install x", "npm install y --force", true},
		{"git push", "git push -u origin port", false},
		{"git push", "git pull", true},
		{"cd /w && node run.js", "node run.js --slow", false},
		{`sh '/w/run.sh' a`, "PATH_CONV=1 sh /w/run.sh a", false}, // with a variable set, and quoted otherwise
		{"OS=b sh run.sh a", "OS=c sh run.sh a", true},
	} {
		text := sectionOf(digestOfLines(t, "t", "u go", `c 1 Bash {"command":"`+c.red+`"}`, "e 1 Exit code 1\nno", `c 2 Bash {"command":"`+c.then+`"}`, "r 2 ok"), "Open errors")
		if open := text != ""; open != c.open {
			t.Errorf("%s, then %s: open is %t, want %t:\n%s", c.red, c.then, open, c.open, text)
		}
	}
}

// M4a: a comment is not a heading, and the line that files of a kind begin with tells
// nothing of one.
func TestM4aWhatSaysNothingOfAChangedFile(t *testing.T) {
	files := sectionOf(digestOfLines(
		t,
		"t", "u Work.", `c 1 Write {"file_path":"/w/run.sh","content":"#!/bin/bash\n# Wait for the server\nsleep 1\n"}`, "r 1 ok",
		`c 2 Write {"file_path":"/w/a.ts","content":"import * as fs from 'fs';\nexport function open() {}\n"}`, "r 2 ok",
		`c 3 Edit {"file_path":"/w/b.ts","old_string":"import a from 'a';","new_string":"import b from 'b';"}`, "r 3 ok",
	), "Changed files")
	holds(t, files, []string{"`/w/run.sh`: written, turn 0\n  - `+ # Wait for the server`\n", "`/w/a.ts`: written, turn 0\n  - in `open`\n", "`/w/b.ts`: modified, turn 0\n  - `+ import b from 'b';`\n"}, []string{"in `#", "bash", "* as"})
}
