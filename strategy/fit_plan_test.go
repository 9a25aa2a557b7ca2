package strategy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// baking is a plan in words; with boxes where it has items that are done.
func baking(boxes bool, more int) string {
	var b strings.Builder
	b.WriteString("# Bake bread\n\nWhy: people are hungry.\n\n## Steps\n\n")
	for i := range 6 + more {
		mark := "- "
		if boxes {
			mark = "- [ ] "
			if i%2 == 0 {
				mark = "- [x] "
			}
		}
		fmt.Fprintf(&b, "%sstep %d of the baking\n", mark, i)
	}
	return b.String()
}

// planned is a conversation in which a plan is written, changed and put before the
// person.
func planned(t *testing.T, plan string, calls ...string) *tenfold.Log {
	t.Helper()
	l := script(t, "t", "u bake bread")
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range calls {
		id := fmt.Sprint("p", i)
		name, arguments, _ := strings.Cut(c, " ")
		result := tenfold.ToolResult{CallID: id, Parts: tenfold.Text("done"), Outcome: tenfold.Success}
		switch arguments {
		case "READ":
			arguments, result.Parts = `{"file_path":"/w/plans/bread.md"}`, tenfold.Text(plan)
		case "REFUSED":
			arguments = `{"plan":` + string(text) + `}`
			result = tenfold.ToolResult{CallID: id, IsError: true, Parts: tenfold.Text("The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse the other oven.")}
		}
		for _, p := range []tenfold.Payload{
			tenfold.ToolCall{CallID: id, Name: name, Arguments: strings.Replace(arguments, "PLAN", string(text), 1)}, result,
		} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 20 {
		extend(t, l, fmt.Sprintf("c b%d Bash {\"command\":\"make loaf_%d\"}", i, i), fmt.Sprintf("r b%d loaf_%d *900", i, i))
	}
	extend(t, l, "t", "u go on", "c 1 Bash {}", "r 1 x", "a end")
	return l
}

// F5: a plan stands once, in its newest version, however often it was written, read
// or put before the person; what the person said of an older one stays.
func TestF5APlanStandsOnce(t *testing.T) {
	const write, leave = `Write {"file_path":"/w/plans/bread.md","content":PLAN}`, `ExitPlanMode {"plan":PLAN}`
	for name, calls := range map[string][]string{
		"written and left":    {write, leave},
		"left and written":    {leave, write},
		"written and read":    {write, "Read READ"},
		"written twice":       {write, write},
		"refused and written": {"ExitPlanMode REFUSED", write},
	} {
		l := planned(t, baking(true, 0), calls...)
		view := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=2000").View()
		shown := strings.Join(texted(view), "\n")
		if n := strings.Count(shown, "step 3 of the baking"); n != 1 {
			t.Errorf("%s: the plan stands %d times in\n%s", name, n, shown)
		}
		newest := int64(3 + 2*(len(calls)-1))
		if at := fmt.Sprintf("%v %v", payloads(view)[newest], payloads(view)[newest+1]); !strings.Contains(at, "step 3 of the baking") {
			t.Errorf("%s: the newest is %s", name, at)
		}
		if strings.Contains(calls[0], "REFUSED") && !strings.Contains(shown, "Use the other oven.") {
			t.Errorf("%s: what the person said is gone from\n%s", name, shown)
		}
	}
}

// F4: a plan that is too long stays with its open items, one without boxes with its
// headings and items, as far as there is room.
func TestF4ALongPlanStaysWithItsOpenItems(t *testing.T) {
	for name, c := range map[string]struct {
		plan, call string
		want, gone []string
	}{
		"written":       {baking(true, 300), `Write {"file_path":"/w/plans/bread.md","content":PLAN}`, []string{"# Bake bread", "[ ] step 1 of", "[ ] step 25 of"}, []string{"[x] step 2 of", "people are hungry"}},
		"read":          {baking(true, 300), "Read READ", []string{"# Bake bread", "[ ] step 1 of", "[ ] step 25 of"}, []string{"[x] step 2 of", "people are hungry"}},
		"left":          {baking(true, 300), `ExitPlanMode {"plan":PLAN}`, []string{"# Bake bread", "[ ] step 1 of", "[ ] step 25 of"}, []string{"[x] step 2 of", "people are hungry"}},
		"without boxes": {baking(false, 300), "Read READ", []string{"# Bake bread", "## Steps", "- step 1 of"}, []string{"people are hungry"}},
	} {
		t.Run(name, func(t *testing.T) {
			shown := strings.Join(texted(plan(t, tenfold.Project(planned(t, c.plan, c.call)), strategy.Options{}, "fit:target=1500,without=blocks").View()), "\n")
			for _, want := range c.want {
				if !strings.Contains(shown, want) {
					t.Errorf("%q is gone from\n%s", want, shown)
				}
			}
			for _, not := range c.gone {
				if strings.Contains(shown, not) {
					t.Errorf("%q stays in\n%s", not, shown)
				}
			}
		})
	}
	// One that is short enough gives way where all else takes more than its half.
	l := planned(t, baking(true, 10), `ExitPlanMode {"plan":PLAN}`)
	made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=320")
	shown := strings.Join(texted(made.View()), "\n")
	if !made.Fitted.Met() || !strings.Contains(shown, "[ ] step 1 of") || made.Fitted.GaveWay == 0 {
		t.Errorf("%+v\n%s", made.Fitted, shown)
	}
}
