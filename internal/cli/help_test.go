package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// TestHelp holds every command to prose, an example, and 80 columns.
func TestHelp(t *testing.T) {
	a := &app{terminal: &terminal{}}
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
	walk(a.rootCommand())
}
