package cli

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// TestHelp holds every command to prose, an example, and 80 columns.
func TestHelp(t *testing.T) {
	a := &command.App{Terminal: &terminal.Terminal{}}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Long == "" || c.Short == "" || c.Example == "" {
			t.Errorf("%s: lacks prose or an example", c.CommandPath())
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: its line in the list ends with a period", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Long+"\n"+c.UsageString(), "\n") {
			if width := ansi.StringWidth(line); width > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), width, line)
			}
		}
		for _, inner := range c.Commands() {
			walk(inner)
		}
	}
	walk(Root(a))
}

// TestNarrowHelp: on a narrow terminal nothing is wider than it but examples,
// which are there to be copied, and no flag is left out.
func TestNarrowHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"compact"}, {"conversation"}, {"conversation", "compact"}, {"conversation", "fork"}, {"c", "search"}} {
		var out bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: io.Discard, OutTTY: true, Width: 46}
		if code := Run(t.Context(), append(args, "--help"), term); code != command.ExitOK {
			t.Fatalf("%v: the exit code is %d", args, code)
		}
		text, rest, _ := strings.Cut(out.String(), "\nExamples:\n")
		_, flags, _ := strings.Cut(rest, "\nFlags:\n")
		for line := range strings.SplitSeq(text+flags, "\n") {
			if ansi.StringWidth(line) > 46 {
				t.Errorf("%v: %s", args, line)
			}
		}
		if !strings.Contains(flags, "  -q, --quiet\n      suppress notices, warnings and progress\n") || strings.Contains(flags, "\n\n\n") {
			t.Errorf("%v:\n%s", args, out.String())
		}
	}
}
