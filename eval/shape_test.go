package eval

import (
	"testing"

	"tenfold"
)

// A line may carry the name of the argument that it is from, and is a line all the same;
// a heading on a line of its own is a mark.
func TestF7AHeadingInALineIsNoMark(t *testing.T) {
	for line, want := range map[string]string{
		"[argument new] … open_file()": "… open_file()", "[argument] open_file()": "open_file()",
		"[argument new]": "[argument new]", "[argument new] …": "[argument new] …", "argument new] x": "argument new] x", "x[0] y": "x[0] y",
	} {
		if got := headless(line); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}

// A line of which the codes for a terminal are left out is no mark.
func TestF7ALineWithoutItsColoursIsNoMark(t *testing.T) {
	l := tenfold.NewLog()
	for i, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("go")},
		tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: "{}"},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("one\n\x1b[31mred\x1b[0m\nthree")},
		tenfold.AssistantMessage{Text: "so"},
		tenfold.AssistantMessage{Text: "end"},
	} {
		if _, err := l.Append(tenfold.Entry{ID: string(rune('a' + i)), Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	c := &Cut{session: Open(l), last: 9}
	c.prefix()
	trim := tenfold.CallPolicy{Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 2, Last: 2}}}
	view := c.projection.With(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{
		Action: tenfold.Selective, Marks: tenfold.MarksShort, Calls: map[string]tenfold.CallPolicy{"1": trim},
	}})
	if _, marks := c.readability(c.ViewOf(view)); marks.Part != 1 { // the note
		t.Errorf("%v are marks", marks)
	}
}
