package conversation

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/store"
)

func TestShortIDs(t *testing.T) {
	got := shortIDs([]store.Conversation{{ID: "abcdefghij"}, {ID: "abcdefghik"}, {ID: "x"}, {ID: "0123456789"}, {ID: "abcdefghi"}, {ID: "日本語x"}})
	if want := []string{"abcdefghij", "abcdefghik", "x", "01234567", "abcdefghi", "日本語"}; !slices.Equal(got, want) {
		t.Errorf("ids are shortened to %q, want %q", got, want)
	}
}

// One long id in the list pushes no other row aside, unless there is room for
// both: titles show as if it were not there.
func TestListWithLongID(t *testing.T) {
	const title = "A title that has some words in it, and then some more of them"
	var all []store.Conversation
	for i := range 6 {
		all = append(all, store.Conversation{ID: fmt.Sprintf("%08d-aaaa-bbbb", i), Title: title})
	}
	show := func(width int) string {
		var out bytes.Buffer
		a := &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(&out), OutTTY: true, Width: width}, Now: time.Now}
		table(a, all, shortIDs(all), "")
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	const id = "a-session-with-a-long-name-of-the-third-of-may-"
	for _, width := range []int{60, 80, 120} {
		short := show(width)
		all = append(all, store.Conversation{ID: id + "1"}, store.Conversation{ID: id + "2"})
		long := show(width)
		all = all[:6]
		if width < 120 && (!strings.HasPrefix(long, short) || !strings.Contains(long, "\n  "+id+"2\n")) {
			t.Errorf("at %d the list is\n%snot\n%s", width, long, short)
		}
		if n := strings.Count(long, title[:leastTitle-1]); width == 120 && n != 6 {
			t.Errorf("at %d there is room for %d titles:\n%s", width, n, long)
		}
	}
}
