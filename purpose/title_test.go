package purpose

import (
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// A conversation is called by what a person asked for first, on its root.
func TestTitleOf(t *testing.T) {
	say := func(branch, text string) tenfold.Entry {
		return tenfold.Entry{Branch: branch, Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}
	}
	entries := []tenfold.Entry{
		{Payload: tenfold.TurnStart{}}, say("side", "look into the oven"), say("", "  "), say("", "bake the bread"), say("", "and the cake"),
	}
	if got := TitleOf(slices.Values(entries)); got != "bake the bread" {
		t.Errorf("the title is %q", got)
	}
	if got := TitleOf(slices.Values(entries[:3])); got != "" {
		t.Errorf("the title is %q", got)
	}
}

// A title is at most so wide, at the end of a word where it can be, and a long address in it is told
// by its end.
func TestTitleOfALongRequest(t *testing.T) {
	long := "https://example.com/a/very/long/path/of/many/directories/to/the/very/page.html?query=1"
	for text, want := range map[string]string{
		"see " + long:                     "see …/very/page.html",
		"see https://a.b/c":               "see https://a.b/c",
		"/review the oven":                "the oven",
		"/usr/bin is full":                "/usr/bin is full",
		"# Task\n\n> bake\n- the bread":   "Task bake - the bread",
		"see https://example.com/a/very/": "see …/a/very",
	} {
		got := Title(tenfold.UserMessage{Parts: tenfold.Text(text)})
		if got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
	for n := range 3 * TitleWidth {
		got := Title(tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("ab ", n))})
		if len([]rune(got)) > TitleWidth {
			t.Errorf("%d words are called %q", n, got)
		}
	}
}
