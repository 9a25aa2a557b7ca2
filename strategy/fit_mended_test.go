package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F5: the calls after one that failed are read for what they put right, and not the thousands
// that follow on them.
func TestF5WhatFailedLongAgoCostsNoMore(t *testing.T) {
	cost := func(result string) float64 {
		lines := []string{"t", "u the task", `c 0 book {"row":"a","seat":1,"meal":"b"}`, result}
		for i := range 1000 {
			lines = append(lines, fmt.Sprintf(`c n%d book {"row":"c","seat":%d,"meal":%d}`, i, i, i), fmt.Sprintf("r n%d *20", i))
		}
		p := tenfold.Project(script(t, append(lines, "a end")...))
		return testing.AllocsPerRun(1, func() { plan(t, p, strategy.Options{}, "fit:target=60%") })
	}
	if with, without := cost("e 0 no seat"), cost("r 0 a seat"); with > without+10_000 {
		t.Errorf("with a failure it takes %.0f allocations, %.0f without one", with, without)
	}
}

// F5: what failed by a mistyped id is no open error once the id is right.
func TestF5AMistypedIDIsNoOpenError(t *testing.T) {
	for said, open := range map[string]bool{"user not found": false, "user may not be seen": true} {
		lines := []string{"t", "u the task", `c 0 get_user {"user_id":"ann_lee_12"}`, "e 0 " + said, `c 1 get_user {"user_id":"ann_lee_123"}`, "r 1 *400"}
		for i := range 6 {
			lines = append(lines, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *400", i))
		}
		p := tenfold.Project(script(t, append(lines, "a end")...))
		made := plan(t, p, strategy.Options{}, "fit:target=40%")
		if got := slices.ContainsFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError }); got != open {
			t.Errorf("%q is open: %v\n%s", said, got, shown(made.View()))
		}
	}
}

// F5: a command failed whose output says so, where the host does not; what only shows a file
// that tells of a failure did not.
func TestF5ACommandThatEndsRedIsOpen(t *testing.T) {
	for name, c := range map[string]struct {
		command, output string
		later           int
		open            bool
	}{
		"a build":                  {"docker build .", "#9 DONE 0.1s\nERROR: failed to build: failed to solve: exit code: 1", 0, true},
		"tests":                    {"make check", "--- FAIL: TestOven (0.1s)\nFAIL\nall told", 0, true},
		"tests that went well":     {"make check", "error: one is wanted here\n3 passed, 0 failed", 0, false},
		"a warning before the end": {"make", "error: no flour, going on\ndone", 0, false},
		"a look":                   {"cat build.log", "ERROR: failed to build", 0, false},
		"what head cut off":        {"bake | head -1", "bread\ngrep: write error: Broken pipe", 0, false},
		"long ago":                 {"docker build .", "ERROR: failed to build", 40, false},
	} {
		l := script(t, "t", "u the task", `c 1 Bash {"command":"`+c.command+`"}`)
		if _, err := l.Append(tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(c.output)}}); err != nil {
			t.Fatal(err)
		}
		extend(t, l, "a *2000")
		for i := range c.later {
			extend(t, l, fmt.Sprintf("c n%d Read {}", i), fmt.Sprintf("r n%d ok", i))
		}
		extend(t, l, "c 3 Bash {}", "r 3 *900", "a end")
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=40%")
		if open := slices.ContainsFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError }); open != c.open {
			t.Errorf("%s: open is %t", name, open)
		}
	}
}

// F5: of the tests of the open error those that passed do not stay where they are many.
func TestF5OfTheOpenErrorWhatPassedDoesNotStay(t *testing.T) {
	for passed, stays := range map[int]bool{2: true, 30: false} {
		output := "Oven\n  1) is hot\n"
		for i := range passed {
			output += fmt.Sprintf("  ✔ bakes loaf %d (12ms)\n", i)
		}
		output += strings.Repeat("told of racks\n", 10) + "  1 failing\n  AssertionError: no heat"
		l := script(t, "t", "u the task", `c 1 Bash {"command":"npm test"}`)
		if _, err := l.Append(tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(output), IsError: true}}); err != nil {
			t.Fatal(err)
		}
		extend(t, l, "c 2 Read {}", "r 2 *900", "a end")
		got := tenfold.TextLines(payloads(strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)}))[4])
		if !strings.Contains(got, "1) is hot") || !strings.Contains(got, "no heat") || strings.Contains(got, "bakes loaf 1 ") != stays {
			t.Errorf("of %d tests that passed: %s", passed, got)
		}
	}
}
