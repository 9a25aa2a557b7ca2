package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F5: of what a request only names, how the result begins stays that showed it first, and of
// a list with boxes what is open: it is what the person wants. Where what stays takes too much, it gives way
// before the person's own words.
func TestF5WhatARequestNamesStays(t *testing.T) {
	issue := "title:\tOven burns bread\n\nLower the heat of the second rack.\n" + strings.Repeat("It is the sort of thing that somebody says at length.\n", 80) + "- [x] rack one\n- [ ] rack two\n"
	for name, c := range map[string]struct {
		request, call string
		target        int
		want          []string
		lacks         string
	}{
		"an issue":           {"solve https://example.org/oven/issues/712", `Bash {"command":"gh issue view 712"}`, 3000, []string{"Lower the heat", "- [ ] rack two"}, "- [x] rack one"},
		"an issue as JSON":   {"solve https://example.org/oven/issues/712", `Bash {"command":"gh issue view 712 --json body"}`, 6000, []string{"Lower the heat", strings.Repeat(`It is the sort of thing that somebody says at length.\n`, 20)}, "- [ ] rack two"},
		"a document":         {"do what docs/racks.md says", `Read {"file_path":"/src/docs/racks.md"}`, 3000, []string{"Lower the heat", "- [ ] rack two"}, "- [x] rack one"},
		"another issue":      {"solve https://example.org/oven/issues/711", `Bash {"command":"gh issue view 712"}`, 3000, nil, "Lower the heat"},
		"a list of files":    {"do what docs/racks.md says", `Glob {"pattern":"docs/racks.md"}`, 3000, nil, "Lower the heat"},
		"what was made":      {"write docs/racks.md", `Write {"file_path":"docs/racks.md","content":"x"}`, 3000, nil, "Lower the heat"},
		"where room is rare": {"solve https://example.org/oven/issues/712", `Bash {"command":"gh issue view 712"}`, 900, nil, "- [ ] rack two"},
	} {
		words := strings.Repeat("I have seen how the bread comes out of it. ", 40)
		l := script(t, "t", "u "+words, "a so", "t", "u "+c.request, "c 1 "+c.call)
		shown := issue
		if strings.Contains(c.call, "--json") {
			shown = `{"author":"ann","body":"` + strings.ReplaceAll(issue, "\n", `\n`) + `"}`
		}
		if _, err := l.Append(tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(shown)}}); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			extend(t, l, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *9000", i))
		}
		extend(t, l, "a end")
		var text strings.Builder
		for _, p := range payloads(strategy.AlwaysStandsWithin(tenfold.Project(l), strategy.Options{Range: everything(l)}, c.target)) {
			text.WriteString(tenfold.TextLines(p))
		}
		got := text.String()
		for _, want := range append(c.want, words[:200]) {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is gone\n%s", name, want, got)
			}
		}
		if strings.Contains(got, c.lacks) {
			t.Errorf("%s: %q stays\n%s", name, c.lacks, got)
		}
	}
}

// Of requests that name what nobody looked at, a few are gone through, however many there are.
func TestF5FewRequestsAreGoneThroughForWhatTheyName(t *testing.T) {
	for said, stays := range map[int]bool{15: true, 16: false} {
		l := script(t, "t", "u solve https://example.org/oven/issues/712", `c 1 Bash {"command":"gh issue view 712"}`, "r 1 Lower the heat of the second rack.")
		for i := range said {
			extend(t, l, fmt.Sprintf("u and review PR %d", 900+i))
		}
		for i := range 8 {
			extend(t, l, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *9000", i))
		}
		extend(t, l, "a end")
		shown := false
		for _, p := range payloads(strategy.AlwaysStandsWithin(tenfold.Project(l), strategy.Options{Range: everything(l)}, 3000)) {
			shown = shown || strings.Contains(tenfold.TextLines(p), "Lower the heat")
		}
		if shown != stays {
			t.Errorf("behind %d requests it stays: %t", said, shown)
		}
	}
}
