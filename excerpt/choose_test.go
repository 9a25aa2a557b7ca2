package excerpt_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
)

// Of two lines with the same names one is taken: an atom counts once. Without
// coverage both are.
func TestCoverage(t *testing.T) {
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 open_file one|plain words|between the two of them|that are too many to fill a gap|and again open_file more", "a done")
	same(t, "with coverage", shown(choose(l, linesOnly(100))), "4:1")
	same(t, "without", shown(choose(l, linesOnly(100, excerpt.Coverage))), "4:1,5")
}

// The dearer of two lines waits, though it is worth more; without cost it
// comes first.
func TestCost(t *testing.T) {
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 open_file close_file "+strings.Repeat("and words ", 19)+"|read_file|plain", "a done")
	order := func(o excerpt.Options) string {
		o.Budget = 1000
		c := indexed(l).Choose(everything(l, o))
		var got []string
		for n := range c.Len() {
			got = append(got, shown(c.First(n+1)))
		}
		return strings.Join(got, " | ")
	}
	same(t, "by cost", order(linesOnly(0)), "3 | 4:2 | 4:all")
	same(t, "without", order(linesOnly(0, excerpt.Cost)), "3 | 4:all | 4:all")
}

// Without lines a result is taken whole, or not at all.
func TestLines(t *testing.T) {
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 open_file|plain|words|more words|and more of them here", "a done")
	same(t, "lines", shown(choose(l, linesOnly(100))), "4:1")
	same(t, "whole", shown(choose(l, excerpt.Options{Budget: 100, Without: without(excerpt.Lines)})), "4:all")
	same(t, "whole, too dear", shown(choose(l, excerpt.Options{Budget: 8, Without: without(excerpt.Lines)})), "")
}

// What does not fit is skipped; what is smaller still fits.
func TestWhatDoesNotFitIsSkipped(t *testing.T) {
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf("big_name_%d", i)
	}
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+strings.Join(names, "_x ")+"|small_name|plain words of no use to anybody", "a done")
	same(t, "small", shown(choose(l, excerpt.Options{Budget: 30})), "4:2")
	same(t, "room for both", shown(choose(l, excerpt.Options{Budget: 600})), "4:all")
}

// A long line of many words goes in three pieces that overlap.
func TestFragmentsOfLongLines(t *testing.T) {
	words := strings.Repeat("some words ", 30) // 330 bytes, 60 words
	line := "at_begin " + words + "in_middle " + words + "at_end00 here"
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+line, "a done")
	kept := choose(l, linesOnly(100))
	if len(kept) != 1 || len(kept[0].Lines) != 1 || kept[0].Lines[0].To == 0 {
		t.Fatalf("kept is %s", shown(kept))
	}
	piece := kept[0].Lines[0]
	if text := line[piece.From:piece.To]; !strings.Contains(text, "_") || len(text) > len(line)/2 {
		t.Errorf("the piece is %q", text)
	}
	if piece.From > 0 && line[piece.From-1] != ' ' {
		t.Errorf("it begins inside a word, at %d", piece.From)
	}
	same(t, "all of it", shown(choose(l, linesOnly(400))), "4:all")
	// Blanks before it do not make a line long (P5b).
	l = script(t, "t", "u go", "c 1 Bash {}", "r 1 plain|"+strings.Repeat(" ", 12)+"at_begin "+strings.Repeat("ab ", 66)+"at_end00|"+strings.Repeat("plain words ", 90), "a done")
	if kept := choose(l, linesOnly(300)); len(kept) != 1 || len(kept[0].Lines) != 1 || kept[0].Lines[0].To != 0 {
		t.Errorf("an indented line goes in pieces: %s", shown(kept))
	}
	// One long word is not a line of many words.
	l = script(t, "t", "u go", "c 1 Bash {}", "r 1 open_file "+strings.Repeat("x", 300)+"|plain|"+strings.Repeat("y", 300), "a done")
	same(t, "few words", shown(choose(l, linesOnly(400))), "4:1")
}

// From 80 % of a text on it is kept whole.
func TestMostOfATextIsAllOfIt(t *testing.T) {
	for _, tt := range []struct{ plain, want string }{
		{"twelve bytes", "4:all"},
		{"and a little more than a fifth of them", "4:1-8"},
	} {
		var lines []string
		for i := range 8 {
			lines = append(lines, fmt.Sprintf("name_of_%d", i)) // 80 bytes with their ends
		}
		l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+strings.Join(lines, "|")+"|"+tt.plain, "a done")
		same(t, tt.plain, shown(choose(l, linesOnly(500))), tt.want)
	}
}

// An atom counts on its last five entries.
func TestRecent(t *testing.T) {
	var lines []string
	for i := range 7 {
		lines = append(lines, fmt.Sprintf("c %d Bash {}", i), fmt.Sprintf("r %d open_file", i))
	}
	l := script(t, append([]string{"t", "u go"}, lines...)...)
	// The last one leaves calls to fold on one side alone.
	same(t, "of the last five", shown(choose(l, linesOnly(100))), "16:all")
	same(t, "of all", shown(choose(l, linesOnly(100, excerpt.Recent))), "4:all")
}

const (
	readA  = `Read {"file_path":"src/a_file.go"}`
	editA  = `Edit {"file_path":"src/a_file.go","old_string":"x","new_string":"y"}`
	before = "c 1 " + readA + "\nr 1 func open_file()"
)

func lines(texts ...string) []string {
	out := []string{"t", "u go"}
	for _, text := range texts {
		out = append(out, strings.Split(text, "\n")...)
	}
	return out
}

// An atom does not count on a read of a file that was edited later, but on a
// read after that; where all reads are stale, on the latest.
func TestStaleReads(t *testing.T) {
	edit := "c 2 " + editA + "\nr 2 ok"
	for name, tt := range map[string]struct {
		log     []string
		options excerpt.Options
		want    string
	}{
		"fresh":             {lines("c 3 Ls {}", "r 3 ok", before), excerpt.Options{}, "6:all"},
		"read again":        {lines(before, edit, "c 3 "+readA, "r 3 func open_file()"), excerpt.Options{}, "8:all"},
		"seen elsewhere":    {lines("c 0 Grep {}", "r 0 open_file", before, edit), excerpt.Options{}, "4:all"},
		"the edit failed":   {lines("c 9 Ls {}", "r 9 ok", "c 0 Grep {}", "r 0 open_file", before, "c 2 "+editA+"\ne 2 no such text"), excerpt.Options{}, "8:all"},
		"all stale":         {lines(before, "c 4 "+readA, "r 4 func open_file()", edit), excerpt.Options{}, "6:all"},
		"stale all the way": {lines(before, "c 3 "+readA, "r 3 open_file once", edit), excerpt.Options{Without: without(excerpt.Stale)}, "4:all"},
	} {
		t.Run(name, func(t *testing.T) {
			l := script(t, tt.log...)
			tt.options.Budget = 400
			var got []string
			for _, k := range choose(l, tt.options) {
				if k.Whole {
					got = append(got, fmt.Sprintf("%d:all", k.Result))
				}
			}
			same(t, "kept", strings.Join(got, " "), tt.want)
		})
	}
}

// F6: of two lines that say the same, one found by a search is shown before one that
// would stand alone of a file.
func TestF6ALineOfAFileIsShownInItsPlace(t *testing.T) {
	const plain = "plain words are here, many of them, as long as the sentences that people write who have time"
	l := script(t, lines("c 1 "+readA+"\nr 1 "+plain+"|func open_file()|"+plain, "c 2 Grep {}\nr 2 "+plain+"|func open_file()|"+plain)...)
	same(t, "kept", shown(choose(l, linesOnly(60))), "3 6:2")
}

// The first file of a shell command is what its result is a read of.
func TestShellReads(t *testing.T) {
	l := script(t, lines(`c 1 Bash {"command":"cat src/a_file.go"}`, "r 1 func open_file()", "c 2 "+editA, "r 2 ok", `c 3 Bash {"command":"sed -n 1,9p src/a_file.go"}`, "r 3 func open_file()")...)
	if got := shown(choose(l, excerpt.Options{Budget: 400})); !strings.Contains(got, "8:all") || strings.Contains(got, "4:all") {
		t.Errorf("kept is %s", got)
	}
}

// Bodies are lines like others, numbered through; short arguments are shown
// with the call.
func TestBodiesOfArguments(t *testing.T) {
	body := strings.Repeat(`plain words here\n`, 9) + `open_file\n` + strings.Repeat(`more plain words\n`, 9)
	l := script(t, "t", "u go", `c 1 Write {"file_path":"notes_file.md","content":"`+body+`"}`, "r 1 ok", "a done")
	same(t, "kept", shown(choose(l, linesOnly(100))), "3b:10")
	same(t, "the opening first", shown(indexed(l).Choose(everything(l, excerpt.Options{Budget: 100})).First(1)), "3")
}

// What stands in the view anyway need not be shown again, what is hidden or
// out of range cannot be.
// What an edit takes out of a file stands nowhere any more: of the edit only
// what it puts there is chosen, however it spells its arguments.
func TestF6TextsThatAnEditTakesOutAreNotChosen(t *testing.T) {
	took := "func oldName() {\\n\\tcall_one()\\n\\tcall_two()\\n}"
	put := "func newName() {\\n\\tcall_three()\\n\\tcall_four()\\n}"
	for _, arguments := range []string{
		fmt.Sprintf(`{"file_path":"a/b.go","old_string":"%s","new_string":"%s"}`, took, put),
		fmt.Sprintf(`{"file_path":"a/b.go","edits":[{"old_string":"%s","new_string":"%s"}]}`, took, put),
	} {
		l := script(t, "t", "u go on", "c 1 Edit "+arguments, "r 1 done", "a fine")
		same(t, arguments, shown(choose(l, excerpt.Options{Budget: 1000})), "3b:5-7")
	}
}

func TestWholeHiddenAndOutOfRange(t *testing.T) {
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 open_file", "a see open_file and close_file", "a and read_file")
	all := excerpt.Options{Budget: 400}
	same(t, "all", shown(choose(l, all)), "5:all 6:all") // a message is cheaper than a call
	all.Whole = func(seq int64) bool { return seq == 5 }
	same(t, "5 stands", shown(choose(l, all)), "6:all")
	all.Whole, all.Hidden = nil, func(seq int64) bool { return seq == 5 }
	same(t, "5 is hidden", shown(choose(l, all)), "4:all 6:all")
	same(t, "1 to 4", shown(choose(l, excerpt.Options{Budget: 400, From: 1, To: 4})), "")
	same(t, "6 alone", shown(choose(l, excerpt.Options{Budget: 400, From: 6, To: 6})), "6:all")
}

// The opening of a call and a line of its result may have the same name: it is
// worth no more for that.
func TestANameTwiceInACallCountsOnce(t *testing.T) {
	twice := script(t, "t", "u go", "c 0 Ls {}", "r 0 ok", `c 1 Bash {"command":"grep open_file","about":"open_file"}`, "r 1 open_file", "c 2 Ls {}", "r 2 ok", "a close_file", "a "+strings.Repeat("words ", 40))
	if got := shown(choose(twice, excerpt.Options{Budget: 8})); got != "9:all" {
		t.Errorf("kept is %s", got)
	}
}

// Huge lines, many lines and many calls take time by their size.
func TestAdversarialLogs(t *testing.T) {
	corpustest.Unraced(t)
	var many, names strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, "name_%d is in open_file\n", i%5000)
	}
	for i := range 400_000 {
		fmt.Fprintf(&names, "name_%d ", i)
	}
	for name, payloads := range map[string][]tenfold.Payload{
		"one line of 5 MB":       {tenfold.UserMessage{Parts: tenfold.Text(names.String())}},
		"200,000 short lines":    {tenfold.AssistantMessage{Text: many.String()}},
		"one word of 5 MB":       {tenfold.AssistantMessage{Text: strings.Repeat("x1", 5<<19)}},
		"one path of 5 MB":       {tenfold.AssistantMessage{Text: strings.Repeat("x/", 5<<19)}},
		"5 MB of escapes":        {tenfold.AssistantMessage{Text: strings.Repeat("\x1b[", 5<<19)}},
		"5 MB of spaces":         {tenfold.AssistantMessage{Text: strings.Repeat(" \n", 5<<19)}},
		"arguments of one brace": {tenfold.ToolCall{CallID: "1", Name: "x", Arguments: strings.Repeat("[", 5<<20)}},
	} {
		t.Run(name, func(t *testing.T) {
			l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
			for _, p := range payloads {
				add(t, l, p)
			}
			c := indexed(l).Choose(everything(l, excerpt.Options{Budget: 20_000}))
			if c.Estimate(c.Len()) > 20_000 {
				t.Errorf("%d tokens", c.Estimate(c.Len()))
			}
		})
	}
}

// F6: a gap of one or two lines is filled, not marked, unless they are long.
func TestF6GapsAreFilled(t *testing.T) {
	rest := strings.Repeat("|words of no use to anybody", 9)
	for text, want := range map[string]string{
		"open_file|close_file":                                      "4:1-2",
		"open_file|  })|close_file":                                 "4:1-3",
		"open_file|}||close_file":                                   "4:1-4",
		"open_file|else|or else|close_file":                         "4:1-4",
		"open_file|}|}||close_file":                                 "4:1,5",
		"open_file|a line of words as people write them|close_file": "4:1-3",
		"open_file|" + strings.Repeat("long ", 40) + "|close_file":  "4:1,3",
		"|open_file|}|else|close_file":                              "4:2-5",
	} {
		l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+text+rest, "a done")
		same(t, text, shown(choose(l, linesOnly(100))), want)
	}
}

// F6: what stands in a view is not worth saying again, wherever it was said.
func TestF6WhatStandsIsNotChosenAgain(t *testing.T) {
	text := strings.Join([]string{"we turn the oven down", "and the bread comes out earlier", "as it was much too dark", "on the side by the door"}, "|")
	once := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+text)
	twice := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+text, "c 2 Bash {}", "r 2 "+text)
	same(t, "said once", shown(choose(once, excerpt.Options{Budget: 500})), "4:all")
	same(t, "said twice", shown(choose(twice, excerpt.Options{Budget: 500})), "4:all")
	same(t, "said in what always stands", shown(choose(twice, excerpt.Options{Budget: 500, Whole: func(seq int64) bool { return seq == 5 }})), "")
}

// F6: how far a run of tests is says nothing once it has ended, whatever it names.
func TestF6ProgressIsNotChosen(t *testing.T) {
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 === RUN   TestOven/warm_up|=== PAUSE TestOven/warm_up|    --- PASS: TestOven/cool_down (0.00s)|--- FAIL: TestOven/bake_bread (0.01s)", "a done")
	same(t, "the failure", shown(choose(l, linesOnly(200))), "4:4")
}

// F6: a line that ends an element, or has but numbers, says nothing by itself.
func TestF6NoLineStandsAloneThatSaysNothing(t *testing.T) {
	for line, want := range map[string]string{
		"</PanelSection>":      "",
		"} 612, 700%":          "",
		"<PanelSection id=4>":  "4:2",
		"timeout: 612":         "4:2",
		"see </PanelSection>!": "4:2",
	} {
		l := script(t, "t", "u go", "c 1 Read {\"file_path\":\"a\"}", "r 1 we turn the oven down|"+line+"|"+strings.Repeat("as it was much too dark ", 40))
		same(t, line, shown(choose(l, linesOnly(60))), want)
	}
}
