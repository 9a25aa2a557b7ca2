package excerpt_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/excerpt"
)

// Lines of a patch, of what was found in files and of a notice keep the line
// that says of which file they are (F6).
func TestF6LinesKeepTheirHead(t *testing.T) {
	const plain = "plain words are here, many of them, too long for a gap to be filled with any of them, as long as the sentences that people write who have time, and then some words more still"
	for name, tt := range map[string]struct {
		log    []string
		budget int
		want   string
	}{
		"a patch": {
			[]string{`c 1 apply_patch {"input":"*** Update File: src/a.go\n@@\n plain words here\n+and more plain words\n+open_file\n+plain"}`, "r 1 ok"},
			60, "3b:1,5",
		},
		"each file of a diff": {
			[]string{`c 1 Bash {}`, "r 1 plain words|diff --git a/x.go b/x.go|" + plain + "|" + plain + "|open_file|" + plain + "|" + plain + "|diff --git a/y.go b/y.go|" + plain + "||" + plain + "|close_file"},
			80, "4:2,5,8,12",
		},
		"what a search found": {
			[]string{`c 1 Grep {}`, "r 1 Found 2 matches|/home/some/a-b/cloud-view.test.tsx:|  Line 12: " + plain + "|  Line 22: open_file|  Line 33: " + plain + "||" + plain},
			60, "4:2,4",
		},
		"names of files alone": {
			[]string{`c 1 Glob {}`, "r 1 src/plain.tsx|src/other.tsx|src/open.tsx"},
			200, "4:all",
		},
		"a notice": {
			[]string{`s <system-reminder>|Note: some file was changed:|` + plain + "|" + plain + "|open_file|" + plain},
			60, "3:2,5",
		},
		"a notice with an id first": {
			[]string{`s <task-notification>|<task-id>` + strings.Repeat("a", 200) + `</task-id>|<summary>Agent has finished</summary>|` + plain + "|" + plain + "|open_file|" + plain},
			60, "3:3,6",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := script(t, append([]string{"t", "u go"}, tt.log...)...)
			same(t, "kept", shown(choose(l, linesOnly(tt.budget))), tt.want)
		})
	}
}

// What stands after a blank line is of no file.
func TestF6AHeadEndsAtABlankLine(t *testing.T) {
	l := script(t, "t", "u see src/cloud.tsx", "c 1 Grep {}", "r 1 Found 2 matches|src/cloud.tsx:|  Line 12: plain words are here||plain words are here, and more of them|open_file")
	o := linesOnly(20)
	o.Whole = func(seq int64) bool { return seq == 2 }
	same(t, "kept", shown(choose(l, o)), "4:6")
}

// What is farther in behind a blank line is of the file still: some searches print one
// behind each match.
func TestF6AHeadGoesOnFartherIn(t *testing.T) {
	const plain = "plain words are here, many of them, too long for a gap to be filled with any of them, as long as the sentences that people write who have time, and then some words more still"
	for result, want := range map[string]string{
		"Found 2 matches|src/cloud.tsx:|  Line 12: " + plain + "||  Line 14: " + plain + "||  Line 16: open_file|": "4:2,7",
		"src/cloud.tsx:16:2 lint/warm ━━━||  × " + plain + "||  > 16 │ open_file|":                                 "4:1,5",
		"lint of src/cloud.tsx ━━━||  × " + plain + "||  > 16 │ open_file|":                                        "4:5",
	} {
		l := script(t, "t", "u see src/cloud.tsx and lint/warm", "c 1 Grep {}", "r 1 "+result)
		o := linesOnly(60)
		o.Whole = func(seq int64) bool { return seq == 2 }
		same(t, result, shown(choose(l, o)), want)
	}
}

// The title that a tool puts before each of several files holds over blank lines, until
// the next.
func TestF6ATitleHoldsUntilTheNext(t *testing.T) {
	const plain = "plain words are here, many of them, too long for a gap to be filled with any of them, as long as the sentences that people write who have time, and then some words more still"
	for result, want := range map[string]string{
		"Found 2 matches|---|File: src/x.go|L5: " + plain + "|L6- " + plain + "||---|File: src/y.go|L5: " + plain + "||L17: open_file|" + plain: "4:8,11",
		"==> src/x.go <==|" + plain + "|" + plain + "|==> src/y.go <==||" + plain + "||" + plain + "|open_file|" + plain:                        "4:4,9",
		"===src/x.go|" + plain + "|" + plain + "|=== no title|" + plain + "|open_file|" + plain:                                                 "4:1,6",
	} {
		l := script(t, "t", "u see src/x.go and src/y.go", "c 1 Bash {}", "r 1 "+result)
		o := linesOnly(40)
		o.Whole = func(seq int64) bool { return seq == 2 }
		same(t, result[:9], shown(choose(l, o)), want)
	}
}

// A row of a table keeps the first one, in what was said and in what a tool gave.
func TestF6ARowKeepsTheHeadOfItsTable(t *testing.T) {
	const words = "| plain | words that are here, many of them, too long for a gap to be filled with any of them, and then some words more, as if there were time |\n"
	text := "Here it is:\n\n| oven | what to say |\n|---|---|\n" + words + words + "| open | open_file |\n" + words + "\nand so on"
	for want, p := range map[string]tenfold.Payload{
		"3:3,7":  tenfold.AssistantMessage{Text: text},
		"3:3,7 ": tenfold.UserMessage{Parts: tenfold.Text(text)},
		"4:3,7":  tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(text)},
	} {
		l := script(t, "t", "u go")
		if _, ok := p.(tenfold.ToolResult); ok {
			l = script(t, "t", "u go", "c 1 Read {}")
		}
		add(t, l, p)
		add(t, l, tenfold.UserMessage{Parts: tenfold.Text("go on")})
		same(t, string(p.Kind()), shown(choose(l, linesOnly(60, excerpt.Conclusions))), strings.TrimSpace(want))
	}
}

// Of a hundred names in a row the last ones are worth less than the first ones of another
// listing, though that is older.
func TestAFloodOfNamesIsWorthLess(t *testing.T) {
	var warm, cold strings.Builder
	for i := range 100 {
		fmt.Fprintf(&warm, "|warm_oven_%d", i)
		fmt.Fprintf(&cold, "|cold_oven_%d", i)
	}
	l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+cold.String()[1:], "t", "u go on", "c 2 Bash {}", "r 2 "+warm.String()[1:], "t", "u and then")
	lines := map[int64]int{}
	for _, k := range choose(l, linesOnly(350)) {
		for _, r := range k.Lines {
			lines[k.Result] += r.Last - r.First + 1
		}
	}
	if lines[4] < 20 || lines[8] < lines[4] {
		t.Errorf("taken are %v", lines)
	}
}

// A head costs its own tokens once.
func TestF6AHeadCostsOnce(t *testing.T) {
	const plain = "plain words are here, many of them, too long for a gap to be filled with any of them, as long as the sentences that people write who have time, and then some words more still"
	l := script(t, "t", "u go", "s <system-reminder>|Note: "+strings.Repeat("plain words ", 30)+"|"+plain+"|"+plain+"|open_file|"+plain)
	same(t, "kept", shown(choose(l, linesOnly(110))), "3:2,5")
	same(t, "kept of less", shown(choose(l, linesOnly(90))), "")
}

// An item of a list in what was said keeps what it is under: the item above, and the line
// that the list stands under.
func TestF6AnItemKeepsWhatItIsUnder(t *testing.T) {
	const words = "plain words that are here, many of them, too long for a gap to be filled with any of them, and then some words more, as if there were time"
	for name, tt := range map[string]struct{ text, want string }{
		"an item below an item":       {"- one:\n  - " + words + "\n  - " + words + "\n  - open_file\n- two", "1,4"},
		"two levels":                  {"1. one\n   - first leg\n     - " + words + "\n     - " + words + "\n     - open_file", "1-2,5"},
		"the second of two":           {"- one\n  - " + words + "\n- two\n  - " + words + "\n  - " + words + "\n  - open_file", "3,6"},
		"below a line with a colon":   {"These are **bad:**\n\n- " + words + "\n- " + words + "\n- open_file", "1,5"},
		"a colon in an item":          {"- bad:\n- " + words + "\n- " + words + "\n- open_file", "4"},
		"a line that is no item":      {"These are bad:\n" + words + "\n" + words + "\nopen_file", "4"},
		"after the list":              {"These are bad:\n- one\n" + words + "\n" + words + "\n" + words + "\n- open_file", "6"},
		"in a fence":                  {"- one:\n```\n  " + words + "\n  " + words + "\n  open_file\n```", "5"},
		"behind code in code":         {"````md\n```\n````\n- one:\n  - " + words + "\n  - " + words + "\n  - open_file", "4,7"},
		"behind a fence":              {"- one:\n```\n" + words + "\n```\n  - open_file", "5"},
		"behind code in a line":       {"```go vet```\n- one:\n  - " + words + "\n  - " + words + "\n  - open_file", "2,5"},
		"under a line that is long":   {"- " + strings.Repeat("long ", 100) + ":\n  - " + words + "\n  - " + words + "\n  - open_file", "4"},
		"a paragraph farther in":      {"- one\n\n  " + words + "\n\n  " + words + "\n\n  open_file", "1,7"},
		"a dash that begins no list":  {"Bad:\n" + words + "\n" + words + "\n-open_file", "4"},
		"a number that begins none":   {"Bad:\n" + words + "\n" + words + "\n12 open_file", "4"},
		"many levels, and no further": {"- a\n - b\n  - c\n   - d\n    - e\n     - f\n      - g\n       - h\n        - " + words + "\n         - " + words + "\n         - open_file", "6-8,11"},
	} {
		l := script(t, "t", "u go")
		add(t, l, tenfold.AssistantMessage{Text: tt.text})
		add(t, l, tenfold.UserMessage{Parts: tenfold.Text("go on")})
		same(t, name, shown(choose(l, linesOnly(120, excerpt.Conclusions))), "3:"+tt.want)
	}
}
