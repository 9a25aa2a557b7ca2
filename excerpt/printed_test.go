package excerpt

import (
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// headsIn gives the number of the line that each line of a text stands under, as a tool gave
// it: the shell, or what reads a file; or as a person typed it.
func headsIn(t *testing.T, by, text string) []int32 {
	t.Helper()
	said := []tenfold.Payload{tenfold.UserMessage{Parts: tenfold.Text(text)}}
	if by != "" {
		said = []tenfold.Payload{tenfold.ToolCall{CallID: "1", Name: by, Arguments: `{"file_path":"a.csv"}`}, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(text)}}
	}
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	for _, p := range append([]tenfold.Payload{tenfold.TurnStart{}}, said...) {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	ix := NewIndex()
	ix.Advance(tenfold.Project(l))
	var heads []int32
	e := ix.entries[len(ix.entries)-1]
	for _, line := range ix.text[e.text.from:e.text.to] {
		heads = append(heads, line.head)
	}
	return heads
}

// F6: what is the first row of a table, and what only looks like one.
func TestF6FirstRowsOfTables(t *testing.T) {
	for text, want := range map[string][]int32{
		"a | b\n--+--\n1 | 2\n--+--\n3 | 4":           {0, 1, 1, 1, 1}, // a sum below
		"some\nwords\n\noven,heat,loaves\n1,2,x":      {0, 0, 0, 0, 4},
		"==> a.csv <==\na | b\n--+--\n1 | 2":          {1, 1, 1, 1},
		"Oven   Heat\n====   ====\n1   2":             {0, 1, 1},
		"NAME\tREADY\tSTATUS\nx\t\t0\ty":              {0, 1},
		"oven,heat,loaves\r\n1,2,3\r\n\r\n4,5,6\r\n":  {0, 1, 0, 0},
		"ÖFEN   HITZE   BROTE\nä   ö   ü":             {0, 1},
		"NAME   READY   STATUS\nplain words":          {0, 0},
		"NAMES OF ALL\nx   y   7":                     {0, 0},
		"oven2   heat   loaves\nx   7   y":            {0, 0},
		"oven2   heat   loaves\n0   7   8":            {0, 0},
		" oven2   heat   loaves\n1   7   8":           {0, 0},
		"12   34   56\n1   2   3":                     {0, 0},
		"oven,heat,loaves\n1,2":                       {0, 0},
		"oven,,loaves\n1,2,3":                         {0, 0},
		"bake(oven),heat,loaves\n1,2,3":               {0, 0},
		strings.Repeat("o", 41) + ",heat,loaves\n1,2": {0, 0},
		strings.Repeat("o", 41) + ",b,c\n1,2,3":       {0, 0},
		strings.Repeat("o", 40) + ",b,c\n1,2,3":       {0, 1},
		"a|b\n-|-\n1|2":                               {0, 0, 0},
		"Oven\n- bake | - eat\n- sleep":               {0, 0, 0},
	} {
		if got := headsIn(t, "Bash", text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	// People and files align words as well.
	for _, by := range []string{"", "Read"} {
		if got := headsIn(t, by, "Oven   Heat   Loaves\nx   7   y\n"); !slices.Equal(got, []int32{0, 0}) {
			t.Errorf("by %q: %v", by, got)
		}
	}
	if got := headsIn(t, "Read", "     1→oven,heat,loaves\n     2→1,2,3\n"); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("with numbers of lines: %v", got)
	}
}

// F6: which line each of a stack trace stands under.
func TestF6LinesOfStackTraces(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []int32
	}{
		"Python": {
			"  Traceback (most recent call last):\n    File \"oven.py\", line 3\n      heat()\n\n    File \"/site-packages/a.py\", line 3\n  ValueError: cold\nwords\n" +
				"Traceback (most recent call last):\n  File \"/site-packages/a.py\", line 3\nValueError: cold",
			[]int32{6, 6, 6, 6, 6, 2, 0, 10, 10, 0},
		},
		"the last place of Python": {
			"Traceback (most recent call last):\n  File \"oven.py\", line 3\n  File \"oven.py\", line 9\nValueError: cold\r\n\tat heat(Own.java:1)",
			[]int32{4, 4, 4, 3, 0},
		},
		"Go":                    {"panic: cold\n\ngoroutine 1 [running]:\noven.Heat(...)\n\t/oven.go:3 +0x1\nmain.main()\n\t/main.go:3 +0x1", []int32{5, 0, 0, 5, 1, 7, 1}},
		"places in libraries":   {"TypeError: cold\n  at a (node:x:1:2)\n  at b (oven.js:1:2)", []int32{3, 1, 1}},
		"two that are apart":    {"oven.AError: x\n\tat a(A.java:1)\noven.BError: y\n\tat b(B.java:2)", []int32{2, 1, 4, 3}},
		"what led to what":      {"oven.AError: x\n\tat a(A.java:1)\nCaused by: oven.BError: y\n\tat b(B.java:2)\nCaused by: oven.CError: z\n\tat c(C.java:2)", []int32{5, 1, 4, 3, 6, 5}},
		"pytest":                {"____ a ____\noven.py:3: in heat\n    heat()\noven.py:4:\nE   ValueError: cold\nE   more", []int32{0, 5, 0, 5, 4, 0}},
		"pytest without a word": {"oven.py:3: in heat\n____ b ____\nsee oven.py:3: in heat\noven.py:4: in bake\nE   ValueError: cold", []int32{0, 0, 0, 5, 4}},
		"pytest in a long way":  {strings.Repeat("oven.py:3: in heat\n", 17) + "E   ValueError: cold", append(slices.Repeat([]int32{18}, 16), 0, 16)},
	} {
		if got := headsIn(t, "Bash", tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
