package cause_test

import (
	"strconv"
	"strings"
	"testing"

	"tenfold/cause"
)

// Places in libraries, and what runners of tests and package managers print on their way, tell
// nothing of the work.
func TestPlacesOfStackTraces(t *testing.T) {
	for line, want := range map[string]struct{ place, foreign bool }{
		"\tat oven.Bread.bake(Bread.java:3)":                             {true, false},
		"\tat java.base/java.lang.Thread.run(Thread.java:3)":             {true, true},
		"\tat org.junit.Runner.run(Runner.java:3)":                       {true, true},
		"    at bake (src/oven.ts:3:4)":                                  {true, false},
		"    at process (node:internal/task_queues:95:5)":                {true, true},
		"    at emit (node:events:519:28)":                               {true, true},
		"    at run (/w/node_modules/jest/a.js:3:4)":                     {true, true},
		"   at Oven.Bread.Bake(Loaf l) in /w/Bread.cs:line 3":            {true, false},
		"   at System.Reflection.Method.Invoke(Object o)":                {true, true},
		"             at ./src/oven.rs:3:4":                              {true, false},
		"             at /rustc/9fc6/library/std/src/panicking.rs:665:5": {true, true},
		`  File "oven.py", line 3, in bake`:                              {true, false},
		`  File "/usr/lib/python3.11/runpy.py", line 196, in run`:        {true, true},
		"\t/w/oven/bread.go:3 +0x1a":                                     {true, false},
		"\t/usr/local/go/src/testing/testing.go:1690 +0xf4":              {true, true},
		"testing.tRunner(0xc0001, 0x5c0d)":                               {false, true},
		"panic({0x5a1f20?, 0xc0000?})":                                   {false, true},
		"runtime.gopanic(0x1)":                                           {false, true},
		"runtime.gopanic({0x5a1f20?, 0xc0000?})":                         {false, true},
		"runtime.panicmem(...)":                                          {false, true},
		"runtime.goexit({})":                                             {false, true},
		"runtime.main()":                                                 {false, true},
		"runtime.(*mcache).refill(0x7f31, 0x2)":                          {false, true},
		"	runtime.KeepAlive(warm_oven)":                                  {false, false},
		"runtime.StartOven()":                                            {false, false},
		"runtime.sendMessage({open_file: 1})":                            {false, false},
		"runtime.GOMAXPROCS is set":                                      {false, false},
		"   1: core::panicking::panic_fmt":                               {false, true},
		"   3: oven::bake":                                               {false, false},
		"at bake (src/oven.ts:3:4)":                                      {false, false},
		"/venv/site-packages/heat.py:3: UserWarning: it is hot":          {false, true},
		"/w/oven.py:3: DeprecationWarning: it is old":                    {false, false},
		"/venv/site-packages/heat.py:3: ValueError: it is hot":           {false, false},
		"  File \"oven.py\" is cold":                                     {false, false},
		"\t/w/oven/bread.go:3 is cold":                                   {false, false},
		"  at noon we bake":                                              {false, false},
		"":                                                               {false, false},
	} {
		if got := cause.IsPlace(line); got != want.place {
			t.Errorf("IsPlace(%q) is %v", line, got)
		}
		if got := cause.IsForeignPlace(line); got != want.foreign {
			t.Errorf("IsForeignPlace(%q) is %v", line, got)
		}
	}
}

func TestLinesThatNameAnError(t *testing.T) {
	for line, want := range map[string]bool{
		"ValueError: cold": true, "ValueError": true, "panic: cold": true, "fatal error: all goroutines are asleep": true, "Caused by: java.io.IOException: cold": true,
		`Exception in thread "main" java.io.IOException: cold`: true, "System.InvalidOperationException : cold": true, "stack backtrace:": false, "it is cold": false,
		"11:58:41 ERROR [exec-7] o.Oven - java.io.IOException: cold - and wet": true, "11:58:41,3 - ERROR - oven - ValueError: cold": true, "ERROR: too cold - try it warm": true,
		"11:58:41 ERROR o.Oven: java.io.IOException: cold": true, "ERROR oven - cold": false, "INFO oven - java.io.IOException: cold": false,
	} {
		if got := cause.NamesError(line); got != want {
			t.Errorf("NamesError(%q) is %v", line, got)
		}
	}
}

// M4a: the cause of an exception is what led to it, and its place the first that is in no
// library: of Python the last.
func TestM4aWhatLedToAnException(t *testing.T) {
	for name, c := range map[string]struct {
		output, want string
		place        int
	}{
		"Java":            {"oven.HeatException: cold\n\tat java.util.List.get(List.java:1)\n\tat oven.Bread.bake(Bread.java:3)\nCaused by: oven.FuelException: none\n\tat oven.Fuel.burn(Fuel.java:7)\n\t... 6 more\nCaused by: oven.WoodException: wet\n\tat java.util.List.get(List.java:1)\n\tat oven.Wood.chop(Wood.java:2)\n", "1 7", 9},
		"another trace":   {"oven.HeatException: cold\n\tat oven.Bread.bake(Bread.java:3)\nand so on\nCaused by: oven.FuelException: none\n", "1", 2},
		"JavaScript":      {"TypeError: cold\n    at run (node:internal/a:1:2)\n    at bake (src/oven.ts:3:4)\n", "1", 3},
		"Python":          {"Traceback (most recent call last):\n  File \"oven.py\", line 3\n    bake()\n  File \"/site-packages/a.py\", line 3\n    x\nValueError: cold", "6", 2},
		"two of Python":   {"Traceback (most recent call last):\n  File \"oven.py\", line 3\n    bake()\nKeyError: cold\n\nDuring handling of it:\n\nTraceback (most recent call last):\n  File \"other.py\", line 9\n    x()\nValueError: cold", "4", 2},
		"a later one":     {"  File \"oven.py\", line 3\nTraceback (most recent call last):\n  File \"/site-packages/a.py\", line 3\nKeyError: cold", "4", 0},
		"near below":      {"TypeError: cold\n" + strings.Repeat("x\n", 39) + "    at bake (src/oven.ts:3:4)", "1", 41},
		"far below":       {"TypeError: cold\n" + strings.Repeat("x\n", 40) + "    at bake (src/oven.ts:3:4)", "1", 0},
		"far above":       {"  File \"oven.py\", line 3\n" + strings.Repeat("x\n", 41) + "KeyError: cold", "43", 0},
		"libraries alone": {"TypeError: cold\n    at run (node:internal/a:1:2)\n", "1", 0},
		"pytest":          {"oven.py:3: in bake\n    x\nE   ValueError: cold\n", "3", 0},
		"a database":      {"it begins\nERROR:  column reference is ambiguous\nLINE 1: SELECT", "2", 0},
	} {
		var numbers []string
		why := cause.Of(c.output)
		for _, line := range why {
			numbers = append(numbers, strconv.Itoa(line.Number))
		}
		if got := strings.Join(numbers, " "); got != c.want {
			t.Errorf("%s: the cause is in lines %s, want %s", name, got, c.want)
		}
		if got := cause.PlaceOf(strings.Split(c.output, "\n"), why); got != c.place {
			t.Errorf("%s: the place is line %d, want %d", name, got, c.place)
		}
	}
	if got := cause.PlaceOf([]string{"x"}, nil); got != 0 {
		t.Errorf("without a cause the place is line %d", got)
	}
}

func TestLinesThatTellOfSteps(t *testing.T) {
	for line, want := range map[string]bool{
		"   Compiling serde v1.0.1": true, "Compiling oven v0.1.0 (/w/oven)": true, "Compiling the oven": false, "Downloading oven-1.0-py3-none-any.whl (14 kB)": true,
		"  Downloaded serde v1.0.1": true, "Downloading from central: https://repo/a.pom": true, "Downloading the loaves": false, "  Using cached oven-1.0.whl (14 kB)": true,
		"Requirement already satisfied: oven in /usr/lib": true, "  Restored /w/Oven.csproj (in 412 ms).": true, "Get:1 http://deb.debian.org/debian oven 1.0": true, "Get: a loaf": false,
		"Selecting previously unselected package oven.": true, "Preparing to unpack .../oven.deb ...": true, "Setting up oven (1.0) ...": true, "Setting up the oven": false, "Unpacking oven (1.0) ...": true,
		"test oven::heats ... ok": true, "test oven::heats ... FAILED": false, "tests/test_oven.py ..s. [ 50%]": true, "tests/test_oven.py ..F. [ 50%]": false,
		"tests/test_oven.py::test_heat PASSED [ 50%]": true, "tests/test_oven.py::test_heat FAILED [ 50%]": false, "PASS src/oven.test.ts (2.1 s)": true, "PASS the salt": false,
		"> oven@1.2.3 test": true, "> oven@1.2.3 test /w/oven": true, "> oven is hot": false,
		"module.oven.aws_subnet.a[0]: Refreshing state... [id=subnet-0a1b]": true, "aws_oven.a: Still creating... [10s elapsed]": true, "aws_oven.a: Creation complete after 2s [id=i-1]": false, "data.oven.a: Reading...": true, "data.oven.a: Read complete after 1s [id=i-1]": true, "Note: Reading is good": false, "Error: Reading after the end": false, "Error: Reading... and no more": false, "oven: Still cold": false,
		"8f2ab2c1de77: Pull complete": true, "oven: Pull complete": false, "[ 12%] Building CXX object CMakeFiles/oven.dir/heat.cpp.o": true, "[12/40] Compiling Oven Heat.swift": true, "[12/40] loaves": false,
		"[ RUN      ] Oven.Heats": true, "[       OK ] Oven.Heats (3 ms)": true, "[  FAILED  ] Oven.Heats (3 ms)": false, "  - Installing oven/heat (v1.2.0): Extracting archive": true, "- Installing the oven": false,
		"Test Case '-[OvenTests heat]' passed (0.001 seconds).": true, "Test Case '-[OvenTests heat]' failed (0.001 seconds).": false, "  Passed Oven.Tests.Heats [12 ms]": true, "Passed the salt": false,
		"#9 sha256:0a1b2c 2.1MB / 3.4MB 0.3s": true, "#9 ERROR: no flour": false,
	} {
		if got := cause.IsProgress(line); got != want {
			t.Errorf("IsProgress(%q) is %v", line, got)
		}
	}
}
