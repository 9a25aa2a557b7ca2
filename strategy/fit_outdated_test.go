package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F3, F6: what is left of a target is not filled up with a text of a file from before a change.
func TestF3WhatIsLeftShowsNoOutdatedText(t *testing.T) {
	long := "second words of it" + strings.Repeat(" and more", 60)
	read := "first words of it\n" + long + "\nthird words of it\nfourth words of it\nfifth words of it"
	for name, tt := range map[string]struct {
		edit  string
		shown bool
	}{
		"changed":   {`{"file_path":"a.txt","old_string":"` + long + `","new_string":"other words of it"}`, false},
		"unchanged": {`{"file_path":"b.txt","old_string":"` + long + `","new_string":"other words of it"}`, true},
	} {
		l := script(t, "t", "u the task", "c 0 Bash {}", "r 0 *3000", `c 1 Read {"file_path":"a.txt"}`)
		if _, err := l.Append(tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(read)}}); err != nil {
			t.Fatal(err)
		}
		extend(t, l, "c 2 Edit "+tt.edit, "r 2 done", "c 3 Bash {}", "r 3 *3000", "c 4 Bash {}", "r 4 *20", "a end")
		for _, target := range []string{"50%", "40%", "30%"} {
			p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target="+target).View()
			if got := strings.Contains(shownTexts(p), "second words"); got != tt.shown {
				t.Errorf("%s, at %s: the line is shown: %v, want %v\n%s", name, target, got, tt.shown, shownTexts(p))
			}
		}
	}
}
