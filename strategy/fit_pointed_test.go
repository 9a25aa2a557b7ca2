package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// What a person's message means and does not repeat stays with it: items of the
// list before it by their number, also where something was said in between, and the question that a short answer is to.
func TestS13aWhatAMessagePointsAtStays(t *testing.T) {
	list := "I looked at all of it.\n1. **Centralize** the errors\n   - one helper\n2. Add tests\n3) Release note\n### 4. Check the linter\nWhat do you say?"
	for answer, want := range map[string][]string{
		"ok, do 1+2 next":                     {"1. **Centralize** the errors", "2. Add tests"},
		"on 4, can you check what others do?": {"### 4. Check the linter"},
		"2-4 please":                          {"2. Add tests", "3) Release note", "### 4. Check the linter"},
		"#3!":                                 {"3) Release note"},
		"let's do that":                       {"It is fine."},
		"yes":                                 {"It is fine."},
		"it has 14 files and version 1.2.3, look at port 8080": nil,
		"now write the whole of the documentation":             nil,
	} {
		lines := []string{"t", "u look at the code", "a " + list, "t", "u and the first thing I asked about the code?", "a It is fine.", "t", "u " + answer}
		for i := range 30 {
			lines = append(lines, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *200", i))
		}
		l := script(t, append(lines, "a done", "t", "u thanks for all of that, now the other subject", "a so far")...)
		got := payloads(strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)}))
		var shown []string
		for _, seq := range []int64{3, 6} {
			if m, ok := got[seq].(tenfold.AssistantMessage); ok {
				for line := range strings.Lines(m.Text) {
					shown = append(shown, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "… "), " …"))
				}
			}
		}
		shown = slices.DeleteFunc(shown, func(s string) bool { return s == "" || s == "…" })
		if !slices.Equal(shown, want) {
			t.Errorf("%q: %q stays, want %q", answer, shown, want)
		}
	}
}

// linesThatStay are the lines of the model's words in one entry that always stand.
func linesThatStay(l *tenfold.Log, seq int64) string {
	got, _ := payloads(strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)}))[seq].(tenfold.AssistantMessage)
	var shown []string
	for line := range strings.Lines(got.Text) {
		if line = strings.Trim(line, "… \n"); line != "" {
			shown = append(shown, line)
		}
	}
	return strings.Join(shown, ",")
}

// Letters name items too: among more than a few words only capitals, as "a" is a word.
func TestS13aAMessagePointsAtItemsByLetter(t *testing.T) {
	text := "**A. Rename it**\n**B. Say so**\n- **Option C (mine) — wait**\n- **D** — Print it\nShall I?"
	for answer, want := range map[string]string{
		"b":        "**B. Say so**",
		"option a": "**A. Rename it**",
		"ok, let's just add tests, ignore A, do B, C and D too": "**A. Rename it**,**B. Say so**,- **Option C (mine) — wait**,- **D** — Print it",
		"I would say that we go for option D with a note":       "- **D** — Print it",
		"A note on this may be a good idea, or a new test":      "",
	} {
		l := script(t, "t", "u look", "a "+text, "t", "u "+answer, "c 1 Bash {}", "r 1 *200", "a done", "t", "u thanks, now the other subject of today", "a so far")
		if all := linesThatStay(l, 3); all != want {
			t.Errorf("%q: %q stays, want %q", answer, all, want)
		}
	}
}

// Of several lists a message means the last that has what it names; of titles and what
// stands under them, the titles.
func TestS13aAMessageMeansTheLastList(t *testing.T) {
	for text, want := range map[string]string{
		"1. one\n2. two\n3. three\n\n## What to do\n1. four\n2. five\nShall I?": "1. four,2. five",
		"### 1. one\n1. a\n2. b\n### 2. two\n1. c\n2. d\nShall I?":              "### 1. one,### 2. two",
		"1. one\n   1. a\n   2. b\n2. two\n   1. c\n   2. d\nShall I?":          "1. one,2. two",
		"1. one\n2. two\n3. three\n\nOr begin with:\n1. four\nShall I?":         "1. one,2. two",
		"> 1. one\n> 2. two\n\nA. three\nB. four\nShall I?":                     "> 1. one,> 2. two",
		"1. one\n### 2. two\nShall I?":                                          "1. one,### 2. two",
	} {
		l := script(t, "t", "u look", "a "+text, "t", "u do 1+2", "c 1 Bash {}", "r 1 *200", "a done", "t", "u thanks, now the other subject of today", "a so far")
		if all := linesThatStay(l, 3); all != want {
			t.Errorf("of %q stays %q, want %q", text, all, want)
		}
	}
}

// What a person agreed to or declined stays where the question only points at it; what
// the question names, or nobody decided on, does not.
func TestF5WhatWasDecidedStays(t *testing.T) {
	proposal := "I looked at all of it.\n**Framework**: LangGraph\n```\n1. code\n```\nIt has its reasons.\n1. Use its image\n2. Build thin layers\n"
	agreed := []string{"**Framework**: LangGraph", "1. Use its image", "2. Build thin layers"}
	for _, tt := range []struct {
		question, answer string
		want             []string
	}{
		{"Does this approach work for you?", "ok", append(agreed, "Does this approach work for you?")},
		{"Shall I proceed?", "Yes, please.", append(agreed, "Shall I proceed?")},
		{"Does this approach work for you?", "no", append(agreed, "Does this approach work for you?")},
		{"Does this approach work for you?", "what about it", []string{"Does this approach work for you?"}},
		{"Shall I take port 7443?", "ok", []string{"Shall I take port 7443?"}},
		{"Does this approach work for you?", "first tell me in some detail what the other people did about their layers", nil},
	} {
		lines := []string{"t", "u look at the code", "a " + proposal + "\n" + tt.question, "t", "u " + tt.answer}
		for i := range 30 {
			lines = append(lines, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *200", i))
		}
		l := script(t, append(lines, "a done", "t", "u thanks for all of that, now the other subject", "a so far")...)
		got := payloads(strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)}))
		var shown []string
		if m, ok := got[3].(tenfold.AssistantMessage); ok {
			for line := range strings.Lines(m.Text) {
				shown = append(shown, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "… "), " …"))
			}
		}
		shown = slices.DeleteFunc(shown, func(s string) bool { return s == "" || s == "…" })
		if !slices.Equal(shown, tt.want) {
			t.Errorf("%q to %q: %q stays, want %q", tt.answer, tt.question, shown, tt.want)
		}
	}
}

// Of a plan that a later one took the place of nothing is chosen.
func TestF5PastPlansAreNotChosen(t *testing.T) {
	todos := func(state string) string {
		return `{"todos":[{"content":"rewrite internal/parser/lexer.go","status":"` + state + `"}]}`
	}
	lines := []string{"t", "u write the parser", "c p1 TodoWrite " + todos("pending"), "r p1 " + todos("pending") + "\ninternal/parser/lexer.go is first", "c p2 TodoWrite " + todos("in_progress"), "r p2 noted"}
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("c n%d Read {\"file_path\":\"internal/parser/lexer.go\"}", i), fmt.Sprintf("r n%d *300", i))
	}
	l := script(t, append(lines, "a done", "t", "u go on", "c e Bash {}", "r e x", "a so far")...)
	got := payloads(plan(t, tenfold.Project(l), strategy.Options{Range: everything(l)}, "fit:target=700").View())
	if got[3] != nil || got[4] != nil {
		t.Errorf("of the first plan %v and %v stay", got[3], got[4])
	}
	if got[5] == nil {
		t.Error("the latest plan is gone")
	}
}
