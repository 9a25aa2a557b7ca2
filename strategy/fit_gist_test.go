package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// Of a long message stays what it insists on before what else it demands, and what is
// asked for behind all that.
func TestS13aLongMessagesKeepWhatTheyInsistOn(t *testing.T) {
	long := "Read this page of our rules.\n" + strings.Repeat("The oven is hot and the dough is cold today.\n", 200) +
		strings.Repeat("It should be as the page of the bakery says that lies there.\n", 60) +
		"Never push to main.\n" + strings.Repeat("The oven is hot and the dough is cold today.\n", 200) + "# Request\nBuild phase 01."
	p := always(script(t, "t", "u "+long, "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end"))
	got := tenfold.TextLines(payloads(p)[2])
	for _, part := range []string{"Read this page of our rules.\n", "\nNever push to main. …", "\n# Request\nBuild phase 01."} {
		if !strings.Contains(got, part) {
			t.Errorf("it lacks %q: %q", part, got)
		}
	}
}

// What was pasted at the end of a long message says nothing there.
func TestS13aLongMessagesEndInNoPaste(t *testing.T) {
	long := "This page is red.\n" + strings.Repeat("The oven is hot and the dough is cold today.\n", 200) + "```\nmake bread --with=rye {}\nexit 1\n```"
	p := always(script(t, "t", "u "+long, "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end"))
	if got := tenfold.TextLines(payloads(p)[2]); strings.Contains(got, "make bread") {
		t.Errorf("it ends in %q", got[len(got)-60:])
	}
}

// What a diff that was pasted says of what must be is no demand of who pasted it.
func TestS13aAPastedDiffDemandsNothing(t *testing.T) {
	long := "Look at this page.\nIt is the one of the bakery.\n" + strings.Repeat("The oven is hot and the dough is cold today.\n", 200) +
		"@@ -1,3 +1,3 @@ func heat\n // Never heat the oven of the bakery.\n-\told\n+\tnew\n // It must be cold.\nNever push to main.\n" +
		strings.Repeat("The oven is hot and the dough is cold today.\n", 200)
	p := always(script(t, "t", "u "+long, "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end"))
	if got := tenfold.TextLines(payloads(p)[2]); !strings.Contains(got, "Never push to main.") || strings.Contains(got, "Never heat") || strings.Contains(got, "It must be cold") {
		t.Errorf("it is %q", got)
	}
}

// Where not all that a long message demands has room, as many of its demands stay as can:
// the short ones, of long lines the sentences alone, and what a log repeats last.
func TestS13aLongMessagesKeepManyDemands(t *testing.T) {
	var b strings.Builder
	b.WriteString("Read this page of our rules.\n")
	for i := range 30 {
		fmt.Fprintf(&b, "oven.js:%d Warning: two loaves lie at shelf %d. Shelves should be unique so that loaves keep their place in the oven of the bakery, and elsewhere too, as the old page says.\n", i, i)
	}
	b.WriteString(strings.Repeat("The oven is hot and the dough is cold today.\n", 200))
	b.WriteString("The dough is red and lies on the long table of the bakery, where the loaves of the day before lie, too. Keep the door shut. " +
		"The window is blue and shows the yard, in which a cart stands that brings the flour.\n- Use RELATIVE paths only\n")
	b.WriteString(strings.Repeat("The oven is hot and the dough is cold today.\n", 200))
	p := always(script(t, "t", "u "+b.String(), "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end"))
	got := tenfold.TextLines(payloads(p)[2])
	for _, part := range []string{"Keep the door shut.", "- Use RELATIVE paths only", "oven.js:0 "} {
		if !strings.Contains(got, part) {
			t.Errorf("it lacks %q: %q", part, got)
		}
	}
	if strings.Contains(got, "The window is blue") {
		t.Errorf("a line stays whole for a sentence: %q", got)
	}
}

// A demand stays wherever it stands in a long line, near the one before it or far behind.
func TestS13aADemandIsFoundAnywhereInALine(t *testing.T) {
	filler := strings.Repeat("The oven is hot. ", 400)
	for at := 700; at < 1100; at += 37 {
		line := "Keep the door shut. " + filler[:at] + "x. You must under no circumstances touch the big knife. " + strings.Repeat(filler, 3)
		p := always(script(t, "t", "u "+line, "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end"))
		if got := tenfold.TextLines(payloads(p)[2]); !strings.Contains(got, "touch the big knife") || !strings.Contains(got, "Keep the door shut.") {
			t.Fatalf("behind %d bytes a demand is gone: %q", at, got)
		}
	}
}

// F5: the first error of a log that a person pasted stays: it stands nowhere else, and lines with
// ids are worth more to a choice.
func TestF5TheErrorsOfAPastedLogStay(t *testing.T) {
	log := "Why is the shop closed?\n"
	for i := range 200 {
		switch line := fmt.Sprintf("08:%02d INFO request_%d of basket_%d went well, as usual\n", i%60, i, i); {
		case i == 50:
			log += "08:50 ERROR [oven] no flour is left\n"
		case i > 80 && i%9 == 0:
			log += fmt.Sprintf("08:51 ERROR [shop] request_%d failed\n", i)
		default:
			log += line
		}
	}
	l := script(t, "t")
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(log)}}); err != nil {
		t.Fatal(err)
	}
	extend(t, l, "c 1 Bash {}", "r 1 *900", "a so far", "t", "u go on with request_7", "c 2 Bash {}", "r 2 x", "a end")
	text := ""
	for _, p := range payloads(plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=10%").View()) {
		text += tenfold.SearchText(p) + "\n"
	}
	if !strings.Contains(text, "no flour is left") || !strings.Contains(text, "[shop] request_81 failed") || strings.Count(text, "[shop]") > 3 {
		t.Errorf("the view is\n%s", text)
	}
}
