package strategy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F7: what was called last upon a request is told before the next one, behind which it
// would seem to be done upon that; what goes over both is told once, before what came then.
func TestF7FoldedCallsAreToldInTheirTurn(t *testing.T) {
	ask := func(i, n int) (lines []string) {
		for ; n > 0; n-- {
			lines = append(lines, fmt.Sprintf("c %d%d Bash {}", i, n), fmt.Sprintf("r %d%d *400", i, n))
		}
		return lines
	}
	for name, tt := range map[string]struct {
		before, after int
		want          map[string]string
	}{
		"all before the request": {2, 0, map[string]string{"a": "keep_this\n[2 later calls not shown: Bash ×2]", "b": "keep_that\n[1 later call not shown: Bash]"}},
		"all behind it":          {0, 2, map[string]string{"a": "keep_this", "b": "[2 earlier calls not shown: Bash ×2]\nkeep_that\n[1 later call not shown: Bash]"}},
		"on both sides":          {1, 1, map[string]string{"a": "keep_this", "b": "[2 earlier calls not shown: Bash ×2]\nkeep_that\n[1 later call not shown: Bash]"}},
	} {
		lines := append([]string{"t", "u see to it", "c a Bash {}", "r a keep_this"}, ask(1, tt.before)...)
		lines = append(append(lines, "a so far", "t", "u and then"), ask(2, tt.after)...)
		l := script(t, append(lines, "c b Bash {}", "r b keep_that", "c y Bash {}", "r y *900", "t", "u go on with keep_this and keep_that", "c z Bash {}", "r z x", "a end")...)
		p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=140,without=always+blocks").View()
		got := map[string]string{}
		for _, payload := range payloads(p) {
			if r, ok := payload.(tenfold.ToolResult); ok {
				got[r.CallID] = tenfold.TextLines(r)
			}
		}
		for id, want := range tt.want {
			if got[id] != want {
				t.Errorf("%s: %s is %q\n%s", name, id, got[id], shown(p))
			}
		}
	}
}

// An error whose third line announces what is wrong has that said too.
func TestF5AnOpenErrorKeepsWhatItAnnounces(t *testing.T) {
	l := script(t, "t", "u see to it", "c 1 edit {}", "e 1 The edit is not good.\n\nERRORS:\n- unexpected indent in line 5\n\nThis is how it is:\n"+strings.Repeat("some code\n", 400)+"(end)", "c 2 Bash {}", "r 2 *400", "a end")
	got := result(t, plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=80").View(), 4)
	if !strings.Contains(got, "ERRORS:\n- unexpected indent in line 5 …") {
		t.Errorf("the result is %q", got)
	}
}

// What the result of an edit shows as well is not told once more: a passage of the text
// that went in stands below it where any line of it is not there.
func TestF7NothingOfACallIsShownTwice(t *testing.T) {
	body := []string{"func open() {", "\tturn_down(oven)", "}", "func close() {", "\tturn_up(oven)", "}"}
	arguments, err := json.Marshal(map[string]string{"file_path": "/w/a.go", "new_string": strings.Join(body, "\n")})
	if err != nil {
		t.Fatal(err)
	}
	passages := []tenfold.LineRange{{First: 1, Last: 3}, {First: 4, Last: 5}, {First: 6, Last: 9}}
	for _, result := range []string{
		"   10→func open() {\n   11→\tturn_down(oven)\n   12→}\n   13→func close() {\n",
		"@@ -10,2 +10,4 @@\n+func open() {\n+\tturn_down(oven)\n }\n-\tturn_up(oven)\n+func close() {\n",
	} {
		l := script(t, "t", "u go", "c 1 Edit "+string(arguments), "r 1 It is done:\n"+result)
		if got := strategy.NotIn(l, 3, passages); !slices.Equal(got, passages[1:]) {
			t.Errorf("left are %v", got)
		}
	}
}

// P5: of a call of an editor stays whether it looked or changed.
func TestP5AnEditorsCallSaysWhatItDid(t *testing.T) {
	l := script(t, "t", "u go", `c 1 str_replace_editor {"path":"/w/oven.py","command":"view","view_range":[1,20]}`, "r 1 heat_of_oven "+strings.Repeat("and more words\n", 300), "t", "u go on with heat_of_oven", "c 2 Bash {}", "r 2 x", "a end")
	c, ok := payloads(plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=120,without=blocks").View())[3].(tenfold.ToolCall)
	if want := `{"path":"/w/oven.py","command":"view"}`; !ok || c.Arguments != want {
		t.Errorf("the call is %+v", c)
	}
}
