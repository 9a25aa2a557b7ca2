package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
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
