package excerpt_test

import (
	"strings"
	"testing"

	"tenfold"
)

// F6: of a stack trace the place that is kept comes with the error, and an error with what
// led to it or with the first place that is in no library; such places are nothing by themselves.
func TestF6APlaceKeepsItsError(t *testing.T) {
	const plain = "plain words are here and many more of them too long for a gap to be filled with as long as the sentences that people write who have time and then some words more"
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"Java": {[]string{
			"oven.HeatException: cold", "\tat open_file(Own.java:1)", "\tat java.base/" + plain + ".call(File.java:2)", "\tat plain(" + plain + ":2)",
		}, "1-2"},
		"a log of Java": {[]string{
			"2025-11-11 11:58:41 INFO  [exec-1] o.Oven - " + plain, "2025-11-11 11:58:41 ERROR [exec-7] o.Oven - java.lang.OutOfMemoryError: Java heap space", "\tat java.base/" + plain + ".call(File.java:2)", "\tat oven.open_file(Own.java:1)", "\tat plain(" + plain + ":2)",
		}, "2,4"},
		"what led to it": {[]string{
			"oven.HeatException: open_file", "\tat oven.a(" + plain + ":2)", "\tat oven.a(" + plain + ":3)", "\tat oven.a(" + plain + ":4)", "Caused by: oven.FuelException: none", "\tat oven.a(" + plain + ":2)", "\tat oven.a(" + plain + ":3)",
		}, "1,5-6"},
		"JavaScript": {[]string{
			"TypeError: cold", "", "  " + plain, "  " + plain, "", "    at heat (node:" + plain + ":3:4)", "    at open_file (oven:3:4)", "    at " + plain + " (oven:3:4)",
		}, "1,7"},
		"Go": {[]string{
			"panic: cold", "", "goroutine 1 [running]:", "testing.tRunner(" + plain + ")", "\t/usr/local/go/src/testing/testing.go:3 +0x1", plain, "oven.open_file(...)", "\t/oven.go:3 +0x1", plain,
		}, "1,7-8"},
		"Python": {[]string{
			"Traceback (most recent call last):", `  File "/lib/python3.9/a.py", line 3`, "    " + plain, `  File "oven.py", line 3`, "    open_file()", `  File "/site-packages/a.py", line 3`, "    " + plain, "ValueError: cold", plain,
		}, "4-5,8"},
		"IPython": {[]string{
			"Cell In[1], line 2", "----> 2 open_file()", "", "File ~/site-packages/a.py:3, in read_it(self)", "      2 other_name = " + plain, "----> 3 close_file()", "", "File ~/oven.py:7, in heat_it(self)", "ValueError: cold", plain,
		}, "2,8-9"},
		"IPython with CRLF": {[]string{
			"Cell In[1], line 2\r", "----> 2 open_file()\r", "\r", "File ~/site-packages/a.py:3, in read_it(self)\r", "----> 3 close_file()\r", "\r", "ValueError: cold\r", plain,
		}, "2,7"},
		"IPython without blank lines": {[]string{"File ~/site-packages/a.py:3, in read_it(self)", "----> 3 close_file()", "File ~/oven.py:7, in heat_it(self)", "----> 7 open_file()", "ValueError: cold", plain}, "3-5"},
		"pytest": {[]string{
			"____ heat ____", plain, "oven.py:3: in open_file", plain, plain, "oven.py:4: in plain", plain, "E   ValueError: cold", plain,
		}, "3,6,8"},
		"without an error": {[]string{plain, "  at open_file (oven:3:4)", "  at " + plain + " (oven:3:4)"}, "2"},
		"an error too far above": {append(append([]string{"panic: cold"}, strings.Split(strings.Repeat(plain+"\n", 8), "\n")...),
			"\tat open_file(Own.java:1)", "\tat plain("+plain+":2)"), "11"},
	} {
		l := script(t, "t", "u go", "c 1 Bash {}")
		add(t, l, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.Join(tt.lines, "\n"))})
		if got := shown(choose(l, linesOnly(160))); got != "4:"+tt.want {
			t.Errorf("%s: got %s, want 4:%s", name, got, tt.want)
		}
	}
}
