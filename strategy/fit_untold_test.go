package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// M4a: where the host does not say how a call ended, its stub would say "done" of tests that
// failed: its output is looked at, of an agent's own tool too, with the place of an exception.
func TestM4aAStubDoesNotHideAFailure(t *testing.T) {
	plain := strings.Repeat(strings.Repeat("words, ", 55)+"\n", 40) // none of them has room
	trace := plain + "ValueError: cold\n    at warm (/w/node_modules/a.js:1:2)\n    at heat (lib/oven.js:3:4)\n"
	for name, c := range map[string]struct{ tool, arguments, output, want string }{
		"a command":    {"Bash", `{"command":"make bakery_oven_tests"}`, plain + "2 passed, 1 failed\n", "2 passed, 1 failed"},
		"a trace":      {"Bash", `{"command":"make bakery_oven_tests"}`, trace, "at heat (lib/oven.js:3:4)"},
		"its own tool": {"mcp__bakery_tests", `{"suite":"bakery_oven_tests"}`, trace, "at heat (lib/oven.js:3:4)"},
		"a short one":  {"Bash", `{"command":"make bakery_oven_tests"}`, "24 loaves", "24 loaves"},
	} {
		l := script(t, "t", "u test it", "c 1 "+c.tool+" "+c.arguments)
		if _, err := l.Append(tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(c.output)}}); err != nil {
			t.Fatal(err)
		}
		extend(t, l, "c 2 Bash {}", "r 2 *900", "t", "u see to the bakery_oven", "c 3 Bash {}", "r 3 x", "a end")
		view := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=100,without=blocks").View()
		if got := result(t, view, 4); !strings.Contains(got, c.want) || c.output == trace && !strings.Contains(got, "ValueError: cold") {
			t.Errorf("%s: the result is %q", name, got)
		}
	}
}

// P5: what a call of an unknown tool is about stays with it, up to 300 bytes: a query is what
// its result is of.
func TestP5AQueryStaysWithItsCall(t *testing.T) {
	query := strings.Repeat("SELECT heat FROM oven_table; ", 9)
	l := script(t, "t", "u look", `c 1 sql_query {"limit":7,"query":"`+query+`"}`, "r 1 loaves_left "+strings.Repeat("and more words\n", 300), "t", "u go on with loaves_left", "c 2 Bash {}", "r 2 x", "a end")
	c, ok := payloads(plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=200,without=blocks").View())[3].(tenfold.ToolCall)
	if want := `{"query":"` + query + `"}`; !ok || c.Arguments != want {
		t.Errorf("the call is %+v", c)
	}
}

// F7: where no call is left, they are told beside the last words of the agent; earlier words that
// only fill what was left give way to that.
func TestF7WhatFillsTheRoomGivesWayToTheCalls(t *testing.T) {
	lines := []string{"t", "u bake"}
	for i := range 6 {
		lines = append(lines, fmt.Sprintf("a So I bake loaf number %d of them all now.", i), fmt.Sprintf("c %d bake_bread {}", i), fmt.Sprintf("r %d *400", i))
	}
	l := script(t, append(lines, "a It is all done now.", "t", "u go on", "a Well.")...)
	for target := 70; target <= 140; target += 5 {
		p := plan(t, tenfold.Project(l), strategy.Options{}, fmt.Sprint("fit:target=", target)).View()
		if got := shownTexts(p); p.Tokens() > target || strings.Contains(got, "It is all done") && !strings.Contains(got, "earlier calls not shown") {
			t.Errorf("target %d, %d tokens: %s", target, p.Tokens(), got)
		}
	}
}

// F3: what is left over goes to no part of a picture in letters.
func TestF3NoPartOfAPictureFillsTheRoom(t *testing.T) {
	data := strings.Repeat("iVBORw0KGgoAAAANSUhEUg62h5bgdff5CF4d44AA3B57c9D0hh8EBG6f4EcD5dch8018Gbf", 60)
	words := strings.Repeat("words of a long line, ", 200)
	for line, want := range map[string]bool{`"image/png": "` + data + `"`: false, words: true, words + data + data: true, data + words + words: false} {
		l := script(t, "t", "u look", `c 1 Bash {"command":"make picture_of_oven"}`, "r 1 {\n"+line+"\n}", "t", "u go on with the picture_of_oven", "c 2 Bash {}", "r 2 x", "a end")
		p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=300").View()
		if got := result(t, p, 4); (len(got) > 300) != want {
			t.Errorf("%.20s: shown are %d bytes: %.200q", line, len(got), got)
		}
	}
}

// F7: words that were chosen give way to what unknown tools did, as it would be done twice.
func TestF7ChosenWordsGiveWayToWhatWasDone(t *testing.T) {
	words := strings.Repeat("\nand more words, as many as people write who have the time to", 20)
	l := script(t, "t", "u book it", "a The seats are seat_row_7 and seat_row_8 of those by the window that are left."+words, "c 0 look {}", "r 0 *300",
		"a So I book seat_row_9 for you now."+words, `c 1 book {"seat":"7A"}`, "r 1 *400", "t", "u go on with seat_row_7, seat_row_8 and seat_row_9", "a Well.")
	told := 0
	for target := 80; target <= 140; target += 5 {
		p := plan(t, tenfold.Project(l), strategy.Options{}, fmt.Sprint("fit:without=blocks,target=", target)).View()
		got := ""
		for _, one := range payloads(p) {
			got += tenfold.SearchText(one) + "\n"
		}
		if strings.Contains(got, "book 7A") {
			told++
		}
		if p.Tokens() > target || strings.Contains(got, "seat_row_7 and") && !strings.Contains(got, "book 7A") {
			t.Errorf("target %d, %d tokens: %s", target, p.Tokens(), got)
		}
	}
	if told == 0 {
		t.Error("what was done is never told")
	}
}
