package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F4: where standing instructions alone take more than half of the target, nothing is
// won by what a person said in a word: what the agent did upon it would seem unasked.
func TestF4AWordOfThePersonDoesNotGiveWayForNothing(t *testing.T) {
	lines := []string{"t"}
	for n := range 5 {
		var rules strings.Builder
		fmt.Fprintf(&rules, "# Rules %d\n\n", n)
		for i := range 60 {
			fmt.Fprintf(&rules, "Never paint the door %d of the house %d without a word of those who live behind it.\n\n", i, n)
		}
		lines = append(lines, "x "+rules.String())
	}
	lines = append(lines, "u tidy the house", "a I can remove the old runs too.", "t", "u remove them", "c 1 Bash {\"command\":\"rm -r runs\"}", "r 1 gone", "a They are removed.")
	for _, line := range work(12, 60) {
		lines = append(lines, strings.Replace(line, "u ask", "u tell me of the room that is to be done next, and who waits for it, number", 1))
	}
	raw := tenfold.Project(script(t, lines...))
	const text = "fit:target=3000"
	made := plan(t, raw, strategy.Options{}, text)
	holdTarget(t, text, raw, made)
	if !made.Fitted.Met() || made.Fitted.GaveWay == 0 {
		t.Fatalf("%+v", made.Fitted)
	}
	for e := range raw.Log().Entries() {
		if m, ok := e.Payload.(tenfold.UserMessage); !ok || !m.IsRequest() {
			continue
		}
		if fate, _, _ := made.View().Fate(e.Seq); fate != tenfold.Kept {
			t.Errorf("%q is %s, with %+v", tenfold.TextLines(e.Payload), fate, made.Fitted)
		}
	}
}

// F4: what always stays gives way in order, until it leaves half of the target.
func TestF4OlderMessagesGiveWayTheConstraintsLast(t *testing.T) {
	var lines []string
	lines = append(lines, "t", "u the task is a bakery", "a *400")
	for i := range 30 {
		lines = append(lines, "t", fmt.Sprintf("u thing %d is nice *300", i), "a *400")
	}
	lines[10] = "u what a day\nNever touch the vendor directory.\nand so on *200"
	lines = append(lines, "t", "u the last request *600", "c 1 Bash {}", "r 1 *90", "a end")
	l := script(t, lines...)
	pinned, _ := l.Entry(8)
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.Pin{Entries: []string{pinned.ID}}}); err != nil {
		t.Fatal(err)
	}
	raw := tenfold.Project(l)
	const text = "fit:target=900"
	made := plan(t, raw, strategy.Options{}, text)
	holdTarget(t, text, raw, made)
	if !made.Fitted.Met() || made.Fitted.GaveWay == 0 {
		t.Fatalf("%+v", made.Fitted)
	}
	shown := texted(made.View())
	for want, there := range map[string]bool{
		"Never touch the vendor directory.": true, "the last request": true, "the task is a bakery": true, "thing 1 ": true, // pinned
		"thing 0 ": false, "thing 3 ": false, "thing 29 ": true,
	} {
		if slices.ContainsFunc(shown, func(s string) bool { return strings.Contains(s, want) }) != there {
			t.Errorf("%q is shown: %v", want, !there)
		}
	}
	// The oldest go first.
	gone := true
	for seq := int64(1); seq <= raw.Version(); seq++ {
		e, _ := l.Entry(seq)
		if m, ok := e.Payload.(tenfold.UserMessage); !ok || !strings.HasPrefix(tenfold.TextLines(m), "thing") || seq == 8 {
			continue
		}
		fate, _, _ := made.View().Fate(seq)
		if fate == tenfold.Omitted && !gone {
			t.Errorf("message %d is gone, an older one is not", seq)
		}
		gone = fate == tenfold.Omitted
	}
}

// F4: of what a person said of a refused call the demands give way as late as
// those of messages do; what demands nothing goes with the other short messages.
func TestF4DemandsOfRefusedCallsGiveWayLast(t *testing.T) {
	refused := "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
	demands := []string{"Never touch the vendor directory.", "Do not add a dependency.", "Always run the linter first."}
	lines := []string{"t", "u the task is a bakery", "c p Bash {\"command\":\"a\"}", "e p " + refused + strings.Join(demands, "\n") + "\nwhat a day *200"}
	lines = append(lines, "c q Bash {\"command\":\"b\"}", "e q "+refused+"the oven is blue *1600", "c f Bash {\"command\":\"c\"}", "e f no such file")
	for i := range 30 {
		lines = append(lines, "t", fmt.Sprintf("u thing %d is nice *300", i), fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *200", i), "a *400")
	}
	lines = append(lines, "t", "u the last request *600", "c 1 Bash {}", "r 1 *90", "a end")
	raw := tenfold.Project(script(t, lines...))
	const text = "fit:target=700"
	made := plan(t, raw, strategy.Options{}, text)
	holdTarget(t, text, raw, made)
	if !made.Fitted.Met() || made.Fitted.GaveWay == 0 {
		t.Fatalf("%+v", made.Fitted)
	}
	shown := strings.Join(texted(made.View()), "\n")
	for _, want := range demands {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	for _, gone := range []string{"the oven is blue", "thing 0 "} {
		if strings.Contains(shown, gone) {
			t.Errorf("%q stays", gone)
		}
	}
	// With less room they are all that is left of it.
	made = plan(t, raw, strategy.Options{}, "fit:target=500")
	shown = strings.Join(texted(made.View()), "\n")
	if !strings.Contains(shown, demands[0]) || strings.Contains(shown, "doesn't want to proceed") || strings.Contains(shown, "what a day") {
		t.Errorf("%s", shown)
	}
}

// F4: notices go first; standing instructions stay, long ones by their rules where
// there is little room (P8a).
func TestF4P8aLongInstructionsGiveWayToTheirRules(t *testing.T) {
	var rules strings.Builder
	rules.WriteString("# AGENTS.md instructions for /work\n\n")
	for i := range 60 {
		fmt.Fprintf(&rules, "The part %d of the house is described here at length,\nwith words and more words about what it is.\n\n", i)
	}
	// Longer than what other blocks would leave of the room: rules are first.
	rules.WriteString("Never touch the vendor directory, whatever anybody says and however small the change is,\nand ask the people who live there before you touch what is next to it.\n")
	lines := append([]string{"t", "x " + rules.String(), "n <command-name>/clear</command-name> *300"}, work(20, 30)[1:]...)
	raw := tenfold.Project(script(t, lines...))
	seen := func(p *tenfold.Projection, seq int64) string { return tenfold.TextLines(payloads(p)[seq]) }
	made := plan(t, raw, strategy.Options{}, "fit:target=5000")
	holdTarget(t, "5000", raw, made)
	if seen(made.View(), 2) != rules.String() || made.Fitted.GaveWay != 0 {
		t.Errorf("with room, the instructions are %q", seen(made.View(), 2))
	}
	made = plan(t, raw, strategy.Options{}, "fit:target=1200")
	holdTarget(t, "1200", raw, made)
	got := seen(made.View(), 2)
	if len(got) > len(rules.String())/2 || !strings.Contains(got, "Never touch the vendor directory, whatever") || !strings.Contains(got, "next to it.") || !strings.Contains(got, "# AGENTS.md instructions for /work") {
		t.Errorf("with little room they are %q", got)
	}
	if fate, _, _ := made.View().Fate(3); fate != tenfold.Omitted {
		t.Errorf("the notice is %s", fate)
	}
	if !made.Fitted.Met() || !slices.ContainsFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsContext && s.Entries == 1 }) {
		t.Errorf("%+v", made.Fitted)
	}
}

// F4: a short standing instruction gives way to its rules before what a person said does.
func TestF4ShortInstructionsGiveWayBeforeThePerson(t *testing.T) {
	var rules strings.Builder
	rules.WriteString("# Writing well\n\nNever use a long word where a short one will do.\n\n")
	for i := range 20 {
		fmt.Fprintf(&rules, "The part %d of the book is described here at length,\nwith words and more words about what it is.\n\n", i)
	}
	lines := []string{"t", "x " + rules.String(), "u the task is a bakery", "a *400", "t", "u can the oven be green", "a *400"}
	raw := tenfold.Project(script(t, append(lines, work(20, 30)...)...))
	made := plan(t, raw, strategy.Options{}, "fit:target=1000")
	holdTarget(t, "1000", raw, made)
	got := tenfold.TextLines(payloads(made.View())[2])
	if len(got) > len(rules.String())/2 || !strings.Contains(got, "Never use a long word") {
		t.Errorf("the instructions are %q", got)
	}
	if shown := strings.Join(texted(made.View()), "\n"); !strings.Contains(shown, "can the oven be green") || !made.Fitted.Met() {
		t.Errorf("%+v, shown is %s", made.Fitted, shown)
	}
}
