package cause_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tenfold/cause"
)

// M4a: the first line that tells most is the cause, with the test that failed and what
// was expected; a stack says nothing of why.
func TestM4aTheCauseOfAFailure(t *testing.T) {
	for output, want := range map[string]string{
		"building\n./oven.go:7:3: undefined: heat\n./oven.go:9:3: undefined: cool":                                                                                                "2",
		"FAIL a.test.ts\n  ✕ bakes (1 ms)\n  ✕ heats (1 ms)\n\n  ● oven › bakes\n\n    expect(received).toBe(expected)\n\n    Expected: 5\n    Received: 6\n\n  ● oven › heats\n": "5 7 9 10",
		"--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.1s)\n--- FAIL: TestC (0.1s)":                                                                                            "1 2",
		"ok\n● bakes bread\n  ValueError: no flour\n  at bake (oven.js:3)\nOther: x":                                                                                              "2 3",
		"Traceback (most recent call last):\n  File \"oven.py\", line 3\nKeyError: 'flour'":                                                                                       "3",
		"AssertionError: expected:\n  4\n  2\n  at bake (oven.js:3)":                                                                                                              "1 2 3",
		"something failed\nand that was it":                                                                                                                                       "1",
		"a line\nno flour":                                                                                                                                                        "2",
		"\n---\n":                                                                                                                                                                 "",
	} {
		var got []string
		for _, line := range cause.Of(output) {
			if text := strings.Split(output, "\n")[line.Number-1]; strings.TrimSpace(text) != line.Text {
				t.Errorf("line %d is %q, not %q", line.Number, text, line.Text)
			}
			got = append(got, fmt.Sprint(line.Number))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: lines %q, want %q", output, got, want)
		}
	}
}

func TestLinesThatSumUp(t *testing.T) {
	for line, want := range map[string]bool{
		"51 passing (9s)": true, "Tests: 1 failed, 3 passed, 4 total": true, "=== 3 passed in 0.1s ===": true, "found 0 errors": true,
		"passing by": false, "all passed": false, "3 passed_tests": false, "": false, "it failed": false,
	} {
		if got := cause.SumsUp(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]int{"Tests: 2 failed, 3 passed": 2, "1 failing": 1, "no tests": -1, "0 errors": 0} {
		if n, ok := cause.Failures(line); n != max(want, 0) || ok != (want >= 0) {
			t.Errorf("%q: %d, %v", line, n, ok)
		}
	}
}

func TestLinesThatTellOfProgress(t *testing.T) {
	for line, want := range map[string]bool{
		"=== RUN   TestOven/warm": true, "    --- PASS: TestOven/warm (0.00s)": true, "go: downloading golang.org/x/sys v0.1.0": true,
		"--- FAIL: TestOven (0.01s)": false, "ok  \toven\t0.2s": false, "=== Summary ===": false, "": false,
	} {
		if got := cause.IsProgress(line); got != want {
			t.Errorf("IsProgress(%q) is %v", line, got)
		}
	}
}

// Which part of a file a read gave says nothing beside another part of it.
func TestLinesThatTellOfAPart(t *testing.T) {
	for line, want := range map[string]bool{
		"(441 more lines below)": true, "  [596 more lines in file. Use offset=240 to continue.]": true, "(End of file - total 30 lines)": true,
		"(Showing lines 1-40 of 90. Use offset=41 to continue.)": true, "Status: Showing lines 1-45 of 212 total lines.": true,
		"Total output lines: 80": true, "Process Group PGID: 3739": true, "[Showing results with pagination = limit: 20]": true,
		"... (truncated after line #210) ...": true, "... (starting from line #808) ...": true, "... [180 lines truncated] ...": true, "...(12 more lines omitted)": true,
		"... [loaves]": false, "... (12 lines of loaves)": false, "Showing lines of the oven": false, "(12 more loaves below)": false, "Status: ready": false, "Total output lines: many": false, "": false,
	} {
		if got := cause.IsPage(line); got != want {
			t.Errorf("IsPage(%q) is %v", line, got)
		}
	}
}

// What nothing but a failure prints, and what looks like it.
func TestWhatALineProves(t *testing.T) {
	for line, want := range map[string]cause.Telling{
		"--- FAIL: TestOven (0.01s)": cause.Test, "FAILED tests/test_oven.py::test_heat": cause.Test, "● bakes": cause.Test, "✗ bakes": cause.Test, "✕ bakes": cause.Test,
		"× bakes": cause.Test, "not ok 3 bakes": cause.Test, "(fail) bakes": cause.Test, "FAIL src/oven.test.ts": cause.Test, "FAIL oven.test.ts": cause.Test, "FAIL all of it": 0,
		"panic: no flour": cause.Error, "fatal: not a git repository": cause.Error, "E   assert 1 == 2": cause.Error, "npm ERR! code 1": cause.Error, "error[E0308]: x": cause.Error,
		"error TS2322: x": cause.Error, "src/a: error TS2322: x": cause.Error, "thread 'main' panicked at src/a.rs": cause.Error, "a.ts(3,5): error x": cause.Error,
		"error: x": cause.Error, "ld: fatal error: x": cause.Error, "a.c:3: error: x": cause.Error, "expect(4)": cause.Error, "assertion failed: 1": cause.Error,
		"oven.go:7:3: undefined: heat": cause.Error, "oven.ts(3,5): it does not fit": cause.Error, "oven.go:7: no flour": cause.Error,
		"oven.go:7: warning: old": 0, "oven.go:7: Note: old": 0, "oven.go 7: x": 0, "oven.go:x: y": 0, "oven.go:": 0, "a.b:1 x: y": 0, "oven:7: x": 0, "oven.go:7:x": 0, "a.: x": 0,
		"ValueError: no flour": cause.Error, "java.io.IOException: x": cause.Error, "Uncaught TypeError: x": cause.Error, "thrown: RangeError: x": cause.Error,
		"TypeError [ERR_OVEN]: cold": cause.Error, "baking_error: x": cause.Error, "no ValueError: x": 0, "ValueError": 0, ": x": 0, "Errors: 3": 0, "a/bError: x": 0,
		strings.Repeat("a", 90) + "Error: x": 0, "": 0, "grep: write error: Broken pipe": 0, "oven: error: Broken pipe": cause.Error,
	} {
		if got := cause.Proves(line); got != want {
			t.Errorf("Proves(%q) is %d, want %d", line, got, want)
		}
	}
}

// What speaks of a failure is the cause where nothing proves one; a line that says that
// there is none does not, nor does what a host writes around an output.
func TestLinesThatSpeakOfAFailure(t *testing.T) {
	for _, line := range []string{
		"no such oven", "heat not found", "access denied", "unknown oven", "it timed out", "a merge conflict", "connection refused", "flour is missing", "the cake was rejected", "it does not exist", "We CANNOT bake",
	} {
		if got := cause.Of(line + "\nthe end"); len(got) != 1 || got[0].Number != 1 {
			t.Errorf("%q: %v", line, got)
		}
	}
	for _, line := range []string{
		"0 errors in 3 files", "no errors at all", "there were 0 failures", "Traceback (most recent call last):", "it went well", "Exit code 1", "Process exited with code 1", "Wall time: 1 failed", "```error", "FAIL", "----- ",
	} {
		if got := cause.Of(line + "\nthe end"); len(got) != 1 || got[0].Number != 2 {
			t.Errorf("%q: %v", line, got)
		}
	}
	if got := cause.Of("error: x" + strings.Repeat("\n", 6000) + "panic: y"); len(got) != 1 || got[0].Number != 1 {
		t.Errorf("far below: %v", got)
	}
	if got := cause.Of(strings.Repeat("a line\n", 5000) + "panic: y"); len(got) != 1 || got[0].Number != 5000 {
		t.Errorf("beyond what is looked at: %v", got)
	}
	if got := cause.Of("--- FAIL: TestOven\n    it is cold\n    so it is\nerror: x\nerror: y"); fmt.Sprint(got) != "[{1 --- FAIL: TestOven} {4 error: x}]" {
		t.Errorf("a test and an error: %v", got)
	}
}

func TestMisuseIsOfTheCommandItself(t *testing.T) {
	for text, want := range map[string]bool{
		"Unknown JSON field: \"b\"\nAvailable fields:\n  a":                                                                 true,
		"usage: pytest [options]\npytest: error: unrecognized arguments: --cov":                                             true,
		"make: *** No rule to make target 'x'.  Stop.":                                                                      true,
		"--- FAIL: TestParse (0.00s)\n    cli_test.go:12: unknown flag: --foo\nFAIL\nFAIL\toven/cmd\t0.010s":                false,
		"FAILED tests/test_cli.py::test_x - SystemExit: unrecognized arguments: --foo\n=== 1 failed, 3 passed in 0.10s ===": false,
		"not ok 1 - refuses an unknown option":                                                                              false,
		"src/a.go:12:3: unknown command \"x\"\nmake: *** [build] Error 1":                                                   false,
		"bash: pytets: command not found":                                                                                   true,
		"CACError: Unknown option `--foo`\n    at Command.check (file:///a/cac.js:404:17)":                                  true,
		"git: error: invalid option: --foo":                                                                                 true,
		"error[E0061]: this function takes 1 argument\n --> src/main.rs:2:5\n  | - unexpected argument #2 of type `i`":      false,
		"Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: unknown command: x":                       false,
		"panic: unknown command\n\ngoroutine 1 [running]:":                                                                  false,
		"Failure/Error: unknown option\n3 examples, 1 failure":                                                              false,
		"unknown option\nTests: 2, Assertions: 2, Failures: 1.":                                                             false,
		"unknown option\n50% tests passed, 1 tests failed out of 2":                                                         false,
		"Invalid options object. The server was set up with one that does not match.":                                       false,
		"ERROR: failed to solve: dockerfile parse error on line 3: unknown flag: foo":                                       false,
		"it broke": false,
	} {
		if got := cause.Misuse(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// The first line of each kind of error in a log is told, and no words about errors.
func TestLogged(t *testing.T) {
	for log, want := range map[string]string{
		"08:10 INFO up\n08:11 ERROR [oven] no flour\n08:12 ERROR [oven] no flour\n08:13 ERROR [shop] order 5 failed\n08:14 ERROR [shop] order 6 failed\n": "2 4",
		"level=info msg=up\nlevel=error msg=\"no flour\"":                                       "2",
		`{"level": "Error", "msg": "no flour"}`:                                                 "1",
		"[FATAL] no flour\nSEVERE: no heat":                                                     "1 2",
		"up\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no flour": "4",
		"ERROR a\nERROR b\nERROR c\nERROR d\nERROR e":                                           "1 2 3 4",
		"all errors are gone, no ERRORS any more\nthe error level is high":                      "",
	} {
		var got []string
		for _, line := range cause.Logged(log, 4) {
			got = append(got, strconv.Itoa(line.Number))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", log, got, want)
		}
	}
}

// What a web page tells other programs is no text of it; its title, what it is about and where
// it lies are.
func TestIsFurniture(t *testing.T) {
	for line, want := range map[string]bool{
		`"og:image:width": "200",`: true, `"twitter:card": "summary"`: true, `"twitter:title": "Ovens"`: false, `"og:url": "https://example.org"`: false, `"og:title": "Ovens"`: false, `"description": "Ovens"`: false,
		`"@context": "https://schema.org",`: true, `{"@context":"https://schema.org","@type":"Person"}`: true, `"{\"@context\":\"http://schema.org\"}"`: true, `{"name": "@context"}`: false, `{"name": 1}`: false,
		`<link rel="preload" href="/a.js" as="script">`: true, `<link href="/a.js" rel="dns-prefetch">`: true, `<link rel="stylesheet" href="/a.css">`: false, `<link rel="canonical" href="/a">`: false,
		`<meta name="viewport" content="width=device-width">`: true, `<meta content="x" property="og:image">`: true, `<meta name="description" content="Ovens">`: false, `<p class="viewport">`: false, `"cell_type": "code",`: true, `"source": [`: false, `"nbformat": 4`: true, `"`: false, "": false,
		`"viewport": "width=device-width",`: true, `"viewportWidth": 1280,`: false, `"viewport": {`: false, `"robots": ["a"],`: false, `"generators": ["go"],`: false, `"robotsTxt": "on"`: false, `"csrf-token": "x"`: true, // settings of programs
		`"mimetype": "text/x-python",`: true, `"mimetype": "image/png",`: false, `"file_extension": ".py",`: true, `"file_extension": "a",`: false, `"kernelspec": {`: true, `"output_type": 3`: false,
	} {
		if got := cause.IsFurniture(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

// A part of a page's structure says nothing; a name, a text or something to click on does.
func TestIsNode(t *testing.T) {
	for line, want := range map[string]bool{
		"[803] banner ": true, "    [863] LabelText  ": true, "- generic [ref=e2]:": true, "  - listitem [active] [ref=f12e9]:": true, "- generic": false,
		`[513] StaticText "A"`: false, `[2091] link "Ovens"`: false, "[12] textbox": false, "- textbox [ref=e3]": false, "- img [ref=e5] [cursor=pointer]": false,
		"- paragraph [ref=e5]: It is warm.": false, `- listitem "Ovens" [ref=e9]:`: false, "[803] banners were printed": false, "": false,
	} {
		if got := cause.IsNode(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
