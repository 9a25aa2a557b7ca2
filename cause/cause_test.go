package cause_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/cause"
)

// M4a: the first line that tells most is the cause, with the test that failed and what
// was expected; a stack says nothing of why.
func TestM4aTheCauseOfAFailure(t *testing.T) {
	for output, want := range map[string]string{
		"building\n./oven.go:7:3: undefined: heat\n./oven.go:9:3: undefined: cool":          "2",
		"ok\n● bakes bread\n  ValueError: no flour\n  at bake (oven.js:3)\nOther: x":        "2 3",
		"Traceback (most recent call last):\n  File \"oven.py\", line 3\nKeyError: 'flour'": "3",
		"AssertionError: expected:\n  4\n  2\n  at bake (oven.js:3)":                        "1 2 3",
		"something failed\nand that was it":                                                 "1",
		"a line\nno flour":                                                                  "2",
		"\n---\n":                                                                           "",
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
