package conversation

import (
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// On a terminal the words asked for stand out in an excerpt, and what would
// steer it does not get through.
func TestMarked(t *testing.T) {
	k := &searchConversation{App: &command.App{Terminal: &terminal.Terminal{OutColour: true}}}
	got := k.marked("one\x1b two one", [][2]int{{0, 3}, {9, 12}})
	if want := "\x1b[1mone\x1b[m" + `\x1b two ` + "\x1b[1mone\x1b[m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	k.OutColour = false
	if got := k.marked("one two", [][2]int{{4, 7}}); got != "one two" {
		t.Errorf("%q", got)
	}
}
