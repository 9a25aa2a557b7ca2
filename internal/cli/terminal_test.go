package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/terminal"
	"tenfold/store"
)

// What goes to standard error is broken between words too, and hangs.
func TestNotesOnNarrowTerminal(t *testing.T) {
	var errs bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&errs), Err: &errs, ErrTTY: true, ErrColour: true, ErrWidth: 40}
	if code := run(t.Context(), []string{"compact", "x", "--format", "klingon"}, term); code != exitUsage {
		t.Errorf("the exit code is %d", code)
	}
	text := ansi.Strip(errs.String())
	if !strings.HasPrefix(text, "error: unknown format \"klingon\"\nhint:  known formats: tenfold,") {
		t.Errorf("it says\n%s", text)
	}
	for line := range strings.Lines(text) {
		if ansi.StringWidth(strings.TrimRight(line, "\n")) > 40 {
			t.Errorf("a line is too wide: %s", line)
		}
	}
	for _, name := range readableFormats() {
		if !strings.Contains(text, name) {
			t.Errorf("%s is torn", name)
		}
	}
}

// The hint is about what is wrong: a full disk is no wrong path.
func TestFileTrouble(t *testing.T) {
	for _, tt := range []struct {
		err        error
		code, hint string
	}{
		{syscall.ENOENT, "not_found", "check the path"},
		{syscall.EACCES, "permission", "check the file's permissions"},
		{syscall.EROFS, "permission", "check the file's permissions"},
		{syscall.ENOSPC, "disk_full", "free some disk space and try again"},
		{syscall.EDQUOT, "disk_full", "free some disk space and try again"},
		{syscall.EIO, "file", "check the disk"},
		{syscall.EMFILE, "file", "too many open files: end other programs, or raise the limit"},
		{syscall.ENOTDIR, "file", "check the path"},
	} {
		f := explain(fmt.Errorf("save: %w", &fs.PathError{Op: "write", Path: "a/b", Err: tt.err}))
		if f.Code != tt.code || f.Hint != tt.hint || f.Error() != "a/b: "+tt.err.Error() {
			t.Errorf("%v is %q, %s, %q", tt.err, f.Error(), f.Code, f.Hint)
		}
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
		a := &app{Terminal: &terminal.Terminal{Out: bufio.NewWriter(&out), OutTTY: true, Width: width}, now: time.Now}
		a.table(all, "")
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
