package claudecode

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
)

// A row of Claude Code's is kept where it says what the view does, and nothing else: no message
// that is shortened, no line of which another part is a message of its own, no picture that
// the model has seen.
func TestX2aRowsAreKeptThatSayWhatTheViewDoes(t *testing.T) {
	user := func(id, text string) tenfold.Entry {
		return tenfold.Entry{ID: id, Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}
	}
	call := func(id string) tenfold.Entry {
		return tenfold.Entry{ID: "a-" + id, Payload: tenfold.ToolCall{CallID: id, Name: "Read", Arguments: `{}`}}
	}
	picture := func(line, id string) tenfold.Entry {
		return tenfold.Entry{ID: line, Payload: tenfold.ToolResult{CallID: id, Parts: []tenfold.Part{{File: &tenfold.File{Name: "oven.png", MediaType: "image/png"}}}}}
	}
	asks, answers := func(handle, text string) row { return row{Handle: handle, Role: "user", Text: text, Length: len(text)} }, func(handle string, ids ...string) row { return row{Handle: handle, Role: "user", Results: ids} }
	says := row{Handle: "b", Role: "assistant"}
	long := strings.Repeat("It is warm there.\n", 9)
	shortened := tenfold.Entry{ID: "cut", Payload: tenfold.Compaction{ToTurn: 1, Texts: &tenfold.TextPolicy{
		Action: tenfold.Selective, Entries: map[int64]tenfold.TextTrim{1: {Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 1, Last: 1}}}},
	}}}
	for name, tt := range map[string]struct {
		entries []tenfold.Entry
		rows    []row
		want    string // the rows that are kept
	}{
		"a message":                 {[]tenfold.Entry{user("u", "Hello.")}, []row{asks("u", "Hello.")}, "[0]"},
		"under another id":          {[]tenfold.Entry{user("u", "Hello.")}, []row{asks("v", "Hello.")}, "[0]"},
		"a message that is cut":     {[]tenfold.Entry{user("u", long), shortened}, []row{asks("u", long)}, "[]"},
		"a part of a line":          {[]tenfold.Entry{user("u/0", "Hello."), user("u/1", "And more.")}, []row{asks("u", "Hello.")}, "[]"},
		"a picture":                 {[]tenfold.Entry{user("u", "Hello."), call("1"), picture("r", "1")}, []row{asks("u", "Hello."), says, answers("r", "1")}, "[0 2]"},
		"a picture that was seen":   {[]tenfold.Entry{user("u", "Hello."), call("1"), picture("r", "1")}, []row{asks("u", "Hello."), says, answers("r", "1"), says}, "[0]"},
		"two pictures in one line":  {[]tenfold.Entry{user("u", "Hello."), call("1"), call("2"), picture("r/0", "1"), picture("r/1", "2")}, []row{asks("u", "Hello."), says, answers("r", "1", "2")}, "[0]"},
		"a picture that has no row": {[]tenfold.Entry{user("u", "Hello."), call("1"), picture("r", "1")}, []row{says}, "[]"},
	} {
		l := tenfold.NewLog()
		for _, e := range tt.entries {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		messages, err := view(tenfold.Project(l), tt.rows)
		if err != nil {
			t.Fatal(err)
		}
		kept := []int{}
		for _, m := range messages {
			if m.Keep != nil {
				kept = append(kept, *m.Keep)
			}
		}
		if got := fmt.Sprint(kept); got != tt.want {
			t.Errorf("%s: rows %s are kept, want %s", name, got, tt.want)
		}
	}
}
