package cli

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/live"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/corpustest"
)

var update = flag.Bool("update", false, "renew the golden files")

// What differs from run to run, by something as wide.
var varying = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`cmp_…[0-9a-f]{6}`), "cmp_…a1b2c3"},
	{regexp.MustCompile(`cmp_[0-9a-f]{8}-[0-9a-f-]{27}`), "cmp_01234567-89ab-cdef-0123-456789abcdef"},
	{regexp.MustCompile(`\b01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}`), "01234567-89ab-7def-8123-456789abcdef"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "2026-01-02 03:04"},
	{regexp.MustCompile(`-\d{8}T\d{6}Z`), "-20260102T030405Z"},
}

// began is now for what is shown on a terminal: what was done since then was done just
// now, however long it took.
var began = time.Now()

// onTerminal runs a command line on a terminal of a width, and gives what it
// shows.
func onTerminal(t *testing.T, width int, colour bool, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	term := &terminal.Terminal{
		In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs,
		OutTTY: true, OutColour: colour, Width: width, ErrWidth: width,
	}
	a := &command.App{Terminal: term, Now: func() time.Time { return began }, Clients: live.Clients()}
	if code := Execute(t.Context(), a, args); code != command.ExitOK {
		t.Fatalf("%v: exit %d: %s", args, code, errs.String())
	}
	text := out.String()
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	return text
}

// The looks of each command on terminals of 60, 80 and 120 columns: nothing is
// wider, and what is shown is what the golden files hold.
func TestWidths(t *testing.T) {
	corpustest.Unraced(t)
	t.Setenv("TZ", "UTC")
	store := "sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "t.db"))
	file := filepath.Join("testdata", "terminal", "oven.jsonl")
	onTerminal(t, 80, false, "--store", store, "--quiet", "compact", file, "--keep", "1")
	commands := map[string][]string{
		"compact":         {"compact", "--dry-run", file, "--keep", "1"},
		"ls":              {"conversation", "ls"},
		"show":            {"conversation", "show"},
		"print":           {"conversation", "print"},
		"print-full":      {"conversation", "print", "--full", "--turns", "0"},
		"print-compacted": {"conversation", "print", "--compacted"},
		"diff":            {"conversation", "diff"},
		"lab":             {"lab", filepath.Join("..", "..", "examples", "session.jsonl"), "--strategy", "none", "--strategy", "micro", "--strategy", "suffix:target=10%"},
		"lab-lost":        {"lab", filepath.Join("..", "..", "examples", "session.jsonl"), "--strategy", "micro", "--cuts", "50"},
		"help":            {"--help"},
	}
	for name, args := range commands {
		for _, width := range []int{40, 60, 80, 120} {
			got := onTerminal(t, width, false, append([]string{"--store", store}, args...)...)
			for line := range strings.Lines(got) {
				if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > width && name != "help" {
					t.Errorf("%s at %d: a line is %d wide: %s", name, width, w, line)
				}
			}
			golden(t, name+"."+strconv.Itoa(width)+".txt", got)
		}
	}
	// With colours nothing else is said, except that Markdown is rendered.
	for _, name := range []string{"ls", "show", "diff"} {
		args := append([]string{"--store", store}, commands[name]...)
		if got, want := ansi.Strip(onTerminal(t, 80, true, args...)), onTerminal(t, 80, false, args...); got != want {
			t.Errorf("%s says something else in colour:\n%s", name, got)
		}
	}
	golden(t, "print-colour.80.txt", strings.ReplaceAll(onTerminal(t, 80, true, "--store", store, "conversation", "print", "--turns", "1"), "\x1b", "␛"))
}

// The account of a conversation that says what its responses took.
func TestWidthsOfMoney(t *testing.T) {
	t.Setenv("TZ", "UTC")
	store := "sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "t.db"))
	onTerminal(t, 80, false, "--store", store, "--quiet", "conversation", "import", filepath.Join("testdata", "terminal", "kiln.jsonl"))
	for _, width := range []int{40, 60, 80, 120} {
		got := onTerminal(t, width, false, "--store", store, "conversation", "show", "--money")
		for line := range strings.Lines(got) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > width {
				t.Errorf("at %d: a line is %d wide: %s", width, w, line)
			}
		}
		golden(t, "show-money."+strconv.Itoa(width)+".txt", got)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "terminal", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; renew it with -update\n got:\n%s\nwant:\n%s", name, got, want)
	}
}

// What goes to standard error is broken between words too, and hangs.
func TestNotesOnNarrowTerminal(t *testing.T) {
	var errs bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&errs), Err: &errs, ErrTTY: true, ErrColour: true, ErrWidth: 40}
	if code := Run(t.Context(), []string{"compact", "x", "--format", "klingon"}, term); code != command.ExitUsage {
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
	for _, name := range transcripts.ReadableFormats() {
		if !strings.Contains(text, name) {
			t.Errorf("%s is torn", name)
		}
	}
}
